/** Upper limits and aims of each count of the product's complexity. */

import assert from "node:assert/strict";

export interface Limit {
  /** Limit on the count, which was the count when the limit was last lowered. */
  readonly atMost: number;
  readonly aim: number;
}

export const LIMITS: Readonly<Record<string, Limit>> = {
  filesOfAList: { atMost: 73, aim: 45 },
  functionsOfAList: { atMost: 340, aim: 200 },
  statementsOfAList: { atMost: 5, aim: 5 },
  filesOfAnInsert: { atMost: 69, aim: 50 },
  functionsOfAnInsert: { atMost: 262, aim: 220 },
  statementsOfAnInsert: { atMost: 9, aim: 8 },
  caches: { atMost: 33, aim: 24 },
  optionalMethodsOfThePort: { atMost: 0, aim: 0 },
  questionsWhichEngineItIs: { atMost: 0, aim: 0 },
  numericConstantsOfDrivers: { atMost: 126, aim: 60 },
  linesOfTheStore: { atMost: 14_150, aim: 11_500 },
  linesOfTheProduct: { atMost: 104_500, aim: 97_000 },
};

/** Fails with each count that exceeds its limit. */
export function assertWithinLimits(counts: Readonly<Record<string, number>>): void {
  const above = Object.entries(counts).filter(([name, count]) => count > LIMITS[name]!.atMost)
    .map(([name, count]) => `${name}: ${count}, and ${LIMITS[name]!.atMost} are allowed`);
  assert.deepEqual(above, [], "Simplify the code again: `deno task shape` prints all counts");
}
