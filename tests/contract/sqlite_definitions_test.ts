import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { StoreUnavailable, UniqueViolation } from "@/lib/store/errors.ts";
import { ALL, and, eq } from "@/lib/store/filter.ts";
import type { Definition, Engine, Id, Index, Transaction } from "@/lib/store/port.ts";
import { engineOver } from "../support/engine_over.ts";
import { arrayIndexCases } from "./array_indexes.ts";
import { definitionCases } from "./definitions.ts";
import { id, keys, listAll, newSpace, trashDefinition, upTo } from "./fixtures.ts";
import { renamingCases } from "./renaming.ts";
import { openFolder, openSecondEngine, tempFolder } from "./sqlite_folder.ts";
import { recordsContract } from "./suite.ts";
import { transactionCases } from "./transactions.ts";

/** Runs every transaction in a worker thread, as definition changes of many records are. */
recordsContract("sqlite, in a thread", {
  async open() {
    const store = await openFolder({ threadRowsMin: 0 });
    const engine = engineOver(store.engine, {
      transaction: (space, work) => inThread(store.engine, space, work),
    });
    return {
      engine,
      address: store.address,
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    };
  },
  themes: [arrayIndexCases, definitionCases, renamingCases, transactionCases],
});

const listing = (...paths: string[]): Index => ({ keys: keys(...paths) });

const BEFORE = trashDefinition({
  fields: { rank: { type: "Number" }, kept: { type: "String" }, was: { type: "String" } },
  indexes: [listing("rank"), listing("was"), listing("kept")],
});

const AFTER = trashDefinition({
  fields: {
    rank: { type: "Number" },
    kept: { type: "String" },
    was: { type: "Number" },
    fresh: { type: "String" },
    tags: { type: "Array", items: { type: "String" } },
  },
  indexes: [
    listing("rank"),
    listing("was"),
    listing("fresh", "-rank"),
    listing("tags"),
    listing("tags", "fresh"),
    listing("kept", "rank"),
  ],
  search: ["kept", "fresh"],
});

const row = (n: number) => ({
  _id: id(n),
  rank: n % 5,
  kept: `k${n % 3}`,
  ...(n % 4 > 0 && { fresh: `f${n % 7}` }),
  ...(n % 3 > 0 && { tags: [`t${n % 4}`, "all", "all"] }),
  isDeleted: n % 6 === 0,
});

/** Number of stored rows. */
const ROWS = 300;

