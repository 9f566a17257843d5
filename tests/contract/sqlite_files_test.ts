/** Guarantees for SQLite files beyond the port: foreign files, many files, full disks. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { StoreMismatch, StoreUnavailable } from "@/lib/store/errors.ts";
import { ALL, compare, eq } from "@/lib/store/filter.ts";
import type { Id } from "@/lib/store/port.ts";
import { SqliteEngine } from "@/lib/store/sqlite/engine.ts";
import {
  assertRefused,
  countsOf,
  definition,
  id,
  keys,
  listAll,
  newSpace,
  rowsOf,
  trashDefinition,
  uniqueViolation,
  upTo,
} from "./fixtures.ts";
import { until } from "../acceptance/until.ts";
import { SecondProcess } from "./second_process.ts";
import { openFolder, tempFolder } from "./sqlite_folder.ts";
import type { Call } from "./worker.ts";

const SHAPE = trashDefinition({
  fields: { email: { type: "String" }, n: { type: "Number" } },
  indexes: [{ keys: keys("email"), unique: true }, { keys: keys("-n") }],
});

const folderOf = (address: string): string => address.slice("sqlite:".length);

const fileOf = (address: string, space: Id): string => `${folderOf(address)}/projects/${space}.db`;

function withDatabase<T>(path: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(path);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

type Refusal = typeof StoreMismatch | typeof StoreUnavailable;

/** Fails unless the control file and a project's file are refused after `make` changed them. */
async function assertFileRefused(make: (path: string) => void, refusal: Refusal): Promise<void> {
  await using folder = await tempFolder();
  const control = `${folder.path}/control.db`;
  make(control);
  const before = await Deno.readFile(control);
  await assert.rejects(() => SqliteEngine.open({ folder: folder.path, sync: "normal" }), refusal);
  assert.deepEqual(await Deno.readFile(control), before);

  await using store = await openFolder();
  const space = newSpace();
  const project = fileOf(store.address, space);
  make(project);
  const projectBefore = await Deno.readFile(project);
  const records = store.engine.records(space, SHAPE);
  await assert.rejects(() => records.count(ALL), refusal);
  await assert.rejects(() => records.insert({ _id: id(1), isDeleted: false }), refusal);
  assert.deepEqual(await Deno.readFile(project), projectBefore);
}

Deno.test("an SQLite file of another program is refused and not changed", () =>
  assertFileRefused(
    (path) =>
      withDatabase(path, (db) => db.exec("create table theirs(x); insert into theirs values(1)")),
    StoreMismatch,
  ));

Deno.test("an empty SQLite file that another program has marked is refused and not changed", () =>
  assertFileRefused(
    (path) => withDatabase(path, (db) => db.exec("pragma application_id = 12345")),
    StoreMismatch,
  ));

Deno.test("a file that is not an SQLite file is refused and not changed", () =>
  assertFileRefused(
    (path) => Deno.writeTextFileSync(path, "Not a database. ".repeat(1000)),
    StoreUnavailable,
  ));

Deno.test("a file of a newer schema version is refused and not changed", () =>
  assertFileRefused(
    (path) =>
      withDatabase(path, (db) =>
        db.exec(`
          pragma journal_mode = wal;
          pragma application_id = ${0x4372626c};
          pragma user_version = 9999;
          create table counts(name text primary key)`)),
    StoreMismatch,
  ));

Deno.test("a file that a newer version upgrades is no longer used by a running process", async () => {
  await using store = await openFolder();
  const space = newSpace();
  const records = store.engine.records(space, SHAPE);
  await records.insert({ _id: id(1), isDeleted: false });
  withDatabase(fileOf(store.address, space), (db) => db.exec("pragma user_version = 9999"));
  await until("the newer version is noticed", async () => {
    return await records.get(id(1)).then(() => false, (error) => error instanceof StoreMismatch);
  }, 2000);
  for (let again = 0; again < 2; again++) {
    await assert.rejects(() => records.get(id(1)), StoreMismatch);
    await assert.rejects(() => records.list({ filter: ALL, sort: [], limit: 1 }), StoreMismatch);
    await assert.rejects(() => records.insert({ _id: id(2), isDeleted: false }), /Run the newer/);
    await assert.rejects(
      () => store.engine.transaction(space, (tx) => tx.records(SHAPE).get(id(1))),
      /Run the newer/,
    );
  }
  assert.deepEqual(
    withDatabase(
      fileOf(store.address, space),
      (db) => Object.values(db.prepare("select count(*) from r_things").get()!),
    ),
    [1],
  );
});

