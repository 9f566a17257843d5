import { PageTooLarge, QueryTooSlow } from "../errors.ts";
import type { Access, SlowReads } from "./access.ts";
import { BudgetExceeded } from "./budget.ts";
import type { Connection, Row } from "./connection.ts";
import type { Fragment } from "./fragment.ts";
import { FEW_ROWS_MAX, readRowScan, type RowScan, type RowScanResult } from "./scan.ts";
import type { QueryPlan } from "./plan.ts";
import { hasTooManyMatches, servingLimits } from "./slow.ts";

export interface RowQuery {
  readonly access: Access;
  readonly plan: QueryPlan;
  readonly statement: Fragment;
  /** Maximum total size in bytes of the texts in the rows; null if they are always short. */
  readonly bytesMax: number | null;
  /** The index that would help, in the notation of a sort; null if none would. */
  readonly advice: string | null;
}

/**
 * Returns the rows of a statement with a guard. The statement is tried on the event loop, and
 * passed to another thread if it takes long. Throws `QueryTooSlow` and `PageTooLarge`.
 */
export async function readRows(read: RowQuery): Promise<readonly Row[]> {
  const { access: { read: readHere, slow }, statement, bytesMax } = read;
  const scan: RowScan = { rows: statement, bytesMax };
  let isTried = true;
  let found = await readHere((db) => {
    if (slow === null) return readRowScan(db, scan, {});
    isTried = slow.rowsMax > 0 && !slow.isSlow(statement.sql) && !hasTooManyMatches(db, read.plan);
    return isTried ? tryHere(db, scan, slow) : null;
  }, () => NO_ROWS);
  if (found === null) {
    const scanned = await slow!.scan(scan);
    const isSlow = scanned === "late" ||
      typeof scanned === "object" && scanned.examined > FEW_ROWS_MAX;
    if (isSlow && isTried) slow!.markSlow(statement.sql);
    if (typeof scanned === "string") throw new QueryTooSlow(read.advice);
    found = scanned;
  }
  if (found.rows === null) throw new PageTooLarge(bytesMax!);
  return found.rows;
}

const NO_ROWS: RowScanResult = { rows: [], examined: 0 };

/** Reads rows on the event loop. Returns null if that takes too long. */
function tryHere(db: Connection, scan: RowScan, { rowsMax }: SlowReads): RowScanResult | null {
  try {
    return readRowScan(db, scan, servingLimits(rowsMax));
  } catch (error) {
    if (error instanceof BudgetExceeded) return null;
    throw error;
  }
}
