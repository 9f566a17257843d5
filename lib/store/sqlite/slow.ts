import { advisedText } from "../advice.ts";
import { QueryTooSlow } from "../errors.ts";
import { type Filter, type ListQuery, PAGE_BYTES_MAX } from "../port.ts";
import { searchedWords } from "../search.ts";
import type { Access, Slow } from "./access.ts";
import { BudgetExceeded, type BudgetKind, type ScanLimits } from "./budget.ts";
import type { Connection } from "./connection.ts";
import type { SearchWay } from "./filter_sql.ts";
import { boundPage } from "./keyset.ts";
import type { RegisteredQuery, Verdict } from "./slow_query_registry.ts";
import type { Scan, Scanned } from "./scan.ts";
import { textLookup } from "./text_lookup.ts";
import type { Spread, WordsTable } from "./words_table.ts";
import type { CountStatement, PagePlan, Statements } from "./statements.ts";

/** However few rows: some are large, some patterns dear. */
const HERE_MS = 4;
/** So many rows are few, however long they took: the machine did something else meanwhile. */
const FEW_ROWS = 5_000;
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
    return access.read((db) => here(db, statementsFor(read, wayOf(db, read))), empty);
  }
  type Tried = { readonly result: T } | GivenUp;
  return access.read<Tried>((db) => {
    const way = wayOf(db, read);
    const { reach } = way;
    if (isLong(read, slow) || reach === "wide" || (reach !== "narrow" && isKnownSlow(read))) {
      return { way, spentOn: null, rows: Infinity };
    }
    try {
      const statements = statementsFor(read, way);
      const result = db.within(servingLimits(slow.rowsMax), () => here(db, statements));
      forgetDoubts(read);
      return { result };
    } catch (error) {
      if (error instanceof BudgetExceeded) return { way, spentOn: error.on, rows: db.rowsSeen };
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

/** How a query by words, or by a text, is read. */
interface Way {
  /** `wide` by words that too many have, `narrow` by pieces of a text that few have. */
  readonly reach: "usual" | "wide" | "narrow";
  /** Whether to go through all that have the words, or to ask of others whether they have them. */
  readonly search: SearchWay;
}

const USUAL: Way = { reach: "usual", search: "lookup" };

function wayOf(db: Connection, { statements: { words, definition }, count, query }: Read): Way {
  if (words === null) return USUAL;
  const searched = searchedWords(query.filter);
  if (searched.length > 0) {
    const spread = words.spreadOf(db, searched);
    const areMany = spread.share > LOOKUP_SHARE;
    return {
      reach: isWideSpread(spread, areMany && count === null) ? "wide" : "usual",
      search: areMany ? "test" : "lookup",
    };
  }
  const lookup = textLookup(definition, query.filter);
  if (lookup === null) return USUAL;
  return words.areFew(db, lookup)
    ? { reach: "narrow", search: "lookup" }
    : { reach: "usual", search: "test" };
}

/** Whether it takes too long to go through all records with words that begin so. */
export function isWide(db: Connection, words: WordsTable | null, filter: Filter): boolean {
  const searched = searchedWords(filter);
  return searched.length > 0 && words !== null && isWideSpread(words.spreadOf(db, searched));
}

/** @param isPageOfMany Of whose matches the first few suffice. */
const isWideSpread = ({ occurrences, matches }: Spread, isPageOfMany = false): boolean =>
  occurrences > HERE_OCCURRENCES || (!isPageOfMany && matches > HERE_MATCHES);

const statementsFor = (read: Read, { search }: Way): Pick<Read, "plan" | "count"> => {
  if (search === "lookup") return read;
  const { plan, count } = read;
  return {
    plan: plan && { ...plan, statement: plan.tested },
    count: count && { ...count, fragment: count.tested },
  };
};

const isLong = ({ query }: Read, { rowsMax }: Slow): boolean =>
  rowsMax === 0 || (query.offset ?? 0) > rowsMax;

const isKnownSlow = ({ statements, plan, count }: Read): boolean =>
  (plan !== null && statements.slowQueries.isSlow(pageQuery(plan))) ||
  (count !== null && statements.slowQueries.isSlow(countQuery(count)));

/** How it ended on the event loop. */
interface GivenUp {
  readonly way: Way;
  /** Null where it was not tried there. */
  readonly spentOn: BudgetKind | null;
  /** How many rows it looked at. */
  readonly rows: number;
}

async function scanned(read: Read, slow: Slow, given: GivenUp): Promise<Scanned> {
  const { spentOn, way } = given;
  const { statements, query } = read;
  const found = await slow.scan(scanOf(read, way, spentOn === "time"));
  if (typeof found === "string") {
    // To be turned away among many says nothing of how long it would have taken.
    if (found === "late") learn(read, { page: "slow", total: "slow" });
    throw new QueryTooSlow(advisedText(statements.definition, query));
  }
  // What looks at twice as many as were looked at here in the time would run out of it again.
  const doubtfulMax = spentOn === "time" ? Math.max(FEW_ROWS, 2 * given.rows) : Infinity;
  const verdictOn = (rows: number): Verdict =>
    rows > slow.rowsMax ? "slow" : rows > doubtfulMax ? "doubtful" : "quick";
  const { page, total } = found.rows;
  // Where the usual way was not tried again, what is known of it is how it ended.
  const pageRows = page ?? (spentOn === null ? null : Infinity);
  learn(read, { page: pageRows === null ? null : verdictOn(pageRows), total: verdictOn(total) });
  return found;
}

interface Verdicts {
  /** Null where it is not known. */
  readonly page: Verdict | null;
  readonly total: Verdict;
}

function learn(
  { statements: { slowQueries }, plan, count, query }: Read,
  { page, total }: Verdicts,
): void {
  // What an offset costs says nothing of other pages.
  if (plan !== null && page !== null && query.offset === undefined) {
    slowQueries.learn(pageQuery(plan), page);
  }
  if (count !== null) slowQueries.learn(countQuery(count), total);
}

function forgetDoubts({ statements: { slowQueries }, plan, count }: Read): void {
  if (plan !== null) slowQueries.forgetDoubts(pageQuery(plan));
  if (count !== null) slowQueries.forgetDoubts(countQuery(count));
}

const pageQuery = (plan: PagePlan): RegisteredQuery => ({ of: plan, text: plan.shape });

const countQuery = (count: CountStatement): RegisteredQuery => ({
  of: count,
  text: count.shape,
});

function scanOf(read: Read, way: Way, isDoubtful: boolean): Scan {
  const { statements, query } = read;
  const { plan, count } = statementsFor(read, way);
  const sought = plan === null ? null : statements.sought(query);
  return {
    table: statements.table,
    page: plan && boundPage(plan.statement, "seq", query),
    sought: sought && boundPage(sought, "seq", query),
    isDoubtful,
    bytesMax: query.bytesMax ?? PAGE_BYTES_MAX,
    count: count?.fragment ?? null,
  };
}
