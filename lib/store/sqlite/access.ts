import type { Connection } from "./connection.ts";
import type { RowScan, Scan, ScannedBy, Unread } from "./scan.ts";

/**
 * Where the records of one definition are read and written. What says by `empty` how it ends where
 * there are no records makes no table for them: an empty project takes no more than it must.
 */
export interface Access {
  /** Runs on a connection that sees what was committed, or the transaction's own changes. */
  read<T>(work: (db: Connection) => T, empty?: () => T): Promise<T>;
  /** Where reads go that look at many rows; null within a transaction, which is read in place. */
  readonly slow: Slow | null;
  /** Runs in a write transaction. */
  write<T>(work: (db: Connection) => T, empty?: () => T): Promise<T>;
}

/** Where reads of one file go that look at many rows. */
export interface Slow {
  /** How many rows a read may look at on the event loop; at 0 none that is not sure to be short. */
  readonly rowsMax: number;
  /** Whether a statement looked at many rows within the last minute. */
  isSlow(text: string): boolean;
  /** Remembers for a minute that a statement looks at many rows. */
  noteSlow(text: string): void;
  scan<S extends Scan | RowScan>(scan: S): Promise<ScannedBy<S> | Unread>;
}
