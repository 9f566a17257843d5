import assert from "node:assert/strict";
import { LongWork } from "@/lib/long_work.ts";
import { eq } from "@/lib/store/filter.ts";
import { id, keys, newSpace, stateOf, trashDefinition, upTo } from "./fixtures.ts";
import { openFolder } from "./sqlite_folder.ts";

const SHAPE = trashDefinition({
  fields: { n: { type: "Number" }, list: { type: "Array", items: { type: "Number" } } },
  indexes: [{ keys: keys("list", "n") }],
});

/** More than are written beside the event loop. */
const MANY = 300;

const row = (n: number, elements: number) => ({
  _id: id(n),
  n,
  list: upTo(elements),
  isDeleted: false,
});

Deno.test("many elements of indexed arrays are left to the thread for long work, before anything is written", async () => {
  await using store = await openFolder({ textBytesMax: 1_000_000 });
  const records = store.engine.records(newSpace(), SHAPE);
  await records.insertMany([row(1, 100), row(2, 50)]);
  const before = await stateOf(records);
  for (
    const write of [
      () => records.insert(row(3, MANY)),
      () => records.insertMany([row(3, 1), row(4, 150), row(5, 150)]),
      () => records.updateOne(eq("_id", id(1)), { set: { list: upTo(MANY) } }),
      () => records.upsert(eq("_id", id(6)), {}, row(6, MANY)),
    ]
  ) await assert.rejects(write, LongWork);
  assert.deepEqual(await stateOf(records), before);
});

Deno.test("there, and in a transaction, as many are written as there are", async () => {
  await using store = await openFolder();
  const space = newSpace();
  const records = store.engine.records(space, SHAPE);
  await records.insertMany([row(1, MANY), row(2, MANY)]);
  await store.engine.transaction(
    space,
    (tx) => tx.records(SHAPE).updateOne(eq("_id", id(1)), { set: { n: 7 } }),
  );
  assert.equal(await records.count(eq("list", MANY - 1)), 2);
});
