import type { Definition, Transaction } from "../port.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { Connection, inodeOf, type Sync } from "./connection.ts";
import { transactionInThread } from "./definition_thread.ts";
import { sql } from "./fragment.ts";
import { checkVersion } from "./migrations.ts";
import { openFile, type SpaceFile } from "./open_file.ts";
import {
  assertStands,
  checkDefinition,
  correct,
  driftOf,
  drop,
  hasTable,
  isPrepared,
  prepare,
  type Size,
  sizeOf,
} from "./tables.ts";
import { type Touched, Writer, type WriterOptions } from "./writer.ts";

const FOREIGN_VERSION = sql("pragma data_version");

export interface FileOptions extends SpaceFile {
  readonly checkpoints: Checkpoints;
  /** As in `WriterOptions`. */
  readonly withoutReads: WriterOptions["withoutReads"];
  /** Runs after a commit of records whose changes are noted. */
  readonly changed: () => void;
}

/**
 * One file: a connection that reads, a connection that writes, and the queue of writes. Readers never
 * wait. They see the last commit, also while a transaction is in progress.
 */
export class FileSpace {
  readonly reader: Connection;
  readonly #db: Connection;
  readonly #path: string;
  readonly #sync: Sync;
  readonly #inode: number | null;
  readonly #log: Deno.FsFile | null;
  readonly #writer: Writer;
  /** Distinguishes this opening of the file from all others, in any process. */
  readonly #opening = crypto.randomUUID();
  /** SQLite's number for the commits of others, when it was last read. */
  #foreignNumber = 0;
  /** The error of a file that a newer Corbel has changed; null if there is none. */
  #mismatch: unknown = null;
  #prepared = new WeakSet<Definition>();

  private constructor(
    { db, reader, log }: { db: Connection; reader: Connection; log: Deno.FsFile | null },
    { path, sync, checkpoints, withoutReads, changed }: FileOptions,
  ) {
    this.#db = db;
    this.#path = path;
    this.#sync = sync;
    this.#inode = inodeOf(path);
    this.reader = reader;
    this.#log = log;
    this.#writer = new Writer(db, {
      path,
      sync: log === null ? null : () => log.syncData(),
      checkpoints,
      withoutReads,
      committed: (written) => {
        if (written.values().some(({ recordedAs }) => recordedAs !== undefined)) changed();
      },
    });
  }

  static open(options: FileOptions): FileSpace {
    const { path, sync } = options;
    using opened = new DisposableStack();
    const db = opened.adopt(openFile(options), (db) => db.close());
    db.leaveFlushing();
    const reader = opened.adopt(new Connection(path, sync), (reader) => reader.close());
    reader.mapFile();
    // SQLite takes no locks on its log, and keeps the file while a connection is open.
    const log = sync === "full" ? opened.use(Deno.openSync(`${path}-wal`, { write: true })) : null;
    const space = new FileSpace({ db, reader, log }, options);
    opened.move();
    return space;
  }

  /** Whether the name still leads to this file. */
  isInPlace(): boolean {
    return inodeOf(this.#path) === this.#inode;
  }

  /** Checks whether a newer Corbel has changed the file. */
  look(): void {
    try {
      this.foreignVersion();
    } catch (error) {
      this.#mismatch = error;
    }
  }

  /** Throws `StoreMismatch` if {@linkcode look} has seen one: to check before every read is too slow. */
  assertReadable(): void {
    if (this.#mismatch !== null) throw this.#mismatch;
  }

  /**
   * Names what others have committed; it does not change with commits of this connection. Throws
   * `StoreMismatch` if a newer Corbel has committed.
   */
  foreignVersion(): string {
    const number = this.#db.get(FOREIGN_VERSION)![0] as number;
    if (number !== this.#foreignNumber) checkVersion(this.#db, this.#path);
    this.#foreignNumber = number;
    return `${this.#opening}.${number}`;
  }

  /** Whether there is a table of the definition's records, as `db` sees it. */
  hasTable(db: Connection, definition: Definition): boolean {
    return this.#prepared.has(definition) || hasTable(db, definition);
  }

  /** Creates the tables of a definition if they are missing. */
  prepare(definition: Definition): void | Promise<void> {
    if (!this.#isPrepared(definition)) return this.exclusive((db) => prepare(db, definition));
  }

  /** Creates the tables before a write, unless the definition is outdated. Throws `Outdated`. */
  prepareToWrite(definition: Definition): void | Promise<void> {
    if (this.#isPrepared(definition)) return;
    return this.exclusive((db) => {
      assertStands(db, definition);
      prepare(db, definition);
    });
  }

  /** Creates the tables inside a transaction. */
  prepareWithin(db: Connection, definition: Definition): void {
    // This is not remembered, because the transaction may be undone.
    if (!this.#isPrepared(definition)) prepare(db, definition);
  }

  /** Recounts in one snapshot, while writes go on. */
  async recount(definition: Definition): Promise<number> {
    const drift = driftOf(this.reader, definition);
    if (drift !== 0) await this.write((db) => correct(db, definition, drift));
    return drift;
  }

  /** Removes the tables of a definition. */
  async drop(definition: Definition): Promise<void> {
    await this.exclusive((db) => drop(db, definition));
    this.#prepared = new WeakSet();
  }

  /** Runs a write: durable when it resolves, undone when it throws. */
  write<T>(work: (db: Connection, touched: Touched) => T): Promise<T> {
    return this.#writer.write(work);
  }

  /** Runs a transaction of several steps, which uses only the connection that it is given. */
  exclusive<T>(work: (db: Connection, touched: Touched) => T | Promise<T>): Promise<T> {
    return this.#writer.exclusive(work);
  }

  /** Runs a long transaction on a connection in a thread. */
  exclusiveInThread<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const file = { path: this.#path, sync: this.#sync };
    return this.#writer.elsewhere((exclusively) => transactionInThread(file, exclusively, work));
  }

  /** How many records a definition has, and how many bytes they take. */
  sizeOf(definition: Definition): Size {
    return sizeOf(this.reader, definition);
  }

  /** Closes the file once the writes under way have ended. */
  async close(): Promise<void> {
    await this.#writer.close();
    this.reader.close();
    this.#log?.close();
    this.#db.close();
  }

  /** Whether the tables of a definition are there, and committed. */
  #isPrepared(definition: Definition): boolean {
    if (this.#prepared.has(definition)) return true;
    checkDefinition(definition);
    const isThere = isPrepared(this.reader, definition);
    if (isThere) this.#prepared.add(definition);
    return isThere;
  }
}
