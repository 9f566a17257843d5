import { Outdated, SpaceFull, StoreMismatch } from "../errors.ts";
import type { ByteQuota, Definition } from "../port.ts";
import { scalarAt } from "../shape.ts";
import { createArrayTables, hasArrayTables, removeArrayTables } from "./array_schema.ts";
import { createChangeTable, hasChangeTable } from "./change_table.ts";
import { columnsOf, extractSql, jsonPathSql } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { type Fragment, quoted, sql } from "./fragment.ts";
import { indexSchemas, indexStatement } from "./index_schema.ts";
import { renameMembers } from "./renamed_texts.ts";
import { bareTableName, tableName } from "./table_name.ts";
import { dropWords, hasWords, wordsTableOf } from "./words_table.ts";

/** Returns the statements that create the indexes of a definition, by index name. */
function indexStatements(definition: Definition): Map<string, string> {
  const schemas = [...indexSchemas(definition).values()];
  return new Map(schemas.map((schema) => [schema.name, indexStatement(definition, schema)]));
}

/** Returns the SQL of the stored indexes of a definition's table, by index name. */
function storedIndexes(db: Connection, definition: Definition): Map<string, string> {
  const rows = db.all(sql(
    "select name, sql from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null",
    bareTableName(definition),
  ));
  return new Map(rows.map(([name, text]) => [name as string, text as string]));
}

/** Whether the table of a definition exists, with any columns and indexes. */
export const hasTable = (db: Connection, definition: Definition): boolean => {
  const name = bareTableName(definition);
  return db.get(sql("select 1 from sqlite_schema where type = 'table' and name = ?", name)) !==
    undefined;
};

export const kindsIn = (db: Connection): string[] =>
  db.all(sql("select substr(name, 3) from sqlite_schema where type = 'table' and name glob 'r_*'"))
    .map(([name]) => name as string);

const storedColumns = (db: Connection, definition: Definition): ReadonlyMap<string, string> =>
  new Map(
    db.all(sql("select name, lower(type) from pragma_table_info(?)", bareTableName(definition)))
      .filter(([name]) => (name as string).startsWith("."))
      .map(([name, type]) => [quoted(name as string), type as string]),
  );

function hasColumns(db: Connection, definition: Definition): boolean {
  const columns = columnsOf(definition);
  if (columns.length === 0) return true;
  const stored = storedColumns(db, definition);
  return columns.every(({ name, type }) => stored.get(name) === type);
}

/** Whether all tables and indexes exist. Throws `StoreMismatch` for another index shape. */
export function isPrepared(db: Connection, definition: Definition): boolean {
  if (!hasTable(db, definition) || !hasColumns(db, definition)) return false;
  if (wordsTableOf(definition)?.exists(db) === false) return false;
  if (definition.recordedAs !== undefined && !hasChangeTable(db)) return false;
  const stored = storedIndexes(db, definition);
  let complete = hasArrayTables(db, definition);
  for (const [name, wanted] of indexStatements(definition)) {
    const present = stored.get(name);
    if (present === undefined) complete = false;
    else if (present !== wanted) {
      throw new StoreMismatch(
        `The index "${name}" exists with another shape. Stored: ${present}. Wanted: ${wanted}`,
      );
    }
  }
  return complete;
}

/** Throws `Outdated` if the record that the definition depends on has changed. */
export function assertCurrent(db: Connection, { dependsOn }: Definition): void {
  if (dependsOn === undefined) return;
  const { kind, id, revision } = dependsOn;
  const row = db.get(sql(`select rev from ${tableName(kind)} where id = ?`, id));
  if (row?.[0] !== revision) throw new Outdated();
}

/** Sums the bytes of documents. Names of internal kinds begin with `_`. */
const BYTES_OF_DOCUMENTS = "select coalesce(sum(bytes), 0) from counts where name not glob '_*'";

function countedBytes(alsoCounted: readonly Definition[]): Fragment {
  const names = alsoCounted.map(({ name }) => name);
  return sql(`${BYTES_OF_DOCUMENTS} or name in (${names.map(() => "?").join()})`, ...names);
}

/** Returns the size in bytes of all documents and of the given kinds. */
export const bytesCounted = (db: Connection, alsoCounted: readonly Definition[]): number =>
  db.get(countedBytes(alsoCounted))![0] as number;

