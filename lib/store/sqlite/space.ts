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
  /** Runs behind a commit of records whose changes are noted. */
  readonly changed: () => void;
}

/**
 * One file: a connection that writes, one that reads, and who writes.
 * Readers never wait: they see what was committed last, also while a transaction is under way.
 */
export class FileSpace {
  readonly reader: Connection;
  readonly #db: Connection;
  readonly #path: string;
  readonly #sync: Sync;
  readonly #inode: number | null;
  readonly #log: Deno.FsFile | null;
  readonly #writer: Writer;
  /** No two openings of a file, in whatever process, name their states alike. */
  readonly #opening = crypto.randomUUID();
  /** SQLite's number for the commits of others, when it was last read. */
  #foreignNumber = 0;
  /** What a newer Corbel has made of the file; null as long as it is ours. */
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

  /** Whether the file is still found under its name, and no other. */
  isInPlace(): boolean {
    return inodeOf(this.#path) === this.#inode;
  }

  /** Looks whether a newer Corbel has been at the file. */
  look(): void {
    try {
      this.foreignVersion();
    } catch (error) {
      this.#mismatch = error;
    }
  }

  /** Throws `StoreMismatch` once that was seen: to ask before every read would cost more than it. */
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

  /** Makes sure that the tables of a definition exist; free after the first time. */
  prepare(definition: Definition): void | Promise<void> {
    if (!this.#isPrepared(definition)) return this.exclusive((db) => prepare(db, definition));
  }

  /** The same before a write: what an outdated definition wants is not made. Throws `Outdated`. */
  prepareToWrite(definition: Definition): void | Promise<void> {
    if (this.#isPrepared(definition)) return;
    return this.exclusive((db) => {
      assertStands(db, definition);
      prepare(db, definition);
    });
  }

  /** The same inside an exclusive section. */
  prepareWithin(db: Connection, definition: Definition): void {
    // What is made here is not remembered: the transaction may yet be undone.
    if (!this.#isPrepared(definition)) prepare(db, definition);
  }

  /** Sees one moment, and holds up no writer while it looks. */
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

  /** A write of one step: durable when it resolves, undone when it throws. */
  write<T>(work: (db: Connection, touched: Touched) => T): Promise<T> {
    return this.#writer.write(work);
  }

  /**
   * A transaction of several steps that sees only itself: durable when it resolves, undone alone
   * when it throws. Within `work` only the connection it is given may be used.
   */
  exclusive<T>(work: (db: Connection, touched: Touched) => T | Promise<T>): Promise<T> {
    return this.#writer.exclusive(work);
  }

  /** The same on a connection in a thread, for what takes long. */
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
