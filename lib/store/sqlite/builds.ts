import { Outdated } from "../errors.ts";
import type { BuildProgress, Definition, Id } from "../port.ts";
import { BUILDING } from "./array_tables.ts";
import { removeArrayTables } from "./array_schema.ts";
import type { Column } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { quoted, sql } from "./fragment.ts";
import { dropTablesBeside } from "./index_build.ts";
import type { Write } from "./seq_steps.ts";
import { bareTableName, tableName } from "./table_name.ts";
import { dropPendingWords, WordsTable } from "./words_table.ts";

/**
 * Builds are noted in their file, so that every process that writes there knows of them, and what a
 * killed one leaves can be undone. What they make is kept current by triggers. Its columns and
 * triggers have names of their own until a definition takes them over.
 */

/** How long a build may give no sign before it is taken for one whose process has ended. */
const SILENT_MS = 4_000;

/** The one statement that tells; the table is made with the first build in a file. */
const MAKE = "create table if not exists builds(name text primary key, token text not null, " +
  "wanted text not null, at integer not null, done integer not null, total integer not null, " +
  "ready integer not null, indexes text not null default '[]') strict, without rowid";

const hasBuilds = (db: Connection): boolean =>
  db.get(sql("select 1 from sqlite_schema where type = 'table' and name = 'builds'")) !== undefined;

const PENDING = "+";

/** What a column is called while it is being made: `"+.views"`. */
export const pendingName = ({ name }: Column): string => `"${PENDING}${name.slice(1)}`;

/** Whether the text of an index has such a column. */
export const isPending = (statement: string): boolean => statement.includes(`"${PENDING}.`);

const writtenTable = ({ name }: Definition): string => quoted(`b_${name}`);

export interface BuildNote {
  readonly token: string;
  /** What it is made for, spelled out. */
  readonly wanted: string;
  readonly total: number;
}

/** False where another build of these records goes on; what is left of a dead one is undone. */
export function claimBuild(db: Connection, definition: Definition, note: BuildNote): boolean {
  db.run(sql(MAKE));
  const found = db.get(sql("select at from builds where name = ?", definition.name));
  if (found !== undefined && Date.now() - Number(found[0]) < SILENT_MS) return false;
  undoBuild(db, definition);
  const { token, wanted, total } = note;
  db.run(sql(
    "insert into builds(name, token, wanted, at, done, total, ready) values(?, ?, ?, ?, 0, ?, 0)",
    ...[definition.name, token, wanted, Date.now(), total],
  ));
  return true;
}

/** Throws `Outdated` where the build was undone. */
export function assertBuilding(db: Connection, { name }: Definition, token: string): void {
  const own = hasBuilds(db) &&
    db.get(sql("select 1 from builds where name = ? and token = ?", name, token)) !== undefined;
  if (!own) throw new Outdated();
}

export function noteProgress(
  db: Connection,
  { name }: Definition,
  { done, ready = false }: { done?: number; ready?: boolean },
): void {
  db.run(sql(
    "update builds set at = ?, done = coalesce(?, done), ready = ? where name = ?",
    ...[Date.now(), done ?? null, Number(ready), name],
  ));
}

/** An index that was handed over in the name of a build is undone with it. */
export function noteIndex(db: Connection, { name }: Definition, index: string): void {
  db.run(sql(
    "update builds set indexes = json_insert(indexes, '$[#]', ?), at = ? where name = ?",
    ...[quoted(index), Date.now(), name],
  ));
}

/** Another sign of life. */
export const noteAlive = (db: Connection, { name }: Definition, token: string): void =>
  db.run(sql("update builds set at = ? where name = ? and token = ?", Date.now(), name, token));

/** Those that give signs of life. */
export function buildsIn(db: Connection): BuildProgress[] {
  if (!hasBuilds(db)) return [];
  const since = Date.now() - SILENT_MS;
  return db.all(sql("select name, min(done, total), total from builds where at >= ?", since))
    .map(([kind, done, total]) => ({
      kind: kind as string,
      done: done as number,
      total: total as number,
    }));
}

/** Has the ids of what is written kept from now on. */
export function keepWritten(db: Connection, definition: Definition): void {
  const [table, rows] = [writtenTable(definition), tableName(definition)];
  db.run(sql(`create table ${table}(seq integer primary key) strict`));
  for (const event of ["insert", "update of doc", "delete"]) {
    const row = event === "delete" ? "old" : "new";
    db.run(sql(
      `create trigger ${quoted(`${BUILDING}${event} b_${definition.name}`)} after ${event} ` +
        `on ${rows} begin insert or ignore into ${table} values(${row}.seq); end`,
    ));
  }
}

