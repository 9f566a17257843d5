export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** Maximum number of characters of the failures that are printed again. */
const FAILURE_CHARACTERS = 8_000;

// deno-lint-ignore no-control-regex -- Colours are escape sequences.
const withoutColours = (output: string): string => output.replaceAll(/\x1b\[[0-9;]*m/g, "");

/**
 * Returns the counts of the last summary in an output of `deno test`, or null if it has none. A run
 * that failed without a failed test, for example because a file could not be loaded, counts as one
 * failure.
 */
export function countsOf(output: string, success: boolean): Counts | null {
  const summary = [
    ...withoutColours(output).matchAll(/^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed/gm),
  ].at(-1);
  if (summary === undefined) return null;
  const failed = Number(summary[2]);
  return { passed: Number(summary[1]), failed: success ? failed : Math.max(failed, 1) };
}

/** Returns the end of the failures in an output of `deno test`: errors, then names. */
export function failuresOf(output: string): string {
  const plain = withoutColours(output);
  const errors = plain.lastIndexOf("\n ERRORS \n");
  return plain.slice(Math.max(errors, 0)).trim().slice(-FAILURE_CHARACTERS);
}

export const sumOf = (counts: Iterable<Counts>): Counts => {
  const sum = { passed: 0, failed: 0 };
  for (const { passed, failed } of counts) {
    sum.passed += passed;
    sum.failed += failed;
  }
  return sum;
};

const TEST_CASE = /<testcase name="([^"]*)" classname="(?:\.\/)?([^"]*)" time="([\d.]+)"/g;
/** Separator between the names of a test and its step. */
const STEP = " &gt; ";

export function secondsOf(report: string): Map<string, number> {
  const cases = [...report.matchAll(TEST_CASE)].map(([, name, file, seconds]) => ({
    name: name!,
    file: file!,
    seconds: Number(seconds),
  }));
  const names = new Set(cases.map(({ name, file }) => `${file} ${name}`));
  const seconds = new Map<string, number>();
  for (const { name, file, seconds: taken } of cases) {
    const parts = name.split(STEP);
    // The time of a test includes its steps.
    const isStep = parts.some((_, i) =>
      i > 0 && names.has(`${file} ${parts.slice(0, i).join(STEP)}`)
    );
    if (!isStep) seconds.set(file, (seconds.get(file) ?? 0) + taken);
  }
  return seconds;
}
