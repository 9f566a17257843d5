import assert from "node:assert/strict";
import { and, compare, eq, not, or, within } from "../store/filter.ts";
import type { Filter } from "../store/port.ts";
import { compileCollection } from "./collection.ts";
import { parseDefinition } from "./definition.ts";
import { questionShape } from "./question_shape.ts";

const definition = parseDefinition({
  name: "posts",
  fields: [
    { key: "status", type: "String" },
    { key: "views", type: "Number" },
    { key: "meta", type: "Object", fields: [{ key: "lang", type: "String" }] },
  ],
});
const COLLECTION = compileCollection(definition);

const shapeOf = (filter: Filter, collection = COLLECTION) =>
  questionShape(collection, { filter, sort: [], total: "exact" });

const filterOf = (filter: Filter): unknown => JSON.parse(shapeOf(filter).filter);

function assertSame(...filters: Filter[]): void {
  assert.equal(new Set(filters.map((filter) => shapeOf(filter).key)).size, 1);
}

Deno.test("questionShape ignores values, their number and the order of conditions", () => {
  assertSame(and(eq("status", "a"), compare("views", "gt", 1)), {
    op: "and",
    of: [compare("views", "gt", 99), eq("status", "b"), compare("views", "gt", 2)],
  });
  assertSame(within("status", ["a"]), within("status", ["b", "c"]));
  assertSame(or(eq("status", "a"), eq("views", 1)), or(eq("views", 2), eq("status", null)));
});

Deno.test("questionShape distinguishes fields, operators, connectives, sorts and totals", () => {
  const filters = [
    eq("status", "a"),
    eq("views", "a"),
    compare("status", "gt", "a"),
    within("status", ["a"]),
    not(eq("status", "a")),
    and(eq("status", "a"), eq("views", 1)),
    or(eq("status", "a"), eq("views", 1)),
  ];
  assert.equal(new Set(filters.map((filter) => shapeOf(filter).key)).size, filters.length);
  const filter = eq("status", "a");
  const sort = [{ path: "views", descending: true }];
  const keys = [
    questionShape(COLLECTION, { filter, sort: [], total: "exact" }),
    questionShape(COLLECTION, { filter, sort, total: "exact" }),
    questionShape(COLLECTION, { filter, sort, total: "only" }),
    shapeOf(filter, compileCollection(definition)),
  ].map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length);
});

Deno.test("questionShape replaces undeclared names by *", () => {
  const pathOf = (path: string) => (filterOf(eq(path, 1)) as { path: string }).path;
  for (const path of ["status", "meta", "meta.lang", "_id", "createdAt", "isDeleted"]) {
    assert.equal(pathOf(path), path);
  }
  for (const path of ["secret", "secret.lang", "__proto__", "toString", "meta-lang"]) {
    assert.equal(pathOf(path), "*", path);
  }
  assert.equal(pathOf("meta.secret"), "meta.*");
  assert.equal(pathOf("status.secret"), "status.*");
});

Deno.test("questionShape removes the values of all kinds of conditions", () => {
  const filter = and(
    eq("status", "hunter2"),
    within("status", ["hunter2"]),
    { op: "nin", path: "status", values: ["hunter2", "hunter3"] },
    { op: "regex", path: "status", pattern: "hunter2" },
    { op: "exists", path: "status", value: true },
    { op: "revision", value: 4_815 },
    not(or(compare("views", "lte", 4_815), eq("hunter2", "hunter2"))),
  );
  assert.doesNotMatch(JSON.stringify(shapeOf(filter)), /hunter|4815/);
  assert.deepEqual(filterOf({ op: "nin", path: "status", values: ["a", "b"] }), {
    op: "nin",
    path: "status",
    values: ["?"],
  });
  assert.deepEqual(filterOf(not(eq("status", "a"))), {
    op: "not",
    of: { op: "eq", path: "status", value: "?" },
  });
});
