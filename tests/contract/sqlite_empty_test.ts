import assert from "node:assert/strict";
import { SqliteEngine } from "@/lib/store/sqlite/engine.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Definition, Records } from "@/lib/store/port.ts";
import { DatabaseSync } from "node:sqlite";

const THINGS: Definition = {
  name: "things",
  fields: { n: { type: "Number" } },
  indexes: [{ keys: [{ path: "n", descending: false }] }],
  trash: false,
};

const SPACE = "0123456789abcdef01234567";
const ID = "aaaaaaaaaaaaaaaaaaaaaaaa";

async function assertEmpty(records: Records): Promise<void> {
  assert.equal(await records.get(ID), null);
  assert.equal(await records.findOne(ALL), null);
  assert.equal(await records.count(eq("n", 1)), 0);
  const page = await records.list({ filter: ALL, sort: [], limit: 5, total: true });
  assert.deepEqual([page.items, page.size, page.more, page.total], ["", 0, false, 0]);
  assert.deepEqual([page.first(), page.last()], [null, null]);
  assert.equal(await records.updateOne(ALL, { set: { n: 2 } }), null);
  assert.equal(await records.deleteOne(ALL), null);
  assert.equal(await records.deleteMany(ALL, 5), 0);
}

Deno.test("only an insert creates a table, within a transaction and without", async () => {
  const folder = await Deno.makeTempDir({ prefix: "corbel-test-" });
  try {
    await using engine = await SqliteEngine.open({ folder, sync: "normal" });
    await using other = await SqliteEngine.open({ folder, sync: "normal" });
    await engine.createSpace(SPACE);
    const tables = () => {
      using file = new DatabaseSync(`${folder}/projects/${SPACE}.db`);
      return file.prepare("select name from sqlite_schema where type = 'table'").all().length;
    };
    const before = tables();
    const records = engine.records(SPACE, THINGS);
    await assertEmpty(records);
    await engine.transaction(SPACE, async (tx) => {
      const own = tx.records(THINGS);
      await assertEmpty(own);
    });
    assert.equal(tables(), before);
    await engine.transaction(SPACE, async (tx) => {
      const own = tx.records(THINGS);
      await own.insert({ _id: ID, n: 1 });
      assert.equal(await own.count(ALL), 1, "a transaction sees the table that it created");
    });
    assert.equal(tables(), before + 1);
    const theirs = other.records(SPACE, THINGS);
    assert.equal((await theirs.get(ID))?.value.n, 1, "and so does another process");
    assert.equal((await records.updateOne(ALL, { set: { n: 2 } }))?.value.n, 2);
    assert.equal(await theirs.deleteMany(ALL, 5), 1);
    await assertEmpty(records);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
