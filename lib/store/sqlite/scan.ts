import { type Allowance, Spent } from "./budget.ts";
import type { Connection } from "./connection.ts";
import { type Fragment, sql } from "./fragment.ts";

/** A page and a count to be read, as plain data: it travels to another thread. */
export interface Scan {
  readonly table: string;
  /** Yields the `seq` of the page's rows; null where only a count is wanted. */
  readonly page: Fragment | null;
  /** The same in another way, which is better where few rows match; null if there is none. */
  readonly sought: Fragment | null;
  readonly count: Fragment | null;
}

export interface Scanned {
  /** One more than the limit tells that the list goes on. */
  readonly texts: readonly string[];
  readonly total: number | null;
  /** About how many rows were looked at for the one and for the other. */
  readonly rows: { readonly page: number; readonly total: number };
}

/** How many rows the way for few may look at. */
export const SOUGHT_MAX = 5_000;

/** Reads a scan, all of it as of one moment. Throws `Spent` beyond its allowance. */
export function readScan(db: Connection, scan: Scan, allowance: Allowance): Scanned {
  if (scan.sought !== null) {
    const found = attempt(db, { ...scan, page: scan.sought }, allowance);
    if (found !== null) return found;
  }
  return db.within(allowance, () => read(db, scan));
}

function attempt(db: Connection, scan: Scan, allowance: Allowance): Scanned | null {
  try {
    return db.within({ ...allowance, rows: SOUGHT_MAX }, () => {
      const found = read(db, scan);
      // The usual way is still unknown; on the event loop it would be tried first.
      return { ...found, rows: { ...found.rows, page: Infinity } };
    });
  } catch (error) {
    if (error instanceof Spent) return null;
    throw error;
  }
}

/**
 * Sorting what no index sorts would carry the texts along,
 * so those of the page are fetched at the end.
 */
function read(db: Connection, { table, page: statement, count }: Scan): Scanned {
  db.run(sql("begin"));
  try {
    const found = statement === null ? [] : db.all(statement);
    const page = db.rowsSeen;
    const texts = found.map(([seq]) =>
      db.get(sql(`select doc from ${table} where seq = ?`, seq!))![0] as string
    );
    const total = count === null ? null : (db.get(count)?.[0] ?? 0) as number;
    return { texts, total, rows: { page, total: db.rowsSeen - page } };
  } finally {
    db.run(sql("commit"));
  }
}