Deno.test("every call for a refused file rejects, and none throws synchronously", async () => {
  await using store = await openFolder();
  const space = newSpace();
  withDatabase(fileOf(store.address, space), (db) => db.exec("create table theirs(x)"));
  const { engine } = store;
  await assert.rejects(() => engine.createSpace(space), StoreMismatch);
  await assert.rejects(() => engine.transaction(space, () => Promise.resolve()), StoreMismatch);
  const records = engine.records(space, SHAPE);
  await assert.rejects(() => records.get(id(1)), StoreMismatch);
  await assert.rejects(() => records.list({ filter: ALL, sort: [], limit: 1 }), StoreMismatch);
  await assert.rejects(() => records.deleteMany(ALL, 1), StoreMismatch);
});

Deno.test("several processes may open an empty folder concurrently", async () => {
  await using folder = await tempFolder();
  const address = `sqlite:${folder.path}`;
  const space = newSpace();
  const started = await Promise.allSettled(upTo(4).map(() => SecondProcess.start(address)));
  await using processes = new AsyncDisposableStack();
  for (const one of started) if (one.status === "fulfilled") processes.use(one.value);
  assert.deepEqual(started.map((one) => one.status), upTo(4).map(() => "fulfilled"));
  const outcomes = await Promise.all(started.map((one, n) => {
    assert.equal(one.status, "fulfilled");
    const insert = { _id: id(n), n, isDeleted: false };
    return one.value.run({ space, definition: SHAPE, calls: [{ insert }], how: "together" });
  }));
  assert.deepEqual(
    outcomes.map(([one]) => one),
    upTo(4).map((n) => ({ json: `{"_id":"${id(n)}","n":${n},"isDeleted":false}`, revision: 1 })),
  );
});

Deno.test("a folder that cannot be created is StoreUnavailable", async () => {
  await using folder = await tempFolder();
  await Deno.writeTextFile(`${folder.path}/file`, "");
  for (const path of [`${folder.path}/file`, `${folder.path}/file/inside`]) {
    await assert.rejects(
      () => SqliteEngine.open({ folder: path, sync: "normal" }),
      StoreUnavailable,
    );
  }
});

Deno.test("a file that cannot be opened is StoreUnavailable", async () => {
  await using store = await openFolder();
  const space = newSpace();
  await Deno.mkdir(fileOf(store.address, space));
  await assert.rejects(() => store.engine.records(space, SHAPE).count(ALL), StoreUnavailable);
});

Deno.test("an index of the same name with another shape is refused, and nothing is changed", async () => {
  await using store = await openFolder();
  const space = newSpace();
  await store.engine.records(space, SHAPE).insert({ _id: id(1), email: "a", isDeleted: false });
  const { trash: _, ...rest } = SHAPE;
  const other = store.engine.records(space, definition(rest));
  const name = "i_things unique (email)";
  const email = `json_extract(doc,'$."email"')`;
  const wanted = `CREATE UNIQUE INDEX "${name}" on "r_things"(${email}) where ${email} is not null`;
  const stored = `CREATE UNIQUE INDEX "${name}" on "r_things"(".email") ` +
    'where ".email" is not null and ".is^deleted" = 0';
  const says =
    `The index "${name}" exists with another shape. Stored: ${stored}. Wanted: ${wanted}`;
  const refusal = (error: unknown) => error instanceof StoreMismatch && error.message === says;
  await assert.rejects(() => other.count(ALL), refusal);
  await assert.rejects(() => other.insert({ _id: id(2) }), refusal);
  assert.equal(await store.engine.records(space, SHAPE).count(ALL), 1);
});

Deno.test("stored records exist after the folder is opened again", async () => {
  await using folder = await tempFolder();
  const space = newSpace();
  const rows = upTo(10).map((n) => ({ _id: id(n), n, isDeleted: n > 6 }));
  {
    await using engine = await SqliteEngine.open({ folder: folder.path, sync: "full" });
    await engine.records(space, SHAPE).insertMany(rows);
    await engine.records("control", SHAPE).insert({ _id: id(1), isDeleted: false });
  }
  await using engine = await SqliteEngine.open({ folder: folder.path, sync: "normal" });
  const records = engine.records(space, SHAPE);
  assert.deepEqual(await listAll(records, ALL, keys("-n")), rows.toReversed());
  assert.deepEqual(await countsOf(records), { live: 7, deleted: 3, all: 10 });
  assert.equal(await engine.records("control", SHAPE).count(ALL), 1);
});

