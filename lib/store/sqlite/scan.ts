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

/**
 * Reads all of a scan as of one moment. Sorting what no index sorts would carry the texts along,
 * so those of the page are fetched at the end.
 */
export function readScan(db: Connection, { table, parts, limit, offset, count }: Scan): Scanned {
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
