import { advisedText } from "../advice.ts";
import { QueryTooSlow } from "../errors.ts";
import { type Filter, type ListQuery, PAGE_BYTES_MAX } from "../port.ts";
import { searchedWords } from "../search.ts";
import type { Access, Slow } from "./access.ts";
import { BudgetExceeded, type BudgetKind, type ScanLimits } from "./budget.ts";
import type { Connection } from "./connection.ts";
import { boundPage } from "./keyset.ts";
import type { RegisteredQuery } from "./slow_query_registry.ts";
import type { Scan, Scanned } from "./scan.ts";
import { textLookup } from "./text_lookup.ts";
import type { WordsTable } from "./words_table.ts";
import type { CountStatement, PagePlan, Statements } from "./statements.ts";

/** However few rows: some are large, some patterns dear. */
const HERE_MS = 3;
/** So many rows are few, however long they took: the machine did something else meanwhile. */
const FEW_ROWS = 5_000;
/** Ten milliseconds at most for the dearest pattern, in a text that was made for it. */
const HERE_MATCH_COST = 50_000;

/** Pages of words that are read before a guard is asked: some three milliseconds. */
const HERE_WORD_PAGES = 16;

/** A page, a count, or both. */
export interface Read {
  readonly statements: Statements;
  readonly access: Access;
  readonly plan: PagePlan | null;
  readonly count: CountStatement | null;
  readonly query: ListQuery;
}

/** How to read on the event loop, and what to make of what was read elsewhere. */
export interface Ways<T> {
  here(db: Connection, statements: Pick<Read, "plan" | "count">): T;
  elsewhere(scanned: Scanned): T;
  /** What is read where there are no records. */
  empty(): T;
}

/**
 * Reads on the event loop what is sure to be short, tries there what may be, and hands over to
 * another thread what is not. Throws `QueryTooSlow`.
 */
export function readBounded<T>(read: Read, { here, elsewhere, empty }: Ways<T>): Promise<T> {
  const { access, plan, count } = read;
  const { slow } = access;
  const isShort = !plan?.guarded && (count === null || count.kept);
  if (slow === null || (isShort && slow.rowsMax > 0)) {
    return access.read((db) => here(db, wayOf(db, read) === "test" ? tested(read) : read), empty);
  }
  type Tried = { readonly result: T } | GivenUp;
  return access.read<Tried>((db) => {
    const way = wayOf(db, read);
    if (isLong(read, slow) || way === "wide") return NOT_TRIED;
    if (way !== "narrow" && isKnownSlow(read)) return NOT_TRIED;
    try {
      const statements = way === "test" ? tested(read) : read;
      return {
        result: db.within(servingLimits(slow.rowsMax), () => here(db, statements)),
      };
    } catch (error) {
      if (error instanceof BudgetExceeded) return { spentOn: error.on, rows: db.rowsSeen };
      throw error;
    }
  }, () => ({ result: empty() })).then(async (tried) =>
    "result" in tried ? tried.result : elsewhere(await scanned(read, slow, tried))
  );
}

/** What a read may cost on the event loop. */
export const servingLimits = (rowsMax: number): ScanLimits => ({
  rows: rowsMax,
  matchCostMax: HERE_MATCH_COST,
  large: false,
  until: performance.now() + HERE_MS,
});

/**
 * How a query by words or by a text is read: `wide` by words that so many begin with that no guard
 * would be asked for too long, `narrow` by the pieces of a text that few have, `test` where many do.
 */
type Way = "usual" | "wide" | "narrow" | "test";

function wayOf(db: Connection, { statements: { words, definition }, query }: Read): Way {
  if (words === null) return "usual";
  if (searchedWords(query.filter).length > 0) {
    return isWide(db, words, query.filter) ? "wide" : "usual";
  }
  const lookup = textLookup(definition, query.filter);
  if (lookup === null) return "usual";
  return words.areFew(db, lookup) ? "narrow" : "test";
}

/** Whether so many records have words with the beginnings of a search that no guard is asked soon. */
export function isWide(db: Connection, words: WordsTable | null, filter: Filter): boolean {
  const searched = searchedWords(filter);
  return searched.length > 0 && words !== null && words.pagesOf(db, searched) > HERE_WORD_PAGES;
}

const tested = ({ plan, count }: Read): Pick<Read, "plan" | "count"> => ({
  plan: plan && { ...plan, statement: plan.tested },
  count: count && { ...count, fragment: count.tested },
});

const isLong = ({ query }: Read, { rowsMax }: Slow): boolean =>
  rowsMax === 0 || (query.offset ?? 0) > rowsMax;

const isKnownSlow = ({ statements, plan, count }: Read): boolean =>
  (plan !== null && statements.slowQueries.isSlow(pageQuery(plan))) ||
  (count !== null && statements.slowQueries.isSlow(countQuery(count)));

/** How it ended on the event loop. */
interface GivenUp {
  /** Null where it was not tried there. */
  readonly spentOn: BudgetKind | null;
  /** How many rows it looked at. */
  readonly rows: number;
}

const NOT_TRIED: GivenUp = { spentOn: null, rows: Infinity };

async function scanned(read: Read, slow: Slow, given: GivenUp): Promise<Scanned> {
  const { spentOn } = given;
  const { statements, query } = read;
  const found = await slow.scan(scanOf(read, spentOn === "time"));
  if (typeof found === "string") {
    // To be turned away among many says nothing of how long it would have taken.
    if (found === "late") learn(read, slow.rowsMax, { page: Infinity, total: Infinity });
    throw new QueryTooSlow(advisedText(statements.definition, query));
  }
  const { page, total } = found.rows;
  // Where the usual way was not tried again, what is known of it is how it ended.
  const rows = { page: page ?? (spentOn === null ? null : Infinity), total };
  // What looks at twice as many as were looked at here in the time would run out of it again.
  const rowsMax = spentOn === "time" ? Math.max(FEW_ROWS, 2 * given.rows) : Infinity;
  learn(read, Math.min(slow.rowsMax, rowsMax), rows);
  return found;
}

/** Learns from how many rows were looked at; null where that is not known. */
function learn(
  { statements: { slowQueries }, plan, count, query }: Read,
  rowsMax: number,
  { page, total }: Scanned["rows"],
): void {
  // What an offset costs says nothing of other pages.
  if (plan !== null && page !== null && query.offset === undefined) {
    slowQueries.learn(pageQuery(plan), page > rowsMax);
  }
  if (count !== null) slowQueries.learn(countQuery(count), total > rowsMax);
}

const pageQuery = (plan: PagePlan): RegisteredQuery => ({ of: plan, text: plan.shape });

const countQuery = (count: CountStatement): RegisteredQuery => ({
  of: count,
  text: count.shape,
});

function scanOf({ statements, plan, count, query }: Read, isDoubtful: boolean): Scan {
  const sought = plan === null ? null : statements.sought(query);
  return {
    table: statements.table,
    page: plan && boundPage(plan.tested, "seq", query),
    sought: sought && boundPage(sought, "seq", query),
    isDoubtful,
    bytesMax: query.bytesMax ?? PAGE_BYTES_MAX,
    count: count?.tested ?? null,
  };
}
