import assert from "node:assert/strict";
import { PageTooLarge } from "@/lib/store/errors.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import { bytesOf } from "@/lib/store/json_text.ts";
import { type ListQuery, type Page, PAGE_BYTES_MAX, type Records } from "@/lib/store/port.ts";
import { definition, id, keys, newSpace, trashDefinition, upTo } from "./fixtures.ts";
import type { Cases, Store } from "./suite.ts";

const numbersOf = (page: Page): number[] =>
  (JSON.parse(`[${page.items}]`) as { n: number }[]).map(({ n }) => n);

/** Records `n` = 0, 1, … with texts of these many characters. */
async function storedTexts(
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

/** Every page of a walk. */
async function walked(records: Records, query: ListQuery): Promise<Page[]> {
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
  "a page ends before its limit where the next record would be too many bytes": async (store) => {
    const records = await storedTexts(store, upTo(10).map((n) => 50 * n));
    const whole = await records.list({ ...BY_N, limit: 4 });
    const bytes = bytesOf(whole.items);
    const numbers = async (query: Partial<ListQuery>) => {
      const page = await records.list({ ...BY_N, limit: 10, ...query });
      assert.equal(page.texts.join(","), page.items);
      assert.equal(page.size, page.texts.length);
      return { numbers: numbersOf(page), more: page.more, total: page.total };
    };
    const four = { numbers: [0, 1, 2, 3], more: true, total: null };
    assert.deepEqual(await numbers({ bytesMax: bytes }), four);
    assert.deepEqual(await numbers({ bytesMax: bytes - 1 }), { ...four, numbers: [0, 1, 2] });
    const onlyWhole = { ...BY_N, limit: 4, onlyWhole: true };
    const exact = await records.list({ ...onlyWhole, bytesMax: bytes });
    assert.deepEqual([exact.size, exact.more], [4, true], "what is behind it does not count");
    await assert.rejects(records.list({ ...onlyWhole, bytesMax: bytes - 1 }), PageTooLarge);
    const all = await records.list({ ...BY_N, limit: 10 });
    const exactly = { bytesMax: bytesOf(all.items), total: true };
    assert.deepEqual(await numbers(exactly), { numbers: upTo(10), more: false, total: 10 });
  },

  "the first record is given, however large it is": async (store) => {
    const records = await storedTexts(store, [500, 20_000, 10]);
    const pages = await walked(records, { ...BY_N, limit: 10, bytesMax: 1 });
    assert.deepEqual(pages.map(numbersOf), [[0], [1], [2]]);
    assert.deepEqual(pages.map(({ more }) => more), [true, true, false]);
  },

  "pages that end early go on where they ended, in both directions": async (store) => {
    const lengths = [10, 40_000, 20, 30, 25_000, 25_000, 60_000, 10];
    const records = await storedTexts(store, lengths);
    const query = { ...BY_N, limit: 5, bytesMax: 50_000 };
    const forwards = await walked(records, query);
    assert.deepEqual(forwards.map(numbersOf), [[0, 1, 2, 3], [4], [5], [6], [7]]);
    assert.ok(forwards.every(({ size, items }) => size === 1 || bytesOf(items) <= 50_000));
    const backwards = await walked(records, { ...query, backwards: true });
    assert.deepEqual(backwards.map(numbersOf), [[7], [6], [5], [2, 3, 4], [0, 1]]);
    const skipped = await records.list({ ...query, offset: 4 });
    assert.deepEqual(numbersOf(skipped), [4]);
    const found = await records.list({ ...query, filter: eq("n", 6) });
    assert.deepEqual([numbersOf(found), found.more], [[6], false]);
  },

  "bytes are counted as UTF-8": async (store) => {
    const records = await storedTexts(store, upTo(4).map(() => 100), { letter: "日" });
    const { size } = await records.list({ ...BY_N, limit: 4, bytesMax: 900 });
    assert.equal(size, 2);
  },

  "where nothing else is asked for a page holds 16 MiB, also in a transaction": async (store) => {
    const { engine } = store;
    const space = newSpace();
    const shape = trashDefinition({ fields: { n: { type: "Number" } } });
    const records = engine.records(space, shape);
    const text = "x".repeat(900_000);
    const whole = { ...BY_N, onlyWhole: true };
    for (const n of upTo(20)) await records.insert({ _id: id(n), n, isDeleted: false, text });
    const expected = Math.floor(PAGE_BYTES_MAX / 900_080);
    const check = (page: Page) => {
      assert.deepEqual(numbersOf(page), upTo(expected));
      assert.equal(page.more, true);
    };
    check(await records.list({ ...BY_N, limit: 1000 }));
    await assert.rejects(records.list({ ...whole, limit: expected + 1 }), PageTooLarge);
    assert.equal((await records.list({ ...whole, limit: expected })).more, true);
    await engine.transaction(space, async (tx) => {
      check(await tx.records(shape).list({ ...BY_N, limit: 20 }));
    });
  },
};
