import type { Definition, Index, SortKey } from "../port.ts";
import type { ScalarType } from "../field_types.ts";
import { arrayKeyOf, elementAt } from "../shape.ts";
import { quoted } from "./fragment.ts";
import { foldedName } from "./index_names.ts";

/**
 * A table with the elements of an indexed array: one row for each distinct element of each record,
 * with the other keys of the index. Triggers maintain it, so every process that writes a record
 * updates its elements in the same statement.
 */
export interface ArrayTable {
  readonly index: Index;
  readonly path: string;
  readonly type: ScalarType;
  readonly name: string;
  /** The keys of the index in order: `isDeleted` if there is a trash, its keys, and the id. */
  readonly keys: readonly ArrayKey[];
}

export interface ArrayKey extends SortKey {
  readonly column: string;
}

export const VALUE_COLUMN = '"@value"';

/** Returns the array tables of a definition: one for each index with an array among its keys. */
export const arrayTablesOf = (definition: Definition): readonly ArrayTable[] =>
  definition.indexes.flatMap((index) => {
    const path = arrayKeyOf(definition, index);
    return path === null ? [] : [arrayTable(definition, index, path)];
  });

/** Returns a table with the elements of an array; undefined if there is none. */
export const arrayTableOf = (definition: Definition, path: string): ArrayTable | undefined =>
  arrayTablesOf(definition).find((table) => table.path === path);

export const valueColumn = ({ name }: ArrayTable): string => `${name}.${VALUE_COLUMN}`;

/** Returns the prefix of array table names, which differs from that of record tables. */
export const arrayTablePrefix = ({ name }: Definition): string => `a_${name} (`;

function arrayTable(definition: Definition, index: Index, path: string): ArrayTable {
  if (index.unique) {
    throw new TypeError(`Cannot index "${path}" of ${definition.name} uniquely: it is an array`);
  }
  const type = elementAt(definition, path)!;
  const paths = index.keys.map((key) => (key.descending ? "-" : "") + foldedName(key.path));
  const name = quoted(`${arrayTablePrefix(definition)}${paths.join()})`);
  const keys = columnsFor(definition, index)
    .map((key) => ({ ...key, column: `${name}.${key.column}` }));
  return { index, path, type, name, keys };
}

/** Returns the columns of an array table: `isDeleted`, the keys, and the id. */
export function columnsFor(definition: Definition, { keys }: Index): ArrayKey[] {
  const last = keys.at(-1)!;
  const all = [
    ...(definition.trash ? [{ path: "isDeleted", descending: false }] : []),
    ...keys,
    ...(last.path === "_id" ? [] : [{ path: "_id", descending: last.descending }]),
  ];
  return all.map((key) => {
    const isArray = elementAt(definition, key.path) !== null;
    return { ...key, column: isArray ? VALUE_COLUMN : quoted(`@${foldedName(key.path)}`) };
  });
}
