import assert from "node:assert/strict";
import { ALL, and, compare, eq, not, or } from "@/lib/store/filter.ts";
import type {
  Definition,
  Filter,
  Json,
  Page,
  Position,
  Records,
  SortKey,
  StoredRecord,
} from "@/lib/store/port.ts";
import { definition, id, idsOf, keys, newSpace, trashDefinition, upTo } from "./fixtures.ts";
import { matches, sortRecords } from "./model.ts";
import type { Cases, Store } from "./suite.ts";

const FIELDS: Definition["fields"] = {
  group: { type: "String" },
  rank: { type: "Number" },
  flag: { type: "Boolean" },
  day: { type: "Date" },
  place: { type: "Object", fields: { city: { type: "String" } } },
};

const SORTS: readonly (readonly SortKey[])[] = [
  keys(),
  keys("_id"),
  keys("-_id"),
  keys("group"),
  keys("-group"),
  keys("rank"),
  keys("-rank"),
  keys("flag"),
  keys("-flag"),
  keys("day"),
  keys("-day"),
  keys("place.city"),
  keys("-place.city"),
  keys("group", "rank"),
  keys("group", "-rank"),
  keys("-group", "rank"),
  keys("-group", "-rank"),
  keys("flag", "-day", "rank"),
  keys("-flag", "day", "-group"),
  keys("group", "-_id"),
  keys("-rank", "_id"),
  keys("_id", "group"),
  keys("rank", "-_id", "group"),
];

const PAGE_SIZES = [1, 2, 3, 7];

const GROUPS = [undefined, "b", null, "\uFFFD", "a", "\u{1F600}", "a"];
const RANKS = [2, null, -1.5, 2, undefined];
const FLAGS = [true, false, null, false, undefined, true];
const DAYS = [null, "2024-01-02T00:00:00.000Z", "2024-01-01T23:59:59.999Z", undefined];
const PLACES = [{ city: "x" }, null, { city: null }, { city: "w" }, {}, undefined];

/** Returns a row. Rows combine all values, with many equal ones and independent ids. */
function row(n: number, at = n): StoredRecord {
  const fields: { [name: string]: Json | undefined } = {
    group: GROUPS[at % GROUPS.length],
    rank: RANKS[at % RANKS.length],
    flag: FLAGS[(at * 5 + 1) % FLAGS.length],
    day: DAYS[(at * 7) % DAYS.length],
    place: PLACES[(at >> 1) % PLACES.length],
    isDeleted: at % 3 === 0,
  };
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { _id: id(n), ...Object.fromEntries(present) as { [name: string]: Json } };
}

const ROWS: readonly StoredRecord[] = upTo(24).map((n) => row(2 * n, (n * 11 + 3) % 24));

/** Returns a position after its conversion to and from JSON, as for a client. */
const throughJson = (position: Position | null): Position =>
  JSON.parse(JSON.stringify(position)) as Position;

interface Listing {
  readonly filter: Filter;
  readonly sort: readonly SortKey[];
  readonly limit: number;
}

/** Limit on pages, which ends a walk that repeats pages. */
const PAGES_MAX = 60;

async function forwards(records: Records, listing: Listing): Promise<Page[]> {
  const pages = [await records.list(listing)];
  while (pages.at(-1)!.more && pages.length < PAGES_MAX) {
    pages.push(await records.list({ ...listing, from: throughJson(pages.at(-1)!.last()) }));
  }
  return pages;
}

/** Returns the pages from `last`, the position of the last record, backwards and without it. */
async function backwards(records: Records, listing: Listing, last: Position): Promise<Page[]> {
  let from = last;
  const pages: Page[] = [];
  do {
    pages.unshift(await records.list({ ...listing, from, backwards: true }));
    from = throughJson(pages[0]!.first());
  } while (pages[0]!.more && pages.length < PAGES_MAX);
  return pages;
}

/** Divides a list into slices of at most `size`; with `fromEnd` the incomplete one comes first. */
function slices<T>(items: readonly T[], size: number, fromEnd: boolean): T[][] {
  const first = fromEnd ? items.length % size || size : size;
  const cuts = [0];
  for (let at = first; at < items.length; at += size) cuts.push(at);
  return cuts.map((at, i) => items.slice(at, cuts[i + 1]));
}

