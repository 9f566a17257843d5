import type { Definition, Index, SortKey } from "../port.ts";
import type { ScalarType } from "../field_types.ts";
import { arrayKeyOf, elementAt } from "../shape.ts";
import { quoted } from "./fragment.ts";
import { inOneCase } from "./index_names.ts";

/**
 * The values of an array that an index is about, one row for each value of each record, with what
 * else the index has of the record. Triggers keep it current, so that whatever writes a record, in
 * whichever process, writes its values in the same statement.
 */
export interface ArrayTable {
  readonly index: Index;
  /** Of the array. */
  readonly path: string;
  /** The type of its elements. */
  readonly type: ScalarType;
  /** As SQL has it, in quotes. */
  readonly name: string;
  /** The keys of the index in its order, what tells live from deleted first and the id last. */
  readonly keys: readonly ArrayKey[];
}

export interface ArrayKey extends SortKey {
  /** The column that has it, with its table. */
  readonly column: string;
}

export const VALUE = '"@value"';

/** Returns one for each index of a definition that has an array among its keys. */
export const arrayTablesOf = (definition: Definition): readonly ArrayTable[] =>
  definition.indexes.flatMap((index) => {
    const path = arrayKeyOf(definition, index);
    return path === null ? [] : [arrayTable(definition, index, path)];
  });

/** Where the values of an array are found, whatever else the index has; undefined if nowhere. */
export const arrayTableOf = (definition: Definition, path: string): ArrayTable | undefined =>
  arrayTablesOf(definition).find((table) => table.path === path);

/** The values of the array in its table. */
export const valueColumn = ({ name }: ArrayTable): string => `${name}.${VALUE}`;

/** The name begins as no table of records does, and the definition's comes first in it. */
export const arrayTablePrefix = ({ name }: Definition): string => `a_${name} (`;

function arrayTable(definition: Definition, index: Index, path: string): ArrayTable {
  if (index.unique) {
    throw new TypeError(`Cannot index "${path}" of ${definition.name} uniquely: it is an array`);
  }
  const type = elementAt(definition, path)!;
  const paths = index.keys.map((key) => (key.descending ? "-" : "") + inOneCase(key.path));
  const name = quoted(`${arrayTablePrefix(definition)}${paths.join()})`);
  const keys = columnsFor(definition, index)
    .map((key) => ({ ...key, column: `${name}.${key.column}` }));
  return { index, path, type, name, keys };
}

/** As any index of a list: live and deleted records apart, and the id last. */
export function columnsFor(definition: Definition, { keys }: Index): ArrayKey[] {
  const last = keys.at(-1)!;
  const all = [
    ...(definition.trash ? [{ path: "isDeleted", descending: false }] : []),
    ...keys,
    ...(last.path === "_id" ? [] : [{ path: "_id", descending: last.descending }]),
  ];
  return all.map((key) => {
    const isArray = elementAt(definition, key.path) !== null;
    return { ...key, column: isArray ? VALUE : quoted(`@${inOneCase(key.path)}`) };
  });
}
