/** Limits of the cost of a statement. A statement that exceeds them is aborted. */
export interface ScanLimits {
  /** Approximate number of rows that may be examined. */
  readonly rows?: number;
  /** Maximum cost, by `matchCost`, of one match, which cannot be interrupted. */
  readonly matchCostMax?: number;
  /** Whether conditions may read large documents, which take milliseconds each. */
  readonly allowsLargeDocuments?: boolean;
  /** Deadline on the clock of `performance.now()`, in milliseconds. */
  readonly until?: number;
  /** Returns whether the statement should stop. Called every few rows. */
  stop?(): boolean;
}

/** The exceeded limit. A request to stop counts as `time`. */
export type BudgetKind = "rows" | "text" | "time";

/** The statement exceeded its limits and was aborted. */
export class BudgetExceeded extends Error {
  override readonly name = "BudgetExceeded";
  readonly exceeded: BudgetKind;

  constructor(on: BudgetKind) {
    super();
    this.exceeded = on;
  }
}

/**
 * Number of rows for which one sampled row is counted, because counting every row would slow short
 * statements down. Each run of a statement samples by a new random number, so that no client can
 * choose rows that are never sampled. SQLite's `random()` is not used: it takes a lock that all
 * threads of the process share.
 */
const ROWS_PER_SAMPLE = 32;
/** Number of rows per sample if conditions read documents, which takes microseconds each. */
const DOCUMENTS_PER_SAMPLE = 8;
/** A number outside of the range of `abs`, which makes a statement fail with an error of SQLite. */
const OVERFLOW = -(2n ** 63n);

/** Size in bytes from which every document is counted, with the weight of a sample. */
const LARGE_BYTES = 65_536;

/** Implements SQL's `salt()`: a random number of 30 bits. */
export const salt = (): number => 2 ** 29 + Math.floor(Math.random() * 2 ** 28) * 2 + 1;

/**
 * Returns a condition that is true for rows that are not sampled. The square makes samples of
 * sequential rows independent; `seq * salt()` alone would sample all of them or none for some
 * numbers. The result fits into 64 bits.
 *
 * @param share Number of rows per sample, a power of two up to 32.
 */
const isNotSampled = (share: number, seq = "seq") =>
  `${seq} * (${seq} * 331804471 + salt() & 1073741823) >> 24 & ${share - 1}`;
const isWithinBudget = (bytes: string, share: number) => `abs(spent(${bytes}, ${share})) = 0`;

/**
 * A condition that is true for every row and aborts the statement when its budget is exceeded. It
 * must come before all expensive conditions. An exception in one of our own SQL functions would
 * hang the process forever, so the condition makes SQLite raise an error.
 */
export const GUARD = guardOn("seq");

/** Returns a guard like {@linkcode GUARD} for rows that are identified by another column. */
export function guardOn(seq: string): string {
  return `(${isNotSampled(ROWS_PER_SAMPLE, seq)} or ${isWithinBudget("0", ROWS_PER_SAMPLE)})`;
}

/**
 * A guard like {@linkcode GUARD} for statements whose conditions read documents. It also counts
 * each large document. Otherwise it would be too expensive, because an index alone could not serve
 * the statement any more.
 */
export const DOCUMENT_GUARD =
  `(${isNotSampled(DOCUMENTS_PER_SAMPLE)} and octet_length(doc) < ${LARGE_BYTES} or ` +
  `${isWithinBudget("octet_length(doc)", DOCUMENTS_PER_SAMPLE)})`;

/** The cost of the statements that are running on a connection. */
export class Budget {
  #limits: ScanLimits | null = null;
  #rows = 0;
  #exceeded: BudgetKind | null = null;

  /** Approximate number of rows examined since {@linkcode open}. */
  get rows(): number {
    return this.#rows;
  }

  /** Throws `BudgetExceeded` with the limit that was exceeded first, if any. */
  assertLeft(): void {
    if (this.#exceeded !== null) throw new BudgetExceeded(this.#exceeded);
  }

  open(limits: ScanLimits): void {
    this.#limits = limits;
    this.#rows = 0;
    this.#exceeded = null;
  }

  close(): void {
    this.#limits = null;
    this.#exceeded = null;
  }

  /** Implements SQL's `spent(bytes, share)`: 0 while the budget lasts. */
  spend(bytes: number, share: number): number | bigint {
    this.#rows += share;
    const { rows = Infinity, allowsLargeDocuments = true } = this.#limits ?? {};
    if (this.rows > rows) this.#exceeded ??= "rows";
    if (!allowsLargeDocuments && bytes >= LARGE_BYTES) this.#exceeded ??= "text";
    return this.#isOver() ? OVERFLOW : 0;
  }

  /** Whether a pattern may be matched. If not, the statement's result is discarded. */
  allowsMatch(matchCost: number): boolean {
    if (matchCost > (this.#limits?.matchCostMax ?? Infinity)) this.#exceeded ??= "text";
    return !this.#isOver();
  }

  #isOver(): boolean {
    if (this.#limits !== null && this.#exceeded === null) {
      const { until, stop } = this.#limits;
      const isLate = until !== undefined && performance.now() > until;
      if (isLate || stop?.()) this.#exceeded = "time";
    }
    return this.#exceeded !== null;
  }
}
