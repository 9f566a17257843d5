import type { Definition, Index, SortKey } from "../port.ts";
import { FIELD_TYPES, type ScalarType } from "../field_types.ts";
import { arrayKeyOf, elementAt, scalarAt } from "../shape.ts";
import { asDouble, columnsOf, scalarSql, textPath } from "./columns.ts";
import { quoted } from "./fragment.ts";
import { indexName, inOneCase } from "./index_names.ts";
import { tableName } from "./table_name.ts";

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
  /** The objects of the schema that make it, by their types and names, spelled as SQLite keeps them. */
  readonly schema: ReadonlyMap<string, string>;
  /** Adds the values of all records. */
  readonly fillStatement: string;
}

export interface ArrayKey extends SortKey {
  /** The column that has it, with its table. */
  readonly column: string;
}

const VALUE = '"@value"';

/** Written once for each definition. */
const written = new WeakMap<Definition, readonly ArrayTable[]>();

/** One for each index of a definition that has an array among its keys. */
export function arrayTablesOf(definition: Definition): readonly ArrayTable[] {
  let tables = written.get(definition);
  if (tables === undefined) {
    tables = definition.indexes.flatMap((index) => {
      const path = arrayKeyOf(definition, index);
      return path === null ? [] : [arrayTable(definition, index, path)];
    });
    written.set(definition, tables);
  }
  return tables;
}

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
  const bare = `${arrayTablePrefix(definition)}${paths.join()})`;
  const parts: Parts = {
    definition,
    index,
    path,
    type,
    bare,
    columns: columnsFor(definition, index),
  };
  const name = quoted(bare);
  return {
    index,
    path,
    type,
    name,
    keys: parts.columns.map(({ path, descending, column }) => ({
      path,
      descending,
      column: `${name}.${column}`,
    })),
    schema: schemaOf(parts),
    fillStatement: fillStatement(parts, "is not null"),
  };
}

interface Parts {
  readonly definition: Definition;
  readonly index: Index;
  readonly path: string;
  readonly type: ScalarType;
  readonly bare: string;
  readonly columns: readonly ArrayKey[];
}

/** As any index of a list: live and deleted records apart, and the id last. */
function columnsFor(definition: Definition, { keys }: Index): ArrayKey[] {
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

function schemaOf(parts: Parts): Map<string, string> {
  const { definition, index, bare, columns } = parts;
  const [table, rows] = [quoted(bare), tableName(definition)];
  const declared = columns.map(({ path, column }) => {
    const type = elementAt(definition, path) ?? scalarAt(definition, path);
    if (type === null) {
      throw new TypeError(`Cannot index "${path}" of ${definition.name}: it is no declared scalar`);
    }
    return `${column} ${FIELD_TYPES[type].sql}${column === VALUE ? " not null" : ""}`;
  });
  const order = columns.map(({ column, descending }) => column + (descending ? " desc" : ""));
  const trigger = (when: string) => quoted(`${when} ${bare}`);
  const add = `${fillStatement(parts, "= new.seq")};`;
  const remove = `delete from ${table} where seq = old.seq;`;
  return new Map([
    [
      `table ${bare}`,
      `CREATE TABLE ${table}(seq integer not null, ${declared.join(", ")}, ` +
      `primary key(seq, ${VALUE})) strict, without rowid`,
    ],
    [
      `index ${indexName(definition, index)}`,
      `CREATE INDEX ${quoted(indexName(definition, index))} on ${table}(${order.join(", ")})`,
    ],
    [
      `trigger insert ${bare}`,
      `CREATE TRIGGER ${trigger("insert")} after insert on ${rows} begin ${add} end`,
    ],
    [
      `trigger delete ${bare}`,
      `CREATE TRIGGER ${trigger("delete")} after delete on ${rows} begin ${remove} end`,
    ],
    [
      `trigger update ${bare}`,
      `CREATE TRIGGER ${trigger("update")} after update of doc on ${rows} ` +
      `when ${changed(parts)} begin ${remove} ${add} end`,
    ],
  ]);
}

/** Of a record that was written anew, most often the array is what it was. */
function changed({ definition, columns, path }: Parts): string {
  const known = columnsOf(definition);
  const [at, differs] = [textPath(path), (text: string) => `old.${text} is not new.${text}`];
  const others = columns.filter(({ column }) => column !== VALUE)
    .map((key) => key.path === "_id" ? "id" : known.get(key.path)?.name ?? "doc");
  return [...new Set(others), `doc -> ${at}`].map(differs).join(" or ");
}

/** An element of another type than is declared is not there, as it is in a column. */
function fillStatement(
  { definition, path, type, bare, columns }: Parts,
  condition: string,
): string {
  const rows = tableName(definition);
  const { sql } = FIELD_TYPES[type];
  const values = columns.map((key) => {
    if (key.column === VALUE) return sql === "real" ? asDouble("value") : "value";
    if (key.path === "_id") return `${rows}.id`;
    return scalarSql(definition, key.path);
  });
  return `insert or ignore into ${quoted(bare)}(seq, ${
    columns.map(({ column }) => column).join(", ")
  }) select seq, ${values.join(", ")} from ${rows}, json_each(doc, ${textPath(path)}) ` +
    `where json_type(doc, ${textPath(path)}) = 'array' and type in (${JSON_TYPES[sql]}) ` +
    `and seq ${condition}`;
}

const JSON_TYPES = {
  text: "'text'",
  real: "'integer','real'",
  integer: "'true','false'",
} as const;
