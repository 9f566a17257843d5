/** What makes a suite of cases, for whatever port it is of. */

/** Names state the guarantee. */
export type CasesOn<S> = Readonly<Record<string, (store: S) => Promise<void>>>;

export interface DriverOf<S> {
  open(): Promise<S & AsyncDisposable>;
  /** Name of a case -> why this driver cannot pass it. */
  readonly skips?: Readonly<Record<string, string>>;
}

/**
 * Throws for a skip that names no case or gives no reason, so that a skip cannot outlive what it
 * was for.
 */
export function testsOf<S>(
  name: string,
  driver: DriverOf<S>,
  themes: readonly CasesOn<S>[],
): Deno.TestDefinition[] {
  const cases = collected(themes);
  const skips = driver.skips ?? {};
  for (const [title, reason] of Object.entries(skips)) {
    if (!cases.has(title)) throw new Error(`${name} skips "${title}", which is no case`);
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

function collected<S>(themes: readonly CasesOn<S>[]): Map<string, CasesOn<S>[string]> {
  const cases = new Map<string, CasesOn<S>[string]>();
  for (const [title, run] of themes.flatMap((theme) => Object.entries(theme))) {
    if (cases.has(title)) throw new Error(`Two cases are called "${title}"`);
    cases.set(title, run);
  }
  return cases;
}
