import type { Definition, FieldShape, FieldType, Json, StoredRecord } from "./port.ts";

/** Names that may stand in statements and paths as they are. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** The declared shape behind a dotted path, or null where nothing is declared. */
export function shapeAt(
  fields: Readonly<Record<string, FieldShape>>,
  path: string,
): FieldShape | null {
  if (!path.includes(".")) return Object.hasOwn(fields, path) ? fields[path]! : null;
  let members: Readonly<Record<string, FieldShape>> | undefined = fields;
  let shape: FieldShape | null = null;
  for (const name of path.split(".")) {
    if (members === undefined || !Object.hasOwn(members, name)) return null;
    shape = members[name]!;
    members = shape.fields;
  }
  return shape;
}

export type ScalarType = Exclude<FieldType, "Object" | "Array">;

/** The type of a declared scalar, or null for anything else. */
export function scalarAt(definition: Definition, path: string): ScalarType | null {
  if (path === "_id") return "String";
  const type = shapeAt(definition.fields, path)?.type;
  if (type === undefined || type === "Object" || type === "Array") return null;
  if (!path.split(".").every((name) => PLAIN_NAME.test(name))) {
    throw new TypeError(`A declared path must consist of plain names, got ${JSON.stringify(path)}`);
  }
  return type;
}

/** What lies at a dotted path; undefined where it is missing or leads through a non-object. */
export function valueAt(record: StoredRecord, path: string): Json | undefined {
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
