import assert from "node:assert/strict";
import { fakeClock } from "@/tests/support/test_services.ts";
import { createReadThrough } from "./cache.ts";

interface Value {
  readonly of: string;
  readonly read: number;
}

/** Creates a cache over `store` that records the cached values passed to its reads. */
function setup(max = 100) {
  const clock = fakeClock();
  const store = new Map<string, string>();
  const passed: (Value | null)[] = [];
  const cache = createReadThrough<Value>({ clock, max }, (key, before) => {
    passed.push(before);
    const of = store.get(key);
    return Promise.resolve(of === undefined ? null : { of, read: passed.length });
  });
  return { clock, store, cache, passed };
}

Deno.test("an entry is read again after three seconds", async () => {
  const { clock, store, cache, passed } = setup();
  store.set("a", "one");
  assert.deepEqual(await cache.get("a"), { of: "one", read: 1 });
  store.set("a", "two");
  clock.advance(2999);
  assert.deepEqual(await cache.get("a"), { of: "one", read: 1 });
  clock.advance(1);
  assert.deepEqual(await cache.get("a"), { of: "two", read: 2 });
  assert.equal(passed.length, 2);
});

Deno.test("an entry is read again if its version has changed", async () => {
  const versions = new Map([["a", 1], ["b", 1]]);
  let reads = 0;
  const versionOf = (key: string) => versions.get(key);
  const cache = createReadThrough<Value>(
    { clock: fakeClock(), max: 10, versionOf },
    async (key) => {
      reads++;
      await Promise.resolve();
      return { of: `${key}${versions.get(key)}`, read: reads };
    },
  );
  const got = async (key: string) => (await cache.get(key))?.of;
  assert.deepEqual([await got("a"), await got("b"), await got("a")], ["a1", "b1", "a1"]);
  versions.set("a", 2);
  assert.deepEqual([await got("a"), await got("b"), reads], ["a2", "b1", 3]);
  versions.set("a", 3);
  const reading = got("a");
  versions.set("a", 4);
  await reading;
  assert.equal(await got("a"), "a4");
});

Deno.test("use does not extend the lifetime of an entry", async () => {
  const { clock, store, cache } = setup();
  store.set("a", "one");
  await cache.get("a");
  store.set("a", "two");
  for (let n = 0; n < 3; n++) {
    clock.advance(1000);
    await cache.get("a");
  }
  assert.equal((await cache.get("a"))?.of, "two");
});

Deno.test("the age of an entry counts from the start of its read", async () => {
  const clock = fakeClock();
  let reads = 0;
  const cache = createReadThrough<Value>({ clock, max: 10 }, () => {
    clock.advance(2000);
    return Promise.resolve({ of: "slow", read: ++reads });
  });
  await cache.get("a");
  clock.advance(1000);
  assert.equal((await cache.get("a"))?.read, 2);
});

Deno.test("a missing value is not cached, and a deleted one is removed", async () => {
  const { clock, store, cache } = setup();
  assert.equal(await cache.get("a"), null);
  store.set("a", "one");
  assert.equal((await cache.get("a"))?.of, "one");
  store.delete("a");
  clock.advance(3000);
  assert.equal(await cache.get("a"), null);
  store.set("a", "two");
  assert.equal((await cache.get("a"))?.of, "two");
});

Deno.test("read receives the cached value even if it has expired", async () => {
  const { clock, store, cache, passed } = setup();
  store.set("a", "one");
  const first = await cache.get("a");
  clock.advance(10_000);
  await cache.get("a");
  assert.deepEqual(passed, [null, first]);
});

Deno.test("read receives null after the value was missing", async () => {
  const { clock, store, cache, passed } = setup();
  store.set("a", "one");
  await cache.get("a");
  store.delete("a");
  clock.advance(3000);
  await cache.get("a");
  store.set("a", "two");
  await cache.get("a");
  assert.equal(passed[1]?.of, "one");
  assert.equal(passed[2], null);
});

Deno.test("invalidate removes entries by key or value and no other ones", async () => {
  const { store, cache, passed } = setup();
  for (const key of ["a", "b", "c"]) store.set(key, key.toUpperCase());
  for (const key of ["a", "b", "c"]) await cache.get(key);
  cache.invalidate((key, value) => key === "a" || value.of === "B");
  for (const key of ["a", "b", "c"]) store.set(key, "new");
  const now = [];
  for (const key of ["a", "b", "c"]) now.push((await cache.get(key))?.of);
  assert.deepEqual(now, ["new", "new", "C"]);
  assert.equal(passed.length, 5);
});

Deno.test("drop removes one entry", async () => {
  const { store, cache, passed } = setup();
  for (const key of ["a", "b"]) store.set(key, "old");
  for (const key of ["a", "b"]) await cache.get(key);
  cache.drop("a");
  cache.drop("missing");
  for (const key of ["a", "b"]) store.set(key, "new");
  assert.equal((await cache.get("a"))?.of, "new");
  assert.equal((await cache.get("b"))?.of, "old");
  assert.deepEqual(passed, [null, null, null]);
});

Deno.test("a value that is invalidated during its read is not cached", async () => {
  const clock = fakeClock();
  const reading = Promise.withResolvers<void>();
  let stored = "old";
  const cache = createReadThrough<Value>({ clock, max: 10 }, async () => {
    const of = stored;
    await reading.promise;
    return { of, read: 0 };
  });
  const early = cache.get("a");
  stored = "new";
  cache.invalidate((key) => key === "a");
  reading.resolve();
  assert.equal((await early)?.of, "old");
  assert.equal((await cache.get("a"))?.of, "new");
});

Deno.test("a failed read rejects and caches nothing", async () => {
  const clock = fakeClock();
  let fail = true;
  const cache = createReadThrough<Value>(
    { clock, max: 10 },
    () => fail ? Promise.reject(new Error("gone")) : Promise.resolve({ of: "back", read: 0 }),
  );
  await assert.rejects(async () => await cache.get("a"), /gone/);
  fail = false;
  assert.equal((await cache.get("a"))?.of, "back");
});

Deno.test("the cache has at most `max` entries", async () => {
  const { store, cache, passed } = setup(3);
  for (const key of ["a", "b", "c", "d"]) {
    store.set(key, key);
    await cache.get(key);
  }
  await cache.get("d");
  assert.equal(passed.length, 4);
  await cache.get("a");
  assert.equal(passed.length, 5);
});
