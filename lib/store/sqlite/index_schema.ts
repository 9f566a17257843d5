import type { Definition, Index, SortKey } from "../port.ts";
import { FIELD_TYPES } from "../field_types.ts";
import { arrayKeyOf, scalarAt } from "../shape.ts";
import { hasColumn, scalarSql } from "./columns.ts";
import { directionOf, quoted } from "./fragment.ts";
import { indexName } from "./index_names.ts";
import { tableName } from "./table_name.ts";

export interface IndexSchema {
  /** The name, which spells out the keys. */
  readonly name: string;
  readonly isUnique: boolean;
  readonly keys: readonly IndexKey[];
  /** The condition of a partial index; null if it has entries for all rows. */
  readonly where: string | null;
}

export interface IndexKey {
  readonly value: string;
  readonly descending: boolean;
  /** The column's type; empty if `value` is not a column. */
  readonly type: string;
}

/** Returns the indexes of a definition by name, except those over arrays. */
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
  const ascending = keys.map(({ path }) => indexKey(definition, { path, descending: false }));
  const conditions = ascending.map(({ value }) => `${value} is not null`);
  if (definition.trash) conditions.push(`${scalarSql(definition, "isDeleted")} = 0`);
  return { isUnique: true, keys: ascending, where: conditions.join(" and ") };
}

/** Returns an index for lists. It begins with `isDeleted` and ends with the id. */
function listingIndex(definition: Definition, { keys }: Index): Omit<IndexSchema, "name"> {
  const all = definition.trash ? [{ path: "isDeleted", descending: false }, ...keys] : [...keys];
  const last = keys.at(-1)!;
  if (last.path !== "_id") all.push({ path: "_id", descending: last.descending });
  return { isUnique: false, keys: all.map((key) => indexKey(definition, key)), where: null };
}

function indexKey(definition: Definition, { path, descending }: SortKey): IndexKey {
  const declared = scalarAt(definition, path);
  if (declared === null) {
    throw new TypeError(
      `Cannot index "${path}" of ${definition.name}: not a declared scalar`,
    );
  }
  const isColumn = path === "_id" || hasColumn(definition, path);
  const type = isColumn ? FIELD_TYPES[declared].sql : "";
  return { value: scalarSql(definition, path), descending, type };
}

/** Returns the statement that creates an index, spelled as SQLite stores it, for comparison. */
export function indexStatement(
  definition: Definition,
  { name, isUnique, keys, where }: IndexSchema,
): string {
  const columns = keys.map(({ value, descending }) => value + directionOf(descending));
  return `CREATE ${isUnique ? "UNIQUE " : ""}INDEX ${quoted(name)} on ${tableName(definition)}` +
    `(${columns.join(", ")})${where === null ? "" : ` where ${where}`}`;
}
