import { BudgetExceeded, type ScanLimits } from "./budget.ts";
import type { Connection, Row } from "./connection.ts";
import { type Fragment, sql } from "./fragment.ts";
import { textsOf } from "./page_texts.ts";

/** A page and a count to read, as plain data that can be sent to a thread. */
export interface Scan {
  readonly table: string;
  /** The statement that reads the `seq` of the page's rows; null for a count alone. */
  readonly page: Fragment | null;
  /** The statement by an index for the filter, for few matches; null if there is none. */
  readonly byFilterIndex: Fragment | null;
  /**
   * Whether the read ran out of time, and of nothing else, on the event loop. It may be fast and
   * only have been delayed, so the usual statement is tried first.
   */
  readonly hasTimedOut: boolean;
  /** Maximum size of the page in bytes. */
  readonly bytesMax: number;
  readonly count: Fragment | null;
}

export interface ScanResult {
  /** The texts. If the list continues, they exceed the limit or the size of the page. */
  readonly texts: readonly string[];
  readonly total: number | null;
  /** Approximate number of rows examined by the statement that was used. */
  readonly examined: number;
  /** Approximate rows examined by the usual page statement (null if not tried) and the count. */
  readonly rows: { readonly page: number | null; readonly total: number };
}

/** A statement whose rows are returned unchanged. */
export interface RowScan {
  readonly rows: Fragment;
  /** Maximum total size of the texts in bytes; null if they are always short. */
  readonly bytesMax: number | null;
}

export interface RowScanResult {
  /** The rows; null if they exceed the byte limit. */
  readonly rows: readonly Row[] | null;
  readonly examined: number;
}

/** The result of a {@linkcode Scan} or a {@linkcode RowScan}. */
export type ScanResultOf<S extends Scan | RowScan> = S extends RowScan ? RowScanResult : ScanResult;

/** The reason why a scan was not completed: it took too long, or too many scans are waiting. */
export type Rejection = "late" | "crowded";

/**
 * Number of rows that the statement by an index for the filter may examine. A statement that
 * examines no more is tried on the event loop again, even if it ran out of time there.
 */
export const FEW_ROWS_MAX = 5_000;

/** Reads a scan from one consistent state. Throws `BudgetExceeded`. */
export function readScan(db: Connection, scan: Scan, limits: ScanLimits): ScanResult {
  const { byFilterIndex, hasTimedOut } = scan;
  if (byFilterIndex !== null) {
    const usual = hasTimedOut ? readFewRows(db, scan, limits) : null;
    if (usual !== null) return usual;
    const found = readFewRows(db, { ...scan, page: byFilterIndex }, limits);
    if (found !== null) {
      return { ...found, rows: { ...found.rows, page: hasTimedOut ? Infinity : null } };
    }
  }
  return db.withBudget(limits, () => readInSnapshot(db, scan));
}

/** Reads the rows of a statement. Throws `BudgetExceeded`. */
export const readRowScan = (
  db: Connection,
  { rows, bytesMax }: RowScan,
  limits: ScanLimits,
): RowScanResult =>
  db.withBudget(limits, () => {
    const read = bytesMax === null ? db.all(rows) : db.allWithin(rows, bytesMax);
    return { rows: read, examined: db.rowsExamined };
  });

/** Reads a scan if it examines few rows; otherwise returns null. */
function readFewRows(db: Connection, scan: Scan, limits: ScanLimits): ScanResult | null {
  try {
    return db.withBudget({ ...limits, rows: FEW_ROWS_MAX }, () => readInSnapshot(db, scan));
  } catch (error) {
    if (error instanceof BudgetExceeded) return null;
    throw error;
  }
}

/** Reads a scan in one transaction. Texts are read last, so that they are not sorted. */
function readInSnapshot(
  db: Connection,
  { table, page: statement, bytesMax, count }: Scan,
): ScanResult {
  db.run(sql("begin"));
  try {
    const found = statement === null ? [] : db.all(statement);
    const page = db.rowsExamined;
    const texts = textsOf(db, found.map(([seq]) => seq as number), { table, bytesMax });
    const total = count === null ? null : (db.get(count)?.[0] ?? 0) as number;
    const examined = db.rowsExamined;
    return { texts, total, examined, rows: { page, total: examined - page } };
  } finally {
    db.run(sql("commit"));
  }
}
