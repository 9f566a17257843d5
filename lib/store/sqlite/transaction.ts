import type { Definition, Records, StoredRecord, Transaction, Writing } from "../port.ts";
import type { Access } from "./access.ts";
import type { Connection } from "./connection.ts";
import { SqliteRecords } from "./records.ts";
import { assertStands, checkDefinition, redefine } from "./tables.ts";
import type { Touched } from "./writer.ts";

/** The tables of a file, as its transactions need them. */
export interface FileTables {
  /** Whether there is a table of the definition's records, as `db` sees it. */
  hasTable(db: Connection, definition: Definition): boolean;
  /** Makes what is missing of a definition's tables. */
  prepareWithin(db: Connection, definition: Definition): void;
}

/** How long a transaction may go on without giving the event loop a turn. */
const TURN_MS = 4;

/**
 * Once one of its calls has failed a transaction can only be undone, as on every engine. However
 * many calls it makes, others are answered between them; what they write waits for its end.
 */
export class SqliteTransaction implements Transaction {
  readonly #file: FileTables;
  readonly #db: Connection;
  readonly #touched: Touched;
  #turnBegan = performance.now();
  /** The turn of the others, and the calls behind it in their order. */
  #othersTurn: Promise<void> | null = null;
  #ended = false;
  #failure: { error: unknown } | null = null;

  constructor(file: FileTables, db: Connection, touched: Touched) {
    this.#file = file;
    this.#db = db;
    this.#touched = touched;
  }

  records<T extends StoredRecord>(definition: Definition, writing?: Writing): Records<T> {
    const access: Access = {
      read: (work, empty) => this.#run(definition, work, { empty }),
      slow: null,
      write: (work, empty) =>
        this.#run(definition, (db) => {
          this.#touched(definition);
          return work(db);
        }, { empty, isWrite: true }),
    };
    return new SqliteRecords<T>(definition, access, writing);
  }

  define(definition: Definition): Promise<void> {
    return this.#guarded(() => {
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
    return this.#guarded(() => {
      if (isWrite) assertStands(this.#db, definition);
      if (empty !== undefined && !this.#file.hasTable(this.#db, definition)) return empty();
      this.#file.prepareWithin(this.#db, definition);
      return work(this.#db);
    });
  }

  #guarded<T>(work: () => T): Promise<T> {
    const isLong = performance.now() - this.#turnBegan > TURN_MS;
    if (isLong) this.#othersTurn ??= this.#turn();
    return this.#othersTurn === null
      ? Promise.try(() => this.#attempt(work))
      : this.#othersTurn.then(() => this.#attempt(work));
  }

  async #turn(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#othersTurn = null;
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
