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
  Writing,
} from "../port.ts";
import type { Access } from "./access.ts";
import { SqliteChangeLog } from "./change_log.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { Connection, Sync } from "./connection.ts";
import { sql } from "./fragment.ts";
import { SqliteRecords } from "./records.ts";
import { bytesOf } from "./open_file.ts";
import {
  makeFolder,
  probeFolder,
  projectsIn,
  refuseHeadless,
  removeIfAny,
  removeLeftovers,
} from "./folder.ts";
import { Registry } from "./registry.ts";
import { Scans } from "./scans.ts";
import { SqliteSnapshot } from "./snapshot.ts";
import { FileSpace } from "./space.ts";
import { assertStands, bytesCounted, bytesOfKind, kindsIn } from "./tables.ts";
import { SqliteTransaction } from "./transaction.ts";

export interface SqliteOptions {
  /** Holds `control.db` and `projects/<id>.db`; made if it is missing. */
  readonly folder: string;
  readonly sync: Sync;
  /**
   * How many project files stay open. Each holds six descriptors (two connections, their two logs,
   * one shared index, and the log once more to flush it) and up to 2 MB.
   */
  readonly filesMax?: number;
  /** Milliseconds after which a list or a count is given up. */
  readonly queryTimeLimitMs?: number;
  /** As in `ScansOptions`. */
  readonly scansAhead?: boolean;
  /** How many rows a list or a count may look at on the event loop. */
  readonly rowsMax?: number;
  /** From how many records on a definition is changed in a thread. */
  readonly threadRowsMin?: number;
}

const FILES_MAX = 50;
const QUERY_TIME_LIMIT_MS = 5_000;
/**
 * How long writes may be answered that go to a file which was taken away, and are lost with it, and
 * reads of one that a newer Corbel has taken over.
 */
const WATCH_MS = 1_000;
/** A definition of fewer, and no larger, records is changed on the event loop. */
const THREAD_ROWS_MIN = 2_000;
const THREAD_BYTES_MIN = 4_194_304;
/** Of which a scan of columns looks at some in four milliseconds; most reads end by that time. */
const ROWS_MAX = 40_000;

/** A statement that was slow is tried again behind this: it may have an index by then. */
const SLOW_MS = 60_000;
const SLOW_TEXTS_MAX = 500;

/** The embedded engine: one file per space. Several processes may share a folder. */
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
  /** Until when statements are taken for slow, by their spaces and texts. */
  readonly #slowUntil = new LRUCache<string, number>({ max: SLOW_TEXTS_MAX });
  /** Projects whose files could not be used when they were needed last. */
  readonly #lost = new Set<Id>();
  readonly #watch: ReturnType<typeof setInterval>;
  #isHeadless = false;

  private constructor(options: SqliteOptions) {
    const { folder, sync, filesMax = FILES_MAX, rowsMax = ROWS_MAX } = options;
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
      if (!bytesOf(this.#path(projectId))) this.#lost.add(projectId);
    }
    this.#watch = setInterval(() => this.#look(), WATCH_MS);
    Deno.unrefTimer(this.#watch);
  }

  /** Throws `StoreUnavailable` when the folder cannot be used, `StoreMismatch` for a foreign file. */
  static async open(options: SqliteOptions): Promise<SqliteEngine> {
    await makeFolder(options.folder);
    await refuseHeadless(options.folder);
    return new SqliteEngine(options);
  }

  records<T extends StoredRecord>(
    space: Space,
    definition: Definition,
    writing?: Writing,
  ): Records<T> {
    const access: Access = {
      read: async (work, empty) => {
        const file = this.#file(space);
        if (empty !== undefined && !file.hasTable(file.reader, definition)) return empty();
        const wait = file.prepare(definition);
        // Without a wait the file cannot have been closed in between.
        if (wait !== undefined) {
          await wait;
          return readOn(this.#file(space), work);
        }
        return readOn(file, work);
      },
      slow: {
        rowsMax: this.#rowsMax,
        isSlow: (text) => (this.#slowUntil.get(`${space} ${text}`) ?? 0) > performance.now(),
        noteSlow: (text) =>
          void this.#slowUntil.set(`${space} ${text}`, performance.now() + SLOW_MS),
        scan: (scan) => this.#scans.run(this.#path(space), scan),
      },
      write: async (work, empty) => {
        const file = this.#file(space);
        if (empty !== undefined && !file.hasTable(file.reader, definition)) {
          assertStands(file.reader, definition);
          return empty();
        }
        await file.prepareToWrite(definition);
        return this.#file(space).write((db, touched) => {
          assertStands(db, definition);
          touched(definition);
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
    if (redefines !== undefined && this.#takesLong(file, redefines)) {
      return await file.exclusiveInThread(work);
    }
    return await file.exclusive(async (db, touched) => {
      const transaction = new SqliteTransaction(file, db, touched);
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

  indexesAhead(): Promise<null> {
    return Promise.resolve(null);
  }

  commitsOfOthers(space: Space): string {
    return this.#file(space).foreignVersion();
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

  async bringOver(space: Space, definition: Definition): Promise<boolean> {
    const file = this.#file(space);
    if (!file.hasTable(file.reader, definition)) return false;
    const wait = file.prepare(definition);
    await wait;
    return wait !== undefined;
  }

  async drop(space: Space, definition: Definition): Promise<void> {
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

  lost(): Id[] {
    return [...this.#lost];
  }

  async tidy(): Promise<void> {
    await removeLeftovers(this.#folder);
  }

  async dropSpace(projectId: Id): Promise<void> {
    await this.#registry.remove(projectId);
    this.#lost.delete(projectId);
    this.#projects.delete(projectId);
    await Promise.all(this.#closing);
    // The log last: without its file it is nothing.
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

  #takesLong(file: FileSpace, definition: Definition): boolean {
    const { rows, bytes } = file.sizeOf(definition);
    return rows >= this.#threadRowsMin || bytes >= THREAD_BYTES_MIN;
  }

  #path(space: Space): string {
    return `${this.#folder}/${space === "control" ? "control" : `projects/${space}`}.db`;
  }

  #file(space: Space): FileSpace {
    if (this.#isHeadless) {
      throw new StoreUnavailable(
        `"${this.#path("control")}" was taken away: bring it back, and start anew.`,
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
      this.#lost.delete(projectId);
      return file;
    } catch (error) {
      if (this.#registry.has(projectId)) this.#lost.add(projectId);
      throw error;
    }
  }

  #open(space: Space): FileSpace {
    return FileSpace.open({
      path: this.#path(space),
      space,
      isKnown: space !== "control" && this.#registry.has(space),
      sync: this.#sync,
      checkpoints: this.#checkpoints,
      withoutReads: (work) => this.#scans.without(this.#path(space), work),
      changed: () => this.changes.committed(space),
    });
  }

  /** What is written to a file that has lost its name is lost when it is closed. */
  #look(): void {
    this.#isHeadless ||= !this.#control.isInPlace();
    if (!this.#isHeadless) this.#control.look();
    for (const [space, file] of this.#projects.entries()) {
      if (file.isInPlace()) file.look();
      else this.#projects.delete(space);
    }
  }

  #close(space: FileSpace): void {
    const closing = space.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

function readOn<T>(file: FileSpace, work: (db: Connection) => T): T {
  file.assertReadable();
  return work(file.reader);
}
