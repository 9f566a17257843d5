import assert from "node:assert/strict";
import { fakeClock } from "@/tests/support/test_services.ts";
import { createReadThrough } from "./cache.ts";

interface Value {
  readonly of: string;
  readonly read: number;
}

/** A cache over `store`, and how often it was read. */
function setup(max = 100) {
  const clock = fakeClock();
  const store = new Map<string, string>();
  const known: (Value | null)[] = [];
  const cache = createReadThrough<Value>({ clock, max }, (key, before) => {
    known.push(before);
    const of = store.get(key);
    return Promise.resolve(of === undefined ? null : { of, read: known.length });
  });
  return { clock, store, cache, known };
}

Deno.test("an entry is read once in three seconds, and anew after them", async () => {
  const { clock, store, cache, known } = setup();
  store.set("a", "one");
  assert.deepEqual(await cache.get("a"), { of: "one", read: 1 });
  store.set("a", "two");
  clock.advance(2999);
  assert.deepEqual(await cache.get("a"), { of: "one", read: 1 });
  clock.advance(1);
  assert.deepEqual(await cache.get("a"), { of: "two", read: 2 });
  assert.equal(known.length, 2);
});

Deno.test("an entry whose mark is another than when it was read is read anew", async () => {
  const marks = new Map([["a", 1], ["b", 1]]);
  let reads = 0;
  const markOf = (key: string) => marks.get(key);
  const cache = createReadThrough<Value>({ clock: fakeClock(), max: 10, markOf }, async (key) => {
    reads++;
    await Promise.resolve();
    return { of: `${key}${marks.get(key)}`, read: reads };
  });
  const got = async (key: string) => (await cache.get(key))?.of;
  assert.deepEqual([await got("a"), await got("b"), await got("a")], ["a1", "b1", "a1"]);
  marks.set("a", 2);
  assert.deepEqual([await got("a"), await got("b"), reads], ["a2", "b1", 3]);
  marks.set("a", 3);
  const reading = got("a");
  marks.set("a", 4);
  await reading;
  assert.equal(await got("a"), "a4");
});

Deno.test("use does not keep an entry young", async () => {
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

Deno.test("an entry is as old as the beginning of its reading", async () => {
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

Deno.test("what is missing is asked for each time, and forgotten when it is gone", async () => {
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

Deno.test("a reader is told what was known, also when that is too old", async () => {
  const { clock, store, cache, known } = setup();
  store.set("a", "one");
  const first = await cache.get("a");
  clock.advance(10_000);
  await cache.get("a");
  assert.deepEqual(known, [null, first]);
});

Deno.test("of what was gone nothing is known: it may come back as something else", async () => {
  const { clock, store, cache, known } = setup();
  store.set("a", "one");
  await cache.get("a");
  store.delete("a");
  clock.advance(3000);
  await cache.get("a");
  store.set("a", "two");
  await cache.get("a");
  assert.equal(known[1]?.of, "one");
  assert.equal(known[2], null);
});

Deno.test("what is forgotten is read anew, by key or by value; the rest stays", async () => {
  const { store, cache, known } = setup();
  for (const key of ["a", "b", "c"]) store.set(key, key.toUpperCase());
  for (const key of ["a", "b", "c"]) await cache.get(key);
  cache.forget((key, value) => key === "a" || value.of === "B");
  for (const key of ["a", "b", "c"]) store.set(key, "new");
  const now = [];
  for (const key of ["a", "b", "c"]) now.push((await cache.get(key))?.of);
  assert.deepEqual(now, ["new", "new", "C"]);
  assert.equal(known.length, 5);
});

Deno.test("what is dropped is read anew, and nothing else", async () => {
  const { store, cache, known } = setup();
  for (const key of ["a", "b"]) store.set(key, "old");
  for (const key of ["a", "b"]) await cache.get(key);
  cache.drop("a");
  cache.drop("missing");
  for (const key of ["a", "b"]) store.set(key, "new");
  assert.equal((await cache.get("a"))?.of, "new");
  assert.equal((await cache.get("b"))?.of, "old");
  assert.deepEqual(known, [null, null, null]);
});

Deno.test("what is forgotten while it is being read is not kept", async () => {
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
  cache.forget((key) => key === "a");
  reading.resolve();
  assert.equal((await early)?.of, "old");
  assert.equal((await cache.get("a"))?.of, "new");
});

Deno.test("a failed reading keeps nothing and is the caller's failure", async () => {
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

Deno.test("no more entries are kept than there is room for", async () => {
  const { store, cache, known } = setup(3);
  for (const key of ["a", "b", "c", "d"]) {
    store.set(key, key);
    await cache.get(key);
  }
  await cache.get("d");
  assert.equal(known.length, 4);
  await cache.get("a");
  assert.equal(known.length, 5);
});