export const bytesOfKind = (db: Connection, name: string): number =>
  Number(db.get(sql("select bytes from counts where name = ?", name))?.[0] ?? 0);

/** The change in number and size of a definition's records by a write. */
export interface RecordsGrowth {
  readonly live: number;
  readonly deleted: number;
  readonly bytes: number;
}

/**
 * Updates the counts of a definition in the transaction of a write. Throws `SpaceFull` if the write
 * adds bytes that exceed the quota, which must count the definition.
 */
export function countGrowth(
  db: Connection,
  { name }: Definition,
  { live, deleted, bytes }: RecordsGrowth,
  quota?: ByteQuota,
): void {
  const update = sql(
    "update counts set live = live + ?, deleted = deleted + ?, bytes = bytes + ? where name = ?",
    live,
    deleted,
    bytes,
    name,
  );
  if (quota === undefined || bytes <= 0) return db.run(update);
  const counted = countedBytes(quota.alsoCounted);
  const fits = sql(
    `${update.sql} and (${counted.sql}) + ? <= ? returning 1`,
    ...update.values,
    ...counted.values,
    bytes,
    quota.bytesMax,
  );
  if (db.get(fits) === undefined) throw new SpaceFull(quota.bytesMax);
}

/** Creates missing tables in a write transaction. Throws `Outdated` for another version's. */
export function prepare(db: Connection, definition: Definition): void {
  if (!isPrepared(db, definition)) createMissing(db, definition);
}

function createMissing(db: Connection, definition: Definition): void {
  if (!hasTable(db, definition)) {
    db.run(sql(tableStatement(definition, tableName(definition))));
    db.run(
      sql("insert or ignore into counts(name, live, deleted) values(?, 0, 0)", definition.name),
    );
  } else if (!hasColumns(db, definition)) {
    if (storedColumns(db, definition).size > 0) throw new Outdated();
    assertCurrent(db, definition);
    rebuild(db, definition); // An earlier version created it without columns.
  }
  if (definition.recordedAs !== undefined) createChangeTable(db);
  prepareWords(db, definition);
  createIndexes(db, definition);
  createArrayTables(db, definition);
}

function prepareWords(db: Connection, definition: Definition): void {
  const words = wordsTableOf(definition);
  if (words === null || words.exists(db)) return;
  if (hasWords(db, definition)) throw new Outdated();
  assertCurrent(db, definition);
  words.create(db);
}

/** Makes the stored tables follow a definition. Must run in a write transaction. */
export function redefine(db: Connection, definition: Definition): void {
  if (hasTable(db, definition)) {
    const wanted = indexStatements(definition);
    for (const [name, statement] of storedIndexes(db, definition)) {
      if (wanted.get(name) !== statement) db.run(sql(`drop index ${quoted(name)}`));
    }
    // This comes before columns are renamed, because triggers would follow the new name.
    removeArrayTables(db, definition, "unwanted");
    if ((definition.renames ?? []).length > 0) renameMembers(db, definition);
    changeColumns(db, definition);
    if (wordsTableOf(definition)?.exists(db) !== true) dropWords(db, definition);
  }
  prepare(db, definition);
}

const RETIRED = "~";

const retiredColumns = (db: Connection, definition: Definition): string[] =>
  db.all(sql(
    "select name from pragma_table_info(?) where name glob ?",
    bareTableName(definition),
    `${RETIRED}*`,
  )).map(([name]) => quoted(name as string));

/** Renames columns instead of dropping them, which would rewrite all rows. */
function retireColumns(db: Connection, definition: Definition, columns: readonly string[]): void {
  const count = retiredColumns(db, definition).length;
  for (const [i, name] of columns.entries()) {
    db.run(sql(
      `alter table ${tableName(definition)} rename column ${name} to "${RETIRED}${count + i}"`,
    ));
  }
}

/** Maximum number of retired columns. Beyond it the table is rebuilt. */
const RETIRED_MAX = 200;

/**
 * Gives a table the columns of its definition. Columns that are no longer declared, or are of
 * another type, are retired. New columns are filled from the texts. They come after the texts in
 * the row, which is slower only for long texts.
 */
