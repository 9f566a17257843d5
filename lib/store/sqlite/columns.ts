import type { Definition, FieldShape, Json, StoredRecord } from "../port.ts";
import { FIELD_TYPES, type ScalarType } from "../field_types.ts";
import { isObject, isScalarType, own, scalarAt } from "../shape.ts";
import { quoted, type SqlValue } from "./fragment.ts";
import { inOneCase } from "./index_names.ts";

/** A declared scalar of a document, which stands beside the document's JSON text. */
export interface Column {
  readonly path: string;
  /** The names on the way to it. */
  readonly names: readonly string[];
  /** As SQL has it, in quotes. */
  readonly name: string;
  readonly type: ColumnType;
  /** Whether a text of any length may stand in it. */
  readonly isLong: boolean;
}

type ColumnType = (typeof FIELD_TYPES)[ScalarType]["sql"];

/**
 * Returns the columns that a definition's records have: of documents all declared scalars, but for
 * those within arrays; of Corbel's own records none.
 */
export function columnsOf(definition: Definition): readonly Column[] {
  const found = definition.trash ? columnsIn(definition.fields, []) : [];
  // A row is read from its beginning: what stands behind long texts takes ten times as long.
  return [...found.filter(({ isLong }) => !isLong), ...found.filter(({ isLong }) => isLong)];
}

/** Whether the records of a definition have a column for a path. */
export const hasColumn = (definition: Definition, path: string): boolean =>
  definition.trash && path !== "_id" && scalarAt(definition, path) !== null;

const columnName = (path: string): string => quoted(`.${inOneCase(path)}`);

const columnsIn = (
  fields: Readonly<Record<string, FieldShape>>,
  above: readonly string[],
): Column[] =>
  Object.entries(fields).flatMap(([key, { type, fields: inner = {} }]) => {
    const names = [...above, key];
    if (!isScalarType(type)) return columnsIn(inner, names);
    return names[0] === "_id" ? [] : [columnOf(names, type)];
  });

function columnOf(names: readonly string[], fieldType: ScalarType): Column {
  const type = FIELD_TYPES[fieldType].sql;
  const path = names.join(".");
  const isLong = FIELD_TYPES[fieldType].isText === true;
  return { path, names, name: columnName(path), type, isLong };
}

/**
 * Returns the value of a column out of a document's text. A value of another type than is declared is
 * not there, as in {@linkcode valueOf}.
 */
export function fromText({ path, type }: Column): string {
  const at = `doc,${textPath(path)}`;
  const value = `json_extract(${at})`;
  switch (type) {
    case "text":
      return `case json_type(${at}) when 'text' then ${value} end`;
    case "real":
      return `case when json_type(${at}) in ('integer','real') then ${asDouble(value)} end`;
    case "integer":
      return `case json_type(${at}) when 'true' then 1 when 'false' then 0 end`;
  }
}

/** What stands in a column for a record. */
export function valueOf({ names, type }: Column, record: StoredRecord): SqlValue {
  let value: Json | undefined = record;
  for (const name of names) value = isObject(value) ? own(value, name) : undefined;
  if (typeof value === "boolean") return type === "integer" ? Number(value) : null;
  if (typeof value === "string") return type === "text" ? value : null;
  return typeof value === "number" && type === "real" ? value : null;
}

/**
 * The value of a declared scalar as an SQL expression: its column, or what is read out of the text.
 * An index serves that only where the same literal text stands in both, so the path is never bound.
 */
export function scalarSql(definition: Definition, path: string): string {
  if (path === "_id") return "id";
  const type = scalarAt(definition, path);
  if (definition.trash && type !== null) return columnName(path);
  const value = `json_extract(doc,${textPath(path)})`;
  return type !== null && FIELD_TYPES[type].sql === "real" ? asDouble(value) : value;
}

/** SQLite reads whole numbers as 64-bit integers, of which doubles know not all. */
export const asDouble = (value: string): string => `cast(${value} as real)`;

/** Where a member lies in a JSON text, as SQLite's functions take it. */
export const textPath = (path: string): string =>
  `'$${path.split(".").map((name) => `."${name}"`).join("")}'`;
