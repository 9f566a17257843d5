import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { Outdated } from "@/lib/store/errors.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Definition, Records } from "@/lib/store/port.ts";
import { SqliteEngine } from "@/lib/store/sqlite/engine.ts";

const SPACE = "0123456789abcdef01234567";
const RULE = "aaaaaaaaaaaaaaaaaaaaaaaa";
const [ONE, TWO, THREE] = ["b", "c", "d"].map((letter) => letter.repeat(24)) as [
  string,
  string,
  string,
];

const RULES: Definition = { name: "_rules", fields: {}, indexes: [], trash: false };

const things = (revision: number, name = "things"): Definition => ({
  name,
  fields: { n: { type: "Number" } },
  indexes: revision === 1 ? [{ keys: [{ path: "n", descending: false }] }] : [],
  trash: false,
  dependsOn: { kind: RULES, id: RULE, revision },
});

/** Opens two engines on one folder with a rule, as two processes do. */
async function openTwoEngines() {
  const folder = await Deno.makeTempDir({ prefix: "corbel-test-" });
  const engine = await SqliteEngine.open({ folder, sync: "normal" });
  const other = await SqliteEngine.open({ folder, sync: "normal" });
  const rules = other.records(SPACE, RULES);
  await rules.insert({ _id: RULE });
  return {
    engine,
    other,
    change: () => rules.updateOne(ALL, { set: { a: 1 } }),
    rules,
    folder,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

const WRITES: Readonly<Record<string, (records: Records) => Promise<unknown>>> = {
  insert: (records) => records.insert({ _id: THREE, n: 3 }),
  insertMany: (records) => records.insertMany([{ _id: THREE, n: 3 }]),
  updateOne: (records) => records.updateOne(eq("_id", ONE), { set: { n: 9 } }),
  deleteOne: (records) => records.deleteOne(eq("_id", ONE)),
  deleteMany: (records) => records.deleteMany(ALL, 5),
};

for (const [name, write] of Object.entries(WRITES)) {
  Deno.test(`${name} with a definition that was changed elsewhere is refused, also in a transaction`, async () => {
    await using store = await openTwoEngines();
    const { engine, other } = store;
    const records = engine.records(SPACE, things(1));
    await records.insertMany([{ _id: ONE, n: 1 }, { _id: TWO, n: 2 }]);
    await store.change();
    await assert.rejects(() => write(records), Outdated);
    await assert.rejects(
      () => engine.transaction(SPACE, (tx) => write(tx.records(things(1)))),
      Outdated,
    );
    const read = async () => (await other.records(SPACE, things(2)).list(EVERYTHING)).items;
    assert.equal(await read(), `{"_id":"${ONE}","n":1},{"_id":"${TWO}","n":2}`);
    await write(engine.records(SPACE, things(2)));
    assert.notEqual(await read(), `{"_id":"${ONE}","n":1},{"_id":"${TWO}","n":2}`);
  });
}

const EVERYTHING = { filter: ALL, sort: [], limit: 10 };

Deno.test("an outdated definition creates nothing, and without records it is refused", async () => {
  await using store = await openTwoEngines();
  const { engine } = store;
  await store.change();
  const outdated = engine.records(SPACE, things(1, "others"));
  for (const write of Object.values(WRITES)) await assert.rejects(() => write(outdated), Outdated);
  const standing = engine.records(SPACE, things(2, "others"));
  assert.equal(await standing.updateOne(ALL, { set: { n: 1 } }), null);
  await standing.insert({ _id: ONE, n: 1 });
  using file = new DatabaseSync(`${store.folder}/projects/${SPACE}.db`);
  const indexes = file.prepare("select sql from sqlite_schema where sql like '%index%n%'").all();
  assert.deepEqual(indexes, [], "the index of the first definition");
});

Deno.test("a definition whose record is gone is outdated, even if its name has a new one", async () => {
  await using store = await openTwoEngines();
  const { engine, rules } = store;
  const records = engine.records(SPACE, things(1));
  await records.insert({ _id: ONE, n: 1 });
  await rules.deleteOne(eq("_id", RULE));
  await rules.insert({ _id: TWO });
  await assert.rejects(() => records.insert({ _id: TWO, n: 2 }), Outdated);
  assert.equal(await records.count(ALL), 1, "readers are not blocked");
});

Deno.test("a write concurrent with a change comes before it or is refused", async () => {
  await using store = await openTwoEngines();
  const { engine, other } = store;
  const records = engine.records(SPACE, things(1));
  await records.count(ALL);
  const writes = Array.from({ length: 200 }, async (_, i) => {
    await new Promise((resolve) => setTimeout(resolve, i / 10));
    return await records.insert({ _id: i.toString(16).padStart(24, "0"), n: i })
      .then(() => true, (error) => {
        assert.ok(error instanceof Outdated, String(error));
        return false;
      });
  });
  await new Promise((resolve) => setTimeout(resolve, 8));
  const counted = await other.transaction(SPACE, async (tx) => {
    const count = await tx.records(things(1)).count(ALL);
    await tx.records(RULES).updateOne(ALL, { set: { a: 1 } });
    return count;
  });
  const stored = (await Promise.all(writes)).filter((isStored) => isStored).length;
  assert.equal(stored, counted, "no write is stored after the change");
  assert.equal(await records.count(ALL), counted);
});
