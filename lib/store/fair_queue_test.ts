import assert from "node:assert/strict";
import { FairQueue } from "./fair_queue.ts";

function drained(turns: FairQueue<string>): string[] {
  const order: string[] = [];
  for (let item = turns.next(); item !== undefined; item = turns.next()) order.push(item);
  return order;
}

Deno.test("everybody's first comes before anybody's second, each in their own order", () => {
  const turns = new FairQueue<string>();
  for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"]) turns.add(item[0]!, item);
  assert.deepEqual(drained(turns), ["a1", "b1", "c1", "a2", "b2", "a3"]);
  assert.ok(turns.isEmpty);
});

Deno.test("a newcomer waits for no more than one of each", () => {
  const turns = new FairQueue<string>();
  for (const item of ["a1", "a2", "a3", "b1"]) turns.add(item[0]!, item);
  assert.equal(turns.next(), "a1");
  turns.add("c", "c1");
  assert.deepEqual(drained(turns), ["b1", "a2", "c1", "a3"]);
});

Deno.test("what is removed does not come", () => {
  const turns = new FairQueue<string>();
  for (const item of ["a1", "a2", "b1"]) turns.add(item[0]!, item);
  turns.remove("a", "a1");
  turns.remove("b", "b1");
  turns.remove("c", "c1");
  assert.deepEqual(turns.all(), ["a2"]);
  assert.deepEqual(drained(turns), ["a2"]);
});

Deno.test("a request that is not admitted yet keeps its place, and counts as waiting", () => {
  const turns = new FairQueue<string>();
  for (const item of ["a1", "a2", "b1"]) turns.add(item[0]!, item);
  assert.equal(turns.next((whose) => whose !== "a"), "b1");
  assert.equal(turns.next((whose) => whose !== "a"), undefined);
  assert.deepEqual([turns.countOf("a"), turns.countOf("b")], [2, 0]);
  assert.deepEqual(drained(turns), ["a1", "a2"]);
});
