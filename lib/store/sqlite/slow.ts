import { adviseIndexText } from "../advice.ts";
import { QueryTooSlow } from "../errors.ts";
import { PAGE_BYTES_MAX } from "../port.ts";
import type { Access, SlowReads } from "./access.ts";
import { BudgetExceeded, type BudgetKind, type ScanLimits } from "./budget.ts";
import type { Connection } from "./connection.ts";
import type { SearchMode } from "./filter_sql.ts";
import {
  boundPage,
  filterIndexStatement,
  type PageQuery,
  type PageStatement,
  pageStatement,
} from "./keyset.ts";
import type { QueryPlan } from "./plan.ts";
import { FEW_ROWS_MAX, type Scan, type ScanResult } from "./scan.ts";
import { type CountStatement, countStatement } from "./statements.ts";
import { tableName } from "./table_name.ts";
import { type WordFrequency, wordsTableOf } from "./words_table.ts";

/** Time limit of a read on the event loop in milliseconds, even for a few large rows. */
const EVENT_LOOP_MS_MAX = 4;
/** Maximum cost of a pattern on the event loop: ten milliseconds in the worst case. */
const EVENT_LOOP_MATCH_COST_MAX = 50_000;

/** Maximum number of records found by words for a read on the event loop. */
const EVENT_LOOP_MATCHES_MAX = 1_500;
/** Maximum number of occurrences of words, which are scanned before a guard is evaluated. */
const EVENT_LOOP_OCCURRENCES_MAX = 40_000;
/** Share of records from which testing for words is faster than looking them up. */
const LOOKUP_SHARE_MAX = 1 / 10;

export interface BoundedRead {
  readonly access: Access;
  readonly plan: QueryPlan;
  /** The page; null for a count alone. */
  readonly page: PageQuery | null;
  readonly isCounted: boolean;
}

export interface ReadStatements {
  readonly page: PageStatement | null;
  readonly count: CountStatement | null;
}

export interface ReadHandlers<T> {
  onEventLoop(db: Connection, statements: ReadStatements): T;
  fromThread(scanned: ScanResult): T;
  /** Returns the result if the table does not exist. */
  empty(): T;
}

/** Reads on the event loop, or in a thread if that may take long. Throws `QueryTooSlow`. */
export async function readBounded<T>(
  read: BoundedRead,
  { onEventLoop, fromThread, empty }: ReadHandlers<T>,
): Promise<T> {
  const { slow } = read.access;
  const tried = await read.access.read<{ readonly result: T } | AbandonedRead>((db) => {
    const { selectivity, search } = wordAccessOf(db, read.plan, read);
    const statements = statementsOf(read, search);
    if (slow === null || (isShort(read, statements) && slow.rowsMax > 0)) {
      return { result: onEventLoop(db, statements) };
    }
    const isKnownSlow = () => slowKeysOf(read, statements).some((text) => slow.isSlow(text));
    if (isLong(read, slow) || selectivity === "low" || (selectivity !== "high" && isKnownSlow())) {
      return { statements, exceeded: null };
    }
    try {
      return {
        result: db.withBudget(servingLimits(slow.rowsMax), () => onEventLoop(db, statements)),
      };
    } catch (error) {
      if (error instanceof BudgetExceeded) return { statements, exceeded: error.exceeded };
      throw error;
    }
  }, () => ({ result: empty() }));
  // Within a transaction everything is read in place.
  return "result" in tried ? tried.result : fromThread(await scanInThread(read, slow!, tried));
}

export const servingLimits = (rowsMax: number): ScanLimits => ({
  rows: rowsMax,
  matchCostMax: EVENT_LOOP_MATCH_COST_MAX,
  allowsLargeDocuments: false,
  until: performance.now() + EVENT_LOOP_MS_MAX,
});

function statementsOf({ plan, page, isCounted }: BoundedRead, search: SearchMode): ReadStatements {
  return {
    page: page && pageStatement(plan, page, { search }),
    count: isCounted ? countStatement(plan, search) : null,
  };
}

const isShort = ({ plan, page }: BoundedRead, { count }: ReadStatements): boolean =>
  (page === null || plan.isServed) && (count === null || count.isStored);

const isLong = ({ page }: BoundedRead, { rowsMax }: SlowReads): boolean =>
  rowsMax === 0 || (page?.offset ?? 0) > rowsMax;

