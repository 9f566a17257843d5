import { type Allowance, Spent } from "./budget.ts";
import type { Connection } from "./connection.ts";
import { type Fragment, sql } from "./fragment.ts";

/** A page and a count to be read, as plain data: it travels to another thread. */
export interface Scan {
  readonly table: string;
  /**
   * Statements that yield `seq`, to be run in this order until the page is full. Each takes how
   * many rows are wanted behind its values, and where the page begins behind that.
   */
  readonly parts: readonly Fragment[];
  /** The same in another way, which is better where few rows match; none if there is none. */
  readonly sought: readonly Fragment[];
  readonly limit: number;
  readonly offset: number | null;
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
  if (scan.sought.length > 0) {
    const found = attempt(db, scan, allowance);
    if (found !== null) return found;
  }
  return db.within(allowance, () => readParts(db, scan));
}

function attempt(db: Connection, scan: Scan, allowance: Allowance): Scanned | null {
  try {
    return db.within({ ...allowance, rows: SOUGHT_MAX }, () => {
      const found = readParts(db, { ...scan, parts: scan.sought });
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
function readParts(
  db: Connection,
  { table, parts, limit, offset, count }: Omit<Scan, "sought">,
): Scanned {
  db.run(sql("begin"));
  try {
    const found: number[] = [];
    for (const { sql: text, values } of parts) {
      const missing = limit + 1 - found.length;
      if (missing === 0) break;
      const place = offset === null ? [missing] : [missing, offset];
      for (const row of db.all(sql(text, ...values, ...place))) found.push(row[0] as number);
    }
    const page = db.rowsSeen;
    const texts = found.map((seq) =>
      db.get(sql(`select doc from ${table} where seq = ?`, seq))![0] as string
    );
    const total = count === null ? null : (db.get(count)?.[0] ?? 0) as number;
    return { texts, total, rows: { page, total: db.rowsSeen - page } };
  } finally {
    db.run(sql("commit"));
  }
}
