import { INDEXED_ELEMENTS_MAX } from "../limits.ts";
import type { FieldFault } from "../problems.ts";
import { FIELD_TYPE_NAMES, FIELD_TYPES, type FieldType, type ScalarType } from "./field_types.ts";
import type { ScalarFieldType } from "./field_types/field_type.ts";
import type { Definition, FieldShape, Index, Json, Scalar } from "./port.ts";

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

/** The type of a declared scalar, or null for anything else. */
export function scalarAt(definition: Definition, path: string): ScalarType | null {
  if (path === "_id") return "String";
  return plainScalar(shapeAt(definition.fields, path), path);
}

/** The type of the elements of a declared Array of scalars, or null for anything else. */
export function elementAt({ fields }: Definition, path: string): ScalarType | null {
  return plainScalar(shapeAt(fields, path)?.items ?? null, path);
}

function plainScalar(shape: FieldShape | null, path: string): ScalarType | null {
  if (shape === null || !isScalarType(shape.type)) return null;
  if (!path.split(".").every((name) => PLAIN_NAME.test(name))) {
    throw new TypeError(`A declared path must consist of plain names, got ${JSON.stringify(path)}`);
  }
  return shape.type;
}

/** The key of an index that is an Array of scalars; null if none is. */
export const arrayKeyOf = (definition: Definition, { keys }: Index): string | null =>
  keys.find(({ path }) => elementAt(definition, path) !== null)?.path ?? null;

export const isScalarType = (name: FieldType): name is ScalarType =>
  FIELD_TYPES[name].holds === "value";

/** Returns the names of the types of single values for which something is true. */
export const scalarTypesWith = (has: (type: ScalarFieldType) => boolean): ScalarType[] =>
  FIELD_TYPE_NAMES.filter(isScalarType).filter((name) => has(FIELD_TYPES[name]));

/** Returns the names of the types of which groups can have a figure. */
export const typesWithFigure = (figure: ScalarFieldType["aggregates"][number]): ScalarType[] =>
  scalarTypesWith(({ aggregates }) => aggregates.includes(figure));

/** Returns the names of the types whose values an operator of a PATCH changes. */
export const typesChangedBy = (operator: string): FieldType[] =>
  FIELD_TYPE_NAMES.filter((name) =>
    FIELD_TYPES[name].changes?.operators.some((one) => one === operator)
  );

/** Whether a value has the JSON type of a field type. Null has no type. */
export function isOfType(name: ScalarType, value: Scalar): value is Exclude<Scalar, null> {
  const kind: string = typeof value;
  return kind === FIELD_TYPES[name].json;
}

/** Returns the value in the form in which it is stored; null for a value of another type. */
export function readValue(name: FieldType, value: Json): Scalar {
  const type = FIELD_TYPES[name];
  if (type.holds !== "value" || typeof value !== type.json) return null;
  if (typeof value === "number" && type.includes?.(value) === false) return null;
  return typeof value === "string" ? type.parse(value) : value as Scalar; // Of a JSON type.
}

/** Paths whose values MongoDB has as dates of its own, as far as objects lead to them. */
export const datePaths = (fields: Readonly<Record<string, FieldShape>>, at = ""): string[] =>
  Object.entries(fields).flatMap(([name, { type, fields: inner = {} }]) =>
    isScalarType(type)
      ? FIELD_TYPES[type].bson === "date" ? [at + name] : []
      : datePaths(inner, `${at}${name}.`)
  );

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

const known = new WeakMap<Definition, readonly string[]>();

/** Paths of the arrays that a definition has an index of. */
export function indexedArrays(definition: Definition): readonly string[] {
  let paths = known.get(definition);
  if (paths === undefined) {
    const arrays = definition.indexes.flatMap((index) => arrayKeyOf(definition, index) ?? []);
    known.set(definition, paths = [...new Set(arrays)]);
  }
  return paths;
}

/** Those of these arrays that hold more than an index takes, of a document or of the members set. */
export function crowded(
  arrays: readonly string[],
  members: { readonly [name: string]: Json },
): FieldFault[] {
  return arrays.filter((path) => isCrowded(members, path))
    .map((path) => ({
      path,
      message: `has an index, so it may hold up to ${INDEXED_ELEMENTS_MAX} elements`,
    }));
}

/** Members of a change may be named by dotted paths. */
function isCrowded(members: { readonly [name: string]: Json }, path: string): boolean {
  if (Object.hasOwn(members, path)) return exceeds(members[path]);
  for (let dot = path.lastIndexOf("."); dot > 0; dot = path.lastIndexOf(".", dot - 1)) {
    const outer = path.slice(0, dot);
    if (!Object.hasOwn(members, outer)) continue;
    return exceeds(valueAt({ _id: "", value: members[outer]! }, `value${path.slice(dot)}`));
  }
  return false;
}

const exceeds = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.length > INDEXED_ELEMENTS_MAX;
