import { StoreMismatch } from "../errors.ts";
import type { Space } from "../port.ts";
import type { Connection } from "./connection.ts";
import { quoted, sql } from "./fragment.ts";

/** Marks a file as Corbel's in SQLite's header: "Crbl". */
const APPLICATION_ID = 0x4372626c;

/**
 * What each schema version adds to the one before. Only ever append: files in the field have run
 * the ones above. Tables of records are no part of this; they follow their definitions.
 */
type Step = string | ((db: Connection, space: Space) => void);

const MIGRATIONS: readonly (readonly Step[])[] = [
  [
    `create table counts(
       name text primary key,
       live integer not null,
       deleted integer not null
     ) strict, without rowid`,
  ],
  ["alter table counts add column bytes integer not null default 0", countBytes],
  // Answers that are kept for repeated requests are counted since then.
  [(db) => countRecords(db, "_idempotency")],
  [nameSpace, registerProjects],
  // And their number is relied on.
  [countAnswers],
  // Documents have columns from here on: their tables are brought over as they are first used.
  [],
  [dropSlowWords],
  // Writes are noted from here on: the table of changes is made with the first.
  [],
  // Users, mails and messages to webhooks are counted from here on.
  [(db) => ["_users", "_mails", "_webhookDeliveries"].forEach((name) => countKind(db, name))],
  // Definitions are changed in one transaction from here on.
  [dropBuilds],
];

/** The schema version since which a file says whose it is. */
const NAMED = 4;

/** No kind of records is called so. A table of its own would take a page in each file. */
const SPACE = "@";

/** A file is found by its name, which anybody may change. */
function nameSpace(db: Connection, space: Space): void {
  db.run(sql("insert into counts(name, live, deleted) values(?, 0, 0)", SPACE + space));
}

function spaceOf(db: Connection): string | undefined {
  const row = db.get(sql("select name from counts where name glob ?", `${SPACE}*`));
  return (row?.[0] as string | undefined)?.slice(SPACE.length);
}

/** What {@linkcode Registry} keeps, in the file that all share. */
function registerProjects(db: Connection, space: Space): void {
  if (space !== "control") return;
  db.run(sql("create table spaces(id text primary key) strict, without rowid"));
  const isOld = db.get(sql("select 1 from sqlite_schema where name = 'r_projects'")) !== undefined;
  if (isOld) db.run(sql("insert into spaces select id from r_projects"));
}

/** Of words whose table knew no columns beginnings took three times as long; they are made anew. */
function dropSlowWords(db: Connection): void {
  const slow = "select name from sqlite_schema where sql like 'CREATE VIRTUAL TABLE%detail=none%'";
  for (const [name] of db.all(sql(slow))) db.run(sql(`drop table ${quoted(name as string)}`));
}

/**
 * Before, what a changed definition wanted was built ahead of it. Drops what builds have left that did
 * not come to their end, and the former texts of documents in which a field was renamed.
 */
function dropBuilds(db: Connection): void {
  const named = (condition: string) =>
    db.all(sql(`select name from sqlite_schema where ${condition}`)).map(([name]) => `${name}`);
  const isMade = (table: string) =>
    named("type = 'table' and name in ('builds', 'moved_texts')").includes(table);
  for (const name of named("type = 'trigger' and name glob 'build *'")) drop(db, "trigger", name);
  if (isMade("builds")) {
    for (const [name] of db.all(sql("select value from builds, json_each(indexes)"))) {
      db.run(sql(`drop index if exists ${name}`)); // They are in quotes.
    }
  }
  for (const name of named(`type = 'table' and (${BUILT_TABLES})`)) drop(db, "table", name);
  for (const table of named("type = 'table' and name glob 'r_*'")) {
    const columns = db.all(sql("select name from pragma_table_info(?)", table))
      .map(([name]) => name as string);
    const retired = columns.filter((name) => name.startsWith("~"));
    for (const name of columns.filter((name) => name.startsWith("+"))) {
      const next = `~${retired.length}`;
      db.run(sql(`alter table ${quoted(table)} rename column ${quoted(name)} to "${next}"`));
      retired.push(next);
    }
    const hasFormer = isMade("moved_texts") && retired.length > 0 &&
      db.get(sql("select 1 from moved_texts where name = ?", table.slice(2))) !== undefined;
    if (!hasFormer) continue;
    const emptied = retired.map((name) => `${quoted(name)} = null`).join();
    db.run(sql(`update ${quoted(table)} set ${emptied}`));
  }
  for (const name of ["builds", "moved_texts"].filter(isMade)) drop(db, "table", name);
}

