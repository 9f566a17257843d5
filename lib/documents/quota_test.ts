import assert from "node:assert/strict";
import { CACHE_MS } from "../limits.ts";
import { PLANS } from "../projects/plans.ts";
import type { Engine } from "../store/port.ts";
import { type Admission, createDocumentQuota, type DocumentQuota } from "./quota.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";

/** A quota of 100 bytes over a store that says what it is told to. */
function openQuota() {
  const store = { bytes: 0, readings: 0 };
  let now = 0;
  const engine = {
    bytes: () => Promise.try(() => (store.readings++, store.bytes)),
  } as unknown as Engine; // Nothing else of it is asked.
  const plan = { ...PLANS.free, documentBytes: 100 };
  const plans = { of: () => plan, forgetProject() {}, forgetAccount() {} };
  const quota = createDocumentQuota({
    engine,
    plans,
    clock: { now: () => now, elapsed: () => now },
  });
  return { quota, store, advance: (ms: number) => void (now += ms) };
}

const insert = (quota: DocumentQuota, bytes: number) =>
  quota.admit(PROJECT, { bytes, mayShrink: false });

const change = (quota: DocumentQuota, bytes: number) =>
  quota.admit(PROJECT, { bytes, mayShrink: true });

/** Lets everything run that waits for nothing. */
const turn = () => new Promise<void>((resolve) => setTimeout(resolve));

/** Says in which order admissions were given. */
function recorded() {
  const order: string[] = [];
  const given = new Map<string, Admission>();
  return {
    order,
    given,
    async note(name: string, admission: Promise<Admission>): Promise<void> {
      try {
        given.set(name, await admission);
        order.push(name);
      } catch {
        order.push(`${name} refused`);
      }
    },
  };
}

Deno.test("far from the edge a write costs no reading until the last one is old", async () => {
  const { quota, store, advance } = openQuota();
  for (let n = 0; n < 10; n++) (await insert(quota, 5))[Symbol.dispose]();
  assert.equal(store.readings, 1);
  advance(CACHE_MS + 1);
  (await insert(quota, 1))[Symbol.dispose]();
  assert.equal(store.readings, 2);
});

Deno.test("at the edge a write waits for those under way, and is judged by what they left", async () => {
  const { quota, store } = openQuota();
  const { order, given, note } = recorded();
  await note("change", change(quota, 60));
  note("insert", insert(quota, 50));
  await turn();
  assert.deepEqual(order, ["change"], "up to 60 bytes may yet come");
  store.bytes = 10;
  given.get("change")![Symbol.dispose]();
  await turn();
  assert.deepEqual(order, ["change", "insert"]);
});

Deno.test("who waits at the edge is not passed by those who come later", async () => {
  const { quota, store } = openQuota();
  const { order, given, note } = recorded();
  await note("change", change(quota, 60));
  note("insert", insert(quota, 50));
  note("small", insert(quota, 1));
  await turn();
  assert.deepEqual(order, ["change"]);
  store.bytes = 60;
  given.get("change")![Symbol.dispose]();
  await turn();
  assert.deepEqual(order, ["change", "insert refused", "small"]);
});

Deno.test("a change that may take all the room is alone with it, whatever waits behind it", async () => {
  const { quota, store } = openQuota();
  const { order, given, note } = recorded();
  store.bytes = 50;
  const changing = note("change", change(quota, 60));
  const inserting = note("insert", insert(quota, 30));
  await changing;
  await turn();
  assert.equal(given.get("change")!.room, 50);
  assert.deepEqual(order, ["change"]);
  given.get("change")![Symbol.dispose]();
  await inserting;
  assert.deepEqual(order, ["change", "insert"]);
});

Deno.test("a reading that fails fails those who needed it, and the next one is made", async () => {
  const { quota, store } = openQuota();
  store.bytes = 95;
  (await insert(quota, 1))[Symbol.dispose]();
  const failure = new Error("away");
  const bytes = Object.getOwnPropertyDescriptor(store, "bytes")!;
  Object.defineProperty(store, "bytes", {
    configurable: true,
    get() {
      throw failure;
    },
  });
  await assert.rejects(async () => await insert(quota, 50), failure);
  Object.defineProperty(store, "bytes", { ...bytes, value: 0 });
  (await insert(quota, 50))[Symbol.dispose]();
});
