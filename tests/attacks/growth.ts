/** Checks that work grows at most in proportion to its input. */

import assert from "node:assert/strict";
import { compileCollection } from "@/lib/documents/collection.ts";
import { parseDefinition } from "@/lib/documents/definition.ts";
import { createByteBudget } from "@/lib/http/byte_budget.ts";
import { Problem } from "@/lib/problems.ts";
import { processorMs } from "./cost.ts";

export interface Parser {
  readonly name: string;
  /** The smaller of the two sizes. The larger is sixteen times as long. */
  readonly size: number;
  /** Creates the input, which is not measured. */
  readonly input: (n: number) => string | Record<string, never>;
  // deno-lint-ignore no-explicit-any -- Each takes what its own `input` made.
  readonly parse: (input: any) => unknown;
}

/** Joins parts 0 to `n`. */
export const joinParts = (n: number, part: (i: number) => string, separator = ""): string =>
  Array.from({ length: n }, (_, i) => part(i)).join(separator);

export const collection = compileCollection(parseDefinition({
  name: "posts",
  fields: [
    { key: "title", type: "String", unique: true },
    { key: "views", type: "Number", index: true },
    { key: "author", type: "Ref", ref: "users" },
    { key: "address", type: "Object", fields: [{ key: "city", type: "String" }] },
  ],
  strict: false,
}));

export const BODY_BUDGET = createByteBudget({ bytesMax: 1e9, shareBytesMax: 1e9 }).open("test");

/** Milliseconds below which a measurement is inaccurate. */
const MEASURABLE_MS = 4;

/** Measures the processor time of one call, including a refused one. */
async function processorTimeOf(work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 3; round++) {
    const began = processorMs();
    let calls = 0;
    for (; calls === 0 || processorMs() - began < MEASURABLE_MS; calls++) {
      try {
        await work();
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
      }
    }
    least = Math.min(least, (processorMs() - began) / calls);
  }
  return least;
}

const GROWTH = 16;
/**
 * Maximum growth of the time for sixteen times the input. Linear work may exceed 16 because the
 * larger input does not fit the processor's caches. Quadratic work grows by 256.
 */
const GROWTH_MAX = 4 * GROWTH;
const TRIES = 6;

/** Registers a test per parser that its time does not grow quadratically. */
export function testGrowth(parsers: readonly Parser[]): void {
  for (const { name, size, input, parse } of parsers) {
    Deno.test(`${name}: time grows no faster than the input`, async () => {
      const [small, large] = [input(size), input(size * GROWTH)];
      await processorTimeOf(() => parse(small)); // Lets V8 compile the code.
      // Measures again after too much growth, because the machine does other work too.
      let [times, message] = [Infinity, ""];
      for (let tries = 0; tries < TRIES && times > GROWTH_MAX; tries++) {
        const [one, other] = [
          await processorTimeOf(() => parse(small)),
          await processorTimeOf(() => parse(large)),
        ];
        times = other / one;
        message = `${one.toFixed(3)} ms, of ${GROWTH} times as much ${other.toFixed(3)} ms`;
      }
      assert.ok(times <= GROWTH_MAX, message);
    });
  }
}