async function openWithRows() {
  const store = await openFolder({ threadRowsMin: 0 });
  const { engine } = store;
  const space = newSpace();
  await engine.records(space, BEFORE).insertMany(upTo(ROWS).map(row));
  const folder = store.address.slice("sqlite:".length);
  const path = `${folder}/projects/${space}.db`;
  return {
    engine,
    space,
    folder,
    path,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

const inThread = <T>(
  engine: Engine,
  space: Id,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> => engine.transaction(space, work, { redefines: BEFORE });

const define = (engine: Engine, space: Id, after: Definition) =>
  inThread(engine, space, (tx) => tx.define(after, BEFORE));

/** Fails unless every column, index, array table and word matches the texts. */
function assertConsistent(path: string): void {
  using db = new DatabaseSync(path, { readOnly: true });
  const count = (text: string) => Object.values(db.prepare(text).get()!)[0];
  assert.equal(count("pragma integrity_check"), "ok");
  for (const name of ["rank", "was", "fresh"]) {
    const differs = `".${name}" is not json_extract(doc, '$.${name}')`;
    assert.equal(count(`select count(*) from r_things where ${differs}`), 0, name);
  }
  const pairs = "select seq, value, json_extract(doc, '$.fresh') from r_things, " +
    "json_each(doc, '$.tags')";
  const stored = 'select seq, "@value", "@fresh" from "a_things (tags,fresh)"';
  assert.equal(count(`select count(*) from (${pairs} except ${stored})`), 0);
  assert.equal(count(`select count(*) from (${stored} except ${pairs})`), 0);
  const text = "coalesce(json_extract(doc, '$.kept'), '') || ' ' || " +
    "coalesce(json_extract(doc, '$.fresh'), '')";
  const rows = db.prepare(`select seq, ${text} as text from r_things order by seq`).all();
  const words = new Set(rows.flatMap(({ text }) => String(text).split(" ")));
  words.delete("");
  const searched = db.prepare('select rowid from "s_things/words" where "s_things/words" match ?');
  for (const word of [...words, "k"]) {
    const having = rows.filter(({ text }) =>
      String(text).split(" ").some((one) => one.startsWith(word))
    );
    const found = searched.all(`"${word}"*`).map(({ rowid }) => rowid);
    assert.deepEqual(found, having.map(({ seq }) => seq), word);
  }
}

/** Keeps a transaction in a thread open after it has begun. */
async function keepOpen(engine: Engine, space: Id, work: (tx: Transaction) => Promise<unknown>) {
  const started = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const done = inThread(engine, space, async (tx) => {
    await work(tx);
    started.resolve();
    await released.promise;
  });
  await Promise.race([started.promise, done]);
  return { release: released.resolve, done };
}

Deno.test("a definition change in a thread includes all records and those written later", async () => {
  await using fixture = await openWithRows();
  const { engine, space, path } = fixture;
  const before = await listAll(engine.records(space, BEFORE));
  await define(engine, space, AFTER);
  assertConsistent(path);
  const records = engine.records(space, AFTER);
  assert.deepEqual(await listAll(records), before);
  await records.insert({ ...row(9_000), was: 7, fresh: "last", tags: ["last"] });
  await records.updateOne(eq("_id", id(1)), { set: { was: 8, tags: ["all"] } });
  assertConsistent(path);
  const live = eq("isDeleted", false);
  const { index } = await records.explain({
    filter: and(live, eq("fresh", "f2")),
    sort: keys("-rank"),
    limit: 5,
  });
  assert.deepEqual(index, keys("fresh", "-rank"));
});

Deno.test("during a definition change in a thread reads see the old state, and writes wait", async () => {
  await using fixture = await openWithRows();
  const { engine, space, path } = fixture;
  const before = engine.records(space, BEFORE);
  const rows = await listAll(before);
  const change = await keepOpen(engine, space, (tx) => tx.define(AFTER, BEFORE));
  let written = 0;
  const after = engine.records(space, AFTER);
  const writes = upTo(20).map((n) => after.insert(row(1_000 + n)).then(() => written++));
  assert.deepEqual(await listAll(before), rows);
  assert.equal(await before.count(eq("rank", 1)), 60);
  assert.equal(written, 0);
  change.release();
  await change.done;
  await Promise.all(writes);
  assert.equal(await after.count(ALL), ROWS + 20);
  assertConsistent(path);
});

Deno.test("other spaces can be written during a definition change in a thread", async () => {
  await using fixture = await openWithRows();
  const { engine, space } = fixture;
  const change = await keepOpen(engine, space, (tx) => tx.define(AFTER, BEFORE));
  await engine.records(newSpace(), BEFORE).insert(row(1));
  const [one, other] = [newSpace(), newSpace()];
  await Promise.all([one, other].map((own) => define(engine, own, AFTER)));
  change.release();
  await change.done;
});

Deno.test("each of several changes in threads sees the result of the previous one", async () => {
  await using fixture = await openWithRows();
  const { engine, space, path } = fixture;
  const counter = trashDefinition({ fields: { n: { type: "Number" } } });
  const counted = { ...counter, name: "counter" };
  await engine.records(space, counted).insert({ _id: id(1), n: 0, isDeleted: false });
  const add = async (tx: Transaction) => {
    const records = tx.records<{ _id: Id; n: number }>(counted);
    const stored = await records.findOne(eq("_id", id(1)));
    await records.updateOne(eq("_id", id(1)), { set: { n: stored!.value.n + 1 } });
  };
  await Promise.all(
    upTo(8).map((n) => n % 2 === 0 ? inThread(engine, space, add) : engine.transaction(space, add)),
  );
  await Promise.all(upTo(4).map((n) => define(engine, space, n % 2 === 0 ? BEFORE : AFTER)));
  await define(engine, space, AFTER);
  assert.equal((await engine.records(space, counted).get(id(1)))?.value.n, 8);
  assertConsistent(path);
});

Deno.test("another process waits for a change in a thread and follows it", async () => {
  await using fixture = await openWithRows();
  const { engine, space, folder, path } = fixture;
  await using other = await openSecondEngine(folder);
  const records = other.records(space, BEFORE);
  assert.equal(await records.count(ALL), ROWS);
  const change = await keepOpen(engine, space, (tx) => tx.define(AFTER, BEFORE));
  const writing = other.records(space, AFTER).insert({ ...row(900), fresh: "other" });
  change.release();
  await Promise.all([change.done, writing]);
  assert.equal(await engine.records(space, AFTER).count(eq("fresh", "other")), 1);
  assertConsistent(path);
});

Deno.test("a failed change in a thread does not change the file", async () => {
  await using fixture = await openWithRows();
  const { engine, space, path } = fixture;
  const schema = () => {
    using db = new DatabaseSync(path, { readOnly: true });
    const all = "select type, name, sql from sqlite_schema where name not glob 'sqlite_stat*'";
    return db.prepare(`${all} order by 1, 2`).all();
  };
  const before = schema();
  const unique = { ...AFTER, indexes: [...AFTER.indexes, { keys: keys("rank"), unique: true }] };
  await assert.rejects(define(engine, space, unique), (error) => {
    assert.ok(error instanceof UniqueViolation);
    assert.equal(error.path, "rank");
    return true;
  });
  assert.deepEqual(schema(), before);
  await engine.records(space, BEFORE).insert(row(1_000));
  await define(engine, space, AFTER);
  assertConsistent(path);
});

Deno.test("disposing an engine waits for a change in a thread", async () => {
  await using fixture = await openWithRows();
  const { engine, space, folder } = fixture;
  const other = await openSecondEngine(folder, { threadRowsMin: 0 });
  const change = await keepOpen(other, space, (tx) => tx.define(AFTER, BEFORE));
  const closing = other[Symbol.asyncDispose]();
  change.release();
  await Promise.all([change.done, closing]);
  assert.equal(await engine.records(space, AFTER).count(eq("tags", "all")), 200);
});

Deno.test("a query by an array index that another process has dropped is refused as a conflict", async () => {
  await using fixture = await openWithRows();
  const { engine, space, folder } = fixture;
  await define(engine, space, AFTER);
  const records = engine.records(space, AFTER);
  const query = { filter: and(eq("isDeleted", false), eq("tags", "t1")), sort: [], limit: 5 };
  assert.ok((await records.list(query)).size > 0);
  await using other = await openSecondEngine(folder);
  await define(other, space, BEFORE);
  for (const ask of [() => records.list(query), () => records.count(query.filter)]) {
    await assert.rejects(ask, StoreUnavailable);
  }
});

Deno.test("words of an earlier version are rebuilt and found", async () => {
  const records = (engine: Engine) => engine.records(space, AFTER);
  const space = newSpace();
  await using folder = await tempFolder();
  {
    await using engine = await openSecondEngine(folder.path);
    await records(engine).insertMany([row(1), { ...row(2), fresh: "sought" }]);
  }
  {
    using db = new DatabaseSync(`${folder.path}/projects/${space}.db`);
    db.exec(`drop table "s_things/words"`);
    db.exec(
      `create virtual table "s_things/words" using fts5("words", content='', ` +
        "contentless_delete=1, detail=none)",
    );
    db.exec("pragma user_version = 6");
  }
  await using engine = await openSecondEngine(folder.path);
  const found = await listAll(records(engine), { op: "search", words: ["sou"] });
  assert.deepEqual(found.map(({ _id }) => _id), [id(2)]);
});
