import { advisedText } from "../advice.ts";
import { QueryTooSlow } from "../errors.ts";
import { type ListQuery, PAGE_BYTES_MAX } from "../port.ts";
import type { Access, Slow } from "./access.ts";
import { BudgetExceeded, type BudgetKind } from "./budget.ts";
import type { Connection } from "./connection.ts";
import { boundPage } from "./keyset.ts";
import type { RegisteredQuery } from "./slow_query_registry.ts";
import type { Scan, Scanned } from "./scan.ts";
import type { CountStatement, PagePlan, Statements } from "./statements.ts";

/** However few rows: some are large, some patterns dear. */
const HERE_MS = 3;
/** Ten milliseconds at most for the dearest pattern, in a text that was made for it. */
const HERE_MATCH_COST = 50_000;

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
  here(db: Connection): T;
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
  if (slow === null || (isShort && slow.rowsMax > 0)) return access.read(here, empty);
  type Tried = { readonly result: T } | { readonly spentOn: BudgetKind | null };
  return access.read<Tried>((db) => {
    if (isSlow(read, slow)) return { spentOn: null };
    try {
      const until = performance.now() + HERE_MS;
      const allowance = {
        rows: slow.rowsMax,
        matchCostMax: HERE_MATCH_COST,
        large: false,
        until,
      };
      return { result: db.within(allowance, () => here(db)) };
    } catch (error) {
      if (error instanceof BudgetExceeded) return { spentOn: error.on };
      throw error;
    }
  }, () => ({ result: empty() })).then(async (tried) =>
    "result" in tried ? tried.result : elsewhere(await scanned(read, slow, tried.spentOn))
  );
}

function isSlow({ statements, plan, count, query }: Read, { rowsMax }: Slow): boolean {
  return rowsMax === 0 || (query.offset ?? 0) > rowsMax ||
    (plan !== null && statements.slowQueries.isSlow(pageQuery(plan))) ||
    (count !== null && statements.slowQueries.isSlow(countQuery(count)));
}

/** @param spentOn What ended it on the event loop; null if it was not tried there. */
async function scanned(read: Read, slow: Slow, spentOn: BudgetKind | null): Promise<Scanned> {
  const { statements, query } = read;
  const found = await slow.scan(scanOf(read, spentOn === "time"));
  if (typeof found === "string") {
    // To be turned away among many says nothing of how long it would have taken.
    if (found === "late") learn(read, slow, { page: Infinity, total: Infinity });
    throw new QueryTooSlow(advisedText(statements.definition, query));
  }
  const { page, total } = found.rows;
  // Where the usual way was not tried again, what is known of it is how it ended.
  learn(read, slow, { page: page ?? (spentOn === null ? null : Infinity), total });
  return found;
}

/** Learns from how many rows were looked at; null where that is not known. */
function learn(
  { statements: { slowQueries }, plan, count, query }: Read,
  { rowsMax }: Slow,
  { page, total }: Scanned["rows"],
): void {
  // What an offset costs says nothing of other pages.
  if (plan !== null && page !== null && query.offset === undefined) {
    slowQueries.learn(pageQuery(plan), page > rowsMax);
  }
  if (count !== null) slowQueries.learn(countQuery(count), total > rowsMax);
}

const pageQuery = (plan: PagePlan): RegisteredQuery => ({ of: plan, text: plan.statement.sql.seq });

const countQuery = (count: CountStatement): RegisteredQuery => ({
  of: count,
  text: count.fragment.sql,
});

function scanOf({ statements, plan, count, query }: Read, isDoubtful: boolean): Scan {
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
