import assert from "node:assert/strict";
import type { Bucket, Figure, GroupKey, GroupSort } from "@/lib/store/aggregation.ts";
import { PageTooLarge } from "@/lib/store/errors.ts";
import { ALL, and, compare, eq, within } from "@/lib/store/filter.ts";
import type { Aggregation, Filter, Records, StoredRecord } from "@/lib/store/port.ts";
import { aggregateRecords } from "./aggregate_model.ts";
import { id, keys, newSpace, trashDefinition, upTo } from "./fixtures.ts";
import type { Cases, Store } from "./suite.ts";

const SHAPE = trashDefinition({
  fields: {
    group: { type: "String" },
    amount: { type: "Number" },
    open: { type: "Boolean" },
    at: { type: "Date" },
    holder: { type: "Ref" },
    place: { type: "Object", fields: { city: { type: "String" } } },
  },
  indexes: [{ keys: keys("group") }, { keys: keys("at") }],
});

const LIVE = eq("isDeleted", false);

const COUNT: Figure = { op: "count" };
const sum = (path: string): Figure => ({ op: "sum", path });
const of = (path: string, unit?: Bucket, timeZone = "UTC"): GroupKey =>
  unit === undefined ? { path } : { path, bucket: { unit, timeZone } };

const ask = (parts: Partial<Aggregation>): Aggregation => ({
  filter: LIVE,
  keys: [],
  figures: [COUNT],
  sort: [],
  limit: 1000,
  ...parts,
});

async function storeRecords(
  { engine }: Store,
  rows: readonly Omit<StoredRecord, "_id">[],
): Promise<Records> {
  const records = engine.records(newSpace(), SHAPE);
  await records.insertMany(rows.map((row, n) => ({ _id: id(n + 1), isDeleted: false, ...row })));
  return records;
}

/** Returns the keys and figures of each group in one list. */
async function rowsOf(records: Records, parts: Partial<Aggregation>) {
  const { groups } = await records.aggregate(ask(parts));
  return groups.map(({ keys, figures }) => [...keys, ...figures]);
}