interface WordAccess {
  /** `low` if too many records have the words, `high` if few records have parts of the text. */
  readonly selectivity: "unknown" | "low" | "high";
  /** Whether to look the words up, or to test records for them. */
  readonly search: SearchMode;
}

function wordAccessOf(
  db: Connection,
  { definition, words, text, isByWords }: QueryPlan,
  { isCounted }: Pick<BoundedRead, "isCounted">,
): WordAccess {
  if (words.length === 0 && text === null) return { selectivity: "unknown", search: "lookup" };
  const table = wordsTableOf(definition);
  if (table === null) return { selectivity: "unknown", search: "lookup" };
  if (words.length > 0) {
    const frequency = table.frequencyOf(db, words);
    const areMany = frequency.share > LOOKUP_SHARE_MAX;
    return {
      selectivity: isTooFrequent(frequency, areMany && !isCounted) ? "low" : "unknown",
      search: areMany && isByWords ? "test" : "lookup",
    };
  }
  return table.isSelective(db, text!)
    ? { selectivity: "high", search: "lookup" }
    : { selectivity: "unknown", search: "test" };
}

/** Whether too many records have the searched words to go through all of them on the event loop. */
export function hasTooManyMatches(db: Connection, { definition, words }: QueryPlan): boolean {
  const table = words.length === 0 ? null : wordsTableOf(definition);
  return table !== null && isTooFrequent(table.frequencyOf(db, words));
}

/**
 * Whether reading all matches takes too long on the event loop.
 *
 * @param isPageOfMany Whether the query is a page whose first matches are found quickly.
 */
const isTooFrequent = ({ occurrences, matches }: WordFrequency, isPageOfMany = false): boolean =>
  occurrences > EVENT_LOOP_OCCURRENCES_MAX || (!isPageOfMany && matches > EVENT_LOOP_MATCHES_MAX);

const slowKeysOf = ({ plan }: BoundedRead, { page, count }: ReadStatements): string[] => [
  ...page === null ? [] : [slowKey(page.sql.seq, plan)],
  ...count === null ? [] : [slowKey(count.fragment.sql, plan)],
];

/** Returns the key of a slow statement, with the words, on which its cost depends. */
const slowKey = (text: string, { words }: QueryPlan): string => [text, ...words].join(" ");

/** A read that was not completed on the event loop. */
interface AbandonedRead {
  readonly statements: ReadStatements;
  /** The exceeded limit; null if the read was not tried. */
  readonly exceeded: BudgetKind | null;
}

async function scanInThread(
  read: BoundedRead,
  slow: SlowReads,
  abandoned: AbandonedRead,
): Promise<ScanResult> {
  const { plan } = read;
  const found = await slow.scan(scanOf(read, abandoned));
  if (typeof found === "string") {
    // A read that was rejected because too many wait is not known to be slow.
    if (found === "late") {
      markSlowStatements(read, slow, abandoned, { page: Infinity, total: Infinity });
    }
    throw new QueryTooSlow(adviseIndexText(plan.definition, plan));
  }
  if (abandoned.exceeded !== null) {
    // If the usual statement was not tried again, its result on the event loop counts.
    const { page, total } = found.rows;
    markSlowStatements(read, slow, abandoned, { page: page ?? Infinity, total });
  }
  return found;
}

function markSlowStatements(
  { plan, page: pageQuery }: BoundedRead,
  slow: SlowReads,
  { statements: { page, count } }: AbandonedRead,
  rows: { readonly page: number; readonly total: number },
): void {
  // The cost of an offset says nothing about other pages.
  if (page !== null && pageQuery!.offset === undefined && rows.page > FEW_ROWS_MAX) {
    slow.markSlow(slowKey(page.sql.seq, plan));
  }
  if (count !== null && rows.total > FEW_ROWS_MAX) slow.markSlow(slowKey(count.fragment.sql, plan));
}

function scanOf(
  { plan, page: pageQuery }: BoundedRead,
  { statements, exceeded }: AbandonedRead,
): Scan {
  const { page, count } = statements;
  const byFilterIndex = pageQuery && filterIndexStatement(plan, pageQuery);
  return {
    table: tableName(plan.definition),
    page: page && boundPage(page, "seq", pageQuery!),
    byFilterIndex: byFilterIndex && boundPage(byFilterIndex, "seq", pageQuery!),
    hasTimedOut: exceeded === "time",
    bytesMax: pageQuery?.bytesMax ?? PAGE_BYTES_MAX,
    count: count?.fragment ?? null,
  };
}
