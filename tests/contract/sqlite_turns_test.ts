/** A long transaction yields to the event loop and keeps the order of its calls. */

import assert from "node:assert/strict";
import { eq } from "@/lib/store/filter.ts";
import type { Records } from "@/lib/store/port.ts";
import { definition, id, newSpace, upTo } from "./fixtures.ts";
import { openFolder } from "./sqlite_folder.ts";

const SHAPE = definition({ fields: { n: { type: "Number" } } });
/** Number of calls in a transaction. */
const CALLS = 20_000;

/** Blocks longer than a transaction runs without yielding. */
function keepBusy(): void {
  const until = performance.now() + 6;
  while (performance.now() < until);
}

Deno.test("others read during a transaction with thousands of calls, without seeing its changes", async () => {
  await using store = await openFolder();
  const space = newSpace();
  const records = store.engine.records(space, SHAPE);
  await records.insert({ _id: id(1), n: 0 });
  let isUnderWay = true;
  const transaction = store.engine.transaction(space, async (tx) => {
    const own = tx.records(SHAPE);
    for (let call = 0; call < CALLS; call++) {
      await own.updateOne(eq("_id", id(1)), { increment: { n: 1 } });
    }
  }).finally(() => isUnderWay = false);
  let reads = 0;
  while (isUnderWay) {
    const seen = (await records.get(id(1)))!.value.n;
    if (isUnderWay) assert.equal(seen, 0);
    await new Promise((resolve) => setImmediate(resolve));
    reads++;
  }
  await transaction;
  assert.ok(reads >= 8, `${reads} reads`);
  assert.equal((await records.get(id(1)))!.value.n, CALLS);
});

Deno.test("concurrent calls run in their order, also after a yield", async () => {
  await using store = await openFolder();
  const space = newSpace();
  const found = await store.engine.transaction(space, async (tx) => {
    const own: Records = tx.records(SHAPE);
    await own.insert({ _id: id(1), n: 0 });
    keepBusy();
    const order = upTo(5).map((n) => own.updateOne(eq("_id", id(1)), { set: { n } }));
    const between = own.get(id(1)).then((one) => one!.value.n);
    const last = own.updateOne(eq("_id", id(1)), { set: { n: 9 } });
    await Promise.all([...order, last]);
    return [await between, (await own.get(id(1)))!.value.n];
  });
  assert.deepEqual(found, [4, 9]);
});

Deno.test("a call that a transaction did not await is refused, also after a yield", async () => {
  await using store = await openFolder();
  const space = newSpace();
  let late: Promise<unknown> | undefined;
  await store.engine.transaction(space, async (tx) => {
    const own: Records = tx.records(SHAPE);
    await own.insert({ _id: id(1), n: 0 });
    keepBusy();
    late = own.insert({ _id: id(2), n: 0 });
    late.catch(() => {});
  });
  await assert.rejects(() => late!, /The transaction has ended/);
  assert.equal(await store.engine.records(space, SHAPE).get(id(2)), null);
});
