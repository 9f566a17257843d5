import { PageTooLarge, QueryTooSlow } from "../errors.ts";
import type { Access, Slow } from "./access.ts";
import { BudgetExceeded } from "./budget.ts";
import type { Connection, Row } from "./connection.ts";
import type { Fragment } from "./fragment.ts";
import { FEW_ROWS, readRowScan, type RowScan, type ScannedRows } from "./scan.ts";
import type { QueryPlan } from "./plan.ts";
import { isWide, servingLimits } from "./slow.ts";

export interface RowsRead {
  readonly access: Access;
  readonly plan: QueryPlan;
  /** Is made from the plan. */
  readonly statement: Fragment;
  /** How many bytes the texts in the rows may have; null where they cannot have many. */
  readonly bytesMax: number | null;
  /** The field whose index would help; null if none would. */
  readonly advice: string | null;
}

/**
 * Rows of a statement that holds a guard: tried on the event loop, and handed over to another thread
 * where they take long. None where there are no records. Throws `QueryTooSlow` and `PageTooLarge`.
 */
export async function readRows(read: RowsRead): Promise<readonly Row[]> {
  const { access: { read: readHere, slow }, statement, bytesMax } = read;
  const scan: RowScan = { rows: statement, bytesMax };
  let isTried = true;
  let found = await readHere((db) => {
    if (slow === null) return readRowScan(db, scan, {});
    isTried = slow.rowsMax > 0 && !slow.isSlow(statement.sql) && !isWide(db, read.plan);
    return isTried ? attempt(db, scan, slow) : null;
  }, () => NONE);
  if (found === null) {
    const scanned = await slow!.scan(scan);
    const isSlow = scanned === "late" || typeof scanned === "object" && scanned.seen > FEW_ROWS;
    if (isSlow && isTried) slow!.noteSlow(statement.sql);
    if (typeof scanned === "string") throw new QueryTooSlow(read.advice);
    found = scanned;
  }
  if (found.rows === null) throw new PageTooLarge(bytesMax!);
  return found.rows;
}

const NONE: ScannedRows = { rows: [], seen: 0 };

/** Returns null where it takes too long for the event loop. */
function attempt(db: Connection, scan: RowScan, { rowsMax }: Slow): ScannedRows | null {
  try {
    return readRowScan(db, scan, servingLimits(rowsMax));
  } catch (error) {
    if (error instanceof BudgetExceeded) return null;
    throw error;
  }
}
