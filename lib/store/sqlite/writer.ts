import { StoreUnavailable } from "../errors.ts";
import { OpenTransactions } from "../open_transactions.ts";
import type { Definition } from "../port.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { Busy, type Connection } from "./connection.ts";
import { sql } from "./fragment.ts";
import { checkVersion } from "./migrations.ts";
import { WriteLockFairness } from "./write_lock_fairness.ts";

/** Called with the definition of the records that a transaction writes. */
export type Touched = (definition: Definition) => void;

type Work<T> = (db: Connection, touched: Touched) => T | Promise<T>;

/**
 * Runs a transaction on another connection while the writer's has none. The transaction is given how
 * many milliseconds it may wait for other processes.
 */
export type Exclusively = <T>(run: (waitMs: number) => Promise<T>) => Promise<T>;

export interface WriterOptions {
  readonly path: string;
  /** Flushes all commits so far to the disk; null if a commit need not be flushed. */
  readonly sync: (() => Promise<void>) | null;
  readonly checkpoints: Pick<Checkpoints, "run">;
  /** Runs `work` while no long read of the file is running; resolves to false if there always is one. */
  readonly withoutReads: (work: () => Promise<boolean>) => Promise<boolean>;
  /** Runs synchronously after a commit, before any reader can see it. */
  readonly committed: (written: ReadonlySet<Definition>) => void;
}

interface PendingWrite {
  readonly work: Work<unknown>;
  /** When the write stops waiting for other processes, by `performance.now()`. */
  readonly deadline: number;
  readonly done: PromiseWithResolvers<unknown>;
}

/** How long a write waits for the lock that processes share, before it fails. */
const LOCK_WAIT_MS = 5_000;
/** Bounds of one commit, so that neither its writers nor the event loop wait for long. */
const GROUP_WRITES_MAX = 256;
const GROUP_MS = 8;
/** Pages in the log at which a checkpoint starts: 9 MiB. */
const CHECKPOINT_PAGES = 2_304;
/** Pages in the log at which writers wait for the checkpoint: 14 MiB. */
const LOG_PAGES_MAX = 3_584;
/** How long to wait before looking again at the checkpoint of another process. */
const TAKEN_MS = 5;
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
 * Runs all writes to one file in the order of the calls. Writes that wait together share a commit. All
 * but the first of them have a savepoint, so that a write that fails is undone alone. A commit is
 * visible at once. Its writers are answered when it has been flushed, in a thread, and the next commit
 * waits for the flush.
 *
 * After a failed flush the operating system may drop the pages and report the next flush as done, so
 * nothing is committed until the log is mended.
 */
export class Writer {
  readonly #db: Connection;
  readonly #options: WriterOptions;
  readonly #fairness = new WriteLockFairness();
  readonly #queue: PendingWrite[] = [];
  #isServing = false;
  /** Never rejects. */
  #flushing: Promise<void> | null = null;
  #isLogDoubtful = false;
  #unanswered = 0;
  #foreignVersion: unknown = null;
  #checkpointAt = CHECKPOINT_PAGES;
  #checkpointing: Promise<void> | null = null;
  /** Pages of a log that a checkpoint has moved completely: the next write overwrites it. */
  #movedPages = 0;
  /** A transaction on another connection that writers have to wait for. */
  #elsewhere: Promise<void> | null = null;
  /** The end of the work that was last given to {@linkcode elsewhere}. */
  #lastElsewhere = Promise.resolve();
  /** A checkpoint that writers have to wait for. */
  #keptOut: Promise<unknown> | null = null;
  #closed: PromiseWithResolvers<void> | null = null;

  constructor(db: Connection, options: WriterOptions) {
    this.#db = db;
    this.#options = options;
  }

  /** Runs a write: durable when it resolves, undone alone when it throws. */
  async write<T>(work: Work<T>): Promise<T> {
    openTransactions.refuseInside(this);
    const done = Promise.withResolvers<unknown>();
    this.#queue.push({ work, done, deadline: performance.now() + LOCK_WAIT_MS });
    this.#unanswered++;
    if (!this.#isServing) this.#serve();
    try {
      return await done.promise as T; // What this very work resolved to.
    } finally {
      this.#unanswered--;
      this.#closeIfDone();
    }
  }

  /**
   * Runs a transaction of several steps, as {@linkcode write} does. Within `work` only the connection
   * that it is given may be used.
   */
  exclusive<T>(work: Work<T>): Promise<T> {
    return this.write((...given) => openTransactions.run(this, () => work(...given)));
  }

  /** Runs work that has a transaction on another connection, one at a time. */
  async elsewhere<T>(work: (exclusively: Exclusively) => Promise<T>): Promise<T> {
    openTransactions.refuseInside(this);
    const before = this.#lastElsewhere;
    const ended = Promise.withResolvers<void>();
    this.#lastElsewhere = ended.promise;
    this.#unanswered++;
    try {
      await before;
      const result = await work((run) => this.#exclusively(run));
      await this.#optimize(); // It may have made indexes.
      return result;
    } finally {
      ended.resolve();
      this.#unanswered--;
      this.#closeIfDone();
    }
  }

  /** Resolves when all writes in progress are answered and the file is no longer used. */
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
      this.#foreignVersion = null; // What was committed was not by another process.
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
        this.#refuseLate(error);
        continue;
      }
      await this.#runGroup();
      this.#fairness.released();
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
    await this.#keptOut;
    if (this.#isLogDoubtful) this.#mend();
    await this.#fairness.acquire(() => this.#db.run(BEGIN), deadline);
    const version = this.#db.get(FOREIGN_VERSION)![0];
    if (version === this.#foreignVersion) return;
    checkVersion(this.#db, this.#options.path);
    if (this.#foreignVersion !== null) this.#fairness.noticeRivals();
    this.#foreignVersion = version;
  }

  /** Refuses the first write in the queue, and all that have waited too long. */
  #refuseLate(error: unknown): void {
    const refusal = unavailable(error);
    const now = performance.now();
    do this.#queue.shift()!.done.reject(refusal); while (
      this.#queue.length > 0 && this.#queue[0]!.deadline <= now
    );
  }

  /** Commits the writes that wait. If the first one fails, its transaction ends with it. */
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
      first.done.reject(refusalOf(error));
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

  /** Runs one write of a group; resolves to the function that answers it. */
  async #run({ work, done }: PendingWrite, written: Definition[]): Promise<() => void> {
    const result = await work(this.#db, (definition) => void written.push(definition));
    return () => done.resolve(result);
  }

  /** Runs a write that is undone alone if it fails. Throws if only the group can be undone. */
  async #attempt(one: PendingWrite, written: Definition[]): Promise<() => void> {
    const before = written.length;
    this.#db.run(SAVE);
    try {
      const answer = await this.#run(one, written);
      this.#db.run(RELEASE);
      return answer;
    } catch (error) {
      // A full disk, for example, may have undone the transaction already.
      if (error instanceof StoreUnavailable) throw error;
      this.#db.run(UNDO_ONE);
      this.#db.run(RELEASE);
      written.length = before;
      return () => one.done.reject(refusalOf(error));
    }
  }

  #commit(written: readonly Definition[]): void {
    this.#db.run(COMMIT);
    this.#options.committed(new Set(written));
  }

