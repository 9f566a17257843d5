import type { Definition, Index, SortKey } from "../port.ts";
import { FIELD_TYPES } from "../field_types.ts";
import { arrayKeyOf, scalarAt } from "../shape.ts";
import { hasColumn, scalarSql } from "./columns.ts";
import { directionOf, quoted } from "./fragment.ts";
import { indexName } from "./index_names.ts";
import { tableName } from "./table_name.ts";

/** An index over the rows of a definition. */
export interface IndexSchema {
  /** Spells out its keys. */
  readonly name: string;
  readonly isUnique: boolean;
  readonly keys: readonly IndexKey[];
  /** Of which rows it has entries; null where of all. */
  readonly where: string | null;
}

export interface IndexKey {
  /** As SQL has it. */
  readonly value: string;
  readonly descending: boolean;
  /** Of the column that `value` is, or nothing. */
  readonly type: string;
}

/** By their names, all indexes of a definition but those over arrays. */
export function indexSchemas(definition: Definition): Map<string, IndexSchema> {
  const wanted = definition.indexes.filter((index) => arrayKeyOf(definition, index) === null);
  if (definition.expiry !== undefined) {
    wanted.push({ keys: [{ path: definition.expiry, descending: false }] });
  }
  return new Map(wanted.map((index) => {
    const name = indexName(definition, index);
    const schema = index.unique ? uniqueIndex(definition, index) : listingIndex(definition, index);
    return [name, { name, ...schema }];
  }));
}

function uniqueIndex(definition: Definition, { keys }: Index): Omit<IndexSchema, "name"> {
  const ascending = keys.map(({ path }) => keyOf(definition, { path, descending: false }));
  const conditions = ascending.map(({ value }) => `${value} is not null`);
  if (definition.trash) conditions.push(`${scalarSql(definition, "isDeleted")} = 0`);
  return { isUnique: true, keys: ascending, where: conditions.join(" and ") };
}

/** It begins with `isDeleted` and ends with the id, as every list is ordered. */
function listingIndex(definition: Definition, { keys }: Index): Omit<IndexSchema, "name"> {
  const all = definition.trash ? [{ path: "isDeleted", descending: false }, ...keys] : [...keys];
  const last = keys.at(-1)!;
  if (last.path !== "_id") all.push({ path: "_id", descending: last.descending });
  return { isUnique: false, keys: all.map((key) => keyOf(definition, key)), where: null };
}

function keyOf(definition: Definition, { path, descending }: SortKey): IndexKey {
  const declared = scalarAt(definition, path);
  if (declared === null) {
    throw new TypeError(`Cannot index "${path}" of ${definition.name}: it is no declared scalar`);
  }
  const isColumn = path === "_id" || hasColumn(definition, path);
  const type = isColumn ? FIELD_TYPES[declared].sql : "";
  return { value: scalarSql(definition, path), descending, type };
}

/** The statement that makes an index, spelled as SQLite keeps it, so that the two can be compared. */
export function indexStatement(
  definition: Definition,
  { name, isUnique, keys, where }: IndexSchema,
): string {
  const columns = keys.map(({ value, descending }) => value + directionOf(descending));
  return `CREATE ${isUnique ? "UNIQUE " : ""}INDEX ${quoted(name)} on ${tableName(definition)}` +
    `(${columns.join(", ")})${where === null ? "" : ` where ${where}`}`;
}
