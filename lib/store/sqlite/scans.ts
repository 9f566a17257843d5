import { StoreUnavailable } from "../errors.ts";
import { FairQueue } from "../fair_queue.ts";
import type { Rejection, RowScan, Scan, ScanResultOf } from "./scan.ts";
import type { ScanOutcome } from "./scan_signals.ts";
import { ScanThread } from "./scan_thread.ts";

export interface ScansOptions {
  /** Time limit of a read in milliseconds, including waiting. */
  readonly limitMs: number;
  /**
   * Whether the thread for quick reads and one for others are started immediately and never ended.
   * Each takes some 12 MB, and starts slowly if another worker starts it (see `checkpoints.ts`).
   */
  readonly scansAhead?: boolean;
}

/** Maximum number of running and waiting reads of one file. */
const READS_MAX = 128;
/** Time in milliseconds after which a read no longer counts as quick. */
const QUICK_MS = 50;
/** Time in milliseconds after which a read counts as long. */
const SHORT_MS = 250;
/** Number of threads: one is always available for short reads. */
const THREADS = 3;
/** Maximum number of long reads at a time, each of a different file. */
const LONG_READS_MAX = 2;
const IDLE_MS = 30_000;
/** Maximum number of interruptions of a read by checkpoints, so that every read completes. */
export const INTERRUPTIONS_MAX = 4;
/** The largest number that fits into the shared memory. */
const NUMBER_MAX = 2 ** 31 - 1;

type Kind = "quick" | "short" | "long";

interface Job {
  /** Number of the run, different for every start. */
  number: number;
  readonly path: string;
  readonly scan: Scan | RowScan;
  readonly until: number;
  kind: Kind;
  /** The reason why the read was stopped early and will be restarted; null if it was not. */
  restartReason: "time" | "checkpoint" | null;
  /** Number of restarts because of checkpoints. */
  interruptions: number;
  /** Resolves the caller's promise. Later calls have no effect. */
  resolve(outcome: ScanOutcome): void;
}

const STOPPED: ScanOutcome = { kind: "stopped" };
const CLOSING = { kind: "failed", unavailable: true, message: "The store is closing" } as const;

/**
 * Runs reads that examine many rows in threads, so that the event loop stays free and reads can be
 * stopped at their time limit. Files take turns. A read that was only delayed on the event loop
 * runs on a separate thread and does not wait for scans.
 *
 * At most one long read per file and two in total run at a time, so that no file can occupy all
 * threads. A read that exceeds this is stopped and restarted after another one has ended. Threads
 * are started on demand and ended after a while without reads.
 */