/** Fails unless pages by position match the model in both directions. */
async function assertWalks(
  records: Records,
  filter: Filter,
  sorts: readonly (readonly SortKey[])[],
): Promise<void> {
  for (const sort of sorts) {
    const expected = sortRecords(ROWS.filter((one) => matches(one, filter)), sort).map(({ _id }) =>
      _id
    );
    for (const limit of PAGE_SIZES) {
      const listing = { filter, sort, limit };
      const label = JSON.stringify(listing);
      const pages = await forwards(records, listing);
      assert.deepEqual(pages.map(idsOf), slices(expected, limit, false), label);
      const last = throughJson(pages.at(-1)!.last());
      const before = await backwards(records, listing, last);
      assert.deepEqual(
        before.map(idsOf),
        slices(expected.slice(0, -1), limit, true),
        `${label} backwards`,
      );
      await assertOffsetsAgree(records, listing, expected);
    }
  }
}

async function assertOffsetsAgree(
  records: Records,
  listing: Listing,
  expected: readonly string[],
): Promise<void> {
  const offset = listing.limit * 2;
  const page = await records.list({ ...listing, offset });
  assert.deepEqual(idsOf(page), expected.slice(offset, offset + listing.limit));
  assert.equal(page.more, offset + listing.limit < expected.length);
}

const INDEXES: Definition["indexes"] = SORTS.filter((sort) => sort.length > 0)
  .map((sort) => ({ keys: sort }));

async function storeRows(store: Store, shape: Definition): Promise<Records> {
  const records = store.engine.records(newSpace(), shape);
  await records.insertMany(ROWS);
  return records;
}

/** Returns the ids after a position, even if the record of the position has changed. */
async function idsBehind(records: Records, sort: readonly SortKey[], from: Position) {
  const page = async (backwards: boolean) =>
    idsOf(await records.list({ filter: ALL, sort, limit: 100, from, backwards }));
  return { after: await page(false), before: await page(true) };
}

