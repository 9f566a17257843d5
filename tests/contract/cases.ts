/** Builds suites of cases for the contract of a port. */

/** Cases by their titles, which state a guarantee. */
export type CasesOn<S> = Readonly<Record<string, (store: S) => Promise<void>>>;

export interface DriverOf<S> {
  open(): Promise<S & AsyncDisposable>;
  /** Reasons why the driver cannot pass cases, by their titles. */
  readonly skips?: Readonly<Record<string, string>>;
}

/** Returns the tests of a driver. Throws for a skip without a reason or of an unknown case. */
export function testsOf<S>(
  name: string,
  driver: DriverOf<S>,
  themes: readonly CasesOn<S>[],
): Deno.TestDefinition[] {
  const cases = collectCases(themes);
  const skips = driver.skips ?? {};
  for (const [title, reason] of Object.entries(skips)) {
    if (!cases.has(title)) throw new Error(`${name} skips "${title}", which is not a case`);
    if (reason.trim() === "") throw new Error(`${name} skips "${title}" without a reason`);
  }
  return [...cases].map(([title, run]) => {
    const skipped = Object.hasOwn(skips, title);
    return {
      name: `${name}: ${title}${skipped ? ` (skipped: ${skips[title]})` : ""}`,
      ignore: skipped,
      fn: async () => {
        await using store = await driver.open();
        await run(store);
      },
    };
  });
}

function collectCases<S>(themes: readonly CasesOn<S>[]): Map<string, CasesOn<S>[string]> {
  const cases = new Map<string, CasesOn<S>[string]>();
  for (const [title, run] of themes.flatMap((theme) => Object.entries(theme))) {
    if (cases.has(title)) throw new Error(`Two cases have the title "${title}"`);
    cases.set(title, run);
  }
  return cases;
}
