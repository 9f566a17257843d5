import { BudgetExceeded, type ScanLimits } from "./budget.ts";
import type { Connection, Row } from "./connection.ts";
import { type Fragment, sql } from "./fragment.ts";
import { textsOf } from "./page_texts.ts";

/** A page and a count to be read, as plain data: it travels to another thread. */
export interface Scan {
  readonly table: string;
  /** Yields the `seq` of the page's rows; null where only a count is wanted. */
  readonly page: Fragment | null;
  /** The same in another way, which is better where few rows match; null if there is none. */
  readonly sought: Fragment | null;
  /**
   * Whether it ran out of time alone on the event loop. Where the machine did something else
   * meanwhile, it is quick, so the usual way is tried first.
   */
  readonly isHeldUp: boolean;
  /** How many bytes the page may hold. */
  readonly bytesMax: number;
  readonly count: Fragment | null;
}

export interface Scanned {
  /** More than the limit, or two or more of more bytes than the page may hold: the list goes on. */
  readonly texts: readonly string[];
  readonly total: number | null;
  /** About how many rows were looked at, in the way that was taken. */
  readonly examined: number;
  /** About how many rows the usual way looks at, null where it was not tried; and the count. */
  readonly rows: { readonly page: number | null; readonly total: number };
}

/** Rows of one statement to be read as they are. */
export interface RowScan {
  readonly rows: Fragment;
  /** How many bytes the texts in them may have; null where they cannot have many. */
  readonly bytesMax: number | null;
}

export interface ScannedRows {
  /** Null where they have more bytes than they may. */
  readonly rows: readonly Row[] | null;
  /** About how many rows were looked at. */
  readonly seen: number;
}

/** What is read for one or the other. */
export type ScannedBy<S extends Scan | RowScan> = S extends RowScan ? ScannedRows : Scanned;

/** Why there is no answer: it took too long, or too many wait. */
export type Unread = "late" | "crowded";

/**
 * How many rows the way for few may look at. A statement that looks at no more is tried on the event
 * loop again, even if it ran out of time there.
 */
export const FEW_ROWS = 5_000;

/** Reads a scan, all of it as of one moment. Throws `BudgetExceeded` beyond its allowance. */
export function readScan(db: Connection, scan: Scan, allowance: ScanLimits): Scanned {
  const { sought, isHeldUp } = scan;
  if (sought !== null) {
    const usual = isHeldUp ? attempt(db, scan, allowance) : null;
    if (usual !== null) return usual;
    const found = attempt(db, { ...scan, page: sought }, allowance);
    if (found !== null) {
      return { ...found, rows: { ...found.rows, page: isHeldUp ? Infinity : null } };
    }
  }
  return db.within(allowance, () => read(db, scan));
}

/** Reads rows. Throws `BudgetExceeded` beyond its allowance. */
export const readRowScan = (
  db: Connection,
  { rows, bytesMax }: RowScan,
  allowance: ScanLimits,
): ScannedRows =>
  db.within(allowance, () => {
    const read = bytesMax === null ? db.all(rows) : db.allWithin(rows, bytesMax);
    return { rows: read, seen: db.rowsSeen };
  });

/** Null where few rows do not suffice. */
function attempt(db: Connection, scan: Scan, allowance: ScanLimits): Scanned | null {
  try {
    return db.within({ ...allowance, rows: FEW_ROWS }, () => read(db, scan));
  } catch (error) {
    if (error instanceof BudgetExceeded) return null;
    throw error;
  }
}

/**
 * Sorting what no index sorts would carry the texts along,
 * so those of the page are fetched at the end.
 */
function read(db: Connection, { table, page: statement, bytesMax, count }: Scan): Scanned {
  db.run(sql("begin"));
  try {
    const found = statement === null ? [] : db.all(statement);
    const page = db.rowsSeen;
    const texts = textsOf(db, found.map(([seq]) => seq as number), { table, bytesMax });
    const total = count === null ? null : (db.get(count)?.[0] ?? 0) as number;
    const examined = db.rowsSeen;
    return { texts, total, examined, rows: { page, total: examined - page } };
  } finally {
    db.run(sql("commit"));
  }
}
