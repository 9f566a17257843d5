import assert from "node:assert/strict";
import { adviseIndex, adviseIndexIfSlow, adviseIndexText } from "./advice.ts";
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
    deletedAt: { type: "Date" },
  },
  indexes: [{ keys: keys("led", "second") }, { keys: keys("code"), unique: true }],
  trash: true,
  expiry: "day",
};

const LIVE = eq("isDeleted", false);

function assertAdvice(expected: string | null, filter: Filter, ...sort: string[]): void {
  const query = { filter: and(LIVE, filter), sort: keys(...sort) };
  assert.equal(adviseIndexText(SHAPE, query), expected, JSON.stringify(query));
}

Deno.test("advised keys begin with equality fields, and those that lead an index come first", () => {
  assertAdvice("a", eq("a", "x"));
  assertAdvice("second", eq("second", 1));
  assertAdvice("b,place.city", and(eq("b", 1), eq("place.city", "y")));
  assertAdvice("led,a", and(eq("a", "y"), eq("led", "x")));
  assertAdvice("a", and(eq("a", "x"), eq("a", "y")));
  const five = ["a", "b", "place.city", "second", "led"].map((path) => eq(path, "x"));
  assertAdvice("led,a,b,place.city", and(...five), "-code");
});

Deno.test("the sort follows, without equality fields and fields that cannot be indexed", () => {
  assertAdvice("place.city,b", eq("place.city", "x"), "b");
  assertAdvice("a,-b,second", eq("a", "x"), "-b", "a", "second");
  assertAdvice("a,-b", eq("a", "x"), "-b", "_id", "second");
  assertAdvice("a", eq("a", "x"), "deletedAt", "b");
  assertAdvice("led,a", eq("led", "x"), "a");
  assertAdvice("a", within("a", ["x", "y"]), "led");
  assertAdvice("a", within("undeclared", ["x", "y"]), "a");
});

Deno.test("a range field takes precedence over a different sort", () => {
  assertAdvice("b", and(compare("b", "gte", 1), compare("b", "lt", 5)), "a");
  assertAdvice("led,b", and(eq("led", "x"), compare("b", "gt", 1)), "a");
  assertAdvice("b,place.city,a", and(compare("a", "gt", "x"), eq("b", 1), eq("place.city", "y")));
  assertAdvice("a,-b,second", and(eq("a", "x"), compare("b", "gt", 1)), "-b", "second");
  assertAdvice("a", and(within("a", ["x"]), compare("a", "gt", "b")), "b");
});

Deno.test("only the sort is advised if no condition can use an index", () => {
  assertAdvice("a", ALL, "-a");
  assertAdvice("-a,b", ALL, "-a", "b");
  assertAdvice("a", not(eq("b", 1)), "a");
  for (const sort of ["led", "-led", "-code", "_id", "day", "deletedAt"]) {
    assertAdvice(null, ALL, sort);
  }
  assertAdvice(null, ALL);
});

Deno.test("no index is advised if an existing one begins with the advised keys", () => {
  assertAdvice(null, eq("led", "x"));
  assertAdvice(null, eq("led", "x"), "second");
  assertAdvice(null, eq("led", "x"), "-second");
  assertAdvice(null, and(eq("second", 1), eq("led", "x")), "led");
  assertAdvice(null, and(eq("led", "x"), compare("second", "gt", 1)), "a");
  assertAdvice(null, compare("led", "gt", "x"));
  assertAdvice(null, and(compare("a", "gt", "x"), compare("led", "lt", "y")), "b");
  assertAdvice(null, compare("day", "lt", "2026-01-01T00:00:00.000Z"));
  assertAdvice(null, ALL, "led", "second");
  assertAdvice(null, ALL, "-led", "-second");
  assertAdvice("led,-second", ALL, "led", "-second");
});

Deno.test("conditions that cannot use an index are not advised", () => {
  assertAdvice(null, compare("a", "ne", "x"));
  assertAdvice(null, not(eq("a", "x")));
  assertAdvice(null, or(eq("a", "x"), eq("b", 1)));
  assertAdvice(null, { op: "regex", path: "a", pattern: "^x" });
  assertAdvice(null, { op: "exists", path: "a", value: true });
  assertAdvice(null, eq("list", "x"));
  assertAdvice(null, eq("undeclared", "x"));
  assertAdvice(null, eq("place", null));
});

Deno.test("no index is advised for a lookup by id or by a unique index", () => {
  assertAdvice(null, and(eq("_id", "1"), eq("a", "x")));
  assertAdvice(null, eq("code", "x"), "a");
  assertAdvice(null, and(eq("a", "x"), within("code", ["x", "y"])), "b");
});

Deno.test("the trash flag is part of every index and never advised", () => {
  assert.equal(adviseIndex(SHAPE, { filter: LIVE, sort: keys("led") }), null);
  const without = { ...SHAPE, trash: false };
  assert.deepEqual(
    adviseIndex(without, { filter: LIVE, sort: keys("led") }),
    keys("isDeleted", "led"),
  );
});

Deno.test("no longer index is advised if the list is known to examine few records", () => {
  const query = { filter: and(LIVE, eq("led", "x")), sort: keys("a") };
  assert.equal(adviseIndexIfSlow(SHAPE, query, 1_000), null);
  assert.deepEqual(adviseIndexIfSlow(SHAPE, query, 1_001), keys("led", "a"));
  const unserved = { filter: and(LIVE, eq("a", "x")), sort: keys("b") };
  assert.deepEqual(adviseIndexIfSlow(SHAPE, unserved, 1), keys("a", "b"));
});
