import assert from "node:assert/strict";
import { ListTotal } from "./list_total.ts";

const at = (position: number): string => String(position).padStart(4, "0");
const step = (position: number, added: -1 | 0 | 1 = 1) => ({ position: at(position), added });
/** Registers and accepts a count between two positions. */
const count = (total: ListTotal, from: number, to: number, found: number): boolean =>
  total.acceptCount(total.beginCount(), { from: at(from), to: at(to), total: found });

Deno.test("ListTotal applies changes after its count and counts none twice", () => {
  const total = new ListTotal();
  total.follow(step(1));
  assert.equal(count(total, 2, 2, 10), true);
  total.follow(step(2));
  assert.equal(total.value, 10);
  for (const [position, added] of [[3, 1], [4, 0], [5, 1], [6, -1]] as const) {
    total.follow(step(position, added));
  }
  assert.equal(total.value, 11);
});

Deno.test("ListTotal becomes unknown by a change during its count, received before or after", () => {
  const late = new ListTotal();
  assert.equal(count(late, 2, 4, 10), true);
  late.follow(step(3, 0));
  assert.equal(late.value, 10);
  late.follow(step(4));
  assert.equal(late.value, null);
  const early = new ListTotal();
  early.follow(step(3));
  assert.equal(count(early, 2, 4, 10), false);
  for (const total of [late, early]) {
    total.follow(step(6));
    assert.equal(count(total, 5, 6, 12), false);
    total.follow(step(8, -1));
    assert.equal(count(total, 7, 7, 12), true);
    assert.equal(total.value, 11);
  }
});

Deno.test("acceptCount ignores a count that began before the last accepted one", () => {
  const total = new ListTotal();
  count(total, 3, 3, 10);
  total.follow(step(4));
  assert.equal(count(total, 5, 5, 99), false);
  assert.equal(total.value, 11);
  const unknown = new ListTotal();
  unknown.follow(step(5));
  const earlier = unknown.beginCount();
  count(unknown, 4, 6, 10);
  assert.equal(unknown.acceptCount(earlier, { from: at(2), to: at(3), total: 9 }), false);
  assert.equal(unknown.value, null);
});

Deno.test("correctCount replaces a known total only", () => {
  const total = new ListTotal();
  const counted = { from: at(4), to: at(6), total: 5 };
  assert.equal(total.correctCount(counted), false);
  assert.equal(total.value, null);
  count(total, 1, 1, 4);
  assert.deepEqual([total.correctCount(counted), total.correctCount(counted), total.value], [
    true,
    false,
    5,
  ]);
  total.follow(step(3));
  assert.equal(total.value, 5, "a change received late was counted already");
  total.follow(step(7));
  assert.equal(total.value, 6);
  total.follow(step(5));
  assert.equal(total.value, null, "the change was committed during the count");
});
