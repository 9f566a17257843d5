import { FIELD_TYPES } from "../field_types.ts";
import type { Definition } from "../port.ts";
import { elementAt, scalarAt } from "../shape.ts";
import {
  type ArrayTable,
  arrayTablePrefix,
  arrayTablesOf,
  columnsFor,
  VALUE_COLUMN,
} from "./array_tables.ts";
import { asDouble, hasColumn, jsonPathSql, scalarSql } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { quoted, sql } from "./fragment.ts";
import { indexName } from "./index_names.ts";
import { tableName } from "./table_name.ts";

/** Returns stored array tables by unquoted name, with their schema: `type name` -> SQL. */
function storedArrayTables(
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
    const rows = db.all(sql(
      "select type || ' ' || name, sql from sqlite_schema where sql is not null " +
        "and (tbl_name = ?1 or type = 'trigger' and substr(name, 8) = ?1)",
      name!,
    ));
    tables.set(name as string, new Map(rows.map(([of, text]) => [of as string, text as string])));
  }
  return tables;
}

const isUpToDate = (
  definition: Definition,
  table: ArrayTable,
  objects: ReadonlyMap<string, string> | undefined,
): boolean =>
  objects !== undefined &&
  [...schemaOf(definition, table)].every(([of, text]) => objects.get(of) === text);

const bareName = ({ name }: ArrayTable): string => name.slice(1, -1);

/** Whether all indexed arrays of a definition have their tables. */
export function hasArrayTables(db: Connection, definition: Definition): boolean {
  const wanted = arrayTablesOf(definition);
  if (wanted.length === 0) return true;
  const stored = storedArrayTables(db, definition);
  return wanted.every((table) => isUpToDate(definition, table, stored.get(bareName(table))));
}

/** Creates and fills missing array tables. Must run in a write transaction. */
export function createArrayTables(db: Connection, definition: Definition): void {
  const stored = arrayTablesOf(definition).length === 0 ? null : storedArrayTables(db, definition);
  for (const table of arrayTablesOf(definition)) {
    const objects = stored!.get(bareName(table));
    for (const [of, statement] of schemaOf(definition, table)) {
      if (objects?.get(of) !== statement) db.run(sql(statement));
    }
    if (objects === undefined) db.run(sql(fillStatement(definition, table, "is not null")));
  }
}

/** Drops all array tables, or outdated ones. Must run in a write transaction. */
export function removeArrayTables(
  db: Connection,
  definition: Definition,
  which: "unwanted" | "all",
): void {
  const wanted = new Map(arrayTablesOf(definition).map((table) => [bareName(table), table]));
  for (const [name, objects] of storedArrayTables(db, definition)) {
    const table = wanted.get(name);
    if (which === "unwanted" && table !== undefined && isUpToDate(definition, table, objects)) {
      continue;
    }
    dropTriggers(db, objects);
    db.run(sql(`drop table ${quoted(name)}`));
  }
}

function dropTriggers(db: Connection, objects: ReadonlyMap<string, string>): void {
  for (const of of objects.keys()) {
    const [type, ...rest] = of.split(" ");
    if (type === "trigger") db.run(sql(`drop trigger ${quoted(rest.join(" "))}`));
  }
}

/** Returns the schema of an array table, `type name` -> SQL, as SQLite stores it. */
function schemaOf(definition: Definition, of: ArrayTable): ReadonlyMap<string, string> {
  const { index, name: table } = of;
  const [bare, rows] = [bareName(of), tableName(definition)];
  const columns = columnsFor(definition, index);
  const declared = columns.map(({ path, column }) => {
    const type = elementAt(definition, path) ?? scalarAt(definition, path);
    if (type === null) {
      throw new TypeError(
        `Cannot index "${path}" of ${definition.name}: not a declared scalar`,
      );
    }
    return `${column} ${FIELD_TYPES[type].sql}${column === VALUE_COLUMN ? " not null" : ""}`;
  });
  const order = columns.map(({ column, descending }) => column + (descending ? " desc" : ""));
  const trigger = (when: string) => quoted(`${when} ${bare}`);
  const add = `${fillStatement(definition, of, "= new.seq")};`;
  const remove = `delete from ${table} where seq = old.seq;`;
  return new Map([
    [
      `table ${bare}`,
      `CREATE TABLE ${table}(seq integer not null, ${declared.join(", ")}, ` +
      `primary key(seq, ${VALUE_COLUMN})) strict, without rowid`,
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
      `when ${changeCondition(definition, of)} begin ${remove} ${add} end`,
    ],
  ]);
}

/** Returns the condition under which a changed row changes the array's table. */
function changeCondition(definition: Definition, { index, path }: ArrayTable): string {
  const [at, differs] = [jsonPathSql(path), (text: string) => `old.${text} is not new.${text}`];
  const others = columnsFor(definition, index).filter(({ column }) => column !== VALUE_COLUMN)
    .map((key) =>
      key.path === "_id" || hasColumn(definition, key.path)
        ? scalarSql(definition, key.path)
        : "doc"
    );
  return [...new Set(others), `doc -> ${at}`].map(differs).join(" or ");
}

/** Returns the statement that fills an array table with elements of the declared type. */
function fillStatement(
  definition: Definition,
  { index, path, type, name }: ArrayTable,
  condition: string,
): string {
  const rows = tableName(definition);
  const columns = columnsFor(definition, index);
  const { sql } = FIELD_TYPES[type];
  const values = columns.map((key) => {
    if (key.column === VALUE_COLUMN) return sql === "real" ? asDouble("value") : "value";
    if (key.path === "_id") return `${rows}.id`;
    return scalarSql(definition, key.path);
  });
  return `insert or ignore into ${name}(seq, ${
    columns.map(({ column }) => column).join(", ")
  }) select seq, ${values.join(", ")} from ${rows}, json_each(doc, ${jsonPathSql(path)}) ` +
    `where json_type(doc, ${jsonPathSql(path)}) = 'array' and type in (${JSON_TYPES[sql]}) ` +
    `and seq ${condition}`;
}

const JSON_TYPES = {
  text: "'text'",
  real: "'integer','real'",
  integer: "'true','false'",
} as const;
