/** What a statement may cost before it is given up. */
export interface ScanLimits {
  /** Rows to look at, give or take a few. */
  readonly rows?: number;
  /** What one pattern may cost in one text, by `matchCost`: nothing can end it while it is at work. */
  readonly matchCostMax?: number;
  /** Whether conditions may look into documents that take them milliseconds each. */
  readonly large?: boolean;
  /** On the clock of `performance.now()`. */
  readonly until?: number;
  /** Asked every few rows: whether somebody wants it to stop. */
  stop?(): boolean;
}

/** What there was not enough of; being told to stop is to have no time. */
export type BudgetKind = "rows" | "text" | "time";

/** The statement would have cost more than it was allowed. Nothing is left of it. */
export class BudgetExceeded extends Error {
  override readonly name = "BudgetExceeded";
  readonly on: BudgetKind;

  constructor(on: BudgetKind) {
    super();
    this.on = on;
  }
}

/**
 * One row in so many is counted, for all of them: to count each would slow short ones down. Which
 * ones depends on a number that each run of a statement draws anew, so that nobody outside can choose
 * rows that are not. SQLite's own `random()` has one lock for all threads of the process: two that
 * called it for each row were slower together than one alone.
 */
const SHARE = 32;
/** The same where conditions look into documents, each of which may take some µs. */
const DOCUMENT_SHARE = 8;
/** Beyond the range of `abs`, which is how a statement ends without an exception of ours. */
const END = -(2n ** 63n);

/** Of documents larger than this each is counted, and as several of the others. */
const LARGE_BYTES = 65_536;

/** SQL's `salt()`: 30 bits. */
export const salt = (): number => 2 ** 29 + Math.floor(Math.random() * 2 ** 28) * 2 + 1;

/**
 * The square makes rows in sequence, or every eighth, as independent as drawn ones: `seq * salt()`
 * alone took all of them or none for one number in two hundred. All of it fits into 64 bits.
 *
 * @param share A power of two, 32 at most.
 */
const isNotCounted = (share: number, seq = "seq") =>
  `${seq} * (${seq} * 331804471 + salt() & 1073741823) >> 24 & ${share - 1}`;
const isSpent = (bytes: string, share: number) => `abs(spent(${bytes}, ${share})) = 0`;

/**
 * A condition that is true for every row, and ends the statement once its budget is spent. It must
 * stand before everything that takes time. An exception in a function of ours would hang the
 * process for ever, so SQLite is brought to raise one of its own.
 */
export const GUARD = guardOn("seq");

/** The same where another column tells the rows apart. */
export function guardOn(seq: string): string {
  return `(${isNotCounted(SHARE, seq)} or ${isSpent("0", SHARE)})`;
}

/**
 * As {@linkcode GUARD}, where conditions look into the document of each row: fifty of them take
 * 20 ms of one of 800 kB. Elsewhere it would be dear, as an index alone no longer sufficed.
 */
export const DOCUMENT_GUARD =
  `(${isNotCounted(DOCUMENT_SHARE)} and octet_length(doc) < ${LARGE_BYTES} or ` +
  `${isSpent("octet_length(doc)", DOCUMENT_SHARE)})`;

/** What the statements of one connection cost at the moment. */
export class Budget {
  #allowance: ScanLimits | null = null;
  #rows = 0;
  #spentOn: BudgetKind | null = null;

  /** Rows looked at since {@linkcode open}, about. */
  get rows(): number {
    return this.#rows;
  }

  /** Throws `BudgetExceeded` if something ran out, and says what did first. */
  assertLeft(): void {
    if (this.#spentOn !== null) throw new BudgetExceeded(this.#spentOn);
  }

  open(allowance: ScanLimits): void {
    this.#allowance = allowance;
    this.#rows = 0;
    this.#spentOn = null;
  }

  close(): void {
    this.#allowance = null;
    this.#spentOn = null;
  }

  /**
   * SQL's `spent(bytes, share)`, of a document that is looked into and of as many rows as it stands
   * for: 0 while there is something left.
   */
  spend(bytes: number, share: number): number | bigint {
    this.#rows += share;
    const { rows = Infinity, large = true } = this.#allowance ?? {};
    if (this.rows > rows) this.#spentOn ??= "rows";
    if (!large && bytes >= LARGE_BYTES) this.#spentOn ??= "text";
    return this.#isOver() ? END : 0;
  }

  /** Whether a pattern may be looked for in a text; if not, what comes no longer counts. */
  admits(matchCost: number): boolean {
    if (matchCost > (this.#allowance?.matchCostMax ?? Infinity)) this.#spentOn ??= "text";
    return !this.#isOver();
  }

  #isOver(): boolean {
    if (this.#allowance !== null && this.#spentOn === null) {
      const { until, stop } = this.#allowance;
      const isLate = until !== undefined && performance.now() > until;
      if (isLate || stop?.()) this.#spentOn = "time";
    }
    return this.#spentOn !== null;
  }
}
