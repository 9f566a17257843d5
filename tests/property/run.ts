import fc from "fast-check";

/** Cases of each property in a run, from CORBEL_TEST_CASES. */
export const RUNS = readWholeNumber("CORBEL_TEST_CASES") ?? 100;

/** Taken from CORBEL_TEST_SEED, to repeat a run; otherwise new on every run. */
const SEED = readWholeNumber("CORBEL_TEST_SEED") ??
  crypto.getRandomValues(new Int32Array(1))[0]!;

/** Null where it is not set. */
function readWholeNumber(name: string): number | null {
  const text = Deno.env.get(name);
  if (text === undefined || text === "") return null;
  const number = Number(text);
  if (!Number.isInteger(number)) {
    throw new Error(`${name} must be a whole number, but is "${text}"`);
  }
  return number;
}

/**
 * Tries a property on {@linkcode RUNS} cases and prints the seed. Of a failure the smallest case
 * that was found is reported; `body` puts the request and the documents into its message.
 */
export async function check<T>(
  title: string,
  cases: fc.Arbitrary<T>,
  body: (one: T) => Promise<void>,
): Promise<void> {
  console.log(`${title}: ${RUNS} cases, CORBEL_TEST_SEED=${SEED}`);
  const property = fc.asyncProperty(cases, shrinkingNoLonger(body));
  const result = await fc.check(property, { seed: SEED, numRuns: RUNS });
  if (!result.failed) return;
  const { errorInstance: cause, counterexample, numRuns, numShrinks } = result;
  const told = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
  throw new Error(
    `Case ${numRuns} of CORBEL_TEST_SEED=${SEED} fails, after ${numShrinks} steps of shrinking:\n` +
      `${told}\n\nGenerated from: ${fc.stringify(counterexample)}`,
  );
}

const SHRINKING_MS = 20_000;

/** Some time after the first failure every smaller case passes: that ends the search for one. */
function shrinkingNoLonger<T>(body: (one: T) => Promise<void>): (one: T) => Promise<void> {
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
