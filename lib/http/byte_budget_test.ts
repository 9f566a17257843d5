import assert from "node:assert/strict";
import { createByteBudget } from "./byte_budget.ts";

const BUSY = { code: "SERVER_BUSY" };

Deno.test("one holder gets a share, all together get the whole, and not a byte more", () => {
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

Deno.test("what is expected must have room, and is not counted before it comes", () => {
  const budget = createByteBudget({ bytesMax: 100, shareBytesMax: 40 });
  using one = budget.open("one");
  assert.throws(() => one.add(0, 41), BUSY);
  one.add(0, 40);
  using other = budget.open("one");
  other.add(40);
  assert.throws(() => one.add(1), BUSY);
});

Deno.test("what was held is free when it is disposed, once", () => {
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
