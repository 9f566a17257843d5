import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { Outdated } from "@/lib/store/errors.ts";
import { ALL, and, compare, eq } from "@/lib/store/filter.ts";
import type { Definition } from "@/lib/store/port.ts";
import { id, keys, listAll, newSpace, trashDefinition, upTo } from "./fixtures.ts";
import { renamingCases } from "./renaming.ts";
import { until } from "../acceptance/until.ts";
import { openBeside, openFolder } from "./sqlite_folder.ts";
import { recordsContract } from "./suite.ts";

recordsContract("sqlite, built ahead", {
  open: () => openFolder({ buildRowsMin: 0 }),
  themes: [renamingCases],
});

const LIST = { type: "Array", items: { type: "String" } } as const;

const BEFORE = trashDefinition({
  fields: { a: { type: "String" }, kept: { type: "Number" }, list: LIST, same: LIST },
  indexes: [{ keys: keys("list", "kept") }, { keys: keys("same") }, { keys: keys("a") }],
});

const AFTER = trashDefinition({
  fields: { b: { type: "String" }, kept: { type: "Number" }, tags: LIST, same: LIST },
  indexes: [{ keys: keys("tags", "kept") }, { keys: keys("same") }, { keys: keys("b") }],
  search: ["b"],
});

const RENAMING: Definition = {
  ...AFTER,
  renames: [{ from: "a", to: "b" }, { from: "list", to: "tags" }],
};

const CHANGE = { before: BEFORE, after: RENAMING, isChecked: true };

const row = (n: number) => ({
  _id: id(n),
  ...(n % 3 > 0 && { a: `a${n}`, list: [`t${n % 4}`, "all"] }),
  kept: n,
  same: ["all"],
  isDeleted: n % 6 === 0,
});