  /** A failed commit (a full disk) may have rolled back by itself. */
  #rollback(): void {
    try {
      this.#db.run(ROLLBACK);
    } catch {
      // No transaction is active.
    }
  }

  /** Answers the writers of a commit when it is on the disk. */
  #answer(group: readonly PendingWrite[], answer: () => void): void {
    const { sync, path } = this.#options;
    if (sync === null) return answer();
    this.#flushing = sync().then(answer, (error) => {
      this.#isLogDoubtful = true;
      const message = `Cannot flush "${path}" to the disk: ${(error as Error).message}`;
      const refusal = new StoreUnavailable(message, { cause: error });
      for (const { done } of group) done.reject(refusal);
    }).finally(() => this.#flushing = null);
  }

  /**
   * Moves the log into the file, which SQLite flushes, and empties the log, so that pages that the log
   * has lost no longer matter.
   */
  #mend(): void {
    const [busy] = this.#db.get(EMPTY_LOG)!;
    if (busy !== 0) throw new Busy(`"${this.#options.path}" is in use after a failed flush`);
    this.#isLogDoubtful = false;
  }

  #checkpointIfDue(): void {
    if (this.#closed !== null) return;
    const pages = this.#loggedPages();
    if (pages === this.#movedPages) return;
    this.#movedPages = 0;
    if (this.#checkpointing !== null) {
      if (pages >= LOG_PAGES_MAX) this.#keptOut = this.#checkpointing;
    } else if (pages >= this.#checkpointAt) this.#checkpointing = this.#checkpoint();
  }

  #loggedPages(): number {
    try {
      return this.#db.get(LOG_SIZE)![1] as number;
    } catch {
      return 0; // Whatever is wrong, it is the next write that has to say so.
    }
  }

  /** Moves the log into the file. A long read prevents this, so long reads are stopped and repeated. */
  async #checkpoint(): Promise<void> {
    const isEmpty = await this.#moveLog() ||
      this.#closed === null && await this.#options.withoutReads(() => this.#moveLog());
    this.#keptOut = null;
    if (isEmpty && this.#closed === null) await this.#optimize();
    this.#checkpointing = null;
    if (this.#closed !== null) return this.#closeIfDone();
    const pages = this.#loggedPages();
    this.#movedPages = isEmpty ? pages : 0;
    this.#checkpointAt = isEmpty ? CHECKPOINT_PAGES : pages + RETRY_PAGES;
    this.#foreignVersion = null; // That was our own doing.
  }

  async #optimize(): Promise<void> {
    const { checkpoints, path } = this.#options;
    await checkpoints.run({ path, mode: "optimize" });
  }

  /** Moves most of the log while writes go on, and the rest between two writes. */
  async #moveLog(): Promise<boolean> {
    const { checkpoints, path } = this.#options;
    for (;;) {
      const outcome = await checkpoints.run({ path, mode: "passive" });
      if (this.#closed !== null || outcome === "left") return false;
      if (outcome === "moved") break;
      await new Promise((resolve) => setTimeout(resolve, TAKEN_MS));
      if (this.#loggedPages() < CHECKPOINT_PAGES) return true; // Another process has moved it.
    }
    const restart = checkpoints.run({ path, mode: "restart" });
    this.#keptOut = restart;
    const outcome = await restart;
    this.#keptOut = null;
    return outcome === "moved";
  }

  #closeIfDone(): void {
    if (this.#closed === null || this.#unanswered > 0 || this.#checkpointing !== null) return;
    this.#closed.resolve();
  }
}

const refusalOf = (error: unknown): unknown => error instanceof Busy ? unavailable(error) : error;

const unavailable = (error: unknown): StoreUnavailable =>
  error instanceof StoreUnavailable
    ? error
    : new StoreUnavailable((error as Error).message, { cause: error });