export class Scans implements AsyncDisposable {
  readonly #limitMs: number;
  /** Threads that are never ended. */
  readonly #permanentThreads: ReadonlySet<ScanThread>;
  readonly #waiting: Readonly<Record<Kind, FairQueue<Job>>> = {
    quick: new FairQueue(),
    short: new FairQueue(),
    long: new FairQueue(),
  };
  readonly #running = new Map<ScanThread, Job>();
  readonly #quickThread = new ScanThread({ isBackground: false });
  readonly #threads = Array.from({ length: THREADS }, () => new ScanThread({ isBackground: true }));
  readonly #all: readonly ScanThread[] = [this.#quickThread, ...this.#threads];
  /** Files with paused reads, and the functions that report that running reads have stopped. */
  readonly #paused = new Map<string, () => void>();
  readonly #reads = new Map<string, number>();
  #lastNumber = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #closing: PromiseWithResolvers<void> | null = null;

  constructor({ limitMs, scansAhead = false }: ScansOptions) {
    this.#limitMs = limitMs;
    this.#permanentThreads = new Set(scansAhead ? [this.#quickThread, this.#threads[0]!] : []);
    for (const thread of this.#permanentThreads) thread.start();
  }

  async run<S extends Scan | RowScan>(
    path: string,
    scan: S,
  ): Promise<ScanResultOf<S> | Rejection> {
    if (this.#closing !== null) throw new StoreUnavailable(CLOSING.message);
    const reads = this.#reads.get(path) ?? 0;
    if (reads >= READS_MAX) return "crowded";
    this.#reads.set(path, reads + 1);
    const outcome = await this.#enqueue(path, scan);
    this.#releaseSlot(path);
    // The kind of result matches the kind of scan.
    if (outcome.kind === "read") return outcome.scanned as ScanResultOf<S>;
    if (outcome.kind === "stopped") return "late";
    if (outcome.unavailable) throw new StoreUnavailable(outcome.message);
    throw new Error(outcome.message);
  }

  /**
   * Runs `work` while no read of the file is running: running reads are stopped and restarted
   * afterwards. If one of them was interrupted too often, resolves to false without running `work`.
   */
  async pauseReads(path: string, work: () => Promise<boolean>): Promise<boolean> {
    const running = [...this.#running.values()].filter((job) => job.path === path);
    if (running.some((job) => job.interruptions === INTERRUPTIONS_MAX)) return false;
    const ended = Promise.withResolvers<void>();
    this.#paused.set(path, ended.resolve);
    for (const job of running) {
      job.interruptions++;
      job.restartReason ??= "checkpoint";
      this.#stop(job);
    }
    this.#notifyIfFree(path);
    await ended.promise;
    try {
      return await work();
    } finally {
      this.#paused.delete(path);
      this.#schedule();
    }
  }

  /** Stops running and waiting reads and closes all files. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closing === null) {
      this.#closing = Promise.withResolvers();
      const waiting = Object.values(this.#waiting).flatMap((queue) => queue.all());
      const jobs = [...this.#running.values(), ...waiting];
      for (const job of jobs) this.#giveUp(job, CLOSING);
      if (this.#running.size === 0) this.#closing.resolve();
    }
    await this.#closing.promise;
    await this.#end(this.#all);
  }

  async #enqueue(path: string, scan: Scan | RowScan): Promise<ScanOutcome> {
    const answered = Promise.withResolvers<ScanOutcome>();
    const job: Job = {
      number: 0,
      path,
      scan,
      until: performance.now() + this.#limitMs,
      kind: "hasTimedOut" in scan && scan.hasTimedOut ? "quick" : "short",
      restartReason: null,
      interruptions: 0,
      resolve: answered.resolve,
    };
    const timer = setTimeout(() => this.#giveUp(job, STOPPED), this.#limitMs);
    this.#waiting[job.kind].add(path, job);
    this.#schedule();
    const outcome = await answered.promise;
    clearTimeout(timer);
    return outcome;
  }

  #releaseSlot(path: string): void {
    const left = this.#reads.get(path)! - 1;
    if (left > 0) this.#reads.set(path, left);
    else this.#reads.delete(path);
  }

  #giveUp(job: Job, outcome: ScanOutcome): void {
    this.#waiting[job.kind].remove(job.path, job);
    this.#stop(job);
    job.resolve(outcome);
  }

  #stop(job: Job): void {
    for (const [thread, one] of this.#running) {
      if (one === job) thread.stop(job.number);
    }
  }

  #notifyIfFree(path: string): void {
    if ([...this.#running.values()].every((job) => job.path !== path)) this.#paused.get(path)?.();
  }

  /** Whether a read of the file may exceed the time of a short one. */
  #mayBeLong(path: string): boolean {
    const long = [...this.#running.values()].filter((job) => job.kind === "long");
    return long.length < LONG_READS_MAX && long.every((job) => job.path !== path);
  }

  #next(thread: ScanThread): Job | undefined {
    const isFree = (path: string) => !this.#paused.has(path);
    if (thread === this.#quickThread) return this.#waiting.quick.next(isFree);
    return this.#waiting.long.next((path) => isFree(path) && this.#mayBeLong(path)) ??
      this.#waiting.short.next(isFree);
  }

  #schedule(): void {
    clearTimeout(this.#idle);
    if (this.#closing !== null) return;
    for (const thread of this.#all) {
      if (this.#running.has(thread)) continue;
      const job = this.#next(thread);
      if (job !== undefined) this.#start(thread, job);
    }
    if (this.#running.size > 0) return;
    const ended = this.#all.filter((thread) => !this.#permanentThreads.has(thread));
    this.#idle = setTimeout(() => this.#end(ended), IDLE_MS);
    Deno.unrefTimer(this.#idle);
  }

  async #start(thread: ScanThread, job: Job): Promise<void> {
    this.#running.set(thread, job);
    job.restartReason = null;
    job.number = this.#lastNumber = this.#lastNumber % NUMBER_MAX + 1;
    const timer = setTimeout(
      () => this.#endTimeSlice(job),
      job.kind === "quick" ? QUICK_MS : SHORT_MS,
    );
    const { number, path, scan, until } = job;
    const outcome = await thread.run({ number, path, scan, limitMs: until - performance.now() });
    clearTimeout(timer);
    this.#running.delete(thread);
    this.#notifyIfFree(path);
    if (this.#closing !== null) {
      if (this.#running.size === 0) this.#closing.resolve();
      return;
    }
    const isRestarted = job.restartReason !== null && outcome.kind === "stopped" &&
      performance.now() < until;
    if (!isRestarted) job.resolve(outcome);
    else if (job.restartReason === "checkpoint") this.#waiting[job.kind].addFirst(path, job);
    else {
      job.kind = job.kind === "quick" ? "short" : "long";
      this.#waiting[job.kind].add(path, job);
    }
    this.#schedule();
  }

  /** Lets a short read continue as a long one if possible, and otherwise stops it. */
  #endTimeSlice(job: Job): void {
    if (job.kind === "short" && this.#mayBeLong(job.path)) job.kind = "long";
    if (job.kind === "long") return;
    job.restartReason ??= "time";
    this.#stop(job);
  }

  async #end(threads: readonly ScanThread[]): Promise<void> {
    clearTimeout(this.#idle);
    await Promise.all(threads.map((thread) => thread.end()));
  }
}
