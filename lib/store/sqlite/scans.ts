import { StoreUnavailable } from "../errors.ts";
import { FairQueue } from "../fair_queue.ts";
import type { RowScan, Scan, ScannedBy, Unread } from "./scan.ts";
import type { ScanOutcome } from "./scan_signals.ts";
import { ScanThread } from "./scan_thread.ts";

export interface ScansOptions {
  /** From being asked to being answered. */
  readonly limitMs: number;
  /**
   * Whether the thread for quick reads and one for others are started at once, and stay. Each takes
   * some 12 MB, and comes a second late where another thread starts it (see `checkpoints.ts`).
   */
  readonly scansAhead?: boolean;
}

/** Per file, those that run included: as many clients as ask at once, and those who have hung up. */
const READS_MAX = 128;
/** A read that was only held up on the event loop and takes longer is not a quick one. */
const QUICK_MS = 50;
/** A read that takes longer is a long one. */
const SHORT_MS = 250;
/** One more than long reads may have: there is always a thread for short ones. */
const THREADS = 3;
/** Long reads at a time, each of another file. */
const LONG_MAX = 2;
const IDLE_MS = 30_000;
/** A read that is begun again and again is never answered. */
export const INTERRUPTIONS_MAX = 4;
/** As many as shared memory can tell apart. */
const NUMBERS = 2 ** 31 - 1;

type Kind = "quick" | "short" | "long";

interface Job {
  /** Another one each time it is begun: a thread that was told to stop remembers which. */
  number: number;
  readonly path: string;
  readonly scan: Scan | RowScan;
  readonly until: number;
  kind: Kind;
  /** Why it was stopped before its time was up, so that it is begun again. */
  stoppedFor: "time" | "checkpoint" | null;
  /** How often it was begun again for a checkpoint. */
  interruptions: number;
  /** Answers the caller; what comes later is not heard. */
  settle(outcome: ScanOutcome): void;
}

const STOPPED: ScanOutcome = { kind: "stopped" };
const CLOSING = { kind: "failed", unavailable: true, message: "The store is closing" } as const;

/**
 * Reads that look at many rows, in threads of their own: the event loop stays free, and a read ends
 * when its time is up. Files take turns. What seems to look at few, and was only held up on the
 * event loop, has a thread of its own and waits for no scan.
 *
 * One long read of a file runs at a time, and two of all, so that no file keeps others waiting for
 * its own. What turns out to be one too many is stopped, and begun anew when another has ended.
 * Threads are started when they are needed, and ended when they were not for a while.
 */
