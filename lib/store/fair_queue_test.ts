import assert from "node:assert/strict";
import { FairQueue } from "./fair_queue.ts";

function drained(turns: FairQueue<string>): string[] {
  const order: string[] = [];
  for (let item = turns.next(); item !== undefined; item = turns.next()) order.push(item);
  return order;
}

Deno.test("each key's first item precedes all second items, in the key's order", () => {
  const turns = new FairQueue<string>();
  for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"]) turns.add(item[0]!, item);
  assert.deepEqual(drained(turns), ["a1", "b1", "c1", "a2", "b2", "a3"]);
  assert.ok(turns.isEmpty);
});

Deno.test("a new key waits for at most one item of each other key", () => {
  const turns = new FairQueue<string>();
  for (const item of ["a1", "a2", "a3", "b1"]) turns.add(item[0]!, item);
  assert.equal(turns.next(), "a1");
  turns.add("c", "c1");
  assert.deepEqual(drained(turns), ["b1", "a2", "c1", "a3"]);
});

Deno.test("removed items are not returned", () => {
  const turns = new FairQueue<string>();
  for (const item of ["a1", "a2", "b1"]) turns.add(item[0]!, item);
  turns.remove("a", "a1");
  turns.remove("b", "b1");
  turns.remove("c", "c1");
  assert.deepEqual(turns.all(), ["a2"]);
  assert.deepEqual(drained(turns), ["a2"]);
});

Deno.test("an item that is not allowed yet keeps its position and is still counted", () => {
  const turns = new FairQueue<string>();
  for (const item of ["a1", "a2", "b1"]) turns.add(item[0]!, item);
  assert.equal(turns.next((key) => key !== "a"), "b1");
  assert.equal(turns.next((key) => key !== "a"), undefined);
  assert.deepEqual([turns.countOf("a"), turns.countOf("b")], [2, 0]);
  assert.deepEqual(drained(turns), ["a1", "a2"]);
});
