import assert from "node:assert/strict";
import { openTestServices } from "@/tests/support/test_services.ts";
import { createStoredCounts } from "./stored_counts.ts";

const END = Date.parse("2026-01-31T12:01:00.000Z");

Deno.test("concurrent processes add up counts and each receives a valid sum", async () => {
  await using one = await openTestServices();
  await using other = await openTestServices({ store: one.store });
  const counts = [
    createStoredCounts(one.services.engine),
    createStoredCounts(other.services.engine),
  ];
  const sums = await Promise.all(
    Array.from({ length: 40 }, (_, n) => counts[n % 2]!.add("key", END, 5)),
  );
  assert.deepEqual(sums.toSorted((a, b) => a - b), sums.map((_, n) => 5 * (n + 1)));
});

Deno.test("stored counts are separate for each key and window", async () => {
  await using opened = await openTestServices();
  const counts = createStoredCounts(opened.services.engine);
  assert.equal(await counts.add("a", END, 3), 3);
  assert.equal(await counts.add("b", END, 1), 1);
  assert.equal(await counts.add("a", END + 60_000, 2), 2);
  assert.equal(await counts.add("a", END, 1), 4);
});
