import { LRUCache } from "lru-cache";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Bucket } from "../aggregation.ts";
import { bucketOf, offsetsOf } from "../calendar.ts";
import { StoreUnavailable, UniqueViolation } from "../errors.ts";
import { bytesOf } from "../json_text.ts";
import { Budget, salt, type ScanLimits } from "./budget.ts";
import type { Fragment, SqlValue } from "./fragment.ts";
import { matchCost, re2 } from "./re2.ts";
import { originalName, uniquePath } from "./index_names.ts";

/** Durability of commits: `full` survives a power failure, `normal` may lose the last commits. */
export type Sync = "full" | "normal";

/** Primary result code of SQLite. */
const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
/** Result codes: read-only, I/O error, corrupt, full, cannot open, not a database. */
const UNAVAILABLE = new Set([8, 10, 11, 13, 14, 26]);
/** Extended result codes: unique index, primary key. */
const UNIQUE = new Set([2067, 1555]);

/** Another connection holds the lock. The operation can be retried. */
export class Busy extends Error {
  override readonly name = "Busy";
}

/** Errors about a column, or a table of an array or of words, that a definition no longer has. */
const OUTDATED_SCHEMA = /^no such (?:column: "?(?:\.|a_)|table: (?:a_|s_.*\/words)|fts5 table: )/;

/** Errors of damaged files: Corbel's statements fit every file that it creates. */
const DAMAGED =
  /^(?:no such (?:table|column|index|module)|malformed JSON|cannot join using column|ambiguous column|table .* (?:has|may not)|(?:index|table) .* already exists|cannot (?:modify|use)|no query solution|error in |vtable constructor|unable to use function)/;

const STATEMENTS_MAX = 200;
const BUSY_TIMEOUT_MS = 250;
const WAL_ATTEMPTS_MAX = 50;
const WAL_RETRY_MS = 5;
/**
 * Size in KiB of the cache for changed pages and for pages of the log. All other pages are read
 * from the memory-mapped file, so a small cache saves memory and costs no time.
 */
const CACHE_KIB = 512;
const SORTING_CACHE_KIB = 65_536;
/** Size in bytes to which the log is truncated. Overwriting it is cheaper than growth. */
const LOG_BYTES_MAX = 16_777_216;
/** Size in bytes of the memory-mapped part of a file: SQLite's maximum. */
const MMAP_BYTES = 2_147_418_112;

export type Row = readonly SqlValue[];

/** Declares a method that Deno 2.9 implements but does not declare. */
type ArrayStatement = StatementSync & { setReturnArrays(enabled: boolean): void };

/** A connection to a file, with its prepared statements. Rows are arrays of columns. */
export class Connection {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #budget = new Budget();
  readonly #statements = new LRUCache<string, ArrayStatement>({ max: STATEMENTS_MAX });

  /**
   * Opens a connection.
   *
   * @param sync `off` disables flushing, for a draft that is flushed when it is complete.
   */
  constructor(path: string, sync: Sync | "off") {
    this.#path = path;
    try {
      this.#db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    } catch (error) {
      throw new StoreUnavailable(`Cannot open "${path}": ${(error as Error).message}`, {
        cause: error,
      });
    }
    const budget = this.#budget;
    this.#db.function(
      "spent",
      (bytes, share) => budget.spend(bytes as number, share as number),
    );
    // SQLite calls a deterministic function without arguments once per run of a statement.
    this.#db.function("salt", { deterministic: true }, salt);
    this.#db.function(
      "re2",
      { deterministic: true },
      (pattern, text) => budget.allowsMatch(matchCost(pattern, text)) ? re2(pattern, text) : 0,
    );
    this.#db.function("bucket", { deterministic: true }, bucketSql);
    for (
      const setting of [
        `synchronous = ${sync}`,
        `cache_size = -${CACHE_KIB}`,
        "mmap_size = 0",
        "trusted_schema = off",
      ]
    ) this.run({ sql: `pragma ${setting}`, values: [] });
  }

  /** Memory-maps the file for faster reading, which counts as memory of the process. */
  mapFile(): void {
    this.run({ sql: `pragma mmap_size = ${MMAP_BYTES}`, values: [] });
  }

  /** Turns on the write-ahead log. This changes the file, so check its owner first. */
  useWriteAheadLog(): void {
    for (let attempt = 1;; attempt++) {
      try {
        return this.run({ sql: "pragma journal_mode = wal", values: [] });
      } catch (error) {
        // If two processes create a file at once, SQLite rejects one of them without waiting.
        if (!(error instanceof Busy) || attempt === WAL_ATTEMPTS_MAX) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAL_RETRY_MS);
      }
    }
  }

  /**
   * Configures the connection for writes on the event loop. Commits are not flushed, checkpoints
   * are not run, and a locked file is not waited for, because each of these would block. SQLite
   * still flushes the log where the file's integrity depends on it. After a large commit, the log
   * is truncated when it starts from its beginning. Statement journals are kept in memory, because
   * SQLite would create and delete a file for an insert into several indexes; no statement changes
   * more rows than a small collection has.
   */
  configureWriter(): void {
    for (
      const setting of [
        "synchronous = normal",
        "wal_autocheckpoint = 0",
        "temp_store = memory",
        "busy_timeout = 0",
        `journal_size_limit = ${LOG_BYTES_MAX}`,
      ]
    ) {
      this.#db.exec(`pragma ${setting}`);
    }
  }

  /**
   * Configures the connection for writes in a thread: checkpoints are not run, and sorting for
   * indexes gets more memory. As on the writer's connection, a long log is truncated when it starts
   * from its beginning, at the first write after a checkpoint.
   */
  configureThreadWriter(): void {
    for (
      const setting of [
        "wal_autocheckpoint = 0",
        `journal_size_limit = ${LOG_BYTES_MAX}`,
        `cache_size = -${SORTING_CACHE_KIB}`,
      ]
    ) {
      this.#db.exec(`pragma ${setting}`);
    }
  }

  all(statement: Fragment): Row[] {
    return this.#translateErrors(() =>
      this.#prepare(statement.sql).all(...statement.values) as unknown as Row[]
    );
  }

  /** Returns all rows; null, without reading on, if their texts exceed a number of bytes. */
  allWithin(statement: Fragment, bytesMax: number): Row[] | null {
    return this.#translateErrors(() => {
      const rows: Row[] = [];
      let bytes = 0;
      for (const row of this.#prepare(statement.sql).iterate(...statement.values)) {
        const values = row as unknown as Row;
        for (const value of values) bytes += typeof value === "string" ? bytesOf(value) : 0;
        if (bytes > bytesMax) return null;
        rows.push(values);
      }
      return rows;
    });
  }

  get(statement: Fragment): Row | undefined {
    return this.#translateErrors(() =>
      this.#prepare(statement.sql).get(...statement.values) as unknown as Row | undefined
    );
  }

  /**
   * Returns the steps of a statement's current query plan. The statement is prepared again after a
   * read that detects schema changes, because SQLite does not update the plan of a prepared
   * statement.
   */
  planOf(statement: string): string[] {
    return this.#translateErrors(() => {
      this.#prepare("select 1 from sqlite_schema limit 1").get();
      const plan = this.#db.prepare(`explain query plan ${statement}`);
      return plan.all().map(({ detail }) => detail as string);
    });
  }

  /** Runs a statement up to its first row, without the counts of `StatementSync.run`. */
  run(statement: Fragment): void {
    this.#translateErrors(() => void this.#prepare(statement.sql).get(...statement.values));
  }

  /** Runs statements with a `GUARD` within common limits. Throws `BudgetExceeded`. */
  withBudget<T>(limits: ScanLimits, work: () => T): T {
    this.#budget.open(limits);
    try {
      const result = work();
      this.#budget.assertLeft();
      return result;
    } catch (error) {
      this.#budget.assertLeft();
      throw error;
    } finally {
      this.#budget.close();
    }
  }

  /** Approximate number of rows examined in the last {@linkcode withBudget}. */
  get rowsExamined(): number {
    return this.#budget.rows;
  }

  /** Counts rows examined by a statement without a `GUARD`. */
  addExaminedRows(rows: number): void {
    this.#budget.spend(0, rows);
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  #prepare(text: string): ArrayStatement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#db.prepare(text) as ArrayStatement;
      statement.setReturnArrays(true);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  #translateErrors<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#translate(error);
    }
  }

  #translate(error: unknown): unknown {
    const code = (error as { errcode?: unknown }).errcode;
    if (typeof code !== "number") return error;
    const message = (error as Error).message;
    const primary = code & 0xff;
    if (primary === BUSY || primary === LOCKED) {
      return new Busy(`"${this.#path}" is locked`, { cause: error });
    }
    if (UNAVAILABLE.has(primary)) {
      return new StoreUnavailable(`Cannot use "${this.#path}": ${message}`, { cause: error });
    }
    if (code === ERROR && OUTDATED_SCHEMA.test(message)) {
      return new StoreUnavailable("The definition was changed concurrently", { cause: error });
    }
    if (code === ERROR && DAMAGED.test(message)) {
      return new StoreUnavailable(
        `Cannot use "${this.#path}": it is damaged (${message}). Restore it from a backup.`,
        { cause: error },
      );
    }
    if (UNIQUE.has(code)) return new UniqueViolation(violatedPath(message), { cause: error });
    return error;
  }
}

/** Returns the path of a violated unique index, from its name or its columns. */
function violatedPath(message: string): string {
  const index = /index '(.*)'$/.exec(message)?.[1];
  if (index !== undefined) return uniquePath(index) ?? "_id";
  const columns = [...message.matchAll(/\.\.([^,]+)/g)].map(([, column]) => originalName(column!));
  return columns.length === 0 ? "_id" : columns.join();
}

/** Returns the inode of a path; null if there is no file, and always on Windows. */
export function inodeOf(path: string): number | null {
  try {
    return Deno.statSync(path).ino;
  } catch {
    return null;
  }
}

/**
 * Implements SQL's `bucket(unit, zone, date)`, because SQLite does not support time zones. Returns
 * null for invalid dates. Must not throw, which would hang the process: see `budget.ts`.
 */
function bucketSql(unit: unknown, zone: unknown, date: unknown): number | null {
  try {
    const bucket = bucketOf(unit as Bucket, offsetsOf(String(zone)), Date.parse(String(date)));
    return Number.isNaN(bucket) ? null : bucket;
  } catch {
    return null;
  }
}
