/** What the output of `deno test` says. */

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** Of an output, enough for what it says of failures. */
const FAILURE_CHARACTERS = 8_000;

// deno-lint-ignore no-control-regex -- Colours are escape sequences.
export const withoutColours = (output: string): string => output.replaceAll(/\x1b\[[0-9;]*m/g, "");

/**
 * What the last summary in an output of `deno test` says; null if it has none. A run that failed
 * without a failed test, say by a file that could not be loaded, failed once.
 */
export function countsOf(output: string, success: boolean): Counts | null {
  const summary = [
    ...withoutColours(output).matchAll(/^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed/gm),
  ].at(-1);
  if (summary === undefined) return null;
  const failed = Number(summary[2]);
  return { passed: Number(summary[1]), failed: success ? failed : Math.max(failed, 1) };
}

/** The last of what an output of `deno test` says of its failures: errors, then names. */
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

const FILE_BEGINS = /^running \d+ tests? from (?:\.\/)?(.+)$/gm;

/**
 * Measures how long each file of a run took. Feed it the output as it comes: a file lasts from the
 * line that announces it to that of the next, whose loading it therefore includes.
 */
export class FileTimes {
  readonly seconds = new Map<string, number>();
  readonly #now: () => number;
  #line = "";
  #file: string | null = null;
  #since: number;

  /** @param now Milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#since = now();
  }

  feed(text: string): void {
    this.#line += text;
    const end = this.#line.lastIndexOf("\n") + 1;
    for (const [, file] of withoutColours(this.#line.slice(0, end)).matchAll(FILE_BEGINS)) {
      // What came before the first one was loading it.
      if (this.#file !== null) this.end();
      this.#file = file!;
    }
    this.#line = this.#line.slice(end);
  }

  /** The last file has ended. */
  end(): void {
    const now = this.#now();
    if (this.#file !== null) {
      this.seconds.set(this.#file, (now - this.#since) / 1000);
      this.#file = null;
    }
    this.#since = now;
  }
}
