import assert from "node:assert/strict";
import pLimit from "p-limit";
import { ALL } from "../../store/filter.ts";
import type { Engine } from "../../store/port.ts";
import { CountedTotal } from "./counted_total.ts";
import type { LivePlan } from "./plan.ts";

const QUIET_MS = 2_000;

/** Opens the total of a list in a store whose document count is set apart from the changes. */
function openTotal({ isHeadExact }: { isHeadExact: boolean }) {
  const store = { documents: 0, counts: 0, counting: () => {} };
  const count = () => {
    store.counts++;
    store.counting();
    return Promise.resolve(store.documents);
  };
  const engine = { changes: { head: () => Promise.resolve("0"), isHeadExact } };
  const plan = {
    caller: { projectId: "p" },
    list: { filter: ALL, request: { total: "exact" }, source: { records: { count } } },
  };
  const repeated: [string, number | null][] = [];
  const total = new CountedTotal(
    engine as unknown as Engine,
    plan as unknown as LivePlan,
    ({ position }) => void repeated.push([position, total.value]),
  );
  const turn = pLimit(1);
  let [now, place] = [0, 0];
  return {
    total,
    store,
    repeated,
    add: () => total.follow({ position: String(++place), added: 1 }),
    async check(ms: number) {
      await total.check(now, turn);
      await total.check(now += ms, turn);
    },
  };
}

Deno.test("a total is counted again after a quiet time if the store reports changes late", async () => {
  const { total, store, repeated, add, check } = openTotal({ isHeadExact: false });
  await total.count();
  add();
  add();
  store.documents = 3;
  await check(QUIET_MS - 1);
  assert.deepEqual([total.value, store.counts], [2, 1]);
  store.counting = add;
  await check(QUIET_MS);
  assert.deepEqual([total.value, repeated], [3, []], "a change arrived during the count");
  store.counting = () => {};
  store.documents = 4;
  await check(QUIET_MS);
  assert.deepEqual([total.value, repeated], [4, [["3", 4]]]);
  const { counts } = store;
  for (let i = 0; i < 5; i++) await check(QUIET_MS);
  assert.equal(store.counts, counts, "a verified total is not counted again");
});

Deno.test("a total whose count fails is counted again after a minute", async () => {
  const { total, store, add, check } = openTotal({ isHeadExact: false });
  await total.count();
  add();
  store.counting = () => {
    throw new Error("too slow");
  };
  for (let i = 0; i < 10; i++) await check(QUIET_MS);
  assert.equal(store.counts, 2);
  store.counting = () => {};
  store.documents = 3;
  await check(60_000);
  assert.deepEqual([total.value, store.counts], [3, 3]);
});

Deno.test("a total of a store whose head is exact is counted once", async () => {
  const { total, store, add, check } = openTotal({ isHeadExact: true });
  await total.count();
  add();
  for (let i = 0; i < 5; i++) await check(QUIET_MS);
  assert.deepEqual([total.value, store.counts], [1, 1]);
});
