import { MongoClient, ObjectId } from "mongodb";
import assert from "node:assert/strict";
import { Outdated } from "@/lib/store/errors.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Change, Definition, Records } from "@/lib/store/port.ts";
import { dropDatabases, mongodbUrl } from "../support/mongodb.ts";
import { definition, id, newSpace, rowsOf } from "./fixtures.ts";
import { openStore } from "./open_store.ts";

const [OLD, NEW] = [id(0xa), id(0xb)];

const things = (version: string): Definition =>
  definition({ fields: { n: { type: "Number" } }, version });

const changing = (change: Change) => (records: Records) =>
  records.updateOne(eq("_id", id(1)), change);

const WRITES: Readonly<Record<string, (records: Records) => Promise<unknown>>> = {
  insert: (records) => records.insert({ _id: id(3), n: 3 }),
  insertMany: (records) => records.insertMany([{ _id: id(3), n: 3 }, { _id: id(4), n: 4 }]),
  set: changing({ set: { n: 9 } }),
  increment: changing({ increment: { n: 9 } }),
  replace: changing({ replace: { n: 9 }, keep: ["m"] }),
  "a change of one member of a list": changing({ set: { "m.0": 9 } }),
};

/** Opens an engine on its own store, and its collection without Corbel. */
async function open() {
  const prefix = `test${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  const address = mongodbUrl(prefix);
  const engine = await openStore(address);
  const client = new MongoClient(address);
  const space = newSpace();
  return {
    engine: engine,
    space,
    collection: client.db(`${prefix}_${space}`).collection("things"),
    async [Symbol.asyncDispose]() {
      await client.close();
      await engine[Symbol.asyncDispose]();
      await dropDatabases(prefix);
    },
  };
}

const EVERYTHING = { filter: ALL, sort: [], limit: 10 };

if (Deno.env.get("MONGODB_TEST_URL")) {
  for (const [name, write] of Object.entries(WRITES)) {
    Deno.test(`after a fence ${name} with the former version is refused, also in a transaction`, async () => {
      await using store = await open();
      const { engine, space } = store;
      const records = engine.records(space, things(OLD));
      await records.insert({ _id: id(1), n: 1, m: {} });
      await engine.fence(space, { name: "things", version: NEW });
      await assert.rejects(() => write(records), Outdated);
      await assert.rejects(
        () => engine.transaction(space, (tx) => write(tx.records(things(OLD)))),
        Outdated,
      );
      const read = async () => rowsOf(await records.list(EVERYTHING));
      assert.deepEqual(await read(), [{ _id: id(1), n: 1, m: {} }]);
      await write(engine.records(space, things(NEW)));
      assert.notDeepEqual(await read(), [{ _id: id(1), n: 1, m: {} }]);
    });
  }

  Deno.test("a fence works without stored records, allows removals, and is not visible", async () => {
    await using store = await open();
    const { engine, space } = store;
    await engine.fence(space, { name: "things", version: OLD });
    await engine.fence(space, { name: "things", version: NEW });
    const outdated = engine.records(space, things(OLD));
    await assert.rejects(() => outdated.insert({ _id: id(1) }), Outdated);
    const records = engine.records(space, things(NEW));
    await records.insertMany([{ _id: id(1) }, { _id: id(2) }, { _id: id(3) }]);
    assert.equal((await outdated.deleteOne(eq("_id", id(1))))?.json, `{"_id":"${id(1)}"}`);
    assert.equal(await outdated.deleteMany(eq("_id", id(2)), 5), 1);
    assert.equal((await outdated.get(id(3)))?.json, `{"_id":"${id(3)}"}`);
  });

  Deno.test("other programs may write after a fence, without a version", async () => {
    await using store = await open();
    const { engine, space, collection } = store;
    await engine.records(space, things(OLD)).insert({ _id: id(1), n: 1 });
    await engine.fence(space, { name: "things", version: NEW });
    await collection.insertOne({ n: 2 });
    await collection.updateOne({ _id: new ObjectId(id(1)) }, {
      $set: { n: 3 },
      $inc: { " rev": 1 },
      $unset: { " def": "" },
    });
    const { value, revision } = (await engine.records(space, things(NEW)).get(id(1)))!;
    assert.deepEqual([value, revision], [{ _id: id(1), n: 3 }, 2]);
  });

  Deno.test("each write concurrent with a fence is seen by a later transaction, or refused", async () => {
    await using store = await open();
    const { engine, space } = store;
    const records = engine.records(space, things(OLD));
    await records.insert({ _id: id(0xffff) });
    const writes = Array.from({ length: 100 }, async (_, i) => {
      await new Promise((resolve) => setTimeout(resolve, i / 2));
      return await records.insert({ _id: id(i + 1), n: i })
        .then(() => true, (error) => {
          assert.ok(error instanceof Outdated, String(error));
          return false;
        });
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await engine.fence(space, { name: "things", version: NEW });
    const seen = await engine.transaction(space, (tx) => tx.records(things(NEW)).count(ALL));
    const stored = (await Promise.all(writes)).filter(Boolean).length;
    assert.equal(seen, stored + 1);
    assert.ok(stored < 100, "some were refused");
  });
}
