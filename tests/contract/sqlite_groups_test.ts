/** Groups and reverse references over many records on SQLite: query plans and waiting times. */

import assert from "node:assert/strict";
import { QueryTooSlow } from "@/lib/store/errors.ts";
import { and, eq } from "@/lib/store/filter.ts";
import type { Aggregation, Definition, ReferrerQuery } from "@/lib/store/port.ts";
import { Connection } from "@/lib/store/sqlite/connection.ts";
import { sql } from "@/lib/store/sqlite/fragment.ts";
import { aggregateSql } from "@/lib/store/sqlite/aggregate_sql.ts";
import { planQuery } from "@/lib/store/sqlite/plan.ts";
import { referrersSql } from "@/lib/store/sqlite/referrers_sql.ts";
import { SLOW_PATTERN, slowText } from "../support/slow_pattern.ts";
import { id, keys, newSpace, regex, trashDefinition, upTo } from "./fixtures.ts";
import { openFolder, retryWhileSlow } from "./sqlite_folder.ts";

const FIELDS = {
  n: { type: "Number" },
  text: { type: "String" },
  group: { type: "String" },
  post: { type: "Ref" },
} as const;

const SHAPE = trashDefinition({
  fields: FIELDS,
  indexes: [{ keys: keys("group") }, { keys: keys("post", "-n") }],
});

const LIVE = eq("isDeleted", false);

const byGroup: Aggregation = {
  filter: LIVE,
  keys: [{ path: "group" }],
  figures: [{ op: "count" }],
  sort: [],
  limit: 1000,
};

const ofPosts: ReferrerQuery = {
  path: "post",
  ids: [id(1), id(2)],
  filter: LIVE,
  sort: keys("-n"),
  limit: 100,
};

/** Returns the steps of the query plans of groups and referrers, with an index of this shape. */
async function plans(shape: Definition): Promise<Record<"groups" | "referrers", string>> {
  await using store = await openFolder();
  const space = newSpace();
  await store.engine.records(space, shape).insertMany(
    upTo(500).map((n) => ({ _id: id(n + 1), n, group: `g${n % 9}`, isDeleted: false })),
  );
  const path = `${store.address.slice("sqlite:".length)}/projects/${space}.db`;
  const db = new Connection(path, "normal");
  const planOf = (statement: string) =>
    db.all(sql(`explain query plan ${statement}`)).map((row) => row[3]).join("; ");
  const found = {
    groups: planOf(aggregateSql(planQuery(shape, { filter: byGroup.filter }), byGroup).sql),
    referrers: planOf(referrersSql(planQuery(shape, ofPosts), ofPosts).sql),
  };
  db.close();
  return found;
}

Deno.test("an index over the field of a group counts it without sorting or reading rows", async () => {
  const { groups } = await plans(SHAPE);
  assert.match(groups, /USING COVERING INDEX/);
  assert.doesNotMatch(groups, /TEMP B-TREE/);
});

Deno.test("an index over a reference finds the referrers of each id; without one all rows are read", async () => {
  const alone = trashDefinition({
    fields: FIELDS,
    indexes: [{ keys: keys("post") }, { keys: keys("n") }],
  });
  for (const shape of [SHAPE, alone]) {
    const { referrers } = await plans(shape);
    assert.match(
      referrers,
      /CORRELATED .*SEARCH r_things .*\(post[^)]*\) \(\.is\^deleted=\? AND \.post=\?\)/,
    );
  }
  const without = (await plans(trashDefinition({ fields: FIELDS }))).referrers;
  assert.doesNotMatch(without, /CORRELATED/);
});

Deno.test("groups and references past the limit are QueryTooSlow, and name the field", async () => {
  await using store = await openFolder({ queryTimeLimitMs: 200, rowsMax: 0 });
  const records = store.engine.records(newSpace(), SHAPE);
  await records.insertMany(
    upTo(1_000).map((n) => ({ _id: id(n), n, post: id(1), text: slowText(n), isDeleted: false })),
  );
  const filter = and(LIVE, regex("text", SLOW_PATTERN));
  const tooSlow = (path: string | null) => (error: unknown): true => {
    assert.ok(error instanceof QueryTooSlow, `expected a QueryTooSlow, got ${error}`);
    assert.equal(error.index, path);
    return true;
  };
  const byNumber = { ...byGroup, filter, keys: [{ path: "n" }] };
  await assert.rejects(() => records.aggregate(byNumber), tooSlow("n"));
  await assert.rejects(() => records.aggregate({ ...byGroup, filter }), tooSlow(null));
  await assert.rejects(() => records.referrers({ ...ofPosts, filter }), tooSlow(null));
  const { groups } = await retryWhileSlow(() => records.aggregate(byGroup));
  assert.deepEqual(groups, [{ keys: [null], figures: [1_000] }], "the next query succeeds");
});

const ROWS = 100_000;
/** Milliseconds that other requests may wait. A busy machine exceeds it at most twice in a row. */
const DELAY_MS_MAX = 100;

/** Returns the longest wait of another task during the work, in milliseconds. */
async function longestWait(work: () => Promise<unknown>): Promise<number> {
  let [longest, last] = [0, performance.now()];
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  await work();
  clearInterval(timer);
  return longest;
}

Deno.test("a thousand groups of a hundred thousand records do not block other requests", async () => {
  await using store = await openFolder();
  const records = store.engine.records(newSpace(), SHAPE);
  for (let from = 0; from < ROWS; from += 10_000) {
    await records.insertMany(
      upTo(10_000).map((n) => ({
        _id: id(from + n),
        n: (from + n) % 1_500,
        post: id(n % 50),
        isDeleted: false,
      })),
    );
  }
  const grouped: Aggregation = {
    ...byGroup,
    keys: [{ path: "n" }, { path: "post" }],
    figures: [{ op: "count" }, { op: "sum", path: "n" }],
    sort: [{ of: "figure", index: 1, descending: true }],
  };
  const unindexed = { ...ofPosts, filter: and() };
  const asked = () => Promise.all([records.aggregate(grouped), records.referrers(unindexed)]);
  const [answer, referrers] = await asked();
  assert.equal(answer.groups.length, 1_000);
  assert.equal(answer.more, true);
  assert.equal(referrers.get(id(1))!.length, 100);
  const waits: number[] = [];
  do waits.push(await longestWait(asked)); while (
    waits.at(-1)! >= DELAY_MS_MAX && waits.length < 3
  );
  assert.ok(waits.at(-1)! < DELAY_MS_MAX, `others waited ${waits.map(Math.round)} ms`);
});
