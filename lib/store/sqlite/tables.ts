import { Outdated, SpaceFull, StoreMismatch } from "../errors.ts";
import type { ByteQuota, Definition } from "../port.ts";
import { scalarAt } from "../shape.ts";
import { hasArrayTables, makeArrayTables, removeArrayTables } from "./array_schema.ts";
import { hasChanges, makeChanges } from "./change_table.ts";
import { columnsOf, fromText, textPath } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { type Fragment, quoted, sql } from "./fragment.ts";
import { indexSchemas, indexStatement } from "./index_schema.ts";
import { renameInTexts } from "./renamed_texts.ts";
import { bareTableName, tableName } from "./table_name.ts";
import { dropWords, hasWords, wordsTableOf } from "./words_table.ts";

/** Name of an index -> the statement that makes it. The name spells out its keys. */
function indexStatements(definition: Definition): Map<string, string> {
  const schemas = [...indexSchemas(definition).values()];
  return new Map(schemas.map((schema) => [schema.name, indexStatement(definition, schema)]));
}

/** Index name -> its SQL, for the table of a definition. */
function storedIndexes(db: Connection, definition: Definition): Map<string, string> {
  const rows = db.all(sql(
    "select name, sql from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null",
    bareTableName(definition),
  ));
  return new Map(rows.map(([name, text]) => [name as string, text as string]));
}

/** Whether there is a table of records, with whichever indexes. */
export const hasTable = (db: Connection, definition: Definition): boolean => {
  const name = bareTableName(definition);
  return db.get(sql("select 1 from sqlite_schema where type = 'table' and name = ?", name)) !==
    undefined;
};

export const kindsIn = (db: Connection): string[] =>
  db.all(sql("select substr(name, 3) from sqlite_schema where type = 'table' and name glob 'r_*'"))
    .map(([name]) => name as string);

/** Types of the columns that stand for fields, by their names in quotes. */
const storedColumns = (db: Connection, definition: Definition): ReadonlyMap<string, string> =>
  new Map(
    db.all(sql("select name, lower(type) from pragma_table_info(?)", bareTableName(definition)))
      .filter(([name]) => (name as string).startsWith("."))
      .map(([name, type]) => [quoted(name as string), type as string]),
  );

/** Whether every field of the definition has its column. */
function hasColumns(db: Connection, definition: Definition): boolean {
  const columns = columnsOf(definition);
  if (columns.length === 0) return true;
  const stored = storedColumns(db, definition);
  return columns.every(({ name, type }) => stored.get(name) === type);
}