Deno.test("forty projects share four open files, and each stays correct", async () => {
  await using store = await openFolder({ filesMax: 4 });
  const spaces = upTo(40).map(newSpace);
  const at = (space: Id) => store.engine.records(space, SHAPE);
  for (const round of upTo(3)) {
    await Promise.all(spaces.flatMap((space, n) => [
      at(space).insert({ _id: id(round), email: `${n} ${round}`, n, isDeleted: false }),
      at(space).insert({ _id: id(100 + round), email: "one", isDeleted: round < 2 }),
      store.engine.transaction(
        space,
        (tx) => tx.records(SHAPE).insert({ _id: id(200 + round), n: round, isDeleted: true }),
      ),
      at(space).count(ALL),
    ]));
    for (const space of spaces.toReversed()) {
      await at(space).updateOne(eq("_id", id(200)), { increment: { n: 1 } });
    }
  }
  for (const [n, space] of spaces.entries()) {
    assert.deepEqual(await countsOf(at(space)), { live: 4, deleted: 5, all: 9 });
    assert.equal((await at(space).get(id(200)))?.value.n, 3);
    assert.equal((await at(space).get(id(2)))?.value.email, `${n} 2`);
    await assertRefused(
      at(space),
      uniqueViolation("email"),
      () => at(space).insert({ _id: id(300), email: "one", isDeleted: false }),
    );
  }
});

Deno.test("at most filesMax project files stay open", async () => {
  await using store = await openFolder({ filesMax: 4 });
  const spaces = upTo(20).map(newSpace);
  await Promise.all(
    spaces.map((space) =>
      store.engine.records(space, SHAPE).insert({ _id: id(1), isDeleted: true })
    ),
  );
  // SQLite removes the log of a file when its last connection closes it.
  const names = [...Deno.readDirSync(`${folderOf(store.address)}/projects`)].map((one) => one.name);
  assert.equal(names.filter((name) => name.endsWith(".db")).length, 20);
  assert.equal(names.filter((name) => name.endsWith(".db-wal")).length, 4);
});

Deno.test("more concurrent transactions than open files are possible", async () => {
  await using store = await openFolder({ filesMax: 2 });
  const spaces = upTo(8).map(newSpace);
  const at = (space: Id) => store.engine.records(space, SHAPE);
  for (const space of spaces) await at(space).insert({ _id: id(1), n: 0, isDeleted: false });
  const started = spaces.map(() => Promise.withResolvers<void>());
  const mayEnd = Promise.withResolvers<void>();
  const transactions = spaces.map((space, n) =>
    store.engine.transaction(space, async (tx) => {
      const inside = tx.records(SHAPE);
      const value = (await inside.get(id(1)))!.value.n as number;
      started[n]!.resolve();
      await mayEnd.promise;
      await inside.updateOne(eq("_id", id(1)), { set: { n: value + 1 } });
    })
  );
  await Promise.all(started.map((one) => one.promise));
  const increments = spaces.map((space) =>
    at(space).updateOne(eq("_id", id(1)), { increment: { n: 10 } })
  );
  for (const space of spaces) assert.equal((await at(space).get(id(1)))?.value.n, 0);
  mayEnd.resolve();
  await Promise.all([...transactions, ...increments]);
  for (const space of spaces) assert.equal((await at(space).get(id(1)))?.value.n, 11);
});

Deno.test("lists show what a transaction on a temporarily closed file has stored", async () => {
  await using store = await openFolder({ filesMax: 1 });
  const [space, another] = [newSpace(), newSpace()];
  const records = store.engine.records(space, SHAPE);
  await records.insert({ _id: id(1), n: 1, isDeleted: false });
  const query = { filter: eq("isDeleted", false), sort: keys("n"), limit: 5 };
  const written = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const ended = store.engine.transaction(space, async (tx) => {
    await tx.records(SHAPE).updateOne(ALL, { set: { text: "new" } });
    written.resolve();
    await mayEnd.promise;
  });
  await written.promise;
  await store.engine.records(another, SHAPE).count(ALL);
  for (const _ of upTo(8)) {
    assert.deepEqual(rowsOf(await records.list(query)), [{ _id: id(1), n: 1, isDeleted: false }]);
  }
  mayEnd.resolve();
  await ended;
  assert.equal(rowsOf(await records.list(query))[0]?.text, "new");
});

