import { advisedText } from "../advice.ts";
import { QueryTooSlow } from "../errors.ts";
import { PAGE_BYTES_MAX } from "../port.ts";
import type { Access, Slow } from "./access.ts";
import { BudgetExceeded, type BudgetKind, type ScanLimits } from "./budget.ts";
import type { Connection } from "./connection.ts";
import type { SearchWay } from "./filter_sql.ts";
import {
  boundPage,
  type PageQuery,
  type PageStatement,
  pageStatement,
  soughtStatement,
} from "./keyset.ts";
import type { QueryPlan } from "./plan.ts";
import { FEW_ROWS, type Scan, type Scanned } from "./scan.ts";
import { type CountStatement, countStatement } from "./statements.ts";
import { tableName } from "./table_name.ts";
import { type Spread, wordsTableOf } from "./words_table.ts";

/** However few rows: some are large, some patterns dear. */
const HERE_MS = 4;
/** Ten milliseconds at most for the dearest pattern, in a text that was made for it. */
const HERE_MATCH_COST = 50_000;

/** Records that are found by their words and then looked at; as long as {@linkcode HERE_MS}. */
const HERE_MATCHES = 1_500;
/** Of words, that are gone through before a guard is asked: some two milliseconds. */
const HERE_OCCURRENCES = 40_000;
/** Of more than one in so many records it is quicker to ask whether they have the words. */
const LOOKUP_SHARE = 1 / 10;

/** A page, a count, or both. */
export interface Read {
  readonly access: Access;
  readonly plan: QueryPlan;
  /** Null where there is only a count. */
  readonly page: PageQuery | null;
  readonly isCounted: boolean;
}

/** The statements of a read. */
export interface ReadStatements {
  readonly page: PageStatement | null;
  readonly count: CountStatement | null;
}

/** How to read on the event loop, and what to make of what was read elsewhere. */
export interface Ways<T> {
  here(db: Connection, statements: ReadStatements): T;
  elsewhere(scanned: Scanned): T;
  /** What is read where there are no records. */
  empty(): T;
}

/**
 * Reads on the event loop what is sure to be short, tries there what may be, and hands over to
 * another thread what is not. Throws `QueryTooSlow`.
 */
export async function readBounded<T>(read: Read, { here, elsewhere, empty }: Ways<T>): Promise<T> {
  const { slow } = read.access;
  const tried = await read.access.read<{ readonly result: T } | GivenUp>((db) => {
    const { reach, search } = accessOf(db, read.plan, read);
    const statements = statementsOf(read, search);
    if (slow === null || (isShort(read, statements) && slow.rowsMax > 0)) {
      return { result: here(db, statements) };
    }
    const isKnownSlow = () => textsOf(read, statements).some((text) => slow.isSlow(text));
    if (isLong(read, slow) || reach === "wide" || (reach !== "narrow" && isKnownSlow())) {
      return { statements, spentOn: null };
    }
    try {
      return { result: db.within(servingLimits(slow.rowsMax), () => here(db, statements)) };
    } catch (error) {
      if (error instanceof BudgetExceeded) return { statements, spentOn: error.on };
      throw error;
    }
  }, () => ({ result: empty() }));
  // Without threads everything is read at once.
  return "result" in tried ? tried.result : elsewhere(await scanned(read, slow!, tried));
}

/** What a read may cost on the event loop. */
export const servingLimits = (rowsMax: number): ScanLimits => ({
  rows: rowsMax,
  matchCostMax: HERE_MATCH_COST,
  large: false,
  until: performance.now() + HERE_MS,
});

function statementsOf({ plan, page, isCounted }: Read, search: SearchWay): ReadStatements {
  return {
    page: page && pageStatement(plan, page, { search }),
    count: isCounted ? countStatement(plan, search) : null,
  };
}

const isShort = ({ plan, page }: Read, { count }: ReadStatements): boolean =>
  (page === null || plan.isServed) && (count === null || count.kept);

const isLong = ({ page }: Read, { rowsMax }: Slow): boolean =>
  rowsMax === 0 || (page?.offset ?? 0) > rowsMax;

