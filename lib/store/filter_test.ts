import assert from "node:assert/strict";
import { ALL, and, compare, eq, not, or, within } from "./filter.ts";

const A = eq("a", 1);
const B = compare("b", "gt", 2);
const C = within("c", [3, null]);

Deno.test("builders create the condition that they are named after", () => {
  assert.deepEqual(A, { op: "eq", path: "a", value: 1 });
  assert.deepEqual(B, { op: "gt", path: "b", value: 2 });
  assert.deepEqual(C, { op: "in", path: "c", values: [3, null] });
  assert.deepEqual(not(A), { op: "not", of: A });
});

Deno.test("and() matches everything, and and(x) is x", () => {
  assert.deepEqual(ALL, { op: "and", of: [] });
  assert.deepEqual(and(), ALL);
  assert.equal(and(A), A);
  assert.equal(and(A, ALL), A);
  assert.deepEqual(and(ALL, and()), ALL);
});

Deno.test("and flattens nested ands in order", () => {
  assert.deepEqual(and(A, and(B, C)), { op: "and", of: [A, B, C] });
  assert.deepEqual(and(and(A, B), ALL, C), { op: "and", of: [A, B, C] });
});

Deno.test("and keeps nested or and not filters unchanged", () => {
  assert.deepEqual(and(or(A, B), C), { op: "and", of: [{ op: "or", of: [A, B] }, C] });
  assert.deepEqual(and(not(and(A, B)), C), {
    op: "and",
    of: [{ op: "not", of: { op: "and", of: [A, B] } }, C],
  });
});

Deno.test("or(x) is x, and or() matches nothing", () => {
  assert.equal(or(A), A);
  assert.deepEqual(or(), { op: "or", of: [] });
  assert.notDeepEqual(or(), ALL);
  assert.deepEqual(or(A, or(B, C)), { op: "or", of: [A, { op: "or", of: [B, C] }] });
});