/** Tables of indexes, of written records and of words, and those of arrays that have no triggers. */
const BUILT_TABLES = "name glob 'x_*' or name glob 'b_*' or name glob 's_*/words+' or " +
  "name glob 'a_*' and not exists (select 1 from sqlite_schema t " +
  "where t.type = 'trigger' and t.name = 'insert ' || sqlite_schema.name)";

const drop = (db: Connection, type: "table" | "trigger", name: string): void =>
  db.run(sql(`drop ${type} ${quoted(name)}`));

function countAnswers(db: Connection): void {
  countNumber(db, "_idempotency");
}

function countKind(db: Connection, name: string): void {
  countRecords(db, name);
  countNumber(db, name);
}

function countNumber(db: Connection, name: string): void {
  if (db.get(sql("select 1 from counts where name = ?", name)) === undefined) return;
  db.run(sql(
    `update counts set live = (select count(*) from ${quoted(`r_${name}`)}) where name = ?`,
    name,
  ));
}

/** Only kinds of records that have a trash are counted. */
function countBytes(db: Connection): void {
  for (const [name] of db.all(sql("select name from counts where live + deleted > 0"))) {
    countRecords(db, name as string);
  }
}

/** Counts the bytes of one kind again; where there is none yet, there is nothing to count. */
function countRecords(db: Connection, name: string): void {
  if (db.get(sql("select 1 from counts where name = ?", name)) === undefined) return;
  const table = quoted(`r_${name}`);
  db.run(sql(
    `update counts set bytes = (select coalesce(sum(octet_length(doc)), 0) from ${table}) ` +
      "where name = ?",
    name,
  ));
}

/**
 * Throws `StoreMismatch` for a file of another program, of a newer Corbel, or of another space.
 * Changes nothing.
 */
export function checkFile(db: Connection, path: string, space: Space): void {
  // One statement sees one moment; another process may be making the schema right now.
  const [version, owner, empty] = db.get(sql(
    "select (select user_version from pragma_user_version), " +
      "(select application_id from pragma_application_id), " +
      "not exists(select 1 from sqlite_schema)",
  )) as [number, number, number];
  if (owner !== APPLICATION_ID && !(empty === 1 && owner === 0 && version === 0)) {
    throw new StoreMismatch(
      `Cannot use "${path}": it is an SQLite file of another program. ` +
        `Point DATABASE_URL at a folder of Corbel's own.`,
    );
  }
  refuseNewer(version, path);
  const own = version < NAMED ? space : spaceOf(db);
  if (own === undefined) {
    throw new StoreMismatch(
      `Cannot use "${path}": it does not say whose it is, so it is damaged. Restore it from a backup.`,
    );
  }
  if (own !== space) {
    throw new StoreMismatch(
      `Cannot use "${path}": it is the file of ${own}. Give each file its own name again.`,
    );
  }
}

/** Throws `StoreMismatch` where a newer Corbel has brought the file to its own schema. */
export const checkVersion = (db: Connection, path: string): void =>
  refuseNewer(pragma(db, "user_version"), path);

function refuseNewer(version: number, path: string): void {
  if (version <= MIGRATIONS.length) return;
  throw new StoreMismatch(
    `Cannot use "${path}": its schema version is ${version}, this Corbel knows up to ` +
      `${MIGRATIONS.length}. Run the newer Corbel that wrote it, or restore an older copy.`,
  );
}

/** Brings a file that was checked to this version's schema; run inside a write transaction. */
export function migrate(db: Connection, space: Space): void {
  const version = pragma(db, "user_version");
  for (const step of MIGRATIONS.slice(version).flat()) {
    if (typeof step === "string") db.run(sql(step));
    else step(db, space);
  }
  db.run(sql(`pragma application_id = ${APPLICATION_ID}`));
  db.run(sql(`pragma user_version = ${MIGRATIONS.length}`));
}

/** Whether the file needs nothing of {@linkcode migrate}. */
export function isCurrent(db: Connection): boolean {
  return pragma(db, "user_version") === MIGRATIONS.length &&
    pragma(db, "application_id") === APPLICATION_ID;
}

const pragma = (db: Connection, name: string): number =>
  db.get(sql(`pragma ${name}`))![0] as number;
