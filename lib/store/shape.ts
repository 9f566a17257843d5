import { INDEXED_ELEMENTS_MAX } from "../limits.ts";
import type { FieldFault } from "../problems.ts";
import { FIELD_TYPE_NAMES, FIELD_TYPES, type FieldType, type ScalarType } from "./field_types.ts";
import type { ScalarFieldType } from "./field_types/field_type.ts";
import type { Definition, FieldShape, Index, Json, Scalar } from "./port.ts";

/** Names that can be used in statements and paths without quoting. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** Returns the declared shape at a dotted path; null if nothing is declared there. */
export function shapeAt(
  fields: Readonly<Record<string, FieldShape>>,
  path: string,
): FieldShape | null {
  if (!path.includes(".")) return Object.hasOwn(fields, path) ? fields[path]! : null;
  const { shape, isComplete } = nearestShape(fields, path);
  return isComplete ? shape : null;
}

/** The deepest declared shape along a path. */
export interface NearestShape {
  /** Null if not even the first name of the path is declared. */
  readonly shape: FieldShape | null;
  /** The part of the path that leads to the shape. */
  readonly path: string;
  /** Whether the shape is at the end of the path. */
  readonly isComplete: boolean;
}

/** Follows a dotted path as far as it is declared. Does not read the rest of the path. */
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
  return { shape, path: path.slice(0, Math.max(read, 0)), isComplete: read === path.length };
}

/** Returns the type of a declared scalar; null for anything else. */
export function scalarAt(definition: Definition, path: string): ScalarType | null {
  if (path === "_id") return "String";
  return plainScalar(shapeAt(definition.fields, path), path);
}

/** Returns the element type of a declared Array of scalars; null for anything else. */
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

/** Returns the key of an index that is an Array of scalars; null if there is none. */
export const arrayKeyOf = (definition: Definition, { keys }: Index): string | null =>
  keys.find(({ path }) => elementAt(definition, path) !== null)?.path ?? null;

export const isScalarType = (name: FieldType): name is ScalarType =>
  FIELD_TYPES[name].holds === "value";

/** Returns the names of the scalar types that pass a test. */
export const scalarTypesWith = (has: (type: ScalarFieldType) => boolean): ScalarType[] =>
  FIELD_TYPE_NAMES.filter(isScalarType).filter((name) => has(FIELD_TYPES[name]));

/** Returns the names of the types that support an aggregate figure. */
export const typesWithFigure = (figure: ScalarFieldType["aggregates"][number]): ScalarType[] =>
  scalarTypesWith(({ aggregates }) => aggregates.includes(figure));

/** Returns the names of the types whose values a PATCH operator changes. */
export const typesChangedBy = (operator: string): FieldType[] =>
  FIELD_TYPE_NAMES.filter((name) =>
    FIELD_TYPES[name].changes?.operators.some((one) => one === operator)
  );

/** Whether a value has the JSON type of a field type. Null is not of any type. */
export function isOfType(name: ScalarType, value: Scalar): value is Exclude<Scalar, null> {
  const kind: string = typeof value;
  return kind === FIELD_TYPES[name].json;
}

/** Returns a value in its stored form; null if the value is of another type. */
export function readValue(name: FieldType, value: Json): Scalar {
  const type = FIELD_TYPES[name];
  if (type.holds !== "value" || typeof value !== type.json) return null;
  if (typeof value === "number" && type.includes?.(value) === false) return null;
  return typeof value === "string" ? type.parse(value) : value as Scalar; // Of a JSON type.
}

/** Returns the paths of values that MongoDB stores as BSON dates, nested ones included. */
export const datePaths = (fields: Readonly<Record<string, FieldShape>>, at = ""): string[] =>
  Object.entries(fields).flatMap(([name, { type, fields: inner = {} }]) =>
    isScalarType(type)
      ? FIELD_TYPES[type].bson === "date" ? [at + name] : []
      : datePaths(inner, `${at}${name}.`)
  );

/** Returns the value at a dotted path through objects; undefined if it is missing. */
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

/** Returns an object's own member, never an inherited one. */
export const ownMember = <T>(
  members: { readonly [name: string]: T },
  name: string,
): T | undefined => Object.hasOwn(members, name) ? members[name] : undefined;

export function isObject(value: Json | undefined): value is { [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value has more than `max` members, including members of nested objects. */
export function exceedsMembers(value: Json, max: number): boolean {
  let members = 0;
  // No recursion, because the value may be nested too deeply for the call stack.
  const open: Json[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const inner: readonly Json[] = Array.isArray(next) ? next : Object.values(next);
    if (!Array.isArray(next) && (members += inner.length) > max) return true;
    for (const one of inner) if (typeof one === "object" && one !== null) open.push(one);
  }
  return false;
}

const indexedArraysCache = new WeakMap<Definition, readonly string[]>();

/** Returns the paths of all indexed arrays of a definition. */
export function indexedArrays(definition: Definition): readonly string[] {
  let paths = indexedArraysCache.get(definition);
  if (paths === undefined) {
    const arrays = definition.indexes.flatMap((index) => arrayKeyOf(definition, index) ?? []);
    indexedArraysCache.set(definition, paths = [...new Set(arrays)]);
  }
  return paths;
}

/**
 * Returns a fault for each indexed array that has more elements than an index accepts.
 *
 * @param members A document, or the members that a change sets, by dotted paths.
 */
export function oversizedArrayFaults(
  arrays: readonly string[],
  members: { readonly [name: string]: Json },
): FieldFault[] {
  return arrays.filter((path) => isOversizedAt(members, path))
    .map((path) => ({
      path,
      message: `has an index, so it may hold up to ${INDEXED_ELEMENTS_MAX} elements`,
    }));
}

/** Whether the array at a path is too long. The members may be keyed by dotted paths. */
function isOversizedAt(members: { readonly [name: string]: Json }, path: string): boolean {
  if (Object.hasOwn(members, path)) return isOversized(members[path]);
  for (let dot = path.lastIndexOf("."); dot > 0; dot = path.lastIndexOf(".", dot - 1)) {
    const outer = path.slice(0, dot);
    if (!Object.hasOwn(members, outer)) continue;
    return isOversized(valueAt({ _id: "", value: members[outer]! }, `value${path.slice(dot)}`));
  }
  return false;
}

const isOversized = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.length > INDEXED_ELEMENTS_MAX;
