import { AsyncLocalStorage } from "node:async_hooks";
import { StoreUnavailable } from "../errors.ts";
import type { Definition } from "../port.ts";
import { Busy, Connection, type Sync } from "./connection.ts";
import { sql } from "./fragment.ts";
import type { Committed } from "./records.ts";
import type { RowCachePool } from "./row_cache.ts";
import { openFile } from "./open_file.ts";
import { checkDefinition, isPrepared, prepare, redefine } from "./tables.ts";

/** How long a write waits for its turn among processes before it is a 503. */
const LOCK_WAIT_MS = 5_000;
const RETRY_MIN_MS = 1;
const RETRY_MAX_MS = 12;

const FOREIGN_VERSION = sql("pragma data_version");

/** Is told which rows a transaction changes or removes, and with null that it adds one. */
export type Touched = (definition: Definition, seq: number | null) => void;

/** The exclusive section that the present call chain was begun in; it may have ended since. */
const inside = new AsyncLocalStorage<{ file: FileSpace; ended: boolean }>();

/**
 * One file: a connection that writes, one that reads, and the queue of those who want to write.
 * Readers never wait: they see what was committed last, also while a transaction is under way.
 */
export class FileSpace {
  readonly reader: Connection;
  readonly #writer: Connection;
  readonly #pool: RowCachePool;
  readonly #committed = new Map<string, Committed>();
  #foreignVersion: number;
  readonly #prepared = new WeakSet<Definition>();
  #tail: Promise<void> = Promise.resolve();
  #writers = 0;
  #closing = false;

  private constructor(writer: Connection, reader: Connection, pool: RowCachePool) {
    this.#writer = writer;
    this.reader = reader;
    this.#pool = pool;
    this.#foreignVersion = this.#readForeignVersion();
  }

  static open(path: string, sync: Sync, pool: RowCachePool): FileSpace {
    const writer = openFile(path, sync);
    try {
      writer.waitForLocks(0);
      return new FileSpace(writer, new Connection(path, sync), pool);
    } catch (error) {
      writer.close();
      throw error;
    }
  }

  /** What is known of the committed rows of a definition. */
  committed({ name }: Definition): Committed {
    let committed = this.#committed.get(name);
    if (committed === undefined) {
      committed = {
        rows: this.#pool.create(),
        totals: new Map(),
        isSteady: () => this.#isSteady(),
      };
      this.#committed.set(name, committed);
    }
    return committed;
  }

  /** Makes sure that the tables of a definition exist; free after the first time. */
  prepare(definition: Definition): void | Promise<void> {
    if (this.#prepared.has(definition)) return;
    checkDefinition(definition);
    if (!isPrepared(this.reader, definition)) {
      return this.exclusive((db) => this.prepareWithin(db, definition));
    }
    this.#prepared.add(definition);
  }

  /** The same inside an exclusive section. */
  prepareWithin(db: Connection, definition: Definition): void {
    if (this.#prepared.has(definition)) return;
    checkDefinition(definition);
    prepare(db, definition);
    // Not remembered: the transaction may yet be undone.
  }

  redefineWithin(db: Connection, definition: Definition): void {
    checkDefinition(definition);
    redefine(db, definition);
  }

  /**
   * Runs `work` in a write transaction of its own, one at a time: committed when it resolves,
   * undone when it throws. Within `work` only the connection it is given may be used.
   */
  async exclusive<T>(work: (db: Connection, touched: Touched) => T | Promise<T>): Promise<T> {
    const around = inside.getStore();
    if (around !== undefined && around.file === this && !around.ended) {
      throw new Error("A transaction must use the records it was given, not the engine's");
    }
    const turn = Promise.withResolvers<void>();
    const before = this.#tail;
    this.#tail = turn.promise;
    this.#writers++;
    try {
      await before;
      await this.#begin();
      const section = { file: this, ended: false };
      const changed: [Definition, number | null][] = [];
      try {
        const touched: Touched = (definition, seq) => void changed.push([definition, seq]);
        const result = await inside.run(section, () => work(this.#writer, touched));
        this.#writer.run(sql("commit"));
        // In the same breath: nobody can read in between.
        for (const [definition, seq] of changed) this.#forget(definition, seq);
        return result;
      } catch (error) {
        this.#rollback();
        throw error;
      } finally {
        section.ended = true;
      }
    } catch (error) {
      throw error instanceof Busy ? new StoreUnavailable(error.message, { cause: error }) : error;
    } finally {
      turn.resolve();
      this.#writers--;
      if (this.#closing && this.#writers === 0) this.#closeNow();
    }
  }

  /** Closes the file, once the writes under way have ended. */
  close(): void {
    this.#closing = true;
    if (this.#writers === 0) this.#closeNow();
  }

  /** Other processes hold the lock for short times: try again, without blocking the event loop. */
  async #begin(): Promise<void> {
    const deadline = performance.now() + LOCK_WAIT_MS;
    for (;;) {
      try {
        return this.#writer.run(sql("begin immediate"));
      } catch (error) {
        if (!(error instanceof Busy) || performance.now() > deadline) throw error;
      }
      const pause = RETRY_MIN_MS + Math.random() * (RETRY_MAX_MS - RETRY_MIN_MS);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** A failed commit (a full disk) may have rolled back by itself. */
  #rollback(): void {
    try {
      this.#writer.run(sql("rollback"));
    } catch {
      // No transaction is active: that is what was wanted.
    }
  }

  #forget(definition: Definition, seq: number | null): void {
    const { rows, totals } = this.committed(definition);
    totals.clear();
    if (seq !== null) rows.drop(seq);
  }

  #isSteady(): boolean {
    const version = this.#readForeignVersion();
    if (version === this.#foreignVersion) return true;
    this.#foreignVersion = version;
    for (const { rows, totals } of this.#committed.values()) {
      rows.clear();
      totals.clear();
    }
    return false;
  }

  /** Changes when others commit; to this connection's own commits it is blind. */
  #readForeignVersion(): number {
    return this.#writer.get(FOREIGN_VERSION)![0] as number;
  }

  #closeNow(): void {
    for (const { rows } of this.#committed.values()) this.#pool.release(rows);
    this.reader.close();
    this.#writer.close();
  }
}
