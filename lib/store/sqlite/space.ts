import type { Definition, Transaction } from "../port.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { Connection, inodeOf, type Sync } from "./connection.ts";
import { transactionInThread } from "./definition_thread.ts";
import { sql } from "./fragment.ts";
import { checkVersion } from "./migrations.ts";
import { openFile, type SpaceFile } from "./open_file.ts";
import {
  assertCurrent,
  checkDefinition,
  correctBytes,
  driftOf,
  dropTables,
  hasTable,
  isPrepared,
  prepare,
  type RecordsSize,
  sizeOf,
} from "./tables.ts";
import { type NoteWrite, Writer, type WriterOptions } from "./writer.ts";

const DATA_VERSION = sql("pragma data_version");

export interface FileOptions extends SpaceFile {
  readonly checkpoints: Checkpoints;
  readonly withoutReads: WriterOptions["withoutReads"];
  readonly onChange: () => void;
}

/**
 * One file: a connection for reading, a connection for writing, and the queue of writes. Readers
 * never wait. They see the last commit, even while a transaction is in progress.
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
  /** SQLite's number of commits by other connections, as last read. */
  #dataVersion = 0;
  /** The error of a file that a newer Corbel has changed; null if there is none. */
  #mismatch: unknown = null;
  #prepared = new WeakSet<Definition>();

  private constructor(
    { db, reader, log }: { db: Connection; reader: Connection; log: Deno.FsFile | null },
    { path, sync, checkpoints, withoutReads, onChange: changed }: FileOptions,
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
      onCommit: (written) => {
        if (written.values().some(({ recordedAs }) => recordedAs !== undefined)) changed();
      },
    });
  }

  static open(options: FileOptions): FileSpace {
    const { path, sync } = options;
    using opened = new DisposableStack();
    const db = opened.adopt(openFile(options), (db) => db.close());
    db.configureWriter();
    const reader = opened.adopt(new Connection(path, sync), (reader) => reader.close());
    reader.mapFile();
    // SQLite does not lock its log file, and keeps the file while a connection is open.
    const log = sync === "full" ? opened.use(Deno.openSync(`${path}-wal`, { write: true })) : null;
    const space = new FileSpace({ db, reader, log }, options);
    opened.move();
    return space;
  }

  /** Whether the path still leads to this file. */
  isInPlace(): boolean {
    return inodeOf(this.#path) === this.#inode;
  }

  checkSchemaVersion(): void {
    try {
      this.externalCommitMark();
    } catch (error) {
      this.#mismatch = error;
    }
  }

  /** Throws `StoreMismatch` if {@linkcode checkSchemaVersion} has detected one. */
  assertReadable(): void {
    if (this.#mismatch !== null) throw this.#mismatch;
  }

  /**
   * Returns a text that changes with commits of other connections, but not with those of this one.
   * Throws `StoreMismatch` if a newer Corbel has committed.
   */
  externalCommitMark(): string {
    const number = this.#db.get(DATA_VERSION)![0] as number;
    if (number !== this.#dataVersion) checkVersion(this.#db, this.#path);
    this.#dataVersion = number;
    return `${this.#opening}.${number}`;
  }

  /** Whether the definition's table exists, as `db` sees it. */
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
      assertCurrent(db, definition);
      prepare(db, definition);
    });
  }

  prepareWithin(db: Connection, definition: Definition): void {
    // The definition is not marked as prepared, because the transaction may be rolled back.
    if (!this.#isPrepared(definition)) prepare(db, definition);
  }

  /** Corrects the bytes of a definition without blocking writes. Returns the correction. */
  async recount(definition: Definition): Promise<number> {
    const drift = driftOf(this.reader, definition);
    if (drift !== 0) await this.write((db) => correctBytes(db, definition, drift));
    return drift;
  }

  async drop(definition: Definition): Promise<void> {
    await this.exclusive((db) => dropTables(db, definition));
    this.#prepared = new WeakSet();
  }

  /** Runs a write. It is durable when it resolves, and rolled back when it throws. */
  write<T>(work: (db: Connection, noteWrite: NoteWrite) => T): Promise<T> {
    return this.#writer.write(work);
  }

  /** Runs a transaction of several steps. `work` must use only the given connection. */
  exclusive<T>(work: (db: Connection, noteWrite: NoteWrite) => T | Promise<T>): Promise<T> {
    return this.#writer.exclusive(work);
  }

  exclusiveInThread<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const file = { path: this.#path, sync: this.#sync };
    return this.#writer.runElsewhere((exclusively) => transactionInThread(file, exclusively, work));
  }

  sizeOf(definition: Definition): RecordsSize {
    return sizeOf(this.reader, definition);
  }

  async close(): Promise<void> {
    await this.#writer.close();
    this.reader.close();
    this.#log?.close();
    this.#db.close();
  }

  #isPrepared(definition: Definition): boolean {
    if (this.#prepared.has(definition)) return true;
    checkDefinition(definition);
    const exists = isPrepared(this.reader, definition);
    if (exists) this.#prepared.add(definition);
    return exists;
  }
}
