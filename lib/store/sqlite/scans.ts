import { StoreUnavailable } from "../errors.ts";
import { FairQueue } from "../fair_queue.ts";
import type { RowScan, Scan, ScannedBy, Unread } from "./scan.ts";
import type { ScanOutcome } from "./scan_signals.ts";
import { ScanThread } from "./scan_thread.ts";

export interface ScansOptions {
  /** From being asked to being answered. */
  readonly limitMs: number;
}

/** Per file, those that run included. */
const READS_MAX = 33;
/** A read that takes longer is a long one. */
const SHORT_MS = 250;
/** One more than long reads may have: there is always a thread for short ones. */
const THREADS = 3;
/** Long reads at a time, each of another file. */
const LONG_MAX = 2;
const IDLE_MS = 30_000;
/** As many as shared memory can tell apart. */
const NUMBERS = 2 ** 31 - 1;

interface Job {
  readonly number: number;
  readonly path: string;
  readonly scan: Scan | RowScan;
  readonly until: number;
  isLong: boolean;
  /** Answers the caller; what comes later is not heard. */
  settle(outcome: ScanOutcome): void;
}

const STOPPED: ScanOutcome = { kind: "stopped" };
const CLOSING = { kind: "failed", unavailable: true, message: "The store is closing" } as const;

/**
 * Reads that look at many rows, in threads of their own: the event loop stays free, and a read ends
 * when its time is up. Files take turns.
 *
 * One long read of a file runs at a time, and two of all, so that no file keeps others waiting for
 * its own. What turns out to be one too many is stopped, and begun anew when another has ended.
 * Threads are started when they are needed, and ended when they were not for a while.
 */
export class Scans implements AsyncDisposable {
  readonly #limitMs: number;
  readonly #short = new FairQueue<Job>();
  readonly #long = new FairQueue<Job>();
  readonly #running = new Map<ScanThread, Job>();
  readonly #threads = Array.from({ length: THREADS }, () => new ScanThread());
  /** How many reads each file has. */
  readonly #reads = new Map<string, number>();
  #numbers = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #closing: PromiseWithResolvers<void> | null = null;

  constructor({ limitMs }: ScansOptions) {
    this.#limitMs = limitMs;
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

  /** Stops what runs and what waits; nothing is left open afterwards. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closing === null) {
      this.#closing = Promise.withResolvers();
      const jobs = [...this.#running.values(), ...this.#short.all(), ...this.#long.all()];
      for (const job of jobs) this.#giveUp(job, CLOSING);
      if (this.#running.size === 0) this.#closing.resolve();
    }
    await this.#closing.promise;
    this.#end();
  }

  async #carriedOut(path: string, scan: Scan | RowScan): Promise<ScanOutcome> {
    const answered = Promise.withResolvers<ScanOutcome>();
    const job: Job = {
      number: this.#numbers = this.#numbers % NUMBERS + 1,
      path,
      scan,
      until: performance.now() + this.#limitMs,
      isLong: false,
      settle: answered.resolve,
    };
    const timer = setTimeout(() => this.#giveUp(job, STOPPED), this.#limitMs);
    this.#short.add(path, job);
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
    this.#short.remove(job.path, job);
    this.#long.remove(job.path, job);
    this.#stop(job);
    job.settle(outcome);
  }

  #stop(job: Job): void {
    for (const [thread, one] of this.#running) {
      if (one === job) thread.stop(job.number);
    }
  }

  /** Whether a read of this file may go on beyond the time of a short one. */
  #mayBeLong(path: string): boolean {
    const long = [...this.#running.values()].filter((job) => job.isLong);
    return long.length < LONG_MAX && long.every((job) => job.path !== path);
  }

  #schedule(): void {
    clearTimeout(this.#idle);
    for (const thread of this.#threads) {
      if (this.#running.has(thread)) continue;
      const job = this.#long.next((path) => this.#mayBeLong(path)) ?? this.#short.next();
      if (job === undefined) break;
      this.#start(thread, job);
    }
    if (this.#running.size > 0) return;
    this.#idle = setTimeout(() => this.#end(), IDLE_MS);
    Deno.unrefTimer(this.#idle);
  }

  async #start(thread: ScanThread, job: Job): Promise<void> {
    this.#running.set(thread, job);
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = !job.isLong && !this.#mayBeLong(job.path);
      if (isOver) this.#stop(job);
      else job.isLong = true;
    }, SHORT_MS);
    const { number, path, scan, until } = job;
    const outcome = await thread.run({ number, path, scan, limitMs: until - performance.now() });
    clearTimeout(timer);
    this.#running.delete(thread);
    if (this.#closing !== null) {
      if (this.#running.size === 0) this.#closing.resolve();
      return;
    }
    if (isOver && outcome.kind === "stopped" && performance.now() < until) {
      job.isLong = true;
      this.#long.add(path, job);
    } else job.settle(outcome);
    this.#schedule();
  }

  #end(): void {
    clearTimeout(this.#idle);
    for (const thread of this.#threads) thread.end();
  }
}
