import assert from "node:assert/strict";
import { StoreMismatch } from "../errors.ts";
import { Connection } from "./connection.ts";
import { sql } from "./fragment.ts";
import { checkFile, isCurrent, migrate } from "./migrations.ts";

/** Opens an in-memory database that is closed with its scope. */
function memory(): Disposable & { readonly db: Connection } {
  const db = new Connection(":memory:", "normal");
  return { db, [Symbol.dispose]: () => db.close() };
}

const numberOf = (db: Connection, pragma: string) => db.get(sql(`pragma ${pragma}`))?.[0];
/** The application id of Corbel's files, 32 bits. */
const APPLICATION_ID = 0x4372626c;

const assertRejected = (db: Connection, message: RegExp) =>
  assert.throws(() => checkFile(db, "data/control.db", "control"), (error) => {
    assert.ok(error instanceof StoreMismatch, String(error));
    assert.match(error.message, /^Cannot use "data\/control\.db": /);
    assert.match(error.message, message);
    return true;
  });

Deno.test("migrate turns an empty file into a current file", () => {
  using file = memory();
  assert.equal(isCurrent(file.db), false);
  checkFile(file.db, "x.db", "control");
  migrate(file.db, "control");
  checkFile(file.db, "x.db", "control");
  assert.equal(isCurrent(file.db), true);
  assert.equal(numberOf(file.db, "application_id"), APPLICATION_ID);
  assert.ok(Number(numberOf(file.db, "user_version")) >= 1);
});

Deno.test("migrate does not change a current file", () => {
  using file = memory();
  migrate(file.db, "control");
  file.db.run(sql("insert into counts(name, live, deleted) values('posts', 3, 1)"));
  migrate(file.db, "control");
  assert.deepEqual(file.db.get(sql("select live, deleted from counts where name = 'posts'")), [
    3,
    1,
  ]);
  assert.equal(isCurrent(file.db), true);
});

Deno.test("checkFile rejects a file of another program with a remedy", () => {
  using tables = memory();
  tables.db.run(sql("create table theirs(x)"));
  using marked = memory();
  marked.db.run(sql("pragma application_id = 12345"));
  using versioned = memory();
  versioned.db.run(sql("pragma user_version = 1"));
  for (const { db } of [tables, marked, versioned]) {
    assert.equal(isCurrent(db), false);
    assertRejected(db, /is an SQLite file of another program\. Point DATABASE_URL at a folder/);
  }
  assert.deepEqual(tables.db.all(sql("select name from sqlite_schema")), [["theirs"]]);
});

Deno.test("checkFile rejects a file of a newer version with a remedy and does not change it", () => {
  using file = memory();
  migrate(file.db, "control");
  file.db.run(sql("pragma user_version = 99"));
  assert.equal(isCurrent(file.db), false);
  assertRejected(
    file.db,
    /its schema version is 99, this Corbel knows up to \d+\. Run the newer Corbel/,
  );
  assert.equal(numberOf(file.db, "user_version"), 99);
});

Deno.test("migrating the first version counts the bytes of documents and users", () => {
  using file = memory();
  const run = (text: string) => file.db.run(sql(text));
  run(
    "create table counts(name text primary key, live integer not null, deleted integer not null) " +
      "strict, without rowid",
  );
  for (const name of ["posts", "_users", "_sessions"]) {
    run(`create table "r_${name}"(seq integer primary key, id text, rev integer, doc text) strict`);
    run(`insert into "r_${name}"(id, rev, doc) values('a', 1, '{"text":"é"}'), ('b', 1, '{}')`);
  }
  run("insert into counts(name, live, deleted) values('posts', 1, 1), ('none', 0, 0)");
  run("insert into counts(name, live, deleted) values('_users', 0, 0), ('_sessions', 0, 0)");
  run(`pragma application_id = ${APPLICATION_ID}`);
  run("pragma user_version = 1");
  assert.equal(isCurrent(file.db), false);
  migrate(file.db, "control");
  assert.ok(isCurrent(file.db));
  const bytes = file.db.all(
    sql("select name, live, bytes from counts where name not glob '@*' order by name"),
  );
  assert.deepEqual(bytes, [
    ["_sessions", 0, 0],
    ["_users", 2, 15],
    ["none", 0, 0],
    ["posts", 1, 15],
  ]);
});

Deno.test("migrating an earlier version counts stored responses", () => {
  using file = memory();
  migrate(file.db, "control");
  const run = (text: string) => file.db.run(sql(text));
  run(
    'create table "r__idempotency"(seq integer primary key, id text, rev integer, doc text) strict',
  );
  run(`insert into "r__idempotency"(id, rev, doc) values('a', 1, '{}'), ('b', 1, '{}')`);
  run("insert into counts(name, live, deleted, bytes) values('_idempotency', -1, 0, 4)");
  run("pragma user_version = 4");
  migrate(file.db, "control");
  const counted = sql("select live, bytes from counts where name = '_idempotency'");
  assert.deepEqual(file.db.get(counted), [2, 4]);
});

const [ONE, OTHER] = ["1".repeat(24), "2".repeat(24)];

Deno.test("checkFile rejects a file of another space and names the space", () => {
  using file = memory();
  migrate(file.db, ONE);
  checkFile(file.db, `${ONE}.db`, ONE);
  assert.throws(() => checkFile(file.db, `${OTHER}.db`, OTHER), (error) => {
    assert.ok(error instanceof StoreMismatch, String(error));
    assert.match(error.message, new RegExp(`it is the file of ${ONE}\\. Give each file its own`));
    return true;
  });
});

Deno.test("migrating a file without a space name stores the name", () => {
  using file = memory();
  migrate(file.db, ONE);
  file.db.run(sql("delete from counts where name glob '@*'"));
  file.db.run(sql("pragma user_version = 3"));
  checkFile(file.db, `${OTHER}.db`, OTHER);
  migrate(file.db, OTHER);
  assert.throws(() => checkFile(file.db, `${ONE}.db`, ONE), StoreMismatch);
});

Deno.test("migrating an earlier control file registers its projects", () => {
  using file = memory();
  migrate(file.db, "control");
  file.db.run(sql("delete from counts where name glob '@*'"));
  file.db.run(sql("drop table spaces"));
  file.db.run(sql("pragma user_version = 3"));
  file.db.run(sql("create table r_projects(id text)"));
  file.db.run(sql("insert into r_projects values(?), (?)", ONE, OTHER));
  migrate(file.db, "control");
  assert.deepEqual(file.db.all(sql("select id from spaces order by id")), [[ONE], [OTHER]]);
});