export const keysetCases: Cases = {
  "pages by position neither skip nor repeat in both directions without indexes": async (
    store,
  ) => assertWalks(await storeRows(store, definition({ fields: FIELDS })), ALL, SORTS),

  "pages by position neither skip nor repeat, with an index over each sort": async (store) => {
    const records = await storeRows(store, definition({ fields: FIELDS, indexes: INDEXES }));
    await assertWalks(records, ALL, SORTS);
    await assertWalks(records, compare("group", "ne", "a"), SORTS);
  },

  "pages by position of live records neither skip nor repeat": async (store) => {
    const records = await storeRows(store, trashDefinition({ fields: FIELDS, indexes: INDEXES }));
    await assertWalks(records, eq("isDeleted", false), SORTS);
    await assertWalks(records, and(eq("isDeleted", false), not(eq("rank", 2))), SORTS);
  },

  "pages by position of deleted records neither skip nor repeat": async (store) => {
    const records = await storeRows(store, trashDefinition({ fields: FIELDS, indexes: INDEXES }));
    await assertWalks(records, eq("isDeleted", true), SORTS);
  },

  "pages by position of all records neither skip nor repeat": async (
    store,
  ) => {
    const records = await storeRows(store, trashDefinition({ fields: FIELDS, indexes: INDEXES }));
    await assertWalks(records, ALL, SORTS);
    await assertWalks(records, or(eq("isDeleted", true), eq("flag", false)), SORTS);
  },

  "a page by position and filter reports exactly whether there is more": async (store) => {
    const records = await storeRows(store, definition({ fields: FIELDS }));
    const filter = eq("group", "a");
    const sort = keys("rank");
    const all = sortRecords(ROWS.filter((one) => matches(one, filter)), sort);
    for (const limit of [1, 2, all.length - 1, all.length, all.length + 1]) {
      const page = await records.list({ filter, sort, limit });
      assert.equal(page.more, limit < all.length);
      const from = throughJson(page.last());
      const before = await records.list({ filter, sort, limit: 1, from, backwards: true });
      assert.equal(before.size, Math.min(1, page.size - 1));
      assert.equal(before.more, page.size > 2);
    }
  },

  "there are no records after the end or before the beginning of a list": async (store) => {
    for (const shape of [definition({ fields: FIELDS }), trashDefinition({ fields: FIELDS })]) {
      const records = await storeRows(store, shape);
      for (const sort of SORTS) {
        const completeList = await records.list({ filter: ALL, sort, limit: 100 });
        const end = await records.list({
          filter: ALL,
          sort,
          limit: 5,
          from: throughJson(completeList.last()),
        });
        const start = await records.list({
          filter: ALL,
          sort,
          limit: 5,
          from: throughJson(completeList.first()),
          backwards: true,
        });
        for (const page of [end, start]) {
          assert.deepEqual([page.items, page.size, page.more], ["", 0, false]);
          assert.deepEqual([page.first(), page.last()], [null, null]);
        }
      }
    }
  },

  "the positions of a page that is read backwards are in the order of the sort": async (store) => {
    const records = await storeRows(store, definition({ fields: FIELDS }));
    const sort = keys("-rank", "group");
    const completeList = await records.list({ filter: ALL, sort, limit: 100 });
    const page = await records.list({
      filter: ALL,
      sort,
      limit: 4,
      from: throughJson(completeList.last()),
      backwards: true,
    });
    const ids = idsOf(completeList).slice(-5, -1);
    assert.deepEqual(idsOf(page), ids);
    assert.equal(page.first()?.id, ids[0]);
    assert.equal(page.last()?.id, ids[3]);
  },

  "a position stays valid after its record was removed": async (store) => {
    for (const sort of SORTS) {
      const records = await storeRows(store, definition({ fields: FIELDS }));
      const order = sortRecords(ROWS, sort).map(({ _id }) => _id);
      const page = await records.list({ filter: ALL, sort, limit: 10 });
      const from = throughJson(page.last());
      await records.deleteOne(eq("_id", from.id));
      assert.deepEqual(await idsBehind(records, sort, from), {
        after: order.slice(10),
        before: order.slice(0, 9),
      });
    }
  },

  "an inclusive position begins with its record in both directions, if it still exists": async (
    store,
  ) => {
    for (const shape of [definition({ fields: FIELDS }), trashDefinition({ fields: FIELDS })]) {
      for (const sort of SORTS) {
        const records = await storeRows(store, shape);
        const order = sortRecords(ROWS, sort).map(({ _id }) => _id);
        for (const at of [0, 9, 23]) {
          const page = await records.list({ filter: ALL, sort, limit: 1, offset: at });
          const from = { ...throughJson(page.first()), inclusive: true };
          const label = JSON.stringify([sort, at]);
          assert.deepEqual(await idsBehind(records, sort, from), {
            after: order.slice(at),
            before: order.slice(0, at + 1),
          }, label);
          const two = await records.list({ filter: ALL, sort, limit: 2, from });
          assert.deepEqual(idsOf(two), order.slice(at, at + 2), label);
          assert.equal(two.more, at + 2 < 24, label);
        }
        const page = await records.list({ filter: ALL, sort, limit: 1, offset: 9 });
        await records.deleteOne(eq("_id", order[9]!));
        assert.deepEqual(
          await idsBehind(records, sort, { ...throughJson(page.first()), inclusive: true }),
          { after: order.slice(10), before: order.slice(0, 9) },
        );
      }
    }
  },

  "inserts between pages do not repeat or hide other records": async (store) => {
    for (const shape of [definition({ fields: FIELDS }), trashDefinition({ fields: FIELDS })]) {
      for (const sort of SORTS) {
        const records = await storeRows(store, shape);
        const seen: string[] = [];
        let page = await records.list({ filter: ALL, sort, limit: 3 });
        let inserted = 0;
        for (;;) {
          seen.push(...idsOf(page));
          // Odd ids are between the others. Values of all kinds put some inserts behind the
          // position and some ahead.
          if (inserted < 24) await records.insert(row(2 * inserted + 1, inserted * 5));
          inserted++;
          if (!page.more || inserted === PAGES_MAX) break;
          page = await records.list({
            filter: ALL,
            sort,
            limit: 3,
            from: throughJson(page.last()),
          });
        }
        assert.equal(new Set(seen).size, seen.length, JSON.stringify(sort));
        const old = seen.filter((one) => Number.parseInt(one, 16) % 2 === 0);
        assert.deepEqual(old, sortRecords(ROWS, sort).map(({ _id }) => _id), JSON.stringify(sort));
      }
    }
  },

  "pages by position distinguish large numbers": async (store) => {
    const records = store.engine.records(newSpace(), definition({ fields: FIELDS }));
    const ranks = [2 ** 53, 2 ** 60, 2 ** 62, 2 ** 62 + 1024, 2 ** 63 - 1024, 2 ** 63, 1e300];
    await records.insertMany(ranks.map((rank, n) => ({ _id: id(n), rank })));
    const listing = { filter: ALL, sort: keys("rank"), limit: 1 };
    const pages = await forwards(records, listing);
    assert.deepEqual(pages.map(idsOf), ranks.map((_, n) => [id(n)]));
  },
};
