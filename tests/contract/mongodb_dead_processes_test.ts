import { MongoClient } from "mongodb";
import assert from "node:assert/strict";
import { eq } from "@/lib/store/filter.ts";
import { until } from "../acceptance/until.ts";
import { dropDatabases, mongodbTestUrl, mongodbUrl } from "../support/mongodb.ts";
import { definition, id, keys, newSpace } from "./fixtures.ts";
import { openStore } from "./open_store.ts";
import { SecondProcess } from "./second_process.ts";

const THINGS = definition({
  fields: { code: { type: "String" } },
  indexes: [{ keys: keys("code"), unique: true }],
});

/** Maximum number of milliseconds that a write may wait. */
const WAIT_MS = 5_000;

/** Opens a store on which another process has changes in an open transaction. */
async function openWithDeadProcess({ isKilled = true } = {}) {
  const prefix = `test${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  const address = mongodbUrl(prefix);
  const engine = await openStore(address);
  const space = newSpace();
  const records = engine.records(space, THINGS);
  await records.insert({ _id: id(1), n: 0 });
  const other = await SecondProcess.start(address);
  await other.run({
    space,
    definition: THINGS,
    calls: [
      { update: eq("_id", id(1)), change: { increment: { n: 100 } } },
      { insert: { _id: id(2), code: "taken" } },
    ],
    how: "transaction",
  });
  if (isKilled) await other.kill();
  return {
    prefix,
    engine,
    space,
    records,
    other,
    async [Symbol.asyncDispose]() {
      await other.kill().catch(() => {});
      await other[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
      await dropDatabases(prefix);
    },
  };
}

async function withinWaitLimit<T>(work: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work;
  const took = performance.now() - startedAt;
  assert.ok(took < WAIT_MS, `it took ${Math.round(took)} ms`);
  return result;
}

if (Deno.env.get("MONGODB_TEST_URL")) {
  Deno.test("a change waits at most 5 s for the transaction of a killed process", async () => {
    await using store = await openWithDeadProcess();
    const { records } = store;
    const changed = await withinWaitLimit(
      records.updateOne(eq("_id", id(1)), { increment: { n: 1 } }),
    );
    assert.equal(changed?.value.n, 1, "the other transaction left no changes");
  });

  Deno.test("a transaction waits at most 5 s for the transaction of a killed process", async () => {
    await using store = await openWithDeadProcess();
    const { engine, space } = store;
    const changed = await withinWaitLimit(
      engine.transaction(
        space,
        (tx) => tx.records(THINGS).updateOne(eq("_id", id(1)), { increment: { n: 1 } }),
      ),
    );
    assert.equal(changed?.value.n, 1);
  });

  Deno.test("an insert waits at most 5 s for a unique value taken by a killed process", async () => {
    await using store = await openWithDeadProcess();
    const { records } = store;
    await withinWaitLimit(records.insert({ _id: id(3), code: "taken" }));
    assert.equal(await records.get(id(2)), null);
  });

  Deno.test("the transaction of a killed process is ended even if no process waits for it", async () => {
    await using store = await openWithDeadProcess();
    const { prefix, engine, space } = store;
    await engine.transaction(space, (tx) => tx.records(THINGS).insert({ _id: id(4) }));
    await using client = new MongoClient(mongodbTestUrl());
    const raw = client.db(`${prefix}_${space}`).collection(THINGS.name);
    // Within a transaction, because that does not wait for locks.
    const isFree = async () => {
      await using session = client.startSession();
      session.startTransaction();
      const change = raw.updateMany({ n: 0 }, { $inc: { n: 1 } }, { session });
      return (await change.catch(() => null))?.modifiedCount === 1;
    };
    assert.ok(!await isFree(), "the transaction is open at first");
    await until("another program may write again", isFree);
  });

  Deno.test("a living process keeps its transaction, however long others wait", async () => {
    await using store = await openWithDeadProcess({ isKilled: false });
    const { records, other } = store;
    const waiting = records.updateOne(eq("_id", id(1)), { increment: { n: 1 } });
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    await other.send("go on");
    await other.answer();
    assert.equal((await waiting)?.value.n, 101, "both changes were made in sequence");
  });
}
