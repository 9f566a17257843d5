/**
 * A file of the version before definitions were changed in one transaction. Its process was killed
 * after it had built everything for a definition of `things` and before it stored that definition:
 * renamed texts, columns, tables of arrays, words and indexes. Before that, `renamed` had got that
 * definition, and the former texts of its records still existed.
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { StoreMismatch } from "@/lib/store/errors.ts";
import { ALL, and, eq } from "@/lib/store/filter.ts";
import type { Definition } from "@/lib/store/port.ts";
import { id, keys, listAll, trashDefinition, upTo } from "./fixtures.ts";
import { openSecondEngine, tempFolder } from "./sqlite_folder.ts";

const SPACE = "66f1a0c2e4b0a1b2c3d4e5f6";
const FILE = new URL("../fixtures/sqlite_9/project.db.gz", import.meta.url);

const LIST = { type: "Array", items: { type: "String" } } as const;
const KEPT = { isDeleted: { type: "Boolean" }, kept: { type: "Number" }, same: LIST } as const;

const BEFORE: Definition = {
  ...trashDefinition({
    fields: { ...KEPT, a: { type: "String" }, list: LIST, code: { type: "String" } },
    indexes: [{ keys: keys("list", "kept") }, { keys: keys("same") }, { keys: keys("a") }],
  }),
  search: ["a"],
};

const AFTER: Definition = {
  ...trashDefinition({
    fields: { ...KEPT, b: { type: "String" }, tags: LIST, code: { type: "Number" } },
    indexes: [
      { keys: keys("tags", "kept") },
      { keys: keys("same") },
      { keys: keys("b") },
      { keys: keys("kept", "b") },
      { keys: keys("kept"), unique: true },
    ],
  }),
  search: ["b"],
};

const RENAMES = [{ from: "a", to: "b" }, { from: "list", to: "tags" }];

const row = (n: number) => ({
  _id: id(n),
  ...(n % 3 > 0 && { a: `word${n}`, list: [`t${n % 4}`, "all"] }),
  kept: n,
  same: ["all"],
  isDeleted: n % 6 === 0,
});

const renamedRow = (n: number) => {
  const { a, list, ...rest } = { a: undefined, list: undefined, ...row(n) };
  return { ...rest, ...(a !== undefined && { b: a, tags: list }) };
};

/**
 * Opens the file.
 * @param change Changes the file before it is opened.
 */
async function openEarlierFile(change: (file: { path: string }) => void = () => {}) {
  const folder = await tempFolder();
  const path = `${folder.path}/projects/${SPACE}.db`;
  await (await openSecondEngine(folder.path))[Symbol.asyncDispose]();
  using packed = await Deno.open(FILE);
  await Deno.writeFile(
    path,
    packed.readable.pipeThrough(new DecompressionStream("gzip")),
  );
  change({ path });
  const engine = await openSecondEngine(folder.path, { threadRowsMin: 0 });
  return {
    engine,
    path,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function ask(path: string, text: string): unknown[] {
  using db = new DatabaseSync(path, { readOnly: true });
  return db.prepare(text).all().map((one) => Object.values(one)[0]);
}

const WRITTEN = [...upTo(60), 100, 101];

Deno.test("a former version's file with an unfinished build has its documents and indexes", async () => {
  await using fixture = await openEarlierFile();
  const { engine, path } = fixture;
  const things = engine.records(SPACE, BEFORE);
  const live = eq("isDeleted", false);
  assert.deepEqual(await listAll(things), WRITTEN.map(row));
  assert.equal(await things.count(and(live, eq("list", "all"))), 42);
  assert.equal(await things.count({ op: "search", words: ["word10"] }), 3);
  const { index } = await things.explain({ filter: and(live, eq("a", "x")), sort: [], limit: 1 });
  assert.deepEqual(index, keys("a"));
  await things.insert(row(200));
  await things.updateOne(eq("_id", id(1)), { set: { a: "changed", list: ["changed"] } });
  assert.equal(await things.count(and(live, eq("list", "changed"))), 1);
  assert.equal(await things.count(eq("kept", 7)), 1, "no unique index of the build is left");
  await things.insert({ ...row(201), kept: 7 });
  assert.deepEqual(ask(path, "pragma integrity_check"), ["ok"]);
  const left = "select name from sqlite_schema where name glob 'build*' or name glob '[bx]_*' " +
    "or name glob '*+*' or name = 'moved_texts' or sql glob '*+doc*'";
  assert.deepEqual(ask(path, left), []);
  assert.equal(await engine.recount(SPACE, BEFORE), 0);
});

Deno.test("the change of an unfinished build can be made", async () => {
  await using fixture = await openEarlierFile();
  const { engine, path } = fixture;
  const next = { ...AFTER, renames: RENAMES };
  await engine.transaction(SPACE, (tx) => tx.define(next, BEFORE), { redefines: BEFORE });
  const things = engine.records(SPACE, AFTER);
  const live = eq("isDeleted", false);
  assert.deepEqual(await listAll(things), WRITTEN.map(renamedRow));
  assert.equal(await things.count(and(live, eq("tags", "all"))), 42);
  assert.equal(await things.count({ op: "search", words: ["word10"] }), 3);
  assert.deepEqual(ask(path, "pragma integrity_check"), ["ok"]);
  assert.equal(await engine.recount(SPACE, AFTER), 0);
});

Deno.test("documents with a renamed field keep nothing under the former name", async () => {
  await using fixture = await openEarlierFile();
  const { engine, path } = fixture;
  const records = engine.records(SPACE, { ...AFTER, name: "renamed" });
  assert.deepEqual(await listAll(records), upTo(30).map(renamedRow));
  assert.equal(await records.count(ALL), 30);
  const columns = ask(path, "select name from pragma_table_info('r_renamed') where name glob '~*'");
  assert.ok(columns.length > 0);
  for (const column of columns) {
    assert.deepEqual(ask(path, `select count("${column}") from r_renamed`), [0]);
  }
});

Deno.test("the former version refuses the file from then on, with instructions", async () => {
  await using fixture = await openEarlierFile();
  await fixture.engine.kinds(SPACE);
  const [version] = ask(fixture.path, "pragma user_version");
  assert.equal(version, 10, "the former version supports 9");
  await using other = await openEarlierFile(({ path }) => {
    using db = new DatabaseSync(path);
    db.exec(`pragma user_version = ${Number(version) + 1}`);
  });
  await assert.rejects(other.engine.kinds(SPACE), (error) => {
    assert.ok(error instanceof StoreMismatch);
    assert.match(error.message, /version is 11, this Corbel knows up to 10\. Run the newer Corbel/);
    return true;
  });
});
