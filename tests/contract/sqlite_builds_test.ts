import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as immediate } from "node:timers/promises";
import { Outdated, StoreUnavailable, UniqueViolation } from "@/lib/store/errors.ts";
import { ALL, and, compare, eq } from "@/lib/store/filter.ts";
import type { Definition, DefinitionBuild, Engine, Id, Index } from "@/lib/store/port.ts";
import { definition, id, keys, listAll, newSpace, trashDefinition, upTo } from "./fixtures.ts";
import { openBeside, openFolder, tempFolder } from "./sqlite_folder.ts";

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

const ROWS = 300;

async function opened() {
  const store = await openFolder({ buildRowsMin: 0 });
  const { engine } = store;
  const space = newSpace();
  await engine.records(space, BEFORE).insertMany(upTo(ROWS).map(row));
  const path = `${store.address.slice("sqlite:".length)}/projects/${space}.db`;
  return { store, engine, space, path, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

type Opened = Awaited<ReturnType<typeof opened>>;

const build = async (
  { engine, space }: Pick<Opened, "engine" | "space">,
  after = AFTER,
): Promise<DefinitionBuild> => {
  const begun = await engine.build(space, { before: BEFORE, after, isChecked: true });
  assert.ok(begun !== null);
  return begun;
};

const define = (engine: Engine, space: Id, after: Definition) =>
  engine.transaction(space, (tx) => tx.define(after, BEFORE));

/** Names of all that the file has, but for what every file has. */
function schemaOf(path: string): string[] {
  using db = new DatabaseSync(path, { readOnly: true });
  return db.prepare("select type || ' ' || name as name from sqlite_schema order by 1").all()
    .map(({ name }) => name as string).filter((name) => !/sqlite_stat|builds/.test(name));
}

/** Every index has an entry for each row that it is about, and no other ones. */
function assertSound(path: string): void {
  using db = new DatabaseSync(path, { readOnly: true });
  assert.equal(db.prepare("pragma integrity_check").get()!.integrity_check, "ok");
}

/** SQLite is told of each index over documents, or over their arrays, how its entries are spread. */
function assertAnalyzed(path: string): void {
  using db = new DatabaseSync(path, { readOnly: true });
  const names = (text: string) => db.prepare(text).all().map(({ name }) => name);
  assert.deepEqual(
    names("select idx as name from sqlite_stat1 where idx glob 'i_things *' order by 1"),
    names(
      "select name from sqlite_schema where type = 'index' and name glob 'i_things *' order by 1",
    ),
  );
}

/** Every column and every table of an array has what the texts say. */
function assertWhole(path: string): void {
  using db = new DatabaseSync(path, { readOnly: true });
  const count = (text: string) => Object.values(db.prepare(text).get()!)[0];
  assertSound(path);
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

/** One write of each kind, also to records that were filled long since, and not yet. */
async function writeSome({ engine, space }: Opened, from: number): Promise<void> {
  const records = engine.records(space, BEFORE);
  await records.insert({ ...row(from), fresh: "new", tags: ["new"] });
  await records.insertMany([row(from + 1), { ...row(from + 2), was: null }]);
  for (const n of [1, ROWS - 1]) {
    await records.updateOne(eq("_id", id(n)), { set: { fresh: `f${from}`, tags: [`t${from}`] } });
  }
  await records.updateOne(eq("_id", id(2)), { set: { isDeleted: true } });
  await records.updateOne(eq("_id", id(6)), { replace: { tags: ["x"], isDeleted: false } });
  await records.upsert(eq("_id", id(from + 3)), {}, row(from + 3));
  await records.deleteOne(eq("_id", id(from - 100)));
  await records.deleteMany(and(eq("rank", 4), compare("_id", "gt", id(from - 40))), 2);
}

Deno.test("what is built ahead is what the definition finds, whatever was written meanwhile", async () => {
  await using fixture = await opened();
  const { engine, space, path } = fixture;
  await using building = await build(fixture);
  const running = building.run();
  for (let i = 0; i < 5; i++) await writeSome(fixture, 500 + 200 * i);
  await running;
  await writeSome(fixture, 5_000);
  const before = await listAll(engine.records(space, BEFORE));
  await define(engine, space, AFTER);
  assertWhole(path);
  assertAnalyzed(path);
  const records = engine.records(space, AFTER);
  assert.deepEqual(await listAll(records), before);
  await records.insert({ ...row(9_000), was: 7, fresh: "last", tags: ["last"] });
  await records.updateOne(eq("_id", id(1)), { set: { was: 8, tags: ["all"] } });
  assertWhole(path);
  await building[Symbol.asyncDispose]();
  assert.deepEqual(schemaOf(path).filter((name) => /build|[bx]_things|\+/.test(name)), []);
  const live = eq("isDeleted", false);
  const { index } = await records.explain({
    filter: and(live, eq("fresh", "f2")),
    sort: keys("-rank"),
    limit: 5,
  });
  assert.deepEqual(index, keys("fresh", "-rank"));
});

Deno.test("a build that is not taken over leaves the file as it was", async () => {
  await using fixture = await opened();
  const { engine, space, path } = fixture;
  const before = schemaOf(path);
  {
    await using building = await build(fixture);
    await building.run();
    assert.notDeepEqual(schemaOf(path), before);
  }
  assert.deepEqual(schemaOf(path), before);
  await writeSome(fixture, 500);
  await define(engine, space, AFTER);
  assertWhole(path);
});

Deno.test("a definition takes over no build but one of itself", async () => {
  await using fixture = await opened();
  const { engine, space, path } = fixture;
  await using building = await build(fixture, { ...AFTER, indexes: [listing("tags")] });
  await building.run();
  await engine.transaction(space, async (tx) => assert.equal(await tx.written!(AFTER), null));
  await define(engine, space, AFTER);
  assertWhole(path);
  await assert.rejects(building.written!(1), Outdated);
});

Deno.test("a build tells each record once that was written since it began", async () => {
  await using fixture = await opened();
  const { engine, space } = fixture;
  const records = engine.records(space, BEFORE);
  await using building = await build(fixture);
  assert.deepEqual(await building.written!(10), []);
  for (const n of [1, 2, 3, 2, 1]) {
    await records.updateOne(eq("_id", id(n)), { set: { rank: 100 + n } });
  }
  await records.insert(row(1_000));
  await building.run();
  await records.deleteOne(eq("_id", id(3)));
  assert.deepEqual(await building.written!(2), [id(1), id(2)]);
  await records.updateOne(eq("_id", id(2)), { set: { rank: 0 } });
  assert.deepEqual((await building.written!(10)).toSorted(), [id(2), id(1_000)]);
  await records.updateOne(eq("_id", id(9)), { set: { rank: 9 } });
  await engine.transaction(space, async (tx) => {
    assert.deepEqual(await tx.written!(AFTER), [id(9)]);
    await tx.define(AFTER, BEFORE);
  });
});

Deno.test("of two builds of the same records the second waits, or takes over from a dead one", async () => {
  await using fixture = await opened();
  const { engine, space, path } = fixture;
  await using first = await build(fixture);
  await assert.rejects(build(fixture), StoreUnavailable);
  {
    using db = new DatabaseSync(path);
    db.exec("update builds set at = at - 60000");
  }
  await using second = await build(fixture);
  await assert.rejects(first.run(), Outdated);
  await second.run();
  await define(engine, space, AFTER);
  assertWhole(path);
});

Deno.test("what a dead process has left of a build is undone by maintenance", async () => {
  await using fixture = await opened();
  const { engine, path } = fixture;
  const before = schemaOf(path);
  await using building = await build(fixture);
  await building.run();
  await engine.tidy!();
  assert.notDeepEqual(schemaOf(path), before, "of one that lives nothing is undone");
  using db = new DatabaseSync(path);
  db.exec("update builds set at = at - 60000");
  await engine.tidy!();
  assert.deepEqual(schemaOf(path), before);
});

Deno.test("what a process has left that ended when its build stood is removed by maintenance, or by the next build", async () => {
  await using fixture = await opened();
  const { engine, space, path } = fixture;
  const building = await build(fixture);
  await building.run();
  await define(engine, space, AFTER); // Its end is never heard of.
  const left = schemaOf(path).filter((name) => name.startsWith("table x_things"));
  assert.equal(left.length, 2);
  const before = schemaOf(path);
  await using other = await engine.build(space, { before: AFTER, after: BEFORE, isChecked: true });
  assert.ok(other !== null);
  assert.deepEqual(schemaOf(path).filter((name) => name.startsWith("table x_things")), []);
  await other[Symbol.asyncDispose]();
  {
    using db = new DatabaseSync(path);
    for (const name of left) db.exec(`create table "${name.slice(6)}"(seq integer primary key)`);
  }
  await engine.tidy!();
  assert.deepEqual(schemaOf(path), before.filter((name) => !left.includes(name)));
  await building[Symbol.asyncDispose]();
});

Deno.test("a build of records that are dropped meanwhile ends, and leaves nothing", async () => {
  await using fixture = await opened();
  const { engine, space, path } = fixture;
  await using building = await build(fixture);
  await engine.drop(space, BEFORE);
  await assert.rejects(building.run(), Outdated);
  assert.deepEqual(schemaOf(path).filter((name) => /things/.test(name)), []);
});

Deno.test("values that are to be unique are free until the definition stands, and refused by it", async () => {
  await using fixture = await opened();
  const { engine, space, path } = fixture;
  const after = { ...AFTER, indexes: [{ keys: keys("fresh"), unique: true }] };
  const records = engine.records(space, BEFORE);
  for (const { _id } of await listAll(records)) {
    await records.updateOne(eq("_id", _id), { set: { fresh: _id } });
  }
  const schema = schemaOf(path);
  {
    await using building = await build(fixture, after);
    await building.run();
    await records.insert({ ...row(1_000), fresh: id(1), isDeleted: false });
    await assert.rejects(define(engine, space, after), UniqueViolation);
  }
  assert.deepEqual(schemaOf(path), schema);
  assert.equal(await records.count(ALL), ROWS + 1);
});

Deno.test("a unique index that is built holds every value, whatever was taken twice meanwhile", async () => {
  await using fixture = await opened();
  const { engine, space, path } = fixture;
  const after = { ...AFTER, indexes: [{ keys: keys("fresh", "was"), unique: true }] };
  const records = engine.records(space, BEFORE);
  const write = (n: number, fresh: string, others: object = {}) =>
    records.updateOne(eq("_id", id(n)), { set: { fresh, was: 1, isDeleted: false, ...others } });
  for (let n = 0; n < ROWS; n++) await write(n, n < 10 ? "same" : `${n}`);
  await using building = await build(fixture, after);
  for (let n = 1; n < 8; n++) await write(n, `${n}`); // Two are left with one value, which are filled so.
  await write(8, "same", { isDeleted: true });
  await building.run();
  await write(20, "21");
  await write(30, "31");
  await write(9, "9");
  await records.deleteOne(eq("_id", id(21)));
  await write(31, "31", { isDeleted: true });
  await records.insertMany([{ ...row(1_000), fresh: "40", was: 1 }, { ...row(1_001), was: 1 }]);
  await write(40, "41");
  await write(41, "40", { was: 2 });
  await define(engine, space, after);
  assertSound(path);
  assertAnalyzed(path);
  const redefined = engine.records(space, after);
  for (const fresh of ["same", "21", "31", "40", "41"]) {
    const taken = { ...row(2_000), fresh, was: 1, isDeleted: false };
    await assert.rejects(redefined.insert(taken), { name: "UniqueViolation", path: "fresh,was" });
  }
  await building[Symbol.asyncDispose]();
  assert.deepEqual(schemaOf(path).filter((name) => /build|[bx]_things|left out/.test(name)), []);
});

Deno.test("where one of two unique indexes cannot stand, nothing of the other is left, and both can be built again", async () => {
  await using fixture = await opened();
  const { engine, space, path } = fixture;
  const unique = (path: string) => ({ keys: keys(path), unique: true });
  const after = { ...AFTER, indexes: [unique("fresh"), unique("kept")] };
  const records = engine.records(space, BEFORE);
  for (const { _id } of await listAll(records)) {
    await records.updateOne(eq("_id", _id), { set: { fresh: _id, kept: _id } });
  }
  const taken = (value: string) => ({ set: { kept: value, isDeleted: false } });
  const before = schemaOf(path);
  {
    await using building = await build(fixture, after);
    for (const n of [1, 2]) await records.updateOne(eq("_id", id(n)), taken("same"));
    await building.run();
    await assert.rejects(define(engine, space, after), UniqueViolation);
    await records.insert({ ...row(1_000), fresh: id(3), isDeleted: false });
    assertSound(path);
  }
  assert.deepEqual(schemaOf(path), before);
  await records.deleteOne(eq("_id", id(1_000)));
  await records.updateOne(eq("_id", id(2)), taken("other"));
  await using building = await build(fixture, after);
  await building.run();
  await define(engine, space, after);
  assertSound(path);
  const again = { ...row(1_001), kept: "same", isDeleted: false };
  await assert.rejects(engine.records(space, after).insert(again), UniqueViolation);
});

Deno.test("an index alone is built a few records at a time, and how far it is can be seen", async () => {
  await using fixture = await opened();
  const { engine, space, path } = fixture;
  await engine.records(space, BEFORE).insertMany(upTo(4_000).map((n) => row(10_000 + n)));
  const after = { ...BEFORE, indexes: [...BEFORE.indexes, listing("kept", "-rank")] };
  await using building = await build(fixture, after);
  const seen = new Set<number>();
  const running = building.run();
  const writing = writeSome(fixture, 20_000);
  for (let isOver = false; !isOver;) {
    for (const { done } of await engine.builds!(space)) seen.add(done);
    isOver = await Promise.race([running.then(() => true), immediate(false)]);
  }
  await writing;
  assert.ok(seen.size > 3, `${[...seen]}`);
  await define(engine, space, after);
  assertSound(path);
});

Deno.test("the progress of a build is told while it goes on", async () => {
  await using fixture = await opened();
  const { engine, space } = fixture;
  const progress = () => engine.builds!(space);
  const kind = BEFORE.name;
  assert.deepEqual(await progress(), []);
  {
    await using building = await build(fixture);
    assert.deepEqual(await progress(), [{ kind, done: 0, total: ROWS }]);
    await building.run();
    assert.deepEqual(await progress(), [{ kind, done: ROWS, total: ROWS }]);
  }
  assert.deepEqual(await progress(), []);
});

Deno.test("few records, and kinds of which there are none, are not worth a build", async () => {
  await using store = await openFolder();
  const { engine } = store;
  const space = newSpace();
  const change = { before: BEFORE, after: AFTER, isChecked: true };
  assert.equal(await engine.build(space, change), null);
  await engine.records(space, BEFORE).insertMany(upTo(50).map(row));
  assert.equal(await engine.build(space, change), null);
  await using forced = await openFolder({ buildRowsMin: 0 });
  await forced.engine.records(space, BEFORE).insert(row(1));
  const nothing = { before: BEFORE, after: BEFORE, isChecked: false };
  assert.equal(await forced.engine.build(space, nothing), null);
  const own = definition({ fields: { a: { type: "String" } } });
  const other = newSpace();
  await forced.engine.records(other, own).insert({ _id: id(1) });
  const plain = { before: own, after: own, isChecked: false };
  assert.equal(await forced.engine.build(other, plain), null);
});

Deno.test("who asks by an index over an array that another process has taken away is asked to come back", async () => {
  await using fixture = await opened();
  const { store, engine, space } = fixture;
  await define(engine, space, AFTER);
  const records = engine.records(space, AFTER);
  const query = { filter: and(eq("isDeleted", false), eq("tags", "t1")), sort: [], limit: 5 };
  assert.ok((await records.list(query)).size > 0);
  await using other = await openBeside(store.address.slice("sqlite:".length));
  await define(other, space, BEFORE);
  for (const ask of [() => records.list(query), () => records.count(query.filter)]) {
    await assert.rejects(ask, StoreUnavailable);
  }
});

Deno.test("words that an earlier version kept are made anew, and found", async () => {
  const records = (engine: Engine) => engine.records(space, AFTER);
  const space = newSpace();
  await using folder = await tempFolder();
  {
    await using engine = await openBeside(folder.path);
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
  await using engine = await openBeside(folder.path);
  const found = await listAll(records(engine), { op: "search", words: ["sou"] });
  assert.deepEqual(found.map(({ _id }) => _id), [id(2)]);
});
