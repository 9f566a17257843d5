import { StoreMismatch } from "../errors.ts";
import type { Space } from "../port.ts";
import type { Connection } from "./connection.ts";
import { quoted, sql } from "./fragment.ts";

/** The application id in SQLite's file header, 32 bits, which marks Corbel's files: "Crbl". */
const APPLICATION_ID = 0x4372626c;

/**
 * A step of a migration. Migrations must only be appended, because existing files have run the
 * earlier ones. Tables of records are not part of migrations; they follow their definitions.
 */
type MigrationStep = string | ((db: Connection, space: Space) => void);

const MIGRATIONS: readonly (readonly MigrationStep[])[] = [
  [
    `create table counts(
       name text primary key,
       live integer not null,
       deleted integer not null
     ) strict, without rowid`,
  ],
  ["alter table counts add column bytes integer not null default 0", countBytes],
  // Since this version, stored responses of repeated requests are counted in bytes.
  [(db) => countRecords(db, "_idempotency")],
  [storeSpaceName, registerProjects],
  // Since this version, their number is counted, too.
  [countAnswers],
  // Since this version, documents have columns. Their tables are converted on first use.
  [],
  [dropSlowWords],
  // Since this version, changes are recorded. The change table is created with the first change.
  [],
  // Since this version, users, mails and webhook messages are counted.
  [(db) => ["_users", "_mails", "_webhookDeliveries"].forEach((name) => countKind(db, name))],
  // Since this version, definitions are changed in one transaction.
  [dropBuilds],
];

/** The schema version from which files contain the name of their space. */
const NAMED_SINCE_VERSION = 4;

/** Prefix of the row in `counts` that names the file's space, which saves a table. */
const SPACE_PREFIX = "@";

/** Stores the name of the space, because files can be renamed. */
function storeSpaceName(db: Connection, space: Space): void {
  db.run(sql("insert into counts(name, live, deleted) values(?, 0, 0)", SPACE_PREFIX + space));
}

function storedSpaceName(db: Connection): string | undefined {
  const row = db.get(sql("select name from counts where name glob ?", `${SPACE_PREFIX}*`));
  return (row?.[0] as string | undefined)?.slice(SPACE_PREFIX.length);
}

function registerProjects(db: Connection, space: Space): void {
  if (space !== "control") return;
  db.run(sql("create table spaces(id text primary key) strict, without rowid"));
  const isOld = db.get(sql("select 1 from sqlite_schema where name = 'r_projects'")) !== undefined;
  if (isOld) db.run(sql("insert into spaces select id from r_projects"));
}

/** Drops word tables without columns, which were slow. They are created again on use. */
function dropSlowWords(db: Connection): void {
  const slow = "select name from sqlite_schema where sql like 'CREATE VIRTUAL TABLE%detail=none%'";
  for (const [name] of db.all(sql(slow))) db.run(sql(`drop table ${quoted(name as string)}`));
}

/** Drops the remains of builds and former texts of earlier versions. */
function dropBuilds(db: Connection): void {
  const namesWhere = (condition: string) =>
    db.all(sql(`select name from sqlite_schema where ${condition}`)).map(([name]) => `${name}`);
  const hasBuildTable = (table: string) =>
    namesWhere("type = 'table' and name in ('builds', 'moved_texts')").includes(table);
  for (const name of namesWhere("type = 'trigger' and name glob 'build *'")) {
    dropObject(db, "trigger", name);
  }
  if (hasBuildTable("builds")) {
    for (const [name] of db.all(sql("select value from builds, json_each(indexes)"))) {
      db.run(sql(`drop index if exists ${name}`)); // The names are quoted.
    }
  }
  for (const name of namesWhere(`type = 'table' and (${BUILT_TABLES})`)) {
    dropObject(db, "table", name);
  }
  for (const table of namesWhere("type = 'table' and name glob 'r_*'")) {
    const columns = db.all(sql("select name from pragma_table_info(?)", table))
      .map(([name]) => name as string);
    const retired = columns.filter((name) => name.startsWith("~"));
    for (const name of columns.filter((name) => name.startsWith("+"))) {
      const next = `~${retired.length}`;
      db.run(sql(`alter table ${quoted(table)} rename column ${quoted(name)} to "${next}"`));
      retired.push(next);
    }
    const hasFormer = hasBuildTable("moved_texts") && retired.length > 0 &&
      db.get(sql("select 1 from moved_texts where name = ?", table.slice(2))) !== undefined;
    if (!hasFormer) continue;
    const emptied = retired.map((name) => `${quoted(name)} = null`).join();
    db.run(sql(`update ${quoted(table)} set ${emptied}`));
  }
  for (const name of ["builds", "moved_texts"].filter(hasBuildTable)) dropObject(db, "table", name);
}

