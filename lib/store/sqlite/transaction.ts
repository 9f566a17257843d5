import type { Definition, Records, StoredRecord, Transaction, WriteOptions } from "../port.ts";
import type { Access } from "./access.ts";
import type { Connection } from "./connection.ts";
import { SqliteRecords } from "./records.ts";
import { assertCurrent, checkDefinition, redefine } from "./tables.ts";
import type { NoteWrite } from "./writer.ts";

/** Access of a transaction to the tables of a file. */
export interface FileTables {
  hasTable(db: Connection, definition: Definition): boolean;
  prepareWithin(db: Connection, definition: Definition): void;
}

/** Time in milliseconds after which a transaction yields to the event loop. */
const TURN_MS = 4;

/**
 * A write transaction. After a call has failed, it can only be rolled back, as on every engine.
 * Other requests are served between its calls; their writes wait for its end.
 */
export class SqliteTransaction implements Transaction {
  readonly #file: FileTables;
  readonly #db: Connection;
  readonly #noteWrite: NoteWrite;
  #turnBegan = performance.now();
  /** Resolves after other work of the event loop has run. Calls wait for it in order. */
  #yielding: Promise<void> | null = null;
  #ended = false;
  #failure: { error: unknown } | null = null;

  constructor(file: FileTables, db: Connection, noteWrite: NoteWrite) {
    this.#file = file;
    this.#db = db;
    this.#noteWrite = noteWrite;
  }

  records<T extends StoredRecord>(definition: Definition, writing?: WriteOptions): Records<T> {
    const access: Access = {
      read: (work, empty) => this.#run(definition, work, { empty }),
      slow: null,
      write: (work, empty) =>
        this.#run(definition, (db) => {
          this.#noteWrite(definition);
          return work(db);
        }, { empty, isWrite: true }),
    };
    return new SqliteRecords<T>(definition, access, writing);
  }

  define(definition: Definition): Promise<void> {
    return this.#schedule(() => {
      checkDefinition(definition);
      redefine(this.#db, definition);
    });
  }

  throwIfFailed(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  end(): void {
    this.#ended = true;
  }

  #run<T>(
    definition: Definition,
    work: (db: Connection) => T,
    { empty, isWrite = false }: { empty: (() => T) | undefined; isWrite?: boolean },
  ): Promise<T> {
    return this.#schedule(() => {
      if (isWrite) assertCurrent(this.#db, definition);
      if (empty !== undefined && !this.#file.hasTable(this.#db, definition)) return empty();
      this.#file.prepareWithin(this.#db, definition);
      return work(this.#db);
    });
  }

  #schedule<T>(work: () => T): Promise<T> {
    const isLong = performance.now() - this.#turnBegan > TURN_MS;
    if (isLong) this.#yielding ??= this.#yieldToEventLoop();
    return this.#yielding === null
      ? Promise.try(() => this.#attempt(work))
      : this.#yielding.then(() => this.#attempt(work));
  }

  async #yieldToEventLoop(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#yielding = null;
    this.#turnBegan = performance.now();
  }

  #attempt<T>(work: () => T): T {
    if (this.#ended) throw new Error("The transaction has ended");
    this.throwIfFailed();
    try {
      return work();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }
}
