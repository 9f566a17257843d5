import { FIELD_TYPES } from "../field_types.ts";
import type { Definition } from "../port.ts";
import { elementAt, scalarAt } from "../shape.ts";
import {
  type ArrayTable,
  arrayTablePrefix,
  arrayTablesOf,
  columnsFor,
  VALUE,
} from "./array_tables.ts";
import { asDouble, hasColumn, scalarSql, textPath } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { quoted, sql } from "./fragment.ts";
import { indexName } from "./index_names.ts";
import { tableName } from "./table_name.ts";

/** Bare names of the tables of a definition's arrays, with what makes each of them. */
function storedTables(
  db: Connection,
  definition: Definition,
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const prefix = arrayTablePrefix(definition);
  const tables = new Map<string, Map<string, string>>();
  const names = db.all(sql(
    "select name from sqlite_schema where type = 'table' and substr(name, 1, ?) = ?",
    prefix.length,
    prefix,
  ));
  for (const [name] of names) {
    const made = db.all(sql(
      "select type || ' ' || name, sql from sqlite_schema where sql is not null " +
        "and (tbl_name = ?1 or type = 'trigger' and substr(name, 8) = ?1)",
      name!,
    ));
    tables.set(name as string, new Map(made.map(([of, text]) => [of as string, text as string])));
  }
  return tables;
}

const isMade = (
  definition: Definition,
  table: ArrayTable,
  made: ReadonlyMap<string, string> | undefined,
): boolean =>
  made !== undefined &&
  [...schemaOf(definition, table)].every(([of, text]) => made.get(of) === text);

const bareName = ({ name }: ArrayTable): string => name.slice(1, -1);

/** Whether all arrays of a definition that have an index have their tables. */
export function hasArrayTables(db: Connection, definition: Definition): boolean {
  const wanted = arrayTablesOf(definition);
  if (wanted.length === 0) return true;
  const stored = storedTables(db, definition);
  return wanted.every((table) => isMade(definition, table, stored.get(bareName(table))));
}

/** Makes and fills what is missing; run inside a write transaction. */
export function makeArrayTables(db: Connection, definition: Definition): void {
  const stored = arrayTablesOf(definition).length === 0 ? null : storedTables(db, definition);
  for (const table of arrayTablesOf(definition)) {
    const made = stored!.get(bareName(table));
    for (const [of, statement] of schemaOf(definition, table)) {
      if (made?.get(of) !== statement) db.run(sql(statement));
    }
    if (made === undefined) db.run(sql(fillStatement(definition, table, "is not null")));
  }
}

/**
 * Removes the tables that the definition does not want as they are, or all of them. Must run inside a
 * write transaction.
 */
export function removeArrayTables(
  db: Connection,
  definition: Definition,
  which: "unwanted" | "all",
): void {
  const wanted = new Map(arrayTablesOf(definition).map((table) => [bareName(table), table]));
  for (const [name, made] of storedTables(db, definition)) {
    const table = wanted.get(name);
    if (which === "unwanted" && table !== undefined && isMade(definition, table, made)) continue;
    dropTriggers(db, made);
    db.run(sql(`drop table ${quoted(name)}`));
  }
}

function dropTriggers(db: Connection, made: ReadonlyMap<string, string>): void {
  for (const of of made.keys()) {
    const [type, ...rest] = of.split(" ");
    if (type === "trigger") db.run(sql(`drop trigger ${quoted(rest.join(" "))}`));
  }
}

/** The objects of the schema that make a table, by their types and names, spelled as SQLite keeps them. */
function schemaOf(definition: Definition, of: ArrayTable): ReadonlyMap<string, string> {
  const { index, name: table } = of;
  const [bare, rows] = [bareName(of), tableName(definition)];
  const columns = columnsFor(definition, index);
  const declared = columns.map(({ path, column }) => {
    const type = elementAt(definition, path) ?? scalarAt(definition, path);
    if (type === null) {
      throw new TypeError(`Cannot index "${path}" of ${definition.name}: it is no declared scalar`);
    }
    return `${column} ${FIELD_TYPES[type].sql}${column === VALUE ? " not null" : ""}`;
  });
  const order = columns.map(({ column, descending }) => column + (descending ? " desc" : ""));
  const trigger = (when: string) => quoted(`${when} ${bare}`);
  const add = `${fillStatement(definition, of, "= new.seq")};`;
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
      `when ${changed(definition, of)} begin ${remove} ${add} end`,
    ],
  ]);
}

/** Of a record that was written anew, most often the array is what it was. */
function changed(definition: Definition, { index, path }: ArrayTable): string {
  const [at, differs] = [textPath(path), (text: string) => `old.${text} is not new.${text}`];
  const others = columnsFor(definition, index).filter(({ column }) => column !== VALUE)
    .map((key) =>
      key.path === "_id" || hasColumn(definition, key.path)
        ? scalarSql(definition, key.path)
        : "doc"
    );
  return [...new Set(others), `doc -> ${at}`].map(differs).join(" or ");
}

/** An element of another type than is declared is not there, as it is in a column. */
function fillStatement(
  definition: Definition,
  { index, path, type, name }: ArrayTable,
  condition: string,
): string {
  const rows = tableName(definition);
  const columns = columnsFor(definition, index);
  const { sql } = FIELD_TYPES[type];
  const values = columns.map((key) => {
    if (key.column === VALUE) return sql === "real" ? asDouble("value") : "value";
    if (key.path === "_id") return `${rows}.id`;
    return scalarSql(definition, key.path);
  });
  return `insert or ignore into ${name}(seq, ${
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
