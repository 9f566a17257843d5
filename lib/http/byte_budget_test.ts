import assert from "node:assert/strict";
import { createByteBudget } from "./byte_budget.ts";

const BUSY = { code: "SERVER_BUSY" };

Deno.test("add enforces the share of a holder and the total budget", () => {
  const budget = createByteBudget({ bytesMax: 100, shareBytesMax: 40 });
  using one = budget.open("one");
  one.add(40);
  assert.throws(() => one.add(1), BUSY);
  assert.throws(() => budget.open("one").add(1), BUSY);
  using two = budget.open("two");
  two.add(40);
  using three = budget.open("three");
  assert.throws(() => three.add(21), BUSY);
  three.add(20);
  assert.throws(() => three.add(1), BUSY);
});

Deno.test("add requires room for expected bytes without reserving them", () => {
  const budget = createByteBudget({ bytesMax: 100, shareBytesMax: 40 });
  using one = budget.open("one");
  assert.throws(() => one.add(0, 41), BUSY);
  one.add(0, 40);
  using other = budget.open("one");
  other.add(40);
  assert.throws(() => one.add(1), BUSY);
});

Deno.test("disposing a reservation frees its bytes once", () => {
  const budget = createByteBudget({ bytesMax: 100, shareBytesMax: 40 });
  const one = budget.open("one");
  one.add(30);
  using other = budget.open("one");
  other.add(10);
  one[Symbol.dispose]();
  one[Symbol.dispose]();
  other.add(30);
  assert.throws(() => other.add(1), BUSY);
});
