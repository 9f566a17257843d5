import assert from "node:assert/strict";
import pLimit from "p-limit";
import { ALL } from "../../store/filter.ts";
import type { Engine, PositionedChange } from "../../store/port.ts";
import { Channel, ParsedChange, type Told } from "./channel.ts";
import type { LivePlan } from "./plan.ts";

const QUIET_MS = 2_000;

/** A channel over a store that holds so many documents, whatever is told of them. */
function openChannel({ version }: { version?: () => string }) {
  const store = { documents: 0, counts: 0, counting: () => {} };
  const count = () => {
    store.counts++;
    store.counting();
    return Promise.resolve(store.documents);
  };
  const engine = { changes: { head: () => Promise.resolve("0") }, ...(version && { version }) };
  const records = { name: "posts", fields: {}, indexes: [], trash: false };
  const plan = {
    caller: { projectId: "p" },
    collection: { records },
    list: {
      filter: ALL,
      request: { projection: null, populate: [], meta: true, total: "exact" },
      source: { records: { count } },
    },
  };
  const channel = new Channel(engine as unknown as Engine, plan as unknown as LivePlan);
  const again: [string, number | null][] = [];
  channel.subscribers.add({
    told: () => {},
    toldAgain: ({ position }: Told) => void again.push([position, channel.total]),
    failed: (error) => assert.fail(String(error)),
    restart: () => {},
  });
  const turn = pLimit(1);
  let [now, place] = [0, 0];
  return {
    channel,
    store,
    again,
    add() {
      const position = String(++place);
      const change = { position, recordId: position, before: null, after: "{}" };
      channel.tell(new ParsedChange(change as PositionedChange, position));
    },
    async look(ms: number) {
      await channel.look(now, turn);
      await channel.look(now += ms, turn);
    },
  };
}

Deno.test("a total of a store that tells later of what it has is counted once more when nothing is told, and set right", async () => {
  const { channel, store, again, add, look } = openChannel({});
  await channel.count();
  add();
  add();
  store.documents = 3;
  await look(QUIET_MS - 1);
  assert.deepEqual([channel.total, store.counts], [2, 1]);
  store.counting = add;
  await look(QUIET_MS);
  assert.deepEqual([channel.total, again], [3, []], "something was told meanwhile");
  store.counting = () => {};
  store.documents = 4;
  await look(QUIET_MS);
  assert.deepEqual([channel.total, again], [4, [["3", 4]]]);
  const { counts } = store;
  for (let i = 0; i < 5; i++) await look(QUIET_MS);
  assert.equal(store.counts, counts, "it is sure from then on");
});

Deno.test("a total that cannot be counted is asked for once a minute", async () => {
  const { channel, store, add, look } = openChannel({});
  await channel.count();
  add();
  store.counting = () => {
    throw new Error("too slow");
  };
  for (let i = 0; i < 10; i++) await look(QUIET_MS);
  assert.equal(store.counts, 2);
  store.counting = () => {};
  store.documents = 3;
  await look(60_000);
  assert.deepEqual([channel.total, store.counts], [3, 3]);
});

Deno.test("a total of a store that names its state is counted once", async () => {
  const { channel, store, add, look } = openChannel({ version: () => "1" });
  await channel.count();
  add();
  for (let i = 0; i < 5; i++) await look(QUIET_MS);
  assert.deepEqual([channel.total, store.counts], [1, 1]);
});
