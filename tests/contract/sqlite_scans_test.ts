/** Reads that scan many rows in a thread: the same results, and limits on them. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { QueryTooSlow, StoreUnavailable } from "@/lib/store/errors.ts";
import { ALL, and, compare, eq } from "@/lib/store/filter.ts";
import type { Filter, Records } from "@/lib/store/port.ts";
import type { SqliteOptions } from "@/lib/store/sqlite/engine.ts";
import { arrayIndexCases } from "./array_indexes.ts";
import { aggregatingCases } from "./aggregating.ts";
import { pathCases } from "./comparison_paths.ts";
import { comparisonCases } from "./comparison.ts";
import { id, idsOf, keys, newSpace, regex, trashDefinition, upTo } from "./fixtures.ts";
import { keysetCases } from "./keyset.ts";
import { listingCases } from "./listing.ts";
import { pageBytesCases } from "./page_bytes.ts";
import { searchCases } from "./searching.ts";
import { referringCases } from "./referring.ts";
import { openFolder, retryWhileSlow } from "./sqlite_folder.ts";
import { recordsContract, type Store } from "./suite.ts";
import { until } from "../acceptance/until.ts";
import { SLOW_PATTERN, slowText } from "../support/slow_pattern.ts";

const themes = [
  arrayIndexCases,
  comparisonCases,
  pathCases,
  listingCases,
  keysetCases,
  pageBytesCases,
  searchCases,
  aggregatingCases,
  referringCases,
];

recordsContract("sqlite, in another thread", { open: () => openFolder({ rowsMax: 0 }), themes });

recordsContract("sqlite, handed over", { open: () => openFolder({ rowsMax: 3 }), themes });

const SHAPE = trashDefinition({
  fields: { n: { type: "Number" }, text: { type: "String" }, group: { type: "String" } },
  indexes: [{ keys: keys("group") }],
});

const LIVE = eq("isDeleted", false);
/** A condition that takes about 10 ms for each record. */
const HEAVY = regex("text", SLOW_PATTERN);
/** Time limit in milliseconds, longer than these tests take on a busy machine. */
const LONG = 600_000;

async function heavy(
  { engine }: Store,
  rows = 1_000,
): Promise<{ space: string; records: Records }> {
  const space = newSpace();
  const records = engine.records(space, SHAPE);
  await records.insertMany(
    upTo(rows).map((n) => ({ _id: id(n), n, text: slowText(n), isDeleted: false })),
  );
  return { space, records };
}

const open = (options: Partial<SqliteOptions>) => openFolder({ rowsMax: 0, ...options });

const tooSlow = (index: string | null) => (error: unknown): true => {
  assert.ok(error instanceof QueryTooSlow, `expected a QueryTooSlow, got ${error}`);
  assert.equal(error.index, index);
  return true;
};

/** Reports whether the promise has settled, and handles its rejection. */
function watch(promise: Promise<unknown>): { readonly settled: boolean } {
  const state = { settled: false };
  const settle = () => void (state.settled = true);
  promise.then(settle, settle);
  return state;
}

Deno.test("a query past its limit is QueryTooSlow, names the index, and keeps no lock", async () => {
  await using store = await open({ queryTimeLimitMs: 200 });
  const { space, records } = await heavy(store);
  const list = { filter: and(LIVE, HEAVY), sort: keys("n"), limit: 10 };
  await assert.rejects(() => records.list(list), tooSlow("n"));
  await assert.rejects(() => records.count(and(LIVE, HEAVY)), tooSlow(null));
  await assert.rejects(() => records.count(and(LIVE, HEAVY, eq("n", 1))), tooSlow("n"));
  await records.updateOne(eq("_id", id(1)), { set: { text: "y" } });
  const next = await retryWhileSlow(() => records.count(compare("n", "lt", 7)));
  assert.equal(next, 7, "the next query is served");
  const db = new DatabaseSync(`${store.address.slice("sqlite:".length)}/projects/${space}.db`);
  // A thread detects its end after it has processed a text.
  const isFree = () => db.prepare("pragma wal_checkpoint(truncate)").get()?.busy === 0;
  await until("nothing is locked", isFree);
  db.close();
});

Deno.test("other reads and writes succeed while a slow query runs", async () => {
  const store = await open({ queryTimeLimitMs: LONG });
  const { records } = await heavy(store);
  const slow = records.count(HEAVY);
  const state = watch(slow);
  for (const n of upTo(20)) {
    assert.equal((await records.get(id(n)))?.value.n, n);
    await records.updateOne(eq("_id", id(n)), { set: { text: "short" } });
  }
  assert.equal(state.settled, false);
  await store[Symbol.asyncDispose]();
  await assert.rejects(slow, StoreUnavailable);
});