async function opened() {
  const store = await openFolder({ buildRowsMin: 0 });
  const { engine } = store;
  const space = newSpace();
  await engine.records(space, BEFORE).insertMany(upTo(300).map(row));
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

type Opened = Awaited<ReturnType<typeof opened>>;

function ask(path: string, text: string): unknown[] {
  using db = new DatabaseSync(path, { readOnly: true });
  return db.prepare(text).all().map((row) => Object.values(row)[0]);
}

/** What is left of former texts: nobody reads it, and it takes room. */
function bytesLeft(path: string): unknown {
  const names = ask(path, "select name from pragma_table_info('r_things') where name glob '~*'");
  const sum = names.map((name) => `coalesce(sum(octet_length("${name}")), 0)`).join(" + ");
  return names.length === 0 ? 0 : ask(path, `select ${sum} from r_things`)[0];
}

/** Every column, and every table of an array, has what the texts say; so have the counts. */
async function assertWhole({ engine, space, path }: Opened): Promise<void> {
  assert.deepEqual(ask(path, "pragma integrity_check"), ["ok"]);
  const differs = `".b" is not json_extract(doc, '$.b')`;
  assert.deepEqual(ask(path, `select count(*) from r_things where ${differs}`), [0]);
  const pairs = "select seq, value, \".kept\" from r_things, json_each(doc, '$.tags')";
  const stored = 'select seq, "@value", "@kept" from "a_things (tags,kept)"';
  for (const [one, other] of [[pairs, stored], [stored, pairs]]) {
    assert.deepEqual(ask(path, `select count(*) from (${one} except ${other})`), [0]);
  }
  assert.equal(await engine.recount(space, AFTER), 0);
  const former = ask(path, "select name from sqlite_schema where sql glob '*+doc*'");
  assert.deepEqual(former.filter((name) => name !== "r_things"), []);
}

/** As if the process of a build had died a while ago. */
function silence(path: string): void {
  using db = new DatabaseSync(path);
  db.exec("update builds set at = at - 60000");
}

const define = ({ engine, space }: Opened) =>
  engine.transaction(space, (tx) => tx.define(RENAMING, BEFORE));

/** One write of each kind, to records that have their next texts and to others. */
async function writeSome({ engine, space }: Opened, from: number): Promise<void> {
  const records = engine.records(space, BEFORE);
  await records.insertMany([row(from), row(from + 1)]);
  await records.updateOne(eq("_id", id(from)), { set: { a: "late", list: ["late"], kept: -1 } });
  await records.updateOne(eq("_id", id(299)), { unset: ["a"], set: { same: ["x"] } });
  await records.updateOne(eq("_id", id(1)), { replace: { list: ["late"], isDeleted: false } });
  await records.deleteOne(eq("_id", id(from % 97)));
  await records.deleteMany(compare("kept", "gt", 297), 1);
}

Deno.test("what is written at every point of a rename is found under its new name", async () => {
  await using fixture = await opened();
  const { engine, space, path } = fixture;
  const build = (await engine.build(space, CHANGE))!;
  await writeSome(fixture, 400);
  await Promise.all([build.run(), writeSome(fixture, 500)]);
  await writeSome(fixture, 600);
  assert.ok((await build.written!(1_000)).length > 0);
  await writeSome(fixture, 700);
  await define(fixture);
  await build[Symbol.asyncDispose]();
  await assertWhole(fixture);
  const records = engine.records(space, AFTER);
  assert.equal(await records.count(eq("b", "late")), 4);
  assert.equal(await records.count(eq("tags", "late")), 5);
  assert.equal(await records.count({ op: "search", words: ["late"] }), 4);
  await records.insert({ ...row(800), b: "after", tags: ["after"] });
  await records.updateOne(eq("_id", id(4)), { set: { b: "after", tags: ["after"] } });
  await assertWhole(fixture);
  assert.ok(Number(bytesLeft(path)) > 0);
  engine.reclaim!(space, AFTER);
  await until("former texts are emptied", () => bytesLeft(path) === 0);
  await assertWhole(fixture);
  assert.equal(await records.count(and(eq("isDeleted", false), eq("tags", "after"))), 2);
});

Deno.test("readers see the former names until the definition stands", async () => {
  await using fixture = await opened();
  const { engine, space } = fixture;
  const before = engine.records(space, BEFORE);
  const rows = await listAll(before, ALL, keys("_id"));
  await using build = await engine.build(space, CHANGE);
  await build!.run();
  assert.deepEqual(await listAll(before, ALL, keys("_id")), rows);
  assert.equal(await before.count(eq("list", "all")), 200);
  assert.equal((await before.get(id(1)))?.revision, 1);
});

Deno.test("a rename that comes to nothing leaves texts, revisions and no room taken", async () => {
  await using fixture = await opened();
  const { engine, space, path } = fixture;
  const before = engine.records(space, BEFORE);
  const rows = await listAll(before, ALL, keys("_id"));
  const build = (await engine.build(space, CHANGE))!;
  await build.run();
  await build[Symbol.asyncDispose]();
  await assert.rejects(build.run(), Outdated);
  assert.deepEqual(await listAll(before, ALL, keys("_id")), rows);
  assert.equal(bytesLeft(path), 0);
  assert.equal(await engine.recount(space, BEFORE), 0);
  await before.insert(row(400));
});

Deno.test("of a process that dies on the way the next one undoes all, and renames", async () => {
  await using fixture = await opened();
  const { engine, space, folder, path } = fixture;
  await using other = await openBeside(folder, { buildRowsMin: 0 });
  await using build = (await other.build(space, CHANGE))!;
  await build.run();
  silence(path);
  await using next = await engine.build(space, CHANGE);
  await next!.run();
  await writeSome(fixture, 400);
  await define(fixture);
  await assertWhole(fixture);
  await engine.tidy!();
  assert.equal(bytesLeft(path), 0);
  const records = engine.records(space, AFTER);
  assert.equal(await records.count(eq("b", "late")), 1);
});

Deno.test("what a dead process has left of former texts is emptied by maintenance", async () => {
  await using fixture = await opened();
  const { engine, space, path } = fixture;
  {
    await using build = (await engine.build(space, CHANGE))!;
    await build.run();
    await engine.tidy!();
    assert.equal(bytesLeft(path), 0, "of one that lives nothing is undone");
    await define(fixture);
  }
  assert.ok(Number(bytesLeft(path)) > 0);
  await engine.tidy!();
  assert.equal(bytesLeft(path), 0);
  await assertWhole(fixture);
});

Deno.test("what a process has left that died before the definition stood is emptied by maintenance", async () => {
  await using fixture = await opened();
  const { engine, space, path } = fixture;
  const rows = await listAll(engine.records(space, BEFORE), ALL, keys("_id"));
  await using build = (await engine.build(space, CHANGE))!;
  await build.run();
  silence(path);
  await engine.tidy!();
  assert.equal(bytesLeft(path), 0);
  assert.deepEqual(await listAll(engine.records(space, BEFORE), ALL, keys("_id")), rows);
});