/** Returns a generator of pseudorandom numbers, the same in each run to repeat failures. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

const ZONES = ["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/New_York", "Australia/Lord_Howe"];
const UNITS: readonly Bucket[] = ["hour", "day", "week", "month", "year"];
const PATHS = ["group", "amount", "open", "at", "holder", "place.city", "isDeleted", "_id"];

function randomRecord(next: (below: number) => number): Omit<StoredRecord, "_id"> {
  const pick = <T>(...of: readonly T[]): T => of[next(of.length)]!;
  const at = new Date(Date.UTC(2024, 0) + next(1_000) * 26_000_000 + next(3_600_000));
  return {
    isDeleted: next(5) === 0,
    ...(next(4) > 0 && { group: pick("a", "b", "B", "é", "", null) }),
    ...(next(4) > 0 && { amount: pick(0, 1, -2.5, 1024.25, next(100), null) }),
    ...(next(3) > 0 && { open: pick(true, false, null) }),
    ...(next(4) > 0 && { at: pick(at.toISOString(), at.toISOString(), null) }),
    ...(next(3) > 0 && { holder: id(next(3)) }),
    ...(next(3) > 0 && { place: pick({ city: pick("Rome", "Oslo") }, {}, { city: null }) }),
  };
}

function randomQuestion(next: (below: number) => number): Aggregation {
  const pick = <T>(from: readonly T[]): T => from[next(from.length)]!;
  const grouped = upTo(next(4)).map(() => pick(PATHS));
  const keysOf = [...new Set(grouped)].map((path) =>
    path === "at" && next(4) > 0 ? of(path, pick(UNITS), pick(ZONES)) : of(path)
  );
  const figures: Figure[] = [
    COUNT,
    { op: pick(["sum", "avg"] as const), path: "amount" },
    { op: pick(["min", "max"] as const), path: pick(["amount", "at"]) },
  ].slice(0, next(4)) as Figure[];
  const places: GroupSort[] = [
    ...keysOf.map((_, index) => ({ of: "key" as const, index, descending: next(2) === 0 })),
    ...figures.map((_, index) => ({ of: "figure" as const, index, descending: next(2) === 0 })),
  ];
  const filters: Filter[] = [
    ALL,
    LIVE,
    compare("amount", "gt", 0),
    within("group", ["a", "B", null]),
    and(LIVE, { op: "not", of: eq("open", true) }),
  ];
  return {
    filter: pick(filters),
    keys: keysOf,
    figures,
    sort: places.filter(() => next(3) === 0),
    limit: pick([1, 3, 1000]),
  };
}

export const aggregatingCases: Cases = {
  "groups match plain code over all records, for 100 random requests": async (store) => {
    const next = generator(7);
    const rows = upTo(120).map(() => randomRecord(next));
    const records = await storeRecords(store, rows);
    const all = rows.map((row, n): StoredRecord => ({ _id: id(n + 1), ...row }));
    for (const nth of upTo(100)) {
      const query = randomQuestion(next);
      const expected = aggregateRecords(all, query);
      assert.deepEqual(
        await records.aggregate(query),
        expected,
        `question ${nth}: ${JSON.stringify(query)}`,
      );
    }
  },

  "missing and null are one group, which comes first": async (store) => {
    const records = await storeRecords(store, [{ group: "b" }, {}, { group: null }, {
      group: "a",
    }]);
    assert.deepEqual(await rowsOf(records, { keys: [of("group")] }), [
      [null, 2],
      ["a", 1],
      ["b", 1],
    ]);
  },

  "without keys there is one group, even without records": async (store) => {
    const figures: Figure[] = [
      COUNT,
      sum("amount"),
      { op: "avg", path: "amount" },
      { op: "min", path: "at" },
    ];
    const empty = await storeRecords(store, []);
    assert.deepEqual(await rowsOf(empty, { figures }), [[0, 0, null, null]]);
    assert.deepEqual(await rowsOf(empty, { keys: [of("group")], figures }), []);
    const records = await storeRecords(store, [{ group: "a" }, { group: "b", amount: null }]);
    assert.deepEqual(await rowsOf(records, { figures }), [[2, 0, null, null]]);
    assert.deepEqual(await rowsOf(records, { figures, filter: eq("group", "z") }), [
      [0, 0, null, null],
    ]);
  },

  "a kind without stored records has no groups": async ({ engine }) => {
    const records = engine.records(newSpace(), SHAPE);
    assert.deepEqual(await rowsOf(records, {}), [[0]]);
    assert.deepEqual(await rowsOf(records, { keys: [of("group")] }), []);
  },

  "sums of integers are exact, and no result is -0": async (store) => {
    const most = Number.MAX_SAFE_INTEGER;
    const records = await storeRecords(store, [
      { group: "a", amount: most - 10 },
      ...upTo(10).map(() => ({ group: "a", amount: 1 })),
      { group: "b", amount: -0 },
    ]);
    const figures: Figure[] = [sum("amount"), { op: "min", path: "amount" }];
    const rows = await rowsOf(records, { keys: [of("group")], figures });
    assert.deepEqual(rows, [["a", most, 1], ["b", 0, 0]]);
    assert.ok(Object.is(rows[1]![1], 0) && Object.is(rows[1]![2], 0));
    const byAmount = await rowsOf(records, { keys: [of("amount")], filter: eq("group", "b") });
    assert.ok(Object.is(byAmount[0]![0], 0));
  },

  "a sum of fractions is accurate to fourteen digits": async (store) => {
    const records = await storeRecords(store, upTo(1_000).map((n) => ({ amount: n / 10 })));
    const [[total, mean]] = await rowsOf(records, {
      figures: [sum("amount"), { op: "avg", path: "amount" }],
    }) as [[number, number]];
    assert.ok(Math.abs(total - 49_950) < 1e-9, String(total));
    assert.ok(Math.abs(mean - 49.95) < 1e-12, String(mean));
  },

  "a sum beyond the range of numbers is null": async (store) => {
    const records = await storeRecords(store, [{ amount: 1e308 }, { amount: 1e308 }]);
    const figures: Figure[] = [sum("amount"), { op: "avg", path: "amount" }];
    assert.deepEqual((await rowsOf(records, { figures }))[0]![0], null);
    assert.deepEqual(await rowsOf(records, { figures: [{ op: "max", path: "amount" }] }), [[
      1e308,
    ]]);
  },

  "a repeated hour is two groups, and half-hour zones have their own hours": async (store) => {
    const records = await storeRecords(store, [
      { at: "2026-10-25T00:30:00.000Z" }, // 02:30 in summer time,
      { at: "2026-10-25T01:30:00.000Z" }, // and again in standard time.
    ]);
    const hours = (zone: string) => rowsOf(records, { keys: [of("at", "hour", zone)] });
    assert.deepEqual(await hours("Europe/Berlin"), [
      ["2026-10-25T00:00:00.000Z", 1],
      ["2026-10-25T01:00:00.000Z", 1],
    ]);
    assert.deepEqual(await hours("Asia/Kolkata"), [
      ["2026-10-25T00:30:00.000Z", 1],
      ["2026-10-25T01:30:00.000Z", 1],
    ]);
  },

  "days, weeks, months and years begin when they begin in the zone": async (
    store,
  ) => {
    const records = await storeRecords(store, [
      { at: "2026-03-28T22:59:59.999Z" },
      { at: "2026-03-28T23:00:00.000Z" }, // Sunday 29 March, which has 23 hours in Berlin.
      { at: "2026-03-29T21:59:59.999Z" },
      { at: "2026-03-29T22:00:00.000Z" }, // Monday.
      { at: "1969-12-31T23:30:00.000Z" },
    ]);
    const grouped = (unit: Bucket) => rowsOf(records, { keys: [of("at", unit, "Europe/Berlin")] });
    assert.deepEqual(await grouped("day"), [
      ["1969-12-31T23:00:00.000Z", 1],
      ["2026-03-27T23:00:00.000Z", 1],
      ["2026-03-28T23:00:00.000Z", 2],
      ["2026-03-29T22:00:00.000Z", 1],
    ]);
    assert.deepEqual(await grouped("week"), [
      ["1969-12-28T23:00:00.000Z", 1],
      ["2026-03-22T23:00:00.000Z", 3],
      ["2026-03-29T22:00:00.000Z", 1],
    ]);
    assert.deepEqual(await grouped("month"), [
      ["1969-12-31T23:00:00.000Z", 1],
      ["2026-02-28T23:00:00.000Z", 4],
    ]);
    assert.deepEqual(await grouped("year"), [
      ["1969-12-31T23:00:00.000Z", 1],
      ["2025-12-31T23:00:00.000Z", 4],
    ]);
  },

  "the limit cuts the sorted groups and reports that there are more": async (store) => {
    const records = await storeRecords(
      store,
      upTo(30).map((n) => ({ group: `g${n % 10}`, amount: n })),
    );
    const query = ask({
      keys: [of("group")],
      figures: [sum("amount")],
      sort: [{ of: "figure", index: 0, descending: true }],
    });
    const three = await records.aggregate({ ...query, limit: 3 });
    assert.deepEqual(three.groups.map(({ keys }) => keys[0]), ["g9", "g8", "g7"]);
    assert.equal(three.more, true);
    const ten = await records.aggregate({ ...query, limit: 10 });
    assert.equal(ten.groups.length, 10);
    assert.equal(ten.more, false);
  },

  "keys that exceed the allowed bytes are a PageTooLarge": async (store) => {
    const long = "x".repeat(1_000);
    const records = await storeRecords(store, upTo(20).map((n) => ({ group: `${long}${n}` })));
    const query = ask({ keys: [of("group")] });
    await assert.rejects(() => records.aggregate({ ...query, bytesMax: 10_000 }), PageTooLarge);
    const { groups } = await records.aggregate({ ...query, limit: 5, bytesMax: 10_000 });
    assert.equal(groups.length, 5);
  },

  "groups within a transaction see its changes, and others do not": async (store) => {
    const space = newSpace();
    const records = store.engine.records(space, SHAPE);
    await records.insert({ _id: id(1), group: "a", isDeleted: false });
    await store.engine.transaction(space, async (tx) => {
      await tx.records(SHAPE).insert({ _id: id(2), group: "a", isDeleted: false });
      const inside = await tx.records(SHAPE).aggregate(ask({ keys: [of("group")] }));
      assert.deepEqual(inside.groups, [{ keys: ["a"], figures: [2] }]);
      assert.deepEqual(await rowsOf(records, { keys: [of("group")] }), [["a", 1]]);
    });
    assert.deepEqual(await rowsOf(records, { keys: [of("group")] }), [["a", 2]]);
  },
};
