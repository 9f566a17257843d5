import { StoreUnavailable } from "../errors.ts";
import { OpenTransactions } from "../open_transactions.ts";
import type { Definition } from "../port.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { Busy, type Connection } from "./connection.ts";
import { sql } from "./fragment.ts";
import { checkVersion } from "./migrations.ts";
import { WriteLockFairness } from "./write_lock_fairness.ts";

/** Records the definition of the records that a transaction writes. */
export type NoteWrite = (definition: Definition) => void;

type Work<T> = (db: Connection, noteWrite: NoteWrite) => T | Promise<T>;

/**
 * Runs a transaction on another connection while the writer's connection has none. `run` gets the
 * time in milliseconds that it may wait for other processes.
 */
export type RunExclusively = <T>(run: (waitMs: number) => Promise<T>) => Promise<T>;

export interface WriterOptions {
  readonly path: string;
  /** Flushes all commits so far to the disk; null if a commit need not be flushed. */
  readonly sync: (() => Promise<void>) | null;
  readonly checkpoints: Pick<Checkpoints, "run">;
  /** Runs `work` while no long read is running; false if there is always one. */
  readonly withoutReads: (work: () => Promise<boolean>) => Promise<boolean>;
  /** Runs synchronously after a commit, before any reader can see it. */
  readonly onCommit: (written: ReadonlySet<Definition>) => void;
}

interface PendingWrite {
  readonly work: Work<unknown>;
  /** Time at which the write stops waiting, on the clock of `performance.now()`. */
  readonly deadline: number;
  readonly done: PromiseWithResolvers<unknown>;
}

/** Time in milliseconds that a write waits for the lock of the file before it fails. */
const LOCK_WAIT_MS = 5_000;
/** Maximum number of writes and milliseconds of one commit. */
const GROUP_WRITES_MAX = 256;
const GROUP_MS = 8;
/** Pages in the log at which a checkpoint starts: 9 MiB. */
const CHECKPOINT_PAGES = 2_304;
/** Pages in the log at which writers wait for the checkpoint: 14 MiB. */
const LOG_PAGES_MAX = 3_584;
/** Interval in milliseconds at which a checkpoint of another process is checked. */
const OTHER_CHECKPOINT_MS = 5;
/** Pages by which the log grows before a failed checkpoint is tried again: 1 MiB. */
const RETRY_PAGES = 256;

const BEGIN = sql("begin immediate");
const COMMIT = sql("commit");
const ROLLBACK = sql("rollback");
const SAVE = sql("savepoint one");
const RELEASE = sql("release one");
const UNDO_ONE = sql("rollback to one");
const FOREIGN_VERSION = sql("pragma data_version");
const LOG_SIZE = sql("pragma wal_checkpoint(noop)");
const EMPTY_LOG = sql("pragma wal_checkpoint(truncate)");

const openTransactions = new OpenTransactions<Writer>();

/**
 * Runs all writes to one file in the order of the calls. Waiting writes share a commit. All but the
 * first of them have a savepoint, so that a failed write is rolled back alone. A commit is visible
 * immediately. Its writes resolve when it has been flushed in a thread, and the next commit waits
 * for the flush.
 *
 * After a failed flush the operating system may drop the pages and report the next flush as
 * successful, so nothing is committed until the log is emptied.
 */
export class Writer {
  readonly #db: Connection;
  readonly #options: WriterOptions;
  readonly #fairness = new WriteLockFairness();
  readonly #queue: PendingWrite[] = [];
  #isServing = false;
  /** The flush in progress. Never rejects. */
  #flushing: Promise<void> | null = null;
  #hasFlushFailed = false;
  #unanswered = 0;
  #foreignVersion: unknown = null;
  #checkpointAt = CHECKPOINT_PAGES;
  #checkpointing: Promise<void> | null = null;
  /** Pages of a log that a checkpoint has moved completely. The next write overwrites the log. */
  #movedPages = 0;
  /** A transaction on another connection for which writers have to wait. */
  #elsewhere: Promise<void> | null = null;
  /** The end of the last work of {@linkcode runElsewhere}. */
  #lastElsewhere = Promise.resolve();
  /** A checkpoint for which writers have to wait. */
  #blockingCheckpoint: Promise<unknown> | null = null;
  #closed: PromiseWithResolvers<void> | null = null;

  constructor(db: Connection, options: WriterOptions) {
    this.#db = db;
    this.#options = options;
  }

