import type { Definition, FieldShape, FieldType, Index, Json, Scalar } from "./port.ts";

/** Names that may stand in statements and paths as they are. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** The declared shape behind a dotted path, or null where nothing is declared. */
export function shapeAt(
  fields: Readonly<Record<string, FieldShape>>,
  path: string,
): FieldShape | null {
  if (!path.includes(".")) return Object.hasOwn(fields, path) ? fields[path]! : null;
  const { shape, isWhole } = nearestShape(fields, path);
  return isWhole ? shape : null;
}

/** The shape declared last on the way along a path. */
export interface NearestShape {
  /** Null where not even the first name is declared. */
  readonly shape: FieldShape | null;
  /** The part of the path that leads to it. */
  readonly path: string;
  /** Whether that is the whole path. */
  readonly isWhole: boolean;
}

/** Follows a dotted path for as long as it is declared; reads no further than that. */
export function nearestShape(
  fields: Readonly<Record<string, FieldShape>>,
  path: string,
): NearestShape {
  let members: Readonly<Record<string, FieldShape>> | undefined = fields;
  let shape: FieldShape | null = null;
  let read = -1;
  while (members !== undefined && read < path.length) {
    const dot = path.indexOf(".", read + 1);
    const end = dot === -1 ? path.length : dot;
    const name = path.slice(read + 1, end);
    if (!Object.hasOwn(members, name)) break;
    shape = members[name]!;
    members = shape.fields;
    read = end;
  }
  return { shape, path: path.slice(0, Math.max(read, 0)), isWhole: read === path.length };
}

export type ScalarType = Exclude<FieldType, "Object" | "Array">;

/** The type of a declared scalar, or null for anything else. */
export function scalarAt(definition: Definition, path: string): ScalarType | null {
  if (path === "_id") return "String";
  return plainScalar(shapeAt(definition.fields, path), path);
}

/** The type of the elements of a declared Array of scalars, or null for anything else. */
export function elementAt({ fields }: Definition, path: string): ScalarType | null {
  const shape = shapeAt(fields, path);
  return shape?.type === "Array" ? plainScalar(shape.items ?? null, path) : null;
}

function plainScalar(shape: FieldShape | null, path: string): ScalarType | null {
  const type = shape?.type;
  if (type === undefined || type === "Object" || type === "Array") return null;
  if (!path.split(".").every((name) => PLAIN_NAME.test(name))) {
    throw new TypeError(`A declared path must consist of plain names, got ${JSON.stringify(path)}`);
  }
  return type;
}

/** The key of an index that is an Array of scalars; null if none is. */
export const arrayKeyOf = (definition: Definition, { keys }: Index): string | null =>
  keys.find(({ path }) => elementAt(definition, path) !== null)?.path ?? null;

/** Whether the value is of the type; null is of none. */
export function isOfType(type: ScalarType, value: Scalar): value is Exclude<Scalar, null> {
  if (type === "Number") return typeof value === "number";
  if (type === "Boolean") return typeof value === "boolean";
  return typeof value === "string";
}

/** Paths of declared dates, as far as objects lead to them. */
export function datePaths(fields: Readonly<Record<string, FieldShape>>, at = ""): string[] {
  return Object.entries(fields).flatMap(([name, { type, fields: inner }]) => {
    if (type === "Date") return [at + name];
    return type === "Object" && inner !== undefined ? datePaths(inner, `${at}${name}.`) : [];
  });
}

/** What lies at a dotted path; undefined where it is missing or leads through a non-object. */
export function valueAt(
  record: Readonly<Record<string, Json>>,
  path: string,
): Json | undefined {
  let value: Json | undefined = record;
  for (const name of path.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** A member of its own, never one that every object inherits. */
export const own = <T>(members: { readonly [name: string]: T }, name: string): T | undefined =>
  Object.hasOwn(members, name) ? members[name] : undefined;

export function isObject(value: Json | undefined): value is { [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value has more members than this, those of all objects within it together. */
export function exceedsMembers(value: Json, max: number): boolean {
  let members = 0;
  // Without recursion: it may be nested as deep as JSON can be.
  const open: Json[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const inner: readonly Json[] = Array.isArray(next) ? next : Object.values(next);
    if (!Array.isArray(next) && (members += inner.length) > max) return true;
    for (const one of inner) if (typeof one === "object" && one !== null) open.push(one);
  }
  return false;
}