/** How a query by words, or by a text, is read. */
interface WordAccess {
  /** `wide` by words that too many have, `narrow` by pieces of a text that few have. */
  readonly reach: "usual" | "wide" | "narrow";
  /** Whether to go through all that have the words, or to ask of others whether they have them. */
  readonly search: SearchWay;
}

function accessOf(
  db: Connection,
  { definition, words, text, isByWords }: QueryPlan,
  { isCounted }: Pick<Read, "isCounted">,
): WordAccess {
  if (words.length === 0 && text === null) return { reach: "usual", search: "lookup" };
  const table = wordsTableOf(definition);
  if (table === null) return { reach: "usual", search: "lookup" };
  if (words.length > 0) {
    const spread = table.spreadOf(db, words);
    const areMany = spread.share > LOOKUP_SHARE;
    return {
      reach: isWideSpread(spread, areMany && !isCounted) ? "wide" : "usual",
      search: areMany && isByWords ? "test" : "lookup",
    };
  }
  return table.areFew(db, text!)
    ? { reach: "narrow", search: "lookup" }
    : { reach: "usual", search: "test" };
}

/** Whether it takes too long to go through all records with words that begin so. */
export function isWide(db: Connection, { definition, words }: QueryPlan): boolean {
  const table = words.length === 0 ? null : wordsTableOf(definition);
  return table !== null && isWideSpread(table.spreadOf(db, words));
}

/** @param isPageOfMany Of whose matches the first few suffice. */
const isWideSpread = ({ occurrences, matches }: Spread, isPageOfMany = false): boolean =>
  occurrences > HERE_OCCURRENCES || (!isPageOfMany && matches > HERE_MATCHES);

const textsOf = ({ plan }: Read, { page, count }: ReadStatements): string[] => [
  ...page === null ? [] : [slowKey(page.sql.seq, plan)],
  ...count === null ? [] : [slowKey(count.fragment.sql, plan)],
];

/** Returns what a slow statement is remembered by: what a search takes says nothing of other words. */
const slowKey = (text: string, { words }: QueryPlan): string => [text, ...words].join(" ");

/** How a read ended on the event loop. */
interface GivenUp {
  readonly statements: ReadStatements;
  /** Null where it was not tried there. */
  readonly spentOn: BudgetKind | null;
}

async function scanned(read: Read, slow: Slow, givenUp: GivenUp): Promise<Scanned> {
  const { plan } = read;
  const found = await slow.scan(scanOf(read, givenUp));
  if (typeof found === "string") {
    // A read that is turned away among many is not known to take long.
    if (found === "late") noteSlow(read, slow, givenUp, { page: Infinity, total: Infinity });
    throw new QueryTooSlow(advisedText(plan.definition, plan));
  }
  if (givenUp.spentOn !== null) {
    // Where the usual way was not tried again, it is known by how it ended on the event loop.
    const { page, total } = found.rows;
    noteSlow(read, slow, givenUp, { page: page ?? Infinity, total });
  }
  return found;
}

function noteSlow(
  { plan, page: asked }: Read,
  slow: Slow,
  { statements: { page, count } }: GivenUp,
  rows: { readonly page: number; readonly total: number },
): void {
  // What an offset costs says nothing of other pages.
  if (page !== null && asked!.offset === undefined && rows.page > FEW_ROWS) {
    slow.noteSlow(slowKey(page.sql.seq, plan));
  }
  if (count !== null && rows.total > FEW_ROWS) slow.noteSlow(slowKey(count.fragment.sql, plan));
}

function scanOf({ plan, page: asked }: Read, { statements, spentOn }: GivenUp): Scan {
  const { page, count } = statements;
  const sought = asked && soughtStatement(plan, asked);
  return {
    table: tableName(plan.definition),
    page: page && boundPage(page, "seq", asked!),
    sought: sought && boundPage(sought, "seq", asked!),
    isHeldUp: spentOn === "time",
    bytesMax: asked?.bytesMax ?? PAGE_BYTES_MAX,
    count: count?.fragment ?? null,
  };
}
