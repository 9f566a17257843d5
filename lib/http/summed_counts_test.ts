import assert from "node:assert/strict";
import { createSummedCounts } from "./summed_counts.ts";

Deno.test("summed counts are separate for each key and window", async () => {
  const counts = createSummedCounts();
  assert.equal(await counts.add("a", 60_000, 3), 3);
  assert.equal(await counts.add("b", 60_000, 1), 1);
  assert.equal(await counts.add("a", 120_000, 2), 2);
  assert.equal(await counts.add("a", 60_000, 4), 7);
});
