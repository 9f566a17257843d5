import assert from "node:assert/strict";
import { ALL } from "./filter.ts";
import { pagesOf, recordsOf } from "./pages.ts";
import type { ListQuery, Page, Position, StoredRecord } from "./port.ts";
import { pageOf } from "./texts.ts";

const idOf = (n: number): string => n.toString(16).padStart(24, "0");

/** Creates a list of `count` records, which collects the queries it gets. */
function listOf(count: number) {
  const asked: ListQuery[] = [];
  const all = Array.from({ length: count }, (_, n) => JSON.stringify({ _id: idOf(n) }));
  return {
    asked,
    list(query: ListQuery): Promise<Page<StoredRecord>> {
      asked.push(query);
      const { from, offset = 0, limit, backwards = false } = query;
      const at = ({ id }: Position) => Number.parseInt(id, 16);
      const read = backwards
        ? all.slice(0, from === undefined ? count : at(from)).reverse()
        : all.slice(from === undefined ? offset : at(from) + 1);
      return Promise.resolve(
        pageOf({ texts: read.slice(0, limit + 1), total: null, examined: null }, query),
      );
    },
  };
}

const sizesOf = (pages: AsyncGenerator<Page<StoredRecord>>) =>
  Array.fromAsync(pages, ({ size }) => size);

Deno.test("pagesOf reads each page from the end of the previous one", async () => {
  const records = listOf(7);
  const query = { filter: ALL, sort: [], limit: 3, offset: 1, total: true };
  const pages = await Array.fromAsync(pagesOf(records, query), (page) => page.records());
  assert.deepEqual(pages.flat().map(({ _id }) => _id), [1, 2, 3, 4, 5, 6].map(idOf));
  const [, second, ...others] = records.asked;
  assert.deepEqual(second, { filter: ALL, sort: [], limit: 3, from: { values: [], id: idOf(3) } });
  assert.deepEqual(others, [], "no page is read after the end");
});

Deno.test("pagesOf continues backwards from the first record of each page", async () => {
  const query = { filter: ALL, sort: [], limit: 2, backwards: true };
  const pages = await Array.fromAsync(pagesOf(listOf(5), query), (page) => page.records());
  assert.deepEqual(
    pages.map((page) => page.map(({ _id }) => _id)),
    [[3, 4], [1, 2], [0]].map((page) => page.map(idOf)),
  );
});

Deno.test("pagesOf reads a page after the previous one is processed, with the next limit", async () => {
  const records = listOf(20);
  const query = { filter: ALL, sort: [], limit: 1 };
  const sizes: number[] = [];
  for await (const { size } of pagesOf(records, query, (_page, limit) => 2 * limit)) {
    sizes.push(size);
    assert.equal(records.asked.length, sizes.length);
  }
  assert.deepEqual(sizes, [1, 2, 4, 8, 5]);
  assert.deepEqual(await sizesOf(pagesOf(listOf(20), query, () => 0)), [1]);
});

Deno.test("recordsOf reads no more records than its limit", async () => {
  const records = listOf(1200);
  const found = await Array.fromAsync(recordsOf(records, { filter: ALL, limit: 700 }));
  assert.deepEqual(found.map(({ _id }) => _id), Array.from({ length: 700 }, (_, n) => idOf(n)));
  assert.deepEqual(records.asked.map(({ limit }) => limit), [500, 200]);
  assert.equal((await Array.fromAsync(recordsOf(listOf(1200), { filter: ALL }))).length, 1200);
  assert.deepEqual(await Array.fromAsync(recordsOf(listOf(0), { filter: ALL })), []);
});
