import type { ClientSession, Db } from "mongodb";
import type { ReadConnectionLimiter } from "./read_connection_limiter.ts";

/** Where the records of one definition are read and written. */
export interface Access {
  readonly db: Db;
  /** Null outside a transaction. */
  readonly session: ClientSession | null;
  /** Milliseconds after which the server gives a list or a count up. */
  readonly queryTimeLimitMs: number;
  /** Bounds what lists and counts hold at once; null in a transaction, which holds what it has. */
  readonly readConnections: ReadConnectionLimiter | null;
  /** Runs one call, and translates what it throws. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** The same for a write that needs nothing to be there. */
  remove<T>(work: () => Promise<T>): Promise<T>;
  /** The same after the collection and its indexes are there. */
  write<T>(work: () => Promise<T>): Promise<T>;
  /** Within a write: all of it or nothing. */
  together<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
  /** Texts of so many bytes were noted as changes. */
  noted(bytes: number): void;
  /** Leave to add so many bytes, until it is disposed of; null where there is no bound. */
  readonly take: ((bytes: number) => Promise<Disposable>) | null;
}