  /** Runs a write. It is durable when it resolves, and rolled back alone when it throws. */
  async write<T>(work: Work<T>): Promise<T> {
    openTransactions.rejectInside(this);
    const done = Promise.withResolvers<unknown>();
    this.#queue.push({ work, done, deadline: performance.now() + LOCK_WAIT_MS });
    this.#unanswered++;
    if (!this.#isServing) this.#serve();
    try {
      return await done.promise as T; // The result of this work.
    } finally {
      this.#unanswered--;
      this.#closeIfDone();
    }
  }

  /** Runs a transaction of several steps. `work` must use only the given connection. */
  exclusive<T>(work: Work<T>): Promise<T> {
    return this.write((...given) => openTransactions.run(this, () => work(...given)));
  }

  /** Runs work with a transaction on another connection, one at a time. */
  async runElsewhere<T>(work: (exclusively: RunExclusively) => Promise<T>): Promise<T> {
    openTransactions.rejectInside(this);
    const before = this.#lastElsewhere;
    const ended = Promise.withResolvers<void>();
    this.#lastElsewhere = ended.promise;
    this.#unanswered++;
    try {
      await before;
      const result = await work((run) => this.#exclusively(run));
      await this.#optimize(); // It may have created indexes.
      return result;
    } finally {
      ended.resolve();
      this.#unanswered--;
      this.#closeIfDone();
    }
  }

  /** Resolves when all writes in progress have resolved and the file is no longer used. */
  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers();
    this.#closeIfDone();
    return this.#closed.promise;
  }

  /** Waits for earlier writes, and keeps later ones waiting until `run` has ended. */
  async #exclusively<T>(run: (waitMs: number) => Promise<T>): Promise<T> {
    const ended = Promise.withResolvers<void>();
    try {
      await this.write(() => void (this.#elsewhere = ended.promise));
      return await openTransactions.run(this, () => run(LOCK_WAIT_MS));
    } finally {
      this.#foreignVersion = null; // The commit was not by another process.
      ended.resolve();
      this.#checkpointIfDue();
    }
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    while (this.#queue.length > 0) {
      await this.#gather();
      try {
        await this.#takeTurn(this.#queue[0]!.deadline);
      } catch (error) {
        this.#rollback();
        this.#rejectLate(error);
        continue;
      }
      await this.#runGroup();
      this.#fairness.noteRelease();
      this.#checkpointIfDue();
    }
    this.#isServing = false;
  }

  /** Waits for a turn of the event loop and for the flush, during which more writes may arrive. */
  async #gather(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    await this.#flushing;
  }

  async #takeTurn(deadline: number): Promise<void> {
    if (this.#elsewhere !== null) {
      await this.#elsewhere;
      this.#elsewhere = null;
      deadline = performance.now() + LOCK_WAIT_MS;
    }
    await this.#blockingCheckpoint;
    if (this.#hasFlushFailed) this.#emptyLog();
    await this.#fairness.acquire(() => this.#db.run(BEGIN), deadline);
    const version = this.#db.get(FOREIGN_VERSION)![0];
    if (version === this.#foreignVersion) return;
    checkVersion(this.#db, this.#options.path);
    if (this.#foreignVersion !== null) this.#fairness.noticeRivals();
    this.#foreignVersion = version;
  }

  /** Rejects the first write in the queue, and all writes that have waited too long. */
  #rejectLate(error: unknown): void {
    const refusal = unavailable(error);
    const now = performance.now();
    do this.#queue.shift()!.done.reject(refusal); while (
      this.#queue.length > 0 && this.#queue[0]!.deadline <= now
    );
  }

  /** Commits waiting writes. If the first one fails, its transaction ends with it. */
  async #runGroup(): Promise<void> {
    const written: Definition[] = [];
    const first = this.#queue.shift()!;
    const group = [first];
    const answers: (() => void)[] = [];
    const until = performance.now() + GROUP_MS;
    try {
      answers.push(await this.#run(first, written));
    } catch (error) {
      this.#rollback();
      first.done.reject(rejectionOf(error));
      return;
    }
    try {
      while (
        this.#queue.length > 0 && group.length < GROUP_WRITES_MAX && performance.now() < until
      ) {
        const one = this.#queue.shift()!;
        group.push(one);
        answers.push(await this.#attempt(one, written));
      }
      this.#commit(written);
    } catch (error) {
      this.#rollback();
      const refusal = unavailable(error);
      for (const { done } of group) done.reject(refusal);
      return;
    }
    this.#answer(group, () => answers.forEach((answer) => answer()));
  }

  /** Runs one write of a group. Resolves to the function that resolves the write's promise. */
  async #run({ work, done }: PendingWrite, written: Definition[]): Promise<() => void> {
    const result = await work(this.#db, (definition) => void written.push(definition));
    return () => done.resolve(result);
  }

  /** Runs a write that is rolled back alone if it fails. Throws if that is not possible. */
  async #attempt(one: PendingWrite, written: Definition[]): Promise<() => void> {
    const before = written.length;
    this.#db.run(SAVE);
    try {
      const answer = await this.#run(one, written);
      this.#db.run(RELEASE);
      return answer;
    } catch (error) {
      // A full disk, for example, may have rolled back the transaction already.
      if (error instanceof StoreUnavailable) throw error;
      this.#db.run(UNDO_ONE);
      this.#db.run(RELEASE);
      written.length = before;
      return () => one.done.reject(rejectionOf(error));
    }
  }

  #commit(written: readonly Definition[]): void {
    this.#db.run(COMMIT);
    this.#options.onCommit(new Set(written));
  }

  /** A failed commit (a full disk) may have rolled back by itself. */
  #rollback(): void {
    try {
      this.#db.run(ROLLBACK);
    } catch {
      // No transaction is active.
    }
  }