/** Condition for tables of builds: indexes, records, words, and arrays without triggers. */
const BUILT_TABLES = "name glob 'x_*' or name glob 'b_*' or name glob 's_*/words+' or " +
  "name glob 'a_*' and not exists (select 1 from sqlite_schema t " +
  "where t.type = 'trigger' and t.name = 'insert ' || sqlite_schema.name)";

const dropObject = (db: Connection, type: "table" | "trigger", name: string): void =>
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

function countBytes(db: Connection): void {
  for (const [name] of db.all(sql("select name from counts where live + deleted > 0"))) {
    countRecords(db, name as string);
  }
}

function countRecords(db: Connection, name: string): void {
  if (db.get(sql("select 1 from counts where name = ?", name)) === undefined) return;
  const table = quoted(`r_${name}`);
  db.run(sql(
    `update counts set bytes = (select coalesce(sum(octet_length(doc)), 0) from ${table}) ` +
      "where name = ?",
    name,
  ));
}

/** Throws `StoreMismatch` for a file of another program, version or space, without changes. */
export function checkFile(db: Connection, path: string, space: Space): void {
  // A single statement reads a consistent state; another process may be creating the schema
  // concurrently.
  const [version, owner, empty] = db.get(sql(
    "select (select user_version from pragma_user_version), " +
      "(select application_id from pragma_application_id), " +
      "not exists(select 1 from sqlite_schema)",
  )) as [number, number, number];
  if (owner !== APPLICATION_ID && !(empty === 1 && owner === 0 && version === 0)) {
    throw new StoreMismatch(
      `Cannot use "${path}": it is an SQLite file of another program. ` +
        `Point DATABASE_URL at a folder of Corbel's storedName.`,
    );
  }
  rejectNewer(version, path);
  const storedName = version < NAMED_SINCE_VERSION ? space : storedSpaceName(db);
  if (storedName === undefined) {
    throw new StoreMismatch(
      `Cannot use "${path}": it does not name its space, so it is damaged. ` +
        "Restore it from a backup.",
    );
  }
  if (storedName !== space) {
    throw new StoreMismatch(
      `Cannot use "${path}": it is the file of ${storedName}. Give each file its own name again.`,
    );
  }
}

/** Throws `StoreMismatch` if a newer Corbel has migrated the file. */
export const checkVersion = (db: Connection, path: string): void =>
  rejectNewer(pragma(db, "user_version"), path);

function rejectNewer(version: number, path: string): void {
  if (version <= MIGRATIONS.length) return;
  throw new StoreMismatch(
    `Cannot use "${path}": its schema version is ${version}, this Corbel knows up to ` +
      `${MIGRATIONS.length}. Run the newer Corbel that wrote it, or restore an older copy.`,
  );
}

/** Migrates a checked file to the current schema. Must run in a write transaction. */
export function migrate(db: Connection, space: Space): void {
  const version = pragma(db, "user_version");
  for (const step of MIGRATIONS.slice(version).flat()) {
    if (typeof step === "string") db.run(sql(step));
    else step(db, space);
  }
  db.run(sql(`pragma application_id = ${APPLICATION_ID}`));
  db.run(sql(`pragma user_version = ${MIGRATIONS.length}`));
}

export function isCurrent(db: Connection): boolean {
  return pragma(db, "user_version") === MIGRATIONS.length &&
    pragma(db, "application_id") === APPLICATION_ID;
}

const pragma = (db: Connection, name: string): number =>
  db.get(sql(`pragma ${name}`))![0] as number;
