import assert from "node:assert/strict";
import { KeyedMutex } from "./keyed_mutex.ts";

Deno.test("run executes calls with one key in order, also after failures", async () => {
  const mutex = new KeyedMutex();
  const seen: string[] = [];
  let inside = 0;
  const work = (name: string) => async () => {
    assert.equal(++inside, 1);
    await new Promise((resolve) => queueMicrotask(() => resolve(null)));
    inside--;
    seen.push(name);
    if (name === "b") throw new Error(name);
    return name;
  };
  const results = await Promise.allSettled(
    ["a", "b", "c"].map((name) => mutex.run("x", work(name))),
  );
  assert.deepEqual(seen, ["a", "b", "c"]);
  assert.deepEqual(results.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
  assert.equal(await mutex.run("x", work("d")), "d");
});

Deno.test("run unlocks the key if work throws synchronously", async () => {
  const mutex = new KeyedMutex();
  const thrown = mutex.run("x", () => {
    throw new Error("at once");
  });
  const next = mutex.run("x", () => Promise.resolve("in"));
  await assert.rejects(thrown, { message: "at once" });
  assert.equal(await next, "in");
});

Deno.test("different keys do not wait for each other", async () => {
  const mutex = new KeyedMutex();
  const gate = Promise.withResolvers<void>();
  const held = mutex.run("x", () => gate.promise);
  assert.equal(await mutex.run("y", () => Promise.resolve(1)), 1);
  gate.resolve();
  await held;
});

Deno.test("acquire locks a key until its release, in order with run", async () => {
  const mutex = new KeyedMutex();
  const seen: string[] = [];
  const first = await mutex.acquire("x");
  const run = mutex.run("x", () => Promise.resolve(seen.push("run")));
  const last = mutex.acquire("x").then((held) => {
    seen.push("acquired");
    return held;
  });
  await Promise.resolve();
  assert.deepEqual(seen, []);
  first[Symbol.dispose]();
  await run;
  (await last)[Symbol.dispose]();
  assert.deepEqual(seen, ["run", "acquired"]);
});

Deno.test("an unlocked key takes no memory", async () => {
  const mutex = new KeyedMutex();
  const works = Array.from({ length: 100 }, (_, i) =>
    mutex.run(`${i % 10}`, () => {
      if (i % 3 === 0) throw new Error("refused");
      return Promise.resolve();
    }));
  assert.equal(mutex.size, 10);
  await Promise.allSettled(works);
  assert.equal(mutex.size, 0);
});

Deno.test("releasing a lock twice admits one caller", async () => {
  const mutex = new KeyedMutex();
  const first = await mutex.acquire("x");
  const [second, third] = [mutex.acquire("x"), mutex.acquire("x")];
  first[Symbol.dispose]();
  const held = await second;
  first[Symbol.dispose]();
  let isIn = false;
  third.then(() => isIn = true);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.equal(isIn, false);
  held[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  assert.equal(mutex.size, 0);
});
