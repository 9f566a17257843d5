import assert from "node:assert/strict";
import { assertWithinLimits, LIMITS } from "../shape/limits.ts";
import { sourceCounts } from "../shape/sources.ts";

const counts = await sourceCounts();

Deno.test("the counts of the product's simplicity do not rise", () => {
  assertWithinLimits(counts);
});

Deno.test("each count of simplicity finds what it counts", () => {
  for (const [name, count] of Object.entries(counts)) {
    assert.ok(count > 0 || LIMITS[name]!.aim === 0, name);
  }
});
