import type { Connection } from "./connection.ts";
import type { RowCache } from "./row_cache.ts";
import type { Scan, Scanned, Unread } from "./scan.ts";

/**
 * Where the records of one definition are read and written. What says by `empty` how it ends where
 * there are no records makes no table for them: an empty project takes no more than it must.
 */
export interface Access {
  /** Runs on a connection that sees what was committed, or the transaction's own changes. */
  read<T>(work: (db: Connection, committed: Committed | null) => T, empty?: () => T): Promise<T>;
  /** What has a longer text is not parsed to be changed: `LongWork` is thrown. */
  readonly textBytesMax: number;
  /** Where reads go that look at many rows; null within a transaction, which is read in place. */
  readonly slow: Slow | null;
  /** Runs in a write transaction. */
  write<T>(work: (db: Connection, touched: TouchedRow) => T, empty?: () => T): Promise<T>;
}

/** Is told which rows a write changes, null for a new one. */
export type TouchedRow = (seq: number | null) => void;

/** What is known of committed rows; within a transaction nothing is. */
export interface Committed {
  readonly rows: RowCache;
  /** Counts that the table keeps, by their statement, as they were read last. */
  readonly totals: Map<string, number>;
  /**
   * Whether no other process has committed since the last time this was asked. If one has, all
   * that was known is dropped.
   */
  isSteady(): boolean;
}

/** Where reads of one file go that look at many rows. */
export interface Slow {
  /** How many rows a read may look at on the event loop; at 0 none that is not sure to be short. */
  readonly rowsMax: number;
  scan(scan: Scan): Promise<Scanned | Unread>;
}
