/** Suite that checks a driver against the obligations of `lib/store/port.ts`. */

import type { Engine } from "@/lib/store/port.ts";
import { type CasesOn, type DriverOf, testsOf } from "./cases.ts";
import { arrayIndexCases } from "./array_indexes.ts";
import { aggregatingCases } from "./aggregating.ts";
import { changeCases } from "./changes.ts";
import { changeLogCases } from "./change_log.ts";
import { comparisonCases } from "./comparison.ts";
import { pathCases } from "./comparison_paths.ts";
import { concurrencyCases } from "./concurrency.ts";
import { explainCases } from "./explain.ts";
import { findingCases } from "./finding.ts";
import { keysetCases } from "./keyset.ts";
import { listingCases } from "./listing.ts";
import { pageBytesCases } from "./page_bytes.ts";
import { processCases } from "./processes.ts";
import { referringCases } from "./referring.ts";
import { renamingCases } from "./renaming.ts";
import { quotaCases } from "./quotas.ts";
import { searchCases } from "./searching.ts";
import { sizeCases } from "./sizes.ts";
import { snapshotCases } from "./snapshots.ts";
import { transactionCases } from "./transactions.ts";
import { definitionCases } from "./definitions.ts";
import { uniqueCases } from "./unique.ts";
import { writeCases } from "./writes.ts";

export interface Store {
  readonly engine: Engine;
  /** Address by which a second process opens the store; `open_store.ts` reads it. */
  readonly address: string;
}

export interface Driver extends DriverOf<Store> {
  /** Themes to run; by default all. A driver with two ways of reading runs some on each. */
  readonly themes?: readonly Cases[];
}

export type Cases = CasesOn<Store>;

const THEMES: readonly Cases[] = [
  comparisonCases,
  pathCases,
  listingCases,
  findingCases,
  keysetCases,
  pageBytesCases,
  searchCases,
  explainCases,
  aggregatingCases,
  referringCases,
  sizeCases,
  snapshotCases,
  quotaCases,
  writeCases,
  changeCases,
  changeLogCases,
  uniqueCases,
  arrayIndexCases,
  definitionCases,
  renamingCases,
  transactionCases,
  concurrencyCases,
  processCases,
];

export function recordsContract(name: string, driver: Driver): void {
  for (const test of contractTests(name, driver)) Deno.test(test);
}

export const contractTests = (name: string, driver: Driver): Deno.TestDefinition[] =>
  testsOf(name, driver, driver.themes ?? THEMES);