Deno.test("lists show changes after their cache entries were evicted", async () => {
  await using store = await openFolder();
  const records = store.engine.records(newSpace(), SHAPE);
  const text = "x".repeat(14_000);
  for (const from of [0, 400, 800, 1200]) {
    await records.insertMany(
      upTo(400).map((n) => ({ _id: id(from + n), n: from + n, text, isDeleted: false })),
    );
  }
  const few = { filter: compare("n", "lt", 10), sort: keys("n"), limit: 10 };
  for (const _ of upTo(8)) await records.list(few);
  await records.list({ filter: compare("n", "gte", 10), sort: keys("n"), limit: 1200 });
  await records.updateOne(eq("_id", id(3)), { set: { text: "new" } });
  for (const _ of upTo(8)) assert.equal(rowsOf(await records.list(few))[3]?.text, "new");
});

/** Command with the operating system's limit of half a megabyte on files of the process. */
const SMALL_FILES = ["sh", "-c", `trap "" XFSZ; ulimit -f 1024; exec "$@"`, "sh"];

Deno.test("a write that the disk refuses is StoreUnavailable and changes nothing", async () => {
  await using store = await openFolder();
  const space = newSpace();
  const records = store.engine.records(space, SHAPE);
  await records.insert({ _id: id(1000), isDeleted: true });
  await using other = await SecondProcess.start(store.address, SMALL_FILES);
  const inserts = upTo(40).map((n): Call => ({
    insert: { _id: id(n), text: "x".repeat(50_000), isDeleted: false },
  }));
  const calls: Call[] = [...inserts, { count: ALL }, { get: id(0) }];
  const outcomes = await other.run({ space, definition: SHAPE, calls, how: "one by one" });
  const isRefused = (n: number) => JSON.stringify(outcomes[n]) === `{"refused":"StoreUnavailable"}`;
  const stored = upTo(40).filter((n) => !isRefused(n));
  assert.ok(stored.length > 0 && stored.length < 40, `${stored.length} were stored`);
  assert.equal(outcomes[40], stored.length + 1);
  assert.notEqual(outcomes[41], null);
  const ids = (await listAll(records)).map((row) => row._id);
  assert.deepEqual(ids, [...stored, 1000].map(id));
  assert.deepEqual(await countsOf(records), {
    live: stored.length,
    deleted: 1,
    all: stored.length + 1,
  });
  await records.insert({ _id: id(2000), isDeleted: false });
});

Deno.test("only the user that runs Corbel may read its files", async () => {
  await using store = await openFolder();
  const space = newSpace();
  await store.engine.records(space, SHAPE).insert({ _id: id(1), isDeleted: false });
  await store.engine.records("control", SHAPE).insert({ _id: id(1), isDeleted: false });
  const control = `${folderOf(store.address)}/control.db`;
  for (const file of [control, fileOf(store.address, space)]) {
    for (const path of [file, `${file}-wal`, `${file}-shm`]) {
      const { mode } = await Deno.stat(path);
      assert.equal(mode! & 0o777, 0o600, path);
    }
  }
});

Deno.test("an engine that was alone sees commits of temporary processes immediately", async () => {
  await using store = await openFolder();
  const space = newSpace();
  const records = store.engine.records(space, SHAPE);
  await records.insert({ _id: id(1), n: 0, isDeleted: false });
  const query = { filter: eq("isDeleted", false), sort: keys("n"), limit: 5 };
  const folder = folderOf(store.address);
  for (const n of upTo(12)) {
    await records.list(query);
    await using other = await SqliteEngine.open({ folder, sync: "normal" });
    for (const step of [1, 2, 3]) {
      const before = store.engine.externalCommitMark(space);
      await other.records(space, SHAPE).updateOne(ALL, { set: { n: 10 * n + step } });
      assert.notEqual(store.engine.externalCommitMark(space), before);
      assert.equal(rowsOf(await records.list(query))[0]?.n, 10 * n + step);
    }
    await new Promise((resolve) => setTimeout(resolve, 13 * n));
  }
});

Deno.test("a commit of a program that is not an engine is seen soon", async () => {
  await using store = await openFolder();
  const space = newSpace();
  const records = store.engine.records(space, SHAPE);
  await records.insert({ _id: id(1), n: 0, isDeleted: false });
  const query = { filter: eq("isDeleted", false), sort: keys("n"), limit: 5 };
  assert.equal(rowsOf(await records.list(query))[0]?.n, 0);
  const file = `${folderOf(store.address)}/projects/${space}.db`;
  const text = JSON.stringify({ _id: id(1), n: 7, isDeleted: false });
  withDatabase(file, (db) => db.prepare(`update "r_${SHAPE.name}" set doc = ?`).run(text));
  const end = performance.now() + 5_000;
  while (rowsOf(await records.list(query))[0]?.n !== 7) {
    assert.ok(performance.now() < end, "the commit was not seen");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
});
