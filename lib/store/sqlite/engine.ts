import { LRUCache } from "lru-cache";
import { StoreUnavailable } from "../errors.ts";
import type {
  Definition,
  Engine,
  Id,
  Records,
  Snapshot,
  Space,
  StoredRecord,
  Transaction,
  TransactionOptions,
  WriteOptions,
} from "../port.ts";
import type { Access } from "./access.ts";
import { SqliteChangeLog } from "./change_log.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { Connection, Sync } from "./connection.ts";
import { sql } from "./fragment.ts";
import { SqliteRecords } from "./records.ts";
import { fileSize } from "./open_file.ts";
import {
  createFolder,
  probeFolder,
  projectsIn,
  rejectMissingControlFile,
  removeIfAny,
  removeLeftovers,
} from "./folder.ts";
import { Registry } from "./registry.ts";
import { Scans } from "./scans.ts";
import { SqliteSnapshot } from "./snapshot.ts";
import { FileSpace } from "./space.ts";
import { assertCurrent, bytesCounted, bytesOfKind, kindsIn } from "./tables.ts";
import { SqliteTransaction } from "./transaction.ts";

export interface SqliteOptions {
  readonly folder: string;
  readonly sync: Sync;
  /**
   * Number of project files that stay open. Each uses six file descriptors (two connections, their
   * logs, a shared index, and the log again for flushing) and up to 2 MB.
   */
  readonly filesMax?: number;
  /** Time limit of a list or a count in milliseconds. */
  readonly queryTimeLimitMs?: number;
  readonly scansAhead?: boolean;
  /** Number of rows that a list or a count may examine on the event loop. */
  readonly rowsMax?: number;
  /** Number of records from which a definition is changed in a thread. */
  readonly threadRowsMin?: number;
}

const FILES_MAX = 50;
const QUERY_TIME_LIMIT_MS = 5_000;
/**
 * Interval in milliseconds at which open files are checked. Until then, writes to a deleted file
 * still succeed although they are lost, and so do reads of a file that a newer Corbel has taken
 * over.
 */
const FILE_CHECK_MS = 1_000;
/** Definitions with fewer records and fewer bytes are changed on the event loop. */
const THREAD_ROWS_MIN = 2_000;
const THREAD_BYTES_MIN = 4_194_304;
/** Rows that may be examined on the event loop, more than fit into four milliseconds. */
const EVENT_LOOP_ROWS_MAX = 40_000;

/** Milliseconds until a slow statement is tried again, as it may have an index by then. */
const SLOW_MS = 60_000;
const SLOW_TEXTS_MAX = 500;

