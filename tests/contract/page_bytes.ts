import assert from "node:assert/strict";
import { PageTooLarge } from "@/lib/store/errors.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import { bytesOf } from "@/lib/store/json_text.ts";
import { type ListQuery, type Page, PAGE_BYTES_MAX, type Records } from "@/lib/store/port.ts";
import { definition, id, keys, newSpace, trashDefinition, upTo } from "./fixtures.ts";
import type { Cases, Store } from "./suite.ts";

const numbersOf = (page: Page): number[] =>
  (JSON.parse(`[${page.items}]`) as { n: number }[]).map(({ n }) => n);

/** Stores records `n` = 0, 1, … with texts of these lengths in characters. */
async function storeTexts(
  { engine }: Store,
  lengths: readonly number[],
  { letter = "x", fields = { n: { type: "Number" } } as const } = {},
): Promise<Records> {
  const records = engine.records(newSpace(), definition({ fields }));
  for (const [n, length] of lengths.entries()) {
    await records.insert({ _id: id(n), n, text: letter.repeat(length) });
  }
  return records;
}

const BY_N = { filter: ALL, sort: keys("n") };

async function readPages(records: Records, query: ListQuery): Promise<Page[]> {
  const pages = [await records.list(query)];
  for (;;) {
    const page = pages.at(-1)!;
    const from = query.backwards ? page.first() : page.last();
    if (!page.more || from === null) return pages;
    const { offset: _, ...rest } = query;
    pages.push(await records.list({ ...rest, from }));
  }
}

export const pageBytesCases: Cases = {
  "a page ends before its limit if the next record would exceed its bytes": async (store) => {
    const records = await storeTexts(store, upTo(10).map((n) => 50 * n));
    const completePage = await records.list({ ...BY_N, limit: 4 });
    const bytes = bytesOf(completePage.items);
    const numbers = async (query: Partial<ListQuery>) => {
      const page = await records.list({ ...BY_N, limit: 10, ...query });
      assert.equal(page.texts.join(","), page.items);
      assert.equal(page.size, page.texts.length);
      return { numbers: numbersOf(page), more: page.more, total: page.total };
    };
    const four = { numbers: [0, 1, 2, 3], more: true, total: null };
    assert.deepEqual(await numbers({ bytesMax: bytes }), four);
    assert.deepEqual(await numbers({ bytesMax: bytes - 1 }), { ...four, numbers: [0, 1, 2] });
    const completeOnly = { ...BY_N, limit: 4, mustBeComplete: true };
    const exact = await records.list({ ...completeOnly, bytesMax: bytes });
    assert.deepEqual([exact.size, exact.more], [4, true], "the next record does not count");
    await assert.rejects(records.list({ ...completeOnly, bytesMax: bytes - 1 }), PageTooLarge);
    const all = await records.list({ ...BY_N, limit: 10 });
    const exactly = { bytesMax: bytesOf(all.items), total: true };
    assert.deepEqual(await numbers(exactly), { numbers: upTo(10), more: false, total: 10 });
  },

  "the first record is returned, whatever its size": async (store) => {
    const records = await storeTexts(store, [500, 20_000, 10]);
    const pages = await readPages(records, { ...BY_N, limit: 10, bytesMax: 1 });
    assert.deepEqual(pages.map(numbersOf), [[0], [1], [2]]);
    assert.deepEqual(pages.map(({ more }) => more), [true, true, false]);
  },

  "pages that end early continue where they ended, in both directions": async (store) => {
    const lengths = [10, 40_000, 20, 30, 25_000, 25_000, 60_000, 10];
    const records = await storeTexts(store, lengths);
    const query = { ...BY_N, limit: 5, bytesMax: 50_000 };
    const forwards = await readPages(records, query);
    assert.deepEqual(forwards.map(numbersOf), [[0, 1, 2, 3], [4], [5], [6], [7]]);
    assert.ok(forwards.every(({ size, items }) => size === 1 || bytesOf(items) <= 50_000));
    const backwards = await readPages(records, { ...query, backwards: true });
    assert.deepEqual(backwards.map(numbersOf), [[7], [6], [5], [2, 3, 4], [0, 1]]);
    const skipped = await records.list({ ...query, offset: 4 });
    assert.deepEqual(numbersOf(skipped), [4]);
    const found = await records.list({ ...query, filter: eq("n", 6) });
    assert.deepEqual([numbersOf(found), found.more], [[6], false]);
  },

  "the bytes of a page are counted as UTF-8": async (store) => {
    const records = await storeTexts(store, upTo(4).map(() => 100), { letter: "日" });
    const { size } = await records.list({ ...BY_N, limit: 4, bytesMax: 900 });
    assert.equal(size, 2);
  },

  "a page has at most 16 MiB by default, also in a transaction": async (store) => {
    const { engine } = store;
    const space = newSpace();
    const shape = trashDefinition({ fields: { n: { type: "Number" } } });
    const records = engine.records(space, shape);
    const text = "x".repeat(900_000);
    const completeOnly = { ...BY_N, mustBeComplete: true };
    for (const n of upTo(20)) await records.insert({ _id: id(n), n, isDeleted: false, text });
    const expected = Math.floor(PAGE_BYTES_MAX / 900_080);
    const check = (page: Page) => {
      assert.deepEqual(numbersOf(page), upTo(expected));
      assert.equal(page.more, true);
    };
    check(await records.list({ ...BY_N, limit: 1000 }));
    await assert.rejects(records.list({ ...completeOnly, limit: expected + 1 }), PageTooLarge);
    assert.equal((await records.list({ ...completeOnly, limit: expected })).more, true);
    await engine.transaction(space, async (tx) => {
      check(await tx.records(shape).list({ ...BY_N, limit: 20 }));
    });
  },
};
