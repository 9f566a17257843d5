/** Work that must grow with its input, and no faster. */

import assert from "node:assert/strict";
import { compileCollection } from "@/lib/documents/collection.ts";
import { parseDefinition } from "@/lib/documents/definition.ts";
import { createByteBudget } from "@/lib/http/byte_budget.ts";
import { Problem } from "@/lib/problems.ts";
import { processorMs } from "./cost.ts";

export interface Parser {
  readonly name: string;
  /** The smaller of its two sizes; the larger is sixteen times that. */
  readonly size: number;
  /** What is parsed; making it is not measured. */
  readonly input: (n: number) => string | Record<string, never>;
  // deno-lint-ignore no-explicit-any -- Each takes what its own `input` made.
  readonly parse: (input: any) => unknown;
}

/** Parts from 0 to `n`, joined. */
export const many = (n: number, part: (i: number) => string, separator = ""): string =>
  Array.from({ length: n }, (_, i) => part(i)).join(separator);

/** That queries, documents and forms are read for. */
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

/** Room for every body. */
export const HELD = createByteBudget({ bytesMax: 1e9, shareBytesMax: 1e9 }).open("test");

/** Below that, what a clock ticks is no measure. */
const MEASURED_MS = 4;

/** Processor time of one call; a refusal is an end as any other. */
async function timeOf(work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 3; round++) {
    const began = processorMs();
    let calls = 0;
    for (; calls === 0 || processorMs() - began < MEASURED_MS; calls++) {
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
 * n log n grows by a fifth more than n here; a square grows by 256. Next to other programs the larger
 * input does not stay in the processor's caches: 56 times was measured for JSON at a load of 10.
 */
const TIMES_MAX = 4 * GROWTH;
const TRIES = 6;

/** Twice as much may not take four times as long. */
export function testGrowth(parsers: readonly Parser[]): void {
  for (const { name, size, input, parse } of parsers) {
    Deno.test(`${name}: time grows no faster than the input`, async () => {
      const [small, large] = [input(size), input(size * GROWTH)];
      await timeOf(() => parse(small)); // Compiled.
      // Measured again where it grew too fast: what else the machine does is no fault of it.
      let [times, told] = [Infinity, ""];
      for (let tries = 0; tries < TRIES && times > TIMES_MAX; tries++) {
        const [one, other] = [await timeOf(() => parse(small)), await timeOf(() => parse(large))];
        times = other / one;
        told = `${one.toFixed(3)} ms, of ${GROWTH} times as much ${other.toFixed(3)} ms`;
      }
      assert.ok(times <= TIMES_MAX, told);
    });
  }
}
