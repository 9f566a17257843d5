import fc from "fast-check";

/** Number of cases of each property, from CORBEL_TEST_CASES. */
export const RUNS = readInteger("CORBEL_TEST_CASES") ?? 100;

/** Seed from CORBEL_TEST_SEED to repeat a run; otherwise random. */
const SEED = readInteger("CORBEL_TEST_SEED") ??
  crypto.getRandomValues(new Int32Array(1))[0]!;

/** Reads an integer setting; null if it is not set. */
function readInteger(name: string): number | null {
  const text = Deno.env.get(name);
  if (text === undefined || text === "") return null;
  const number = Number(text);
  if (!Number.isInteger(number)) {
    throw new Error(`${name} must be a whole number, but is "${text}"`);
  }
  return number;
}

/**
 * Tests a property on {@linkcode RUNS} cases and prints the seed. A failure is reported with the
 * smallest case that was found; `body` adds the request and the documents to its message.
 */
export async function check<T>(
  title: string,
  cases: fc.Arbitrary<T>,
  body: (one: T) => Promise<void>,
): Promise<void> {
  console.log(`${title}: ${RUNS} cases, CORBEL_TEST_SEED=${SEED}`);
  const property = fc.asyncProperty(cases, withShrinkingLimit(body));
  const result = await fc.check(property, { seed: SEED, numRuns: RUNS });
  if (!result.failed) return;
  const { errorInstance: cause, counterexample, numRuns, numShrinks } = result;
  const failure = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
  throw new Error(
    `Case ${numRuns} of CORBEL_TEST_SEED=${SEED} fails, after ${numShrinks} steps of shrinking:\n` +
      `${failure}\n\nGenerated from: ${fc.stringify(counterexample)}`,
  );
}

const SHRINKING_MS = 20_000;

/** Passes every case some time after the first failure, which ends the search. */
function withShrinkingLimit<T>(body: (one: T) => Promise<void>): (one: T) => Promise<void> {
  let until = Infinity;
  return async (one) => {
    if (performance.now() > until) return;
    try {
      await body(one);
    } catch (error) {
      if (until === Infinity) until = performance.now() + SHRINKING_MS;
      throw error;
    }
  };
}