Deno.test("short queries overtake long ones of any project", async () => {
  const store = await open({ queryTimeLimitMs: LONG });
  const { records } = await heavy(store);
  const other = (await heavy(store, 50)).records;
  const long = [records.count(HEAVY), records.count(HEAVY), other.count(and(HEAVY, HEAVY))];
  const state = watch(long[0]!);
  for (const n of upTo(10)) {
    assert.equal(await other.count(compare("n", "lt", n)), n);
    assert.equal(await records.count(compare("n", "lt", n)), n);
  }
  assert.equal(state.settled, false);
  const ended = Promise.allSettled(long);
  await store[Symbol.asyncDispose]();
  await ended;
});

Deno.test("concurrent long queries all finish", async () => {
  await using store = await open({ queryTimeLimitMs: LONG });
  const { records } = await heavy(store, 60);
  const other = (await heavy(store, 50)).records;
  const long = [records.count(HEAVY), other.count(HEAVY), records.count(HEAVY)];
  const states = long.map(watch);
  while (!states.every(({ settled }) => settled)) {
    assert.equal(await other.count(compare("n", "lt", 5)), 5);
  }
  assert.deepEqual(await Promise.all(long), [0, 0, 0]);
});

Deno.test("more than 128 concurrent queries of a project are QueryTooSlow, others are served", async () => {
  const store = await open({ queryTimeLimitMs: LONG });
  const { records } = await heavy(store);
  const other = (await heavy(store, 50)).records;
  const outcomes = upTo(150).map((n) => {
    const filter: Filter = and(HEAVY, compare("n", "gte", n - 1_000));
    return records.count(filter).then(() => "counted", (error: Error) => error.name);
  });
  assert.equal(await other.count(ALL), 50);
  await store[Symbol.asyncDispose]();
  const names = await Promise.all(outcomes);
  assert.equal(names.filter((name) => name === "StoreUnavailable").length, 128);
  assert.equal(names.filter((name) => name === "QueryTooSlow").length, 22);
});

Deno.test("disposing ends all running and waiting queries, and later ones are refused", async () => {
  const store = await open({ queryTimeLimitMs: LONG });
  const { records } = await heavy(store);
  const queries = [
    records.count(HEAVY),
    records.list({ filter: HEAVY, sort: keys("n"), limit: 5 }),
  ];
  const ended = Promise.allSettled(queries);
  await store[Symbol.asyncDispose]();
  for (const result of await ended) {
    assert.ok(result.status === "rejected" && result.reason instanceof StoreUnavailable);
  }
});

Deno.test("a query gives the same result in a thread and without one, also when repeated", async () => {
  await using plain = await openFolder();
  await using handing = await openFolder({ rowsMax: 200 });
  const all = [];
  const shape = { ...SHAPE, indexes: [...SHAPE.indexes, { keys: keys("n") }] };
  for (const { engine } of [plain, handing]) {
    const records = engine.records(newSpace(), shape);
    await records.insertMany(
      upTo(2_500).map((n) => ({
        _id: id(n),
        n: (n * 7919) % 2_503,
        group: n % 5 === 0 ? "common" : `rare${n % 500}`,
        isDeleted: n % 9 === 0,
      })),
    );
    const answers: unknown[] = [];
    for (const group of ["common", "rare3", "common", "rare3", "none"]) {
      const filter = and(LIVE, eq("group", group));
      for (const again of [filter, { ...filter }, filter]) {
        for (const sort of [keys("-n"), keys("group"), keys("-text")]) {
          const page = await records.list({ filter: again, sort, limit: 20, total: true });
          answers.push(idsOf(page), page.total, page.more, page.first(), page.last());
          const from = page.last();
          if (from === null) continue;
          answers.push(idsOf(await records.list({ filter: again, sort, limit: 20, from })));
        }
        const far = await records.list({ filter: ALL, sort: keys("group"), limit: 9, offset: 900 });
        answers.push(await records.count(again), idsOf(far));
      }
    }
    all.push(answers);
  }
  assert.deepEqual(all[1], all[0]);
});

Deno.test("few matches of an indexed field are sought by it, whatever the sort", async () => {
  await using store = await openFolder({ rowsMax: 500 });
  const shape = { ...SHAPE, indexes: [...SHAPE.indexes, { keys: keys("n") }] };
  const records = store.engine.records(newSpace(), shape);
  await records.insertMany(
    upTo(8_000).map((n) => ({
      _id: id(n),
      n,
      group: n % 1_000 === 0 ? "rare" : "common",
      isDeleted: false,
    })),
  );
  const list = { sort: keys("-n"), limit: 20, total: true };
  const rare = { ...list, filter: and(LIVE, eq("group", "rare")) };
  const found = await records.list(rare);
  assert.deepEqual(idsOf(found), upTo(8).map((n) => id((7 - n) * 1_000)));
  assert.equal(found.total, 8);
  assert.deepEqual(await records.explain(rare), {
    index: keys("group"),
    examined: 8,
    advice: null,
  });
  const common = { ...list, filter: and(LIVE, eq("group", "common")) };
  assert.equal((await records.list(common)).total, 7_992);
  assert.deepEqual((await records.explain(common)).index, keys("n"));
});