/** A part of what was written. */
export interface TakenWritten {
  /** Of what is gone since, none. */
  readonly ids: readonly Id[];
  readonly isAll: boolean;
}

/** Tells once of each record that was written; words that are being built are brought up to it. */
export function takeWritten(
  db: Connection,
  definition: Definition,
  limit = Number.MAX_SAFE_INTEGER,
): TakenWritten {
  const [table, rows] = [writtenTable(definition), tableName(definition)];
  const found = db.all(sql(
    `select b.seq, r.id from ${table} b left join ${rows} r on r.seq = b.seq order by b.seq limit ?`,
    limit,
  ));
  if (found.length > 0) {
    const words = WordsTable.pendingIn(db, definition);
    for (const [seq] of found) words?.refresh(db, seq as number);
    db.run(sql(`delete from ${table} where seq <= ?`, found.at(-1)![0]!));
  }
  const ids = found.map(([, id]) => id).filter((id) => id !== null) as Id[];
  return { ids, isAll: found.length < limit };
}

/** Whether a build of exactly this is at its end. */
export function isReady(db: Connection, { name }: Definition, wanted: string): boolean {
  return hasBuilds(db) &&
    db.get(sql("select 1 from builds where name = ? and wanted = ? and ready", name, wanted)) !==
      undefined;
}

/** Ends what keeps a build current; what it has made stays, to be taken over. */
export function endBuild(db: Connection, definition: Definition): void {
  const triggers = db.all(sql(
    "select name from sqlite_schema where type = 'trigger' and tbl_name = ? and name glob ?",
    bareTableName(definition),
    `${BUILDING}*`,
  ));
  for (const [name] of triggers) db.run(sql(`drop trigger ${quoted(name as string)}`));
  db.run(sql(`drop table if exists ${writtenTable(definition)}`));
  db.run(sql("delete from builds where name = ?", definition.name));
}

/** Whether a build is noted, be it of a process that has ended. */
export const isBuilding = (db: Connection, { name }: Pick<Definition, "name">): boolean =>
  hasBuilds(db) && db.get(sql("select 1 from builds where name = ?", name)) !== undefined;

/** Throws `Outdated` while a build goes on. */
export const unlessBuilding =
  (write: Write, definition: Pick<Definition, "name">): Write => (work) =>
    write((db) => {
      if (isBuilding(db, definition)) throw new Outdated();
      return work(db);
    });

/** Leaves nothing of a build but its columns, under names that nobody asks for; if there is one. */
export function undoBuild(db: Connection, definition: Definition): void {
  // Also of a build that was taken over, if its process ended then.
  dropTablesBeside(db, definition);
  if (!isBuilding(db, definition)) return;
  const { name } = definition;
  const made = sql("select value from builds, json_each(indexes) where builds.name = ?", name);
  for (const [index] of db.all(made)) db.run(sql(`drop index if exists ${index}`));
  endBuild(db, definition);
  removeArrayTables(db, definition, "begun");
  dropPendingWords(db, definition);
  retireColumns(db, definition, pendingColumns(db, definition));
}

/** Names, in quotes, of columns that are being made. */
export const pendingColumns = (db: Connection, definition: Definition): string[] =>
  columnsLike(db, definition, `${PENDING}*`).map(([column]) => quoted(column as string));

const RETIRED = "~";

/** Names, in quotes, of columns that nobody asks for any more. */
export const retiredColumns = (db: Connection, definition: Pick<Definition, "name">): string[] =>
  columnsLike(db, definition, `${RETIRED}*`).map(([column]) => quoted(column as string));

const columnsLike = (db: Connection, definition: Pick<Definition, "name">, pattern: string) =>
  db.all(sql(
    "select name from pragma_table_info(?) where name glob ?",
    bareTableName(definition),
    pattern,
  ));

/** To take a column away would write all rows anew, so it gets a name that nobody asks for. */
export function retireColumns(
  db: Connection,
  definition: Definition,
  columns: readonly string[],
): void {
  const count = retiredColumns(db, definition).length;
  for (const [i, name] of columns.entries()) {
    db.run(sql(
      `alter table ${tableName(definition)} rename column ${name} to "${RETIRED}${count + i}"`,
    ));
  }
}

/** Of builds in a file that have given no sign for long. */
export function silentBuilds(db: Connection): string[] {
  if (!hasBuilds(db)) return [];
  return db.all(sql("select name from builds where at < ?", Date.now() - SILENT_MS))
    .map(([name]) => name as string);
}
