/**
 * The suite that holds every driver to the obligations of `lib/store/port.ts`. A driver's test
 * file calls {@linkcode recordsContract} once.
 */

import type { Engine } from "@/lib/store/port.ts";
import { changeCases } from "./changes.ts";
import { comparisonCases } from "./comparison.ts";
import { pathCases } from "./comparison_paths.ts";
import { concurrencyCases } from "./concurrency.ts";
import { explainCases } from "./explain.ts";
import { keysetCases } from "./keyset.ts";
import { listingCases } from "./listing.ts";
import { processCases } from "./processes.ts";
import { transactionCases } from "./transactions.ts";
import { definitionCases } from "./definitions.ts";
import { uniqueCases } from "./unique.ts";
import { writeCases } from "./writes.ts";

/** An empty store of the case's own. */
export interface Store {
  readonly engine: Engine;
  /** Tells a second process which store to open; `open_store.ts` reads it. */
  readonly address: string;
}

export interface Driver {
  open(): Promise<Store & AsyncDisposable>;
  /** Name of a case -> why this driver cannot pass it. */
  readonly skips?: Readonly<Record<string, string>>;
  /** What is run, where that is not all: a driver that reads in two ways shows that both agree. */
  readonly themes?: readonly Cases[];
}

/** Names state the guarantee. */
export type Cases = Readonly<Record<string, (store: Store) => Promise<void>>>;

const THEMES: readonly Cases[] = [
  comparisonCases,
  pathCases,
  listingCases,
  keysetCases,
  explainCases,
  writeCases,
  changeCases,
  uniqueCases,
  definitionCases,
  transactionCases,
  concurrencyCases,
  processCases,
];

/** Declares one test for each case. */
export function recordsContract(name: string, driver: Driver): void {
  for (const test of contractTests(name, driver)) Deno.test(test);
}

/**
 * Throws for a skip that names no case or gives no reason, so that a skip cannot outlive what it
 * was for.
 */
export function contractTests(name: string, driver: Driver): Deno.TestDefinition[] {
  const cases = collected(driver.themes ?? THEMES);
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

function collected(themes: readonly Cases[]): Map<string, Cases[string]> {
  const cases = new Map<string, Cases[string]>();
  for (const [title, run] of themes.flatMap((theme) => Object.entries(theme))) {
    if (cases.has(title)) throw new Error(`Two cases are called "${title}"`);
    cases.set(title, run);
  }
  return cases;
}