  /** Resolves the writes of a commit when it is on the disk. */
  #answer(group: readonly PendingWrite[], answer: () => void): void {
    const { sync, path } = this.#options;
    if (sync === null) return answer();
    this.#flushing = sync().then(answer, (error) => {
      this.#hasFlushFailed = true;
      const message = `Cannot flush "${path}" to the disk: ${(error as Error).message}`;
      const refusal = new StoreUnavailable(message, { cause: error });
      for (const { done } of group) done.reject(refusal);
    }).finally(() => this.#flushing = null);
  }

  /** Empties the log after SQLite has flushed the file, so that lost pages do not matter. */
  #emptyLog(): void {
    const [busy] = this.#db.get(EMPTY_LOG)!;
    if (busy !== 0) throw new Busy(`"${this.#options.path}" is in use after a failed flush`);
    this.#hasFlushFailed = false;
  }

  #checkpointIfDue(): void {
    if (this.#closed !== null) return;
    const pages = this.#loggedPages();
    if (pages === this.#movedPages) return;
    this.#movedPages = 0;
    if (this.#checkpointing !== null) {
      if (pages >= LOG_PAGES_MAX) this.#blockingCheckpoint = this.#checkpointing;
    } else if (pages >= this.#checkpointAt) this.#checkpointing = this.#checkpoint();
  }

  #loggedPages(): number {
    try {
      return this.#db.get(LOG_SIZE)![1] as number;
    } catch {
      return 0; // The next write reports the error.
    }
  }

  /** Moves the log into the file. Long reads prevent this, so they are stopped and restarted. */
  async #checkpoint(): Promise<void> {
    const isEmpty = await this.#moveLog() ||
      this.#closed === null && await this.#options.withoutReads(() => this.#moveLog());
    this.#blockingCheckpoint = null;
    if (isEmpty && this.#closed === null) await this.#optimize();
    this.#checkpointing = null;
    if (this.#closed !== null) return this.#closeIfDone();
    const pages = this.#loggedPages();
    this.#movedPages = isEmpty ? pages : 0;
    this.#checkpointAt = isEmpty ? CHECKPOINT_PAGES : pages + RETRY_PAGES;
    this.#foreignVersion = null; // The checkpoint's connection was our own.
  }

  async #optimize(): Promise<void> {
    const { checkpoints, path } = this.#options;
    await checkpoints.run({ path, mode: "optimize" });
  }

  /** Moves most of the log while writes continue, and the rest between two writes. */
  async #moveLog(): Promise<boolean> {
    const { checkpoints, path } = this.#options;
    for (;;) {
      const outcome = await checkpoints.run({ path, mode: "passive" });
      if (this.#closed !== null || outcome === "left") return false;
      if (outcome === "moved") break;
      await new Promise((resolve) => setTimeout(resolve, OTHER_CHECKPOINT_MS));
      if (this.#loggedPages() < CHECKPOINT_PAGES) return true; // Another process has moved it.
    }
    const restart = checkpoints.run({ path, mode: "restart" });
    this.#blockingCheckpoint = restart;
    const outcome = await restart;
    this.#blockingCheckpoint = null;
    return outcome === "moved";
  }

  #closeIfDone(): void {
    if (this.#closed === null || this.#unanswered > 0 || this.#checkpointing !== null) return;
    this.#closed.resolve();
  }
}

const rejectionOf = (error: unknown): unknown => error instanceof Busy ? unavailable(error) : error;

const unavailable = (error: unknown): StoreUnavailable =>
  error instanceof StoreUnavailable
    ? error
    : new StoreUnavailable((error as Error).message, { cause: error });
