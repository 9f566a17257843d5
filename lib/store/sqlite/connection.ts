import { LRUCache } from "lru-cache";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Bucket } from "../aggregation.ts";
import { bucketOf, offsetsOf } from "../calendar.ts";
import { StoreUnavailable, UniqueViolation } from "../errors.ts";
import { bytesOf } from "../json_text.ts";
import { Budget, salt, type ScanLimits } from "./budget.ts";
import type { Fragment, SqlValue } from "./fragment.ts";
import { matchCost, re2 } from "./re2.ts";
import { inBothCases, uniquePath } from "./index_names.ts";

/** How hard a commit is: `full` survives a power cut, `normal` may lose the last commits to one. */
export type Sync = "full" | "normal";

/** Primary result codes of SQLite. */
const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const UNAVAILABLE = new Set([8, 10, 11, 13, 14, 26]); // read-only, I/O, corrupt, full, cannot open, no database
const UNIQUE = new Set([2067, 1555]); // extended: unique index, primary key

/** Another connection holds the lock; worth another try. */
export class Busy extends Error {
  override readonly name = "Busy";
}

/** A column of a field, or a table of an array or of words, that a definition no longer has. */
const GONE = /^no such (?:column: "?(?:\.|a_)|table: (?:a_|s_.*\/words)|fts5 table: )/;

/**
 * What statements say of a file whose schema is not the one they were written for, or whose texts are
 * not JSON: all of them fit the files that Corbel makes, so the file is damaged.
 */
const DAMAGED =
  /^(?:no such (?:table|column|index|module)|malformed JSON|cannot join using column|ambiguous column|table .* (?:has|may not)|(?:index|table) .* already exists|cannot (?:modify|use)|no query solution|error in |vtable constructor|unable to use function)/;

const STATEMENTS_KEPT = 200;
const BUSY_TIMEOUT_MS = 250;
const SWITCH_ATTEMPTS = 50;
const SWITCH_PAUSE_MS = 5;
/**
 * Of pages that are in the log or are changed: readers find all others where the file is mapped. With
 * 4096 a hundred files took 610 MB, with this 190, and nothing took longer.
 */
const CACHE_KIB = 512;
const SORTING_CACHE_KIB = 65_536;
/** A log that is written over again takes no time of the file system. */
const LOG_BYTES_KEPT = 16_777_216;
/** As much as SQLite maps at most: with 256 MiB, lists of a file of 350 took a quarter longer. */
const MMAP_BYTES = 2_147_418_112;

export type Row = readonly SqlValue[];

/** In Deno 2.9, but not yet in its types. */
type ArrayStatement = StatementSync & { setReturnArrays(enabled: boolean): void };

/** One connection to one file, with its prepared statements. Rows come as arrays of columns. */
export class Connection {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #budget = new Budget();
  readonly #statements = new LRUCache<string, ArrayStatement>({ max: STATEMENTS_KEPT });

  /** @param sync `off` where nothing is flushed: for a file that nobody knows of yet. */
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
    // Deterministic for SQLite, which so calls it once in each run of a statement.
    this.#db.function("salt", { deterministic: true }, salt);
    this.#db.function(
      "re2",
      { deterministic: true },
      (pattern, text) => budget.admits(matchCost(pattern, text)) ? re2(pattern, text) : 0,
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

  /**
   * For reading: pages are read where the file is mapped, which makes lists a tenth to a quarter
   * quicker and scans twice as quick. What each connection has mapped counts as memory of the
   * process, so one that only writes has nothing mapped.
   */
  mapFile(): void {
    this.run({ sql: `pragma mmap_size = ${MMAP_BYTES}`, values: [] });
  }

  /** Readers and writers do not wait for each other. Changes the file: look whose it is first. */
  useWriteAheadLog(): void {
    for (let attempt = 1;; attempt++) {
      try {
        return this.run({ sql: "pragma journal_mode = wal", values: [] });
      } catch (error) {
        // Of two processes that make a file at once one is refused without any waiting.
        if (!(error instanceof Busy) || attempt === SWITCH_ATTEMPTS) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SWITCH_PAUSE_MS);
      }
    }
  }

  /**
   * For writing beside an event loop: commits are no longer flushed, checkpoints are no longer
   * made, and a lock that another process holds is not waited for; all three would block. The log
   * is still flushed wherever the file's wholeness rests on it, and where one large commit has made
   * it longer, it is cut when it begins anew. What undoes a single statement is kept in memory: for an
   * insert into several indexes SQLite would make and remove a file. No statement changes more than
   * the rows of a small collection.
   */
  leaveFlushing(): void {
    for (
      const setting of [
        "synchronous = normal",
        "wal_autocheckpoint = 0",
        "temp_store = memory",
        "busy_timeout = 0",
        `journal_size_limit = ${LOG_BYTES_KEPT}`,
      ]
    ) {
      this.#db.exec(`pragma ${setting}`);
    }
  }

  /**
   * For writing in a thread: checkpoints are left to others, and indexes are sorted in more memory.
   * As on the writer's connection a log that is too long is cut when it begins anew, which the first
   * write behind a checkpoint does.
   */
  leaveCheckpoints(): void {
    for (
      const setting of [
        "wal_autocheckpoint = 0",
        `journal_size_limit = ${LOG_BYTES_KEPT}`,
        `cache_size = -${SORTING_CACHE_KIB}`,
      ]
    ) {
      this.#db.exec(`pragma ${setting}`);
    }
  }

  all(statement: Fragment): Row[] {
    return this.#guarded(() =>
      this.#prepare(statement.sql).all(...statement.values) as unknown as Row[]
    );
  }

  /** The same, or null once the texts in them have more bytes than this; then no more is read. */
  allWithin(statement: Fragment, bytesMax: number): Row[] | null {
    return this.#guarded(() => {
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

  /** The first row, or undefined. */
  get(statement: Fragment): Row | undefined {
    return this.#guarded(() =>
      this.#prepare(statement.sql).get(...statement.values) as unknown as Row | undefined
    );
  }

  /**
   * The steps of a statement's query plan as it is now. It is prepared each time, behind a read that
   * notices a changed schema: a plan is not looked at again when what it rests on has changed.
   */
  planOf(statement: string): string[] {
    return this.#guarded(() => {
      this.#prepare("select 1 from sqlite_schema limit 1").get();
      const plan = this.#db.prepare(`explain query plan ${statement}`);
      return plan.all().map(({ detail }) => detail as string);
    });
  }

  /**
   * A statement whose rows nobody reads: it is run up to its first, if it has any.
   * `StatementSync.run` would make an object of counts each time.
   */
  run(statement: Fragment): void {
    this.#guarded(() => void this.#prepare(statement.sql).get(...statement.values));
  }

  /**
   * Runs statements that hold a `GUARD`, with an allowance for all of them together.
   * Throws `BudgetExceeded` when it does not suffice.
   */
  within<T>(allowance: ScanLimits, work: () => T): T {
    this.#budget.open(allowance);
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

  /** About how many rows were looked at since {@linkcode within} was begun, or in it. */
  get rowsSeen(): number {
    return this.#budget.rows;
  }

  /** Counts rows towards the allowance that a statement without a `GUARD` has looked at. */
  noteRows(rows: number): void {
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

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#translated(error);
    }
  }

  #translated(error: unknown): unknown {
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
    if (code === ERROR && GONE.test(message)) {
      return new StoreUnavailable("A definition has changed in this moment", { cause: error });
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

/** An index over an expression is named, one over columns by its columns, as ids are. */
function violatedPath(message: string): string {
  const index = /index '(.*)'$/.exec(message)?.[1];
  if (index !== undefined) return uniquePath(index) ?? "_id";
  const columns = [...message.matchAll(/\.\.([^,]+)/g)].map(([, column]) => inBothCases(column!));
  return columns.length === 0 ? "_id" : columns.join();
}

/** Which file a path stands for; null where there is none, and always on Windows. */
export function inodeOf(path: string): number | null {
  try {
    return Deno.statSync(path).ino;
  } catch {
    return null;
  }
}

/**
 * SQL's `bucket(unit, zone, date)`: SQLite knows no time zones. Null for what is no date. It must not
 * throw, or the process would hang: see `budget.ts`.
 */
function bucketSql(unit: unknown, zone: unknown, date: unknown): number | null {
  try {
    const bucket = bucketOf(unit as Bucket, offsetsOf(String(zone)), Date.parse(String(date)));
    return Number.isNaN(bucket) ? null : bucket;
  } catch {
    return null;
  }
}