function changeColumns(db: Connection, definition: Definition): void {
  const table = tableName(definition);
  const wanted = columnsOf(definition);
  const stored = storedColumns(db, definition);
  const retired = [...stored.keys()].filter((name) =>
    !wanted.some((column) => column.name === name && column.type === stored.get(name))
  );
  if (stored.size === 0 && wanted.length > 0) return rebuild(db, definition);
  if (retiredColumns(db, definition).length + retired.length > RETIRED_MAX) {
    return rebuild(db, definition);
  }
  for (const name of retired) {
    for (const [index, statement] of storedIndexes(db, definition)) {
      if (statement.includes(name)) db.run(sql(`drop index ${quoted(index)}`));
    }
  }
  retireColumns(db, definition, retired);
  const added = wanted.filter(({ name }) => !stored.has(name) || retired.includes(name));
  if (added.length === 0) return;
  for (const { name, type } of added) {
    db.run(sql(`alter table ${table} add column ${name} ${type}`));
  }
  const values = added.map((column) => `${column.name} = ${extractSql(column)}`);
  const hasValue = added.map(({ path }) => `json_type(doc,${jsonPathSql(path)}) is not null`);
  db.run(sql(`update ${table} set ${values.join()} where ${hasValue.join(" or ")}`));
}

export interface RecordsSize {
  readonly rows: number;
  readonly bytes: number;
}

export function sizeOf(db: Connection, { name }: Definition): RecordsSize {
  const found = db.get(sql("select live + deleted, bytes from counts where name = ?", name));
  const [rows = 0, bytes = 0] = (found ?? []) as readonly number[];
  return { rows, bytes };
}

function createIndexes(db: Connection, definition: Definition): void {
  const stored = storedIndexes(db, definition);
  for (const [name, statement] of indexStatements(definition)) {
    if (!stored.has(name)) db.run(sql(statement));
  }
}

/**
 * Returns the statement that creates a definition's table. The text comes last, because columns
 * after a long text are slow to read. Tables with columns are not strict: adding a column to a
 * strict table reads all rows.
 */
function tableStatement(definition: Definition, name: string): string {
  const columns = columnsOf(definition).map(({ name, type }) => `${name} ${type}, `);
  return `create table ${name}(seq integer primary key, id text not null unique, ` +
    `rev integer not null, ${columns.join("")}doc text not null)${
      columns.length > 0 ? "" : " strict"
    }`;
}

function rebuild(db: Connection, definition: Definition): void {
  const [table, next] = [tableName(definition), quoted(`n_${definition.name}`)];
  const columns = columnsOf(definition);
  const into = ["seq", "id", "rev", ...columns.map(({ name }) => name), "doc"];
  const from = ["seq", "id", "rev", ...columns.map(extractSql), "doc"];
  db.run(sql(tableStatement(definition, next)));
  db.run(
    sql(`insert into ${next}(${into.join()}) select ${from.join()} from ${table} order by seq`),
  );
  db.run(sql(`drop table ${table}`));
  db.run(sql(`alter table ${next} rename to ${table}`));
}

/** Returns the number of bytes missing from the count, from one consistent read. */
export function driftOf(db: Connection, definition: Definition): number {
  const stored = `select coalesce(sum(octet_length(doc)), 0) from ${tableName(definition)}`;
  const counted = "select bytes from counts where name = ?";
  return db.get(sql(`select (${stored}) - (${counted})`, definition.name))![0] as number;
}

export function correctBytes(db: Connection, definition: Definition, drift: number): void {
  db.run(sql("update counts set bytes = bytes + ? where name = ?", drift, definition.name));
}

/** Drops the tables of a definition. Must run in a write transaction. */
export function dropTables(db: Connection, definition: Definition): void {
  removeArrayTables(db, definition, "all");
  db.run(sql(`drop table if exists ${tableName(definition)}`));
  dropWords(db, definition);
  db.run(sql("delete from counts where name = ?", definition.name));
}

/** Throws if a definition with a trash does not declare `isDeleted`. */
export function checkDefinition(definition: Definition): void {
  if (definition.trash && scalarAt(definition, "isDeleted") !== "Boolean") {
    throw new TypeError(`${definition.name} has a trash, so it must declare isDeleted`);
  }
}
