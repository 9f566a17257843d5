import assert from "node:assert/strict";
import { ALL, and, compare, eq, not, or, within } from "../filter.ts";
import type { Definition, Filter, SortKey } from "../port.ts";
import { isCountedByIndex, looksIntoDocuments, planQuery, SERVED_OFFSET_MAX } from "./plan.ts";

const keys = (...paths: string[]): SortKey[] =>
  paths.map((path) => ({ path: path.replace("-", ""), descending: path.startsWith("-") }));

const SHAPE: Definition = {
  name: "things",
  fields: {
    owner: { type: "String" },
    rank: { type: "Number" },
    code: { type: "String" },
    list: { type: "Array" },
    isDeleted: { type: "Boolean" },
  },
  indexes: [
    { keys: keys("rank") },
    { keys: keys("owner", "-rank") },
    { keys: keys("code"), unique: true },
  ],
  trash: true,
};

const LIVE = eq("isDeleted", false);
const MINE = and(LIVE, eq("owner", "o"));

const served = (filter: Filter, sort: readonly string[], offset?: number): boolean =>
  planQuery(SHAPE, { filter, sort: keys(...sort), ...(offset !== undefined && { offset }) })
    .isServed;

Deno.test("a list in the order of an index, in either direction, is served by it", () => {
  for (const filter of [LIVE, eq("isDeleted", true), ALL]) {
    assert.ok(served(filter, ["rank"]));
    assert.ok(served(filter, ["-rank"]));
    assert.ok(served(filter, ["rank", "_id"]));
    assert.ok(served(filter, ["owner", "-rank"]));
    assert.ok(served(filter, ["-owner", "rank"]));
  }
  assert.ok(served(MINE, ["-rank"]));
  assert.ok(served(MINE, ["rank"]));
});

Deno.test("a list in another order is not served by an index", () => {
  assert.ok(!served(LIVE, []));
  assert.ok(!served(LIVE, ["owner"]));
  assert.ok(!served(LIVE, ["owner", "rank"]));
  assert.ok(!served(LIVE, ["rank", "-_id"]));
  assert.ok(!served(LIVE, ["rank", "owner"]));
  assert.ok(!served(LIVE, ["code"]));
  assert.ok(!served(MINE, ["owner", "rank"]));
});

Deno.test("a list is not served by an index that contains other records, too", () => {
  assert.ok(!served(and(LIVE, eq("code", "c")), ["rank"]));
  assert.ok(!served(and(MINE, eq("code", "c")), ["rank"]));
  assert.ok(!served(and(LIVE, compare("rank", "gt", 1)), ["rank"]));
  assert.ok(!served(and(LIVE, within("owner", ["o"])), ["rank"]));
  assert.ok(!served(or(LIVE, eq("owner", "o")), ["rank"]));
  assert.ok(!served(and(LIVE, eq("list", 1)), ["rank"]));
  assert.ok(!served(and(MINE, eq("owner", "p")), ["rank"]));
});

Deno.test("a list with a large offset is not served by an index", () => {
  assert.ok(served(LIVE, ["rank"], SERVED_OFFSET_MAX));
  assert.ok(!served(LIVE, ["rank"], SERVED_OFFSET_MAX + 1));
});

Deno.test("a condition reads documents unless its field has a column or an index", () => {
  const declared = [
    eq("isDeleted", false),
    eq("owner", "a"),
    compare("rank", "gt", 1),
    within("_id", ["a"]),
    ALL,
  ];
  for (const filter of declared) assert.equal(looksIntoDocuments(SHAPE, filter), false);
  const others: Filter[] = [
    eq("list", "b"),
    eq("unknown", 1),
    { op: "exists", path: "rank", value: true },
  ];
  for (const filter of others) {
    assert.equal(looksIntoDocuments(SHAPE, filter), true);
    const among = and(...declared, or(eq("rank", 1), not(filter)));
    assert.equal(looksIntoDocuments(SHAPE, among), true);
  }
  const ours = { ...SHAPE, trash: false };
  assert.equal(looksIntoDocuments(ours, eq("rank", 1)), false, "an index has it");
  assert.equal(looksIntoDocuments(ours, eq("isDeleted", false)), true);
});

const isCounted = (filter: Filter): boolean => isCountedByIndex(planQuery(SHAPE, { filter }));

const isLiveCounted = (...of: Filter[]): boolean => isCounted(and(LIVE, ...of));

Deno.test("a count is served by an index in which all counted entries are adjacent", () => {
  assert.ok(isLiveCounted(eq("owner", "o")));
  assert.ok(isLiveCounted(eq("owner", "o"), eq("rank", 1)));
  assert.ok(isLiveCounted(eq("rank", 1)));
  assert.ok(isLiveCounted(compare("rank", "gt", 1)));
  assert.ok(isLiveCounted(compare("rank", "gte", 1), compare("rank", "lt", 2)));
  assert.ok(isLiveCounted(eq("owner", "o"), compare("rank", "lte", 2)));
});

Deno.test("a count is not served by an index that may contain other entries", () => {
  assert.ok(!isCounted(eq("owner", "o")), "of both sides of the trash");
  assert.ok(!isLiveCounted(eq("code", "c")), "by an index that has only some");
  assert.ok(!isLiveCounted(eq("list", 1)), "by none");
  assert.ok(!isLiveCounted(eq("owner", "o"), eq("code", "c")));
  assert.ok(!isLiveCounted(eq("owner", "o"), eq("owner", "p")));
  assert.ok(!isLiveCounted(compare("rank", "gt", 1), compare("rank", "gte", 2)));
  assert.ok(!isLiveCounted(eq("rank", 1), compare("rank", "gt", 0)));
  assert.ok(!isLiveCounted(compare("owner", "gt", "o"), compare("rank", "gt", 1)));
  assert.ok(!isLiveCounted(compare("owner", "gt", "o"), eq("rank", 1)));
  assert.ok(!isLiveCounted(within("owner", ["o"])));
  assert.ok(!isLiveCounted(not(eq("owner", "o"))));
  assert.ok(!isLiveCounted(or(eq("owner", "o"), eq("owner", "p"))));
});