/** The embedded engine, with one file per space. Several processes may share a folder. */
export class SqliteEngine implements Engine {
  readonly name = "sqlite";
  readonly definitionLagMs = 0;
  readonly checksDefinitionAtCommit = true;
  readonly changes = new SqliteChangeLog((space) => this.#file(space));
  readonly #folder: string;
  readonly #sync: Sync;
  readonly #checkpoints = new Checkpoints();
  readonly #closing = new Set<Promise<void>>();
  readonly #scans: Scans;
  readonly #rowsMax: number;
  readonly #threadRowsMin: number;
  readonly #control: FileSpace;
  readonly #registry: Registry;
  readonly #projects: LRUCache<string, FileSpace>;
  /** Times until which statements count as slow, on the clock of `performance.now()`. */
  readonly #slowUntil = new LRUCache<string, number>({ max: SLOW_TEXTS_MAX });
  /** Projects whose files were unusable at the last access. */
  readonly #unusable = new Set<Id>();
  readonly #watch: ReturnType<typeof setInterval>;
  #isControlFileGone = false;

  private constructor(options: SqliteOptions) {
    const { folder, sync, filesMax = FILES_MAX, rowsMax = EVENT_LOOP_ROWS_MAX } = options;
    this.#folder = folder;
    this.#sync = sync;
    this.#rowsMax = rowsMax;
    this.#threadRowsMin = options.threadRowsMin ?? THREAD_ROWS_MIN;
    const { queryTimeLimitMs: limitMs = QUERY_TIME_LIMIT_MS, scansAhead = false } = options;
    this.#scans = new Scans({ limitMs, scansAhead });
    this.#control = this.#open("control");
    this.#registry = new Registry(this.#control);
    this.#projects = new LRUCache({ max: filesMax, dispose: (space) => this.#close(space) });
    for (const projectId of this.#registry.all()) {
      if (!fileSize(this.#path(projectId))) this.#unusable.add(projectId);
    }
    this.#watch = setInterval(() => this.#checkFiles(), FILE_CHECK_MS);
    Deno.unrefTimer(this.#watch);
  }

  /** Opens a folder. Throws `StoreUnavailable`, and `StoreMismatch` for a foreign file. */
  static async open(options: SqliteOptions): Promise<SqliteEngine> {
    await createFolder(options.folder);
    await rejectMissingControlFile(options.folder);
    return new SqliteEngine(options);
  }

  records<T extends StoredRecord>(
    space: Space,
    definition: Definition,
    writing?: WriteOptions,
  ): Records<T> {
    const access: Access = {
      read: async (work, empty) => {
        const file = this.#file(space);
        if (empty !== undefined && !file.hasTable(file.reader, definition)) return empty();
        const wait = file.prepare(definition);
        // The file cannot have been closed, because nothing was awaited.
        if (wait !== undefined) {
          await wait;
          return readFrom(this.#file(space), work);
        }
        return readFrom(file, work);
      },
      slow: {
        rowsMax: this.#rowsMax,
        isSlow: (text) => (this.#slowUntil.get(`${space} ${text}`) ?? 0) > performance.now(),
        markSlow: (text) =>
          void this.#slowUntil.set(`${space} ${text}`, performance.now() + SLOW_MS),
        scan: (scan) => this.#scans.run(this.#path(space), scan),
      },
      write: async (work, empty) => {
        const file = this.#file(space);
        if (empty !== undefined && !file.hasTable(file.reader, definition)) {
          assertCurrent(file.reader, definition);
          return empty();
        }
        await file.prepareToWrite(definition);
        return this.#file(space).write((db, noteWrite) => {
          assertCurrent(db, definition);
          noteWrite(definition);
          return work(db);
        });
      },
    };
    return new SqliteRecords<T>(definition, access, writing);
  }

  async transaction<T>(
    space: Space,
    work: (tx: Transaction) => Promise<T>,
    { redefines }: TransactionOptions = {},
  ): Promise<T> {
    const file = this.#file(space);
    if (redefines !== undefined && this.#isLarge(file, redefines)) {
      return await file.exclusiveInThread(work);
    }
    return await file.exclusive(async (db, noteWrite) => {
      const transaction = new SqliteTransaction(file, db, noteWrite);
      try {
        const result = await work(transaction);
        transaction.throwIfFailed();
        return result;
      } finally {
        transaction.end();
      }
    });
  }

  async snapshot<T>(space: Space, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    this.#file(space).assertReadable();
    using snapshot = new SqliteSnapshot(this.#path(space));
    return await work(snapshot);
  }

  concurrentIndexBuild(): Promise<null> {
    return Promise.resolve(null);
  }

  externalCommitMark(space: Space): string {
    return this.#file(space).externalCommitMark();
  }

  // deno-lint-ignore require-await -- Rejects where a plain return would throw.
  async bytes(space: Space, alsoCounted: readonly Definition[] = []): Promise<number> {
    return bytesCounted(this.#file(space).reader, alsoCounted);
  }

  // deno-lint-ignore require-await -- Rejects where a plain return would throw.
  async bytesOf(space: Space, { name }: Definition): Promise<number> {
    return bytesOfKind(this.#file(space).reader, name);
  }

  async recount(space: Space, definition: Definition): Promise<number> {
    const file = this.#file(space);
    await file.prepare(definition);
    return await file.recount(definition);
  }

  async upgradeRecords(space: Space, definition: Definition): Promise<boolean> {
    const file = this.#file(space);
    if (!file.hasTable(file.reader, definition)) return false;
    const wait = file.prepare(definition);
    await wait;
    return wait !== undefined;
  }

  async dropDefinition(space: Space, definition: Definition): Promise<void> {
    await this.#file(space).drop(definition);
  }

  fence(): Promise<void> {
    return Promise.resolve();
  }

  async createSpace(space: Space): Promise<void> {
    this.#file(space);
    if (space !== "control") await this.#registry.add(space);
  }

  spaces(): Promise<Id[]> {
    return projectsIn(this.#folder);
  }

  // deno-lint-ignore require-await -- Rejects where a plain return would throw.
  async kinds(space: Space): Promise<string[]> {
    return kindsIn(this.#file(space).reader);
  }

  unusableSpaces(): Id[] {
    return [...this.#unusable];
  }

  async deleteLeftovers(): Promise<void> {
    await removeLeftovers(this.#folder);
  }

  async dropSpace(projectId: Id): Promise<void> {
    await this.#registry.remove(projectId);
    this.#unusable.delete(projectId);
    this.#projects.delete(projectId);
    await Promise.all(this.#closing);
    // The log is deleted last, because it is useless without its file.
    for (const suffix of ["", "-shm", "-wal"]) {
      await removeIfAny(`${this.#path(projectId)}${suffix}`);
    }
  }

  async ping(): Promise<void> {
    await this.#file("control").write((db) => void db.get(sql("select 1")));
    await probeFolder(this.#folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#watch);
    this.changes.close();
    await this.#scans[Symbol.asyncDispose]();
    this.#projects.clear();
    this.#close(this.#control);
    await Promise.all(this.#closing);
    await this.#checkpoints[Symbol.asyncDispose]();
  }

  #isLarge(file: FileSpace, definition: Definition): boolean {
    const { rows, bytes } = file.sizeOf(definition);
    return rows >= this.#threadRowsMin || bytes >= THREAD_BYTES_MIN;
  }

  #path(space: Space): string {
    return `${this.#folder}/${space === "control" ? "control" : `projects/${space}`}.db`;
  }

  #file(space: Space): FileSpace {
    if (this.#isControlFileGone) {
      throw new StoreUnavailable(
        `"${this.#path("control")}" was removed: restore it and restart Corbel.`,
      );
    }
    if (space === "control") return this.#control;
    let file = this.#projects.get(space);
    if (file === undefined) {
      file = this.#openProject(space);
      this.#projects.set(space, file);
    }
    return file;
  }

  #openProject(projectId: Id): FileSpace {
    try {
      const file = this.#open(projectId);
      this.#unusable.delete(projectId);
      return file;
    } catch (error) {
      if (this.#registry.has(projectId)) this.#unusable.add(projectId);
      throw error;
    }
  }

  #open(space: Space): FileSpace {
    return FileSpace.open({
      path: this.#path(space),
      space,
      mustExist: space !== "control" && this.#registry.has(space),
      sync: this.#sync,
      checkpoints: this.#checkpoints,
      withoutReads: (work) => this.#scans.pauseReads(this.#path(space), work),
      onChange: () => this.changes.notifyCommit(space),
    });
  }

  /** Detects deleted files, because writes to a deleted file are lost when it is closed. */
  #checkFiles(): void {
    this.#isControlFileGone ||= !this.#control.isInPlace();
    if (!this.#isControlFileGone) this.#control.checkSchemaVersion();
    for (const [space, file] of this.#projects.entries()) {
      if (file.isInPlace()) file.checkSchemaVersion();
      else this.#projects.delete(space);
    }
  }

  #close(space: FileSpace): void {
    const closing = space.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

function readFrom<T>(file: FileSpace, work: (db: Connection) => T): T {
  file.assertReadable();
  return work(file.reader);
}
