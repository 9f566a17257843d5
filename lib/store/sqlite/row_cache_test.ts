import assert from "node:assert/strict";
import { type RowCache, RowCachePool } from "./row_cache.ts";

const rows = (...seqs: number[]) => seqs.map((seq) => [seq, `text ${seq}`] as const);
const asked = (...seqs: number[]) => seqs.join(",");

/** A cache that has room for everything a test puts into it. */
const roomy = (): RowCache => new RowCachePool(1_000_000).create();

Deno.test("a page is given as it was read, or not at all", () => {
  const cache = roomy();
  cache.fill(rows(1, 2, 3));
  assert.deepEqual(cache.page(asked(3, 1)), ["text 3", "text 1"]);
  assert.equal(cache.page(asked(1, 4, 2)), null);
  assert.deepEqual(cache.page(asked()), []);
});

Deno.test("a row that was dropped is not given again, in either generation", () => {
  const cache = roomy();
  cache.fill(rows(1, 2));
  cache.drop(1);
  assert.equal(cache.page(asked(1)), null);
  cache.age();
  cache.drop(2);
  assert.equal(cache.page(asked(2)), null);
  cache.fill([[1, "new"]]);
  assert.deepEqual(cache.page(asked(1)), ["new"]);
});

Deno.test("nothing is given after everything was dropped", () => {
  const cache = roomy();
  cache.fill(rows(1));
  cache.age();
  cache.fill(rows(2));
  cache.clear();
  for (const seq of [1, 2]) assert.equal(cache.page(asked(seq)), null);
});

Deno.test("what is used stays, what is not used for two generations goes", () => {
  const cache = roomy();
  cache.fill(rows(1, 2));
  cache.age();
  assert.deepEqual(cache.page(asked(1)), ["text 1"]);
  cache.age();
  assert.deepEqual(cache.page(asked(1)), ["text 1"]);
  assert.equal(cache.page(asked(2)), null);
});

Deno.test("all caches of a pool together are bounded", () => {
  const pool = new RowCachePool(10_000);
  const caches = Array.from({ length: 4 }, () => pool.create());
  const text = "x".repeat(1000);
  for (let seq = 0; seq < 200; seq++) for (const cache of caches) cache.fill([[seq, text]]);
  const kept = caches.flatMap((cache) =>
    Array.from({ length: 200 }, (_, seq) => seq).filter((seq) => cache.page(asked(seq)) !== null)
  );
  assert.ok(kept.length <= 20, `${kept.length} rows of 1000 characters are kept`);
});

Deno.test("a very long text is not kept", () => {
  const cache = roomy();
  cache.fill([[1, "x".repeat(16_384)], [2, "x".repeat(16_385)]]);
  assert.notEqual(cache.page(asked(1)), null);
  assert.equal(cache.page(asked(2)), null);
});

Deno.test("it pays to look where pages repeat, and no longer where they do not", () => {
  const cache = roomy();
  assert.equal(cache.promising, false);
  for (let n = 0; n < 10; n++) cache.fill(rows(1, 2, 3));
  assert.equal(cache.promising, true);
  for (let n = 0; n < 10; n++) cache.page(asked(100 + n));
  assert.equal(cache.promising, false);
});

Deno.test("the same rows give the very same page while none of them changes, and a new one after", () => {
  const cache = roomy();
  cache.fill(rows(1, 2, 3));
  const page = cache.page(asked(1, 2));
  assert.equal(cache.page(asked(1, 2)), page);
  assert.deepEqual(cache.page(asked(1, 3)), ["text 1", "text 3"]);
  assert.deepEqual(cache.page(asked(1)), ["text 1"]);
  for (const lose of [() => cache.drop(3), () => cache.clear(), () => cache.age()]) {
    cache.fill(rows(1, 2, 3));
    const before = cache.page(asked(1, 2));
    lose();
    cache.fill(rows(1, 2, 3));
    const after = cache.page(asked(1, 2));
    assert.deepEqual(after, before);
    assert.notEqual(after, before);
  }
});

Deno.test("what is made of pages counts for the bound", () => {
  const pool = new RowCachePool(3_000);
  const cache = pool.create();
  cache.fill([[1, "x".repeat(1_000)]]);
  cache.fill([[2, "y"]]);
  cache.page(asked(1)); // Two thousand characters more.
  assert.deepEqual(cache.page(asked(2)), ["y"]);
  cache.fill([[3, "z".repeat(2_900)]]);
  assert.equal(cache.page(asked(1)), null);
});
