import assert from "node:assert/strict";
import { assertWithinLimits, LIMITS } from "../shape/limits.ts";
import { cacheRows, sourceCounts } from "../shape/sources.ts";
import { mustRead } from "./files.ts";

const counts = await sourceCounts();

Deno.test("the counts of the product's complexity do not rise", () => {
  assertWithinLimits(counts);
});

Deno.test("each count of complexity finds something to count", () => {
  for (const [name, count] of Object.entries(counts)) {
    assert.ok(count > 0 || LIMITS[name]!.aim === 0, name);
  }
});

Deno.test("docs/architecture.md lists the caches as `deno task shape` prints them", async () => {
  const section = (await mustRead("docs/architecture.md")).split("\n## Caches")[1]!;
  const listed = section.split("\n").filter((line) => line.startsWith("| `"))
    .map((line) => line.replace(/ +\|/g, " |"));
  assert.deepEqual(listed, await cacheRows());
});
