import type { Definition, FieldShape, Json, StoredRecord } from "../port.ts";
import { FIELD_TYPES, type ScalarType } from "../field_types.ts";
import { isObject, isScalarType, ownMember, scalarAt } from "../shape.ts";
import { quoted, type SqlValue } from "./fragment.ts";
import { foldedName } from "./index_names.ts";

/** A column that stores a declared scalar of a document in addition to the document's JSON text. */
export interface Column {
  readonly path: string;
  readonly names: readonly string[];
  readonly name: string;
  readonly type: ColumnType;
  /** Whether the column may contain long texts. */
  readonly isLong: boolean;
}

type ColumnType = (typeof FIELD_TYPES)[ScalarType]["sql"];

/** Returns the columns: one for each declared scalar of documents, none for internal kinds. */
export function columnsOf(definition: Definition): readonly Column[] {
  const found = definition.trash ? columnsIn(definition.fields, []) : [];
  // SQLite reads a row from its beginning, so columns after long texts are slow to read.
  return [...found.filter(({ isLong }) => !isLong), ...found.filter(({ isLong }) => isLong)];
}

export const hasColumn = (definition: Definition, path: string): boolean =>
  definition.trash && path !== "_id" && scalarAt(definition, path) !== null;

const columnName = (path: string): string => quoted(`.${foldedName(path)}`);

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
 * Returns an SQL expression that extracts a column's value from the document's text. A value of a
 * type other than the declared one yields null, as in {@linkcode columnValue}.
 */
export function extractSql({ path, type }: Column): string {
  const at = `doc,${jsonPathSql(path)}`;
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

export function columnValue({ names, type }: Column, record: StoredRecord): SqlValue {
  let value: Json | undefined = record;
  for (const name of names) value = isObject(value) ? ownMember(value, name) : undefined;
  if (typeof value === "boolean") return type === "integer" ? Number(value) : null;
  if (typeof value === "string") return type === "text" ? value : null;
  return typeof value === "number" && type === "real" ? value : null;
}

/**
 * Returns an SQL expression for a declared scalar: its column, or a path into the document's text.
 * The path is a literal, because an index serves the expression only if its text is identical.
 */
export function scalarSql(definition: Definition, path: string): string {
  if (path === "_id") return "id";
  const type = scalarAt(definition, path);
  if (definition.trash && type !== null) return columnName(path);
  const value = `json_extract(doc,${jsonPathSql(path)})`;
  return type !== null && FIELD_TYPES[type].sql === "real" ? asDouble(value) : value;
}

/** Returns an SQL expression that converts a number to a double, also a 64-bit integer. */
export const asDouble = (value: string): string => `cast(${value} as real)`;

/** Returns the SQL literal of a JSON path, as SQLite's functions expect it. */
export const jsonPathSql = (path: string): string =>
  `'$${path.split(".").map((name) => `."${name}"`).join("")}'`;
