import type { Connection } from "./connection.ts";
import type { Rejection, RowScan, Scan, ScanResultOf } from "./scan.ts";

/**
 * Access to the table of one definition. If `empty` is given and the table does not exist, its
 * result is returned and the table is not created: an empty project takes no more space than
 * necessary.
 */
export interface Access {
  /** Runs `work` on a connection that sees committed data, or the transaction's own changes. */
  read<T>(work: (db: Connection) => T, empty?: () => T): Promise<T>;
  /** Runs reads that examine many rows; null within a transaction, which reads in place. */
  readonly slow: SlowReads | null;
  /** Runs `work` in a write transaction. */
  write<T>(work: (db: Connection) => T, empty?: () => T): Promise<T>;
}

/** Runs reads of one file that examine many rows. */
export interface SlowReads {
  /** Maximum number of rows on the event loop; 0 for only reads that are certain to be short. */
  readonly rowsMax: number;
  /** Whether a statement examined many rows within the last minute. */
  isSlow(text: string): boolean;
  /** Records that a statement examines many rows. Forgotten after a minute. */
  markSlow(text: string): void;
  /** Runs a scan in a thread. */
  scan<S extends Scan | RowScan>(scan: S): Promise<ScanResultOf<S> | Rejection>;
}