export class Scans implements AsyncDisposable {
  readonly #limitMs: number;
  /** Not ended when nobody reads. */
  readonly #kept: ReadonlySet<ScanThread>;
  readonly #waiting: Readonly<Record<Kind, FairQueue<Job>>> = {
    quick: new FairQueue(),
    short: new FairQueue(),
    long: new FairQueue(),
  };
  readonly #running = new Map<ScanThread, Job>();
  readonly #quickThread = new ScanThread({ givesWay: false });
  readonly #threads = Array.from({ length: THREADS }, () => new ScanThread({ givesWay: true }));
  readonly #all: readonly ScanThread[] = [this.#quickThread, ...this.#threads];
  /** Files of which no read may begin, and who waits for those that run. */
  readonly #held = new Map<string, () => void>();
  /** How many reads each file has. */
  readonly #reads = new Map<string, number>();
  #numbers = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #closing: PromiseWithResolvers<void> | null = null;

  constructor({ limitMs, scansAhead = false }: ScansOptions) {
    this.#limitMs = limitMs;
    this.#kept = new Set(scansAhead ? [this.#quickThread, this.#threads[0]!] : []);
    for (const thread of this.#kept) thread.start();
  }

  /** Throws `StoreUnavailable`. */
  async run<S extends Scan | RowScan>(path: string, scan: S): Promise<ScannedBy<S> | Unread> {
    if (this.#closing !== null) throw new StoreUnavailable(CLOSING.message);
    const reads = this.#reads.get(path) ?? 0;
    if (reads >= READS_MAX) return "crowded";
    this.#reads.set(path, reads + 1);
    const outcome = await this.#carriedOut(path, scan);
    this.#forget(path);
    // The thread reads what it was asked for.
    if (outcome.kind === "read") return outcome.scanned as ScannedBy<S>;
    if (outcome.kind === "stopped") return "late";
    if (outcome.unavailable) throw new StoreUnavailable(outcome.message);
    throw new Error(outcome.message);
  }

  /**
   * Runs `work` while no read of the file goes on: those that run are stopped, and begun again behind
   * it. Resolves to false, and runs nothing, while one goes on that was begun again already.
   */
  async without(path: string, work: () => Promise<boolean>): Promise<boolean> {
    const running = [...this.#running.values()].filter((job) => job.path === path);
    if (running.some((job) => job.interruptions === INTERRUPTIONS_MAX)) return false;
    const ended = Promise.withResolvers<void>();
    this.#held.set(path, ended.resolve);
    for (const job of running) {
      job.interruptions++;
      job.stoppedFor ??= "checkpoint";
      this.#stop(job);
    }
    this.#tellIfFree(path);
    await ended.promise;
    try {
      return await work();
    } finally {
      this.#held.delete(path);
      this.#schedule();
    }
  }

  /** Stops what runs and what waits; nothing is left open afterwards. */
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

  async #carriedOut(path: string, scan: Scan | RowScan): Promise<ScanOutcome> {
    const answered = Promise.withResolvers<ScanOutcome>();
    const job: Job = {
      number: 0,
      path,
      scan,
      until: performance.now() + this.#limitMs,
      kind: "isHeldUp" in scan && scan.isHeldUp ? "quick" : "short",
      stoppedFor: null,
      interruptions: 0,
      settle: answered.resolve,
    };
    const timer = setTimeout(() => this.#giveUp(job, STOPPED), this.#limitMs);
    this.#waiting[job.kind].add(path, job);
    this.#schedule();
    const outcome = await answered.promise;
    clearTimeout(timer);
    return outcome;
  }

  #forget(path: string): void {
    const left = this.#reads.get(path)! - 1;
    if (left > 0) this.#reads.set(path, left);
    else this.#reads.delete(path);
  }

  #giveUp(job: Job, outcome: ScanOutcome): void {
    this.#waiting[job.kind].remove(job.path, job);
    this.#stop(job);
    job.settle(outcome);
  }

  #stop(job: Job): void {
    for (const [thread, one] of this.#running) {
      if (one === job) thread.stop(job.number);
    }
  }

  #tellIfFree(path: string): void {
    if ([...this.#running.values()].every((job) => job.path !== path)) this.#held.get(path)?.();
  }

  /** Whether a read of this file may go on beyond the time of a short one. */
  #mayBeLong(path: string): boolean {
    const long = [...this.#running.values()].filter((job) => job.kind === "long");
    return long.length < LONG_MAX && long.every((job) => job.path !== path);
  }

  #next(thread: ScanThread): Job | undefined {
    const isFree = (path: string) => !this.#held.has(path);
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
    const ended = this.#all.filter((thread) => !this.#kept.has(thread));
    this.#idle = setTimeout(() => this.#end(ended), IDLE_MS);
    Deno.unrefTimer(this.#idle);
  }

  async #start(thread: ScanThread, job: Job): Promise<void> {
    this.#running.set(thread, job);
    job.stoppedFor = null;
    job.number = this.#numbers = this.#numbers % NUMBERS + 1;
    const timer = setTimeout(
      () => this.#outOfTime(job),
      job.kind === "quick" ? QUICK_MS : SHORT_MS,
    );
    const { number, path, scan, until } = job;
    const outcome = await thread.run({ number, path, scan, limitMs: until - performance.now() });
    clearTimeout(timer);
    this.#running.delete(thread);
    this.#tellIfFree(path);
    if (this.#closing !== null) {
      if (this.#running.size === 0) this.#closing.resolve();
      return;
    }
    const isBegunAgain = job.stoppedFor !== null && outcome.kind === "stopped" &&
      performance.now() < until;
    if (!isBegunAgain) job.settle(outcome);
    else if (job.stoppedFor === "checkpoint") this.#waiting[job.kind].addFirst(path, job);
    else {
      job.kind = job.kind === "quick" ? "short" : "long";
      this.#waiting[job.kind].add(path, job);
    }
    this.#schedule();
  }

  /** It goes on as a long read if it may, and else makes room for others. */
  #outOfTime(job: Job): void {
    if (job.kind === "short" && this.#mayBeLong(job.path)) job.kind = "long";
    if (job.kind === "long") return;
    job.stoppedFor ??= "time";
    this.#stop(job);
  }

  async #end(threads: readonly ScanThread[]): Promise<void> {
    clearTimeout(this.#idle);
    await Promise.all(threads.map((thread) => thread.end()));
  }
}
