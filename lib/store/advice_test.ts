import assert from "node:assert/strict";
import { advise } from "./advice.ts";
import { ALL, and, compare, eq, not, or, within } from "./filter.ts";
import type { Definition, Filter, SortKey } from "./port.ts";

const keys = (...paths: string[]): SortKey[] =>
  paths.map((path) => ({ path: path.replace("-", ""), descending: path.startsWith("-") }));

const SHAPE: Definition = {
  name: "things",
  fields: {
    led: { type: "String" },
    second: { type: "Number" },
    code: { type: "String" },
    a: { type: "String" },
    b: { type: "Number" },
    place: { type: "Object", fields: { city: { type: "String" } } },
    list: { type: "Array" },
    day: { type: "Date" },
    isDeleted: { type: "Boolean" },
  },
  indexes: [{ keys: keys("led", "second") }, { keys: keys("code"), unique: true }],
  trash: true,
  expiry: "day",
};

const LIVE = eq("isDeleted", false);

function assertAdvice(expected: string | null, filter: Filter, ...sort: string[]): void {
  const query = { filter: and(LIVE, filter), sort: keys(...sort) };
  assert.equal(advise(SHAPE, query), expected, JSON.stringify(query));
}

Deno.test("a field that the filter fixes and no index leads with is advised, the first one", () => {
  assertAdvice("a", eq("a", "x"));
  assertAdvice("a", within("a", ["x", "y"]), "led");
  assertAdvice("b", and(compare("a", "gt", "x"), eq("b", 1), eq("place.city", "y")));
  assertAdvice("place.city", eq("place.city", "x"), "b");
  assertAdvice("second", eq("second", 1));
  assertAdvice("a", and(eq("led", "x"), eq("a", "y")));
});

Deno.test("then a range, if nothing is fixed", () => {
  assertAdvice("b", and(compare("b", "gte", 1), compare("b", "lt", 5)), "a");
  assertAdvice(null, and(eq("led", "x"), compare("b", "gt", 1)), "a");
  assertAdvice(null, compare("led", "gt", "x"), "a");
  assertAdvice(null, compare("day", "lt", "2026-01-01T00:00:00.000Z"));
});

Deno.test("then the first key of the sort, if nothing is looked up", () => {
  assertAdvice("a", ALL, "-a", "b");
  assertAdvice("a", not(eq("b", 1)), "a");
  for (const sort of ["led", "-code", "_id", "day"]) assertAdvice(null, ALL, sort);
  assertAdvice(null, ALL);
});

Deno.test("what an index cannot look up is not advised", () => {
  assertAdvice(null, compare("a", "ne", "x"));
  assertAdvice(null, not(eq("a", "x")));
  assertAdvice(null, or(eq("a", "x"), eq("b", 1)));
  assertAdvice(null, { op: "regex", path: "a", pattern: "^x" });
  assertAdvice(null, { op: "exists", path: "a", value: true });
  assertAdvice(null, eq("list", "x"));
  assertAdvice(null, eq("undeclared", "x"));
  assertAdvice(null, eq("place", null));
});

Deno.test("what is found by its id, or by an index, needs no other", () => {
  assertAdvice(null, and(eq("_id", "1"), eq("a", "x")));
  assertAdvice(null, eq("code", "x"), "a");
  assertAdvice(null, eq("led", "x"), "a");
});

Deno.test("the side of the trash is in every index, and never advised", () => {
  assert.equal(advise(SHAPE, { filter: LIVE, sort: keys("led") }), null);
  const without = { ...SHAPE, trash: false };
  assert.equal(advise(without, { filter: LIVE, sort: keys("led") }), "isDeleted");
});
