/** `deno task shape` prints the counts that docs/CONTRIBUTING.md explains. */

import { requestCounts } from "./executed.ts";
import { LIMITS } from "./limits.ts";
import { cacheRows, sourceCounts } from "./sources.ts";

const counts = { ...await requestCounts(), ...await sourceCounts() };
const rows = Object.entries(counts).map(([name, count]) => {
  const { atMost, aim } = LIMITS[name]!;
  const canBeLowered = count < atMost ? "  the limit can be lowered" : "";
  const cells = [count, atMost, aim].map((cell) => String(cell).padStart(9));
  return `${name.padEnd(26)}${cells.join("")}${canBeLowered}`;
});
const heading = `${"".padEnd(26)}${
  ["now", "at most", "aim"].map((one) => one.padStart(9)).join("")
}`;
console.log([heading, ...rows, "", "Caches:", ...await cacheRows()].join("\n"));
