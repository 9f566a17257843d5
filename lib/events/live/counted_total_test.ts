import assert from "node:assert/strict";
import pLimit from "p-limit";
import { ALL } from "../../store/filter.ts";
import type { Engine } from "../../store/port.ts";
import { CountedTotal } from "./counted_total.ts";
import type { LivePlan } from "./plan.ts";

const QUIET_MS = 2_000;

/** The total of a list in a store that holds so many documents, whatever is told of them. */
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
  const again: [string, number | null][] = [];
  const total = new CountedTotal(
    engine as unknown as Engine,
    plan as unknown as LivePlan,
    ({ position }) => void again.push([position, total.value]),
  );
  const turn = pLimit(1);
  let [now, place] = [0, 0];
  return {
    total,
    store,
    again,
    add: () => total.follow({ position: String(++place), added: 1 }),
    async look(ms: number) {
      await total.look(now, turn);
      await total.look(now += ms, turn);
    },
  };
}

Deno.test("a total of a store that tells later of what it has is counted once more when nothing is told, and set right", async () => {
  const { total, store, again, add, look } = openTotal({ isHeadExact: false });
  await total.count();
  add();
  add();
  store.documents = 3;
  await look(QUIET_MS - 1);
  assert.deepEqual([total.value, store.counts], [2, 1]);
  store.counting = add;
  await look(QUIET_MS);
  assert.deepEqual([total.value, again], [3, []], "something was told meanwhile");
  store.counting = () => {};
  store.documents = 4;
  await look(QUIET_MS);
  assert.deepEqual([total.value, again], [4, [["3", 4]]]);
  const { counts } = store;
  for (let i = 0; i < 5; i++) await look(QUIET_MS);
  assert.equal(store.counts, counts, "it is sure from then on");
});

Deno.test("a total that cannot be counted is asked for once a minute", async () => {
  const { total, store, add, look } = openTotal({ isHeadExact: false });
  await total.count();
  add();
  store.counting = () => {
    throw new Error("too slow");
  };
  for (let i = 0; i < 10; i++) await look(QUIET_MS);
  assert.equal(store.counts, 2);
  store.counting = () => {};
  store.documents = 3;
  await look(60_000);
  assert.deepEqual([total.value, store.counts], [3, 3]);
});

Deno.test("a total of a store whose head is exact is counted once", async () => {
  const { total, store, add, look } = openTotal({ isHeadExact: true });
  await total.count();
  add();
  for (let i = 0; i < 5; i++) await look(QUIET_MS);
  assert.deepEqual([total.value, store.counts], [1, 1]);
});