/** Whether everything the definition asks for is there. Throws for an index of another shape. */
export function isPrepared(db: Connection, definition: Definition): boolean {
  if (!hasTable(db, definition) || !hasColumns(db, definition)) return false;
  if (wordsTableOf(definition)?.isIn(db) === false) return false;
  if (definition.recordedAs !== undefined && !hasChanges(db)) return false;
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

/** Within a write transaction nobody else can change what is looked at. Throws `Outdated`. */
export function assertStands(db: Connection, { restsOn }: Definition): void {
  if (restsOn === undefined) return;
  const { kind, id, revision } = restsOn;
  const row = db.get(sql(`select rev from ${tableName(kind)} where id = ?`, id));
  if (row?.[0] !== revision) throw new Outdated();
}

/** Names of Corbel's own kinds begin with `_`. */
const COUNTED = "select coalesce(sum(bytes), 0) from counts where name not glob '_*'";

function countedBytes(alsoCounted: readonly Definition[]): Fragment {
  const names = alsoCounted.map(({ name }) => name);
  return sql(`${COUNTED} or name in (${names.map(() => "?").join()})`, ...names);
}

/** Returns the bytes of all documents, and of records of these kinds. */
export const bytesCounted = (db: Connection, alsoCounted: readonly Definition[]): number =>
  db.get(countedBytes(alsoCounted))![0] as number;

export const bytesOfKind = (db: Connection, name: string): number =>
  Number(db.get(sql("select bytes from counts where name = ?", name))?.[0] ?? 0);

/** By how much a write has changed the records of a definition. */
export interface Growth {
  readonly live: number;
  readonly deleted: number;
  readonly bytes: number;
}

/**
 * Counts a write, within its transaction. Throws `SpaceFull` if the write adds bytes that do not fit
 * the quota, which must count the definition.
 */
export function countGrowth(
  db: Connection,
  { name }: Definition,
  { live, deleted, bytes }: Growth,
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

/**
 * Creates what is missing; run inside a write transaction. Throws `Outdated` where the table is one
 * of another state of the definition.
 */
export function prepare(db: Connection, definition: Definition): void {
  if (!isPrepared(db, definition)) makeMissing(db, definition);
}

function makeMissing(db: Connection, definition: Definition): void {
  if (!hasTable(db, definition)) {
    db.run(sql(tableStatement(definition, tableName(definition))));
    db.run(
      sql("insert or ignore into counts(name, live, deleted) values(?, 0, 0)", definition.name),
    );
  } else if (!hasColumns(db, definition)) {
    if (storedColumns(db, definition).size > 0) throw new Outdated();
    assertStands(db, definition);
    rebuild(db, definition); // It was made before there were columns.
  }
  if (definition.recordedAs !== undefined) makeChanges(db);
  prepareWords(db, definition);
  makeIndexes(db, definition);
  makeArrayTables(db, definition);
}

function prepareWords(db: Connection, definition: Definition): void {
  const words = wordsTableOf(definition);
  if (words === null || words.isIn(db)) return;
  if (hasWords(db, definition)) throw new Outdated();
  assertStands(db, definition);
  words.make(db);
}

/** Makes what there is follow the definition; run inside a write transaction. */
export function redefine(db: Connection, definition: Definition): void {
  if (hasTable(db, definition)) {
    const wanted = indexStatements(definition);
    for (const [name, statement] of storedIndexes(db, definition)) {
      if (wanted.get(name) !== statement) db.run(sql(`drop index ${quoted(name)}`));
    }
    // Before columns are renamed: a trigger would follow the new name of its column.
    removeArrayTables(db, definition, "unwanted");
    if ((definition.renames ?? []).length > 0) renameInTexts(db, definition);
    changeColumns(db, definition);
    if (wordsTableOf(definition)?.isIn(db) !== true) dropWords(db, definition);
  }
  prepare(db, definition);
}

const RETIRED = "~";

/** Names, in quotes, of columns that no definition asks for any more. */
const retiredColumns = (db: Connection, definition: Definition): string[] =>
  db.all(sql(
    "select name from pragma_table_info(?) where name glob ?",
    bareTableName(definition),
    `${RETIRED}*`,
  )).map(([name]) => quoted(name as string));

/** Dropping a column would write all rows again, so it is renamed to a name that is never read. */
function retireColumns(db: Connection, definition: Definition, columns: readonly string[]): void {
  const count = retiredColumns(db, definition).length;
  for (const [i, name] of columns.entries()) {
    db.run(sql(
      `alter table ${tableName(definition)} rename column ${name} to "${RETIRED}${count + i}"`,
    ));
  }
}

/** So many columns of fields that are no longer declared stay in a table. */
const RETIRED_MAX = 200;

/**
 * Gives a table the columns of its definition. One that is no longer wanted, or of another type,
 * stays under a name that nobody asks for: to take it away would write all rows anew. New ones are
 * filled out of the texts; they stand behind those, which only long ones make slower.
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
  const values = added.map((column) => `${column.name} = ${fromText(column)}`);
  const isThere = added.map(({ path }) => `json_type(doc,${textPath(path)}) is not null`);
  db.run(sql(`update ${table} set ${values.join()} where ${isThere.join(" or ")}`));
}

export interface Size {
  readonly rows: number;
  readonly bytes: number;
}

/** How many records a definition has that has a trash, and how many bytes they take. */
export function sizeOf(db: Connection, { name }: Definition): Size {
  const found = db.get(sql("select live + deleted, bytes from counts where name = ?", name));
  const [rows = 0, bytes = 0] = (found ?? []) as readonly number[];
  return { rows, bytes };
}

function makeIndexes(db: Connection, definition: Definition): void {
  const stored = storedIndexes(db, definition);
  for (const [name, statement] of indexStatements(definition)) {
    if (!stored.has(name)) db.run(sql(statement));
  }
}

/**
 * The text comes last: what stands behind a long one would be found only through all of it. To give
 * a strict table another column SQLite reads all its rows, so only one that gets none is strict.
 */
function tableStatement(definition: Definition, name: string): string {
  const columns = columnsOf(definition).map(({ name, type }) => `${name} ${type}, `);
  return `create table ${name}(seq integer primary key, id text not null unique, ` +
    `rev integer not null, ${columns.join("")}doc text not null)${
      columns.length > 0 ? "" : " strict"
    }`;
}

/** The same rows in a table with the definition's columns, filled out of their texts. */
function rebuild(db: Connection, definition: Definition): void {
  const [table, next] = [tableName(definition), quoted(`n_${definition.name}`)];
  const columns = columnsOf(definition);
  const into = ["seq", "id", "rev", ...columns.map(({ name }) => name), "doc"];
  const from = ["seq", "id", "rev", ...columns.map(fromText), "doc"];
  db.run(sql(tableStatement(definition, next)));
  db.run(
    sql(`insert into ${next}(${into.join()}) select ${from.join()} from ${table} order by seq`),
  );
  db.run(sql(`drop table ${table}`));
  db.run(sql(`alter table ${next} rename to ${table}`));
}

/** How many bytes too few are counted. One statement sees one moment. */
export function driftOf(db: Connection, definition: Definition): number {
  const stored = `select coalesce(sum(octet_length(doc)), 0) from ${tableName(definition)}`;
  const counted = "select bytes from counts where name = ?";
  return db.get(sql(`select (${stored}) - (${counted})`, definition.name))![0] as number;
}

export function correct(db: Connection, definition: Definition, drift: number): void {
  db.run(sql("update counts set bytes = bytes + ? where name = ?", drift, definition.name));
}

/** Run inside a write transaction. */
export function drop(db: Connection, definition: Definition): void {
  removeArrayTables(db, definition, "all");
  db.run(sql(`drop table if exists ${tableName(definition)}`));
  dropWords(db, definition);
  db.run(sql("delete from counts where name = ?", definition.name));
}

/** Whether the definition keeps live and deleted records apart by a declared `isDeleted`. */
export function checkDefinition(definition: Definition): void {
  if (definition.trash && scalarAt(definition, "isDeleted") !== "Boolean") {
    throw new TypeError(`${definition.name} has a trash, so it must declare isDeleted`);
  }
}
