import type { ClientSession, Db } from "mongodb";
import type { ReadConnectionLimiter } from "./read_connection_limiter.ts";

export interface Access {
  readonly db: Db;
  /** The session of the transaction; null outside of transactions. */
  readonly session: ClientSession | null;
  /** Time limit of a list or a count on the server in milliseconds. */
  readonly queryTimeLimitMs: number;
  /** Limits connections of lists and counts; null in a transaction, which has its own. */
  readonly readConnections: ReadConnectionLimiter | null;
  /** Runs one call and translates its errors. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Runs a write that does not need the collection to exist. */
  remove<T>(work: () => Promise<T>): Promise<T>;
  /** Runs a write after the collection and its indexes have been created. */
  write<T>(work: () => Promise<T>): Promise<T>;
  /** Runs the steps of a write in one transaction. */
  runInTransaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
  /** Reports recorded changes with texts of `bytes` bytes. */
  noteChanges(bytes: number): void;
  /** Reserves bytes of the quota until the result is disposed; null if there is no quota. */
  readonly reserveBytes: ((bytes: number) => Promise<Disposable>) | null;
}
