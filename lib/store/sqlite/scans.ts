import { StoreUnavailable } from "../errors.ts";
import type { Scan, Scanned } from "./scan.ts";
import { type Answer, type Order, type Outcome, SIGNALS } from "./scan_signals.ts";

export interface ScansOptions {
  /** From being asked to being answered. */
  readonly limitMs: number;
  /** How many may wait, per file. */
  readonly waitingMax?: number;
  readonly sliceMs?: number;
}

const WAITING_MAX = 32;
const SLICE_MS = 50;
/** Begun anew with so much more: what is lost is at most a third of what it took. */
const SLICE_GROWTH = 4;
const IDLE_MS = 30_000;
/** As many as shared memory can tell apart. */
const NUMBERS = 2 ** 31 - 1;

interface Job {
  readonly number: number;
  readonly path: string;
  readonly scan: Scan;
  readonly until: number;
  readonly timer: ReturnType<typeof setTimeout>;
  sliceMs: number;
  /** Answers the caller; what comes later is not heard. */
  settle(outcome: Outcome): void;
}

/**
 * Reads that look at many rows, in a thread of their own: the event loop stays free, and a read
 * ends when its time is up. Files take turns. One read runs at a time; after its slice it makes
 * room for those who wait and is begun anew later, so that short ones pass long ones.
 *
 * The thread is started by the first read, and ended when there was none for a while.
 */
export class Scans implements AsyncDisposable {
  readonly #options: Required<ScansOptions>;
  readonly #signals = new Int32Array(new SharedArrayBuffer(4 * SIGNALS.length));
  /** By file; the first is next. */
  readonly #waiting = new Map<string, Job[]>();
  #running: Job | null = null;
  #thread: Worker | null = null;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #numbers = 0;
  #closing: PromiseWithResolvers<void> | null = null;

  constructor(options: ScansOptions) {
    this.#options = { waitingMax: WAITING_MAX, sliceMs: SLICE_MS, ...options };
  }

  /** Null when it takes too long, or when too many wait. Throws `StoreUnavailable`. */
  async run(path: string, scan: Scan): Promise<Scanned | null> {
    if (this.#closing !== null) throw new StoreUnavailable("The store is closing");
    if ((this.#waiting.get(path)?.length ?? 0) >= this.#options.waitingMax) return null;
    const answered = Promise.withResolvers<Outcome>();
    const { limitMs, sliceMs } = this.#options;
    const job: Job = {
      number: this.#numbers = this.#numbers % NUMBERS + 1,
      path,
      scan,
      until: performance.now() + limitMs,
      timer: setTimeout(() => this.#giveUp(job, { kind: "stopped" }), limitMs),
      sliceMs,
      settle: answered.resolve,
    };
    this.#enqueue(job);
    this.#next();
    const outcome = await answered.promise;
    clearTimeout(job.timer);
    if (outcome.kind === "read") return outcome.scanned;
    if (outcome.kind === "stopped") return null;
    if (outcome.unavailable) throw new StoreUnavailable(outcome.message);
    throw new Error(outcome.message);
  }

  /** Stops what runs and what waits; nothing is left open afterwards. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closing === null) {
      this.#closing = Promise.withResolvers();
      const closed = {
        kind: "failed",
        unavailable: true,
        message: "The store is closing",
      } as const;
      for (const job of [...this.#waiting.values()].flat()) this.#giveUp(job, closed);
      if (this.#running === null) this.#closing.resolve();
      else this.#giveUp(this.#running, closed);
    }
    await this.#closing.promise;
    this.#endThread();
  }

  #enqueue(job: Job): void {
    const queue = this.#waiting.get(job.path);
    if (queue === undefined) this.#waiting.set(job.path, [job]);
    else queue.push(job);
    this.#signalWaiting();
  }

  #dequeue(): Job | undefined {
    const [path, queue] = this.#waiting.entries().next().value ?? [];
    if (path === undefined || queue === undefined) return undefined;
    const job = queue.shift();
    // To the end: the other files come first.
    this.#waiting.delete(path);
    if (queue.length > 0) this.#waiting.set(path, queue);
    this.#signalWaiting();
    return job;
  }

  #signalWaiting(): void {
    Atomics.store(this.#signals, SIGNALS.waiting, this.#waiting.size > 0 ? 1 : 0);
  }

  #giveUp(job: Job, outcome: Outcome): void {
    if (job === this.#running) Atomics.store(this.#signals, SIGNALS.stop, job.number);
    else {
      const queue = this.#waiting.get(job.path) ?? [];
      const at = queue.indexOf(job);
      if (at >= 0) queue.splice(at, 1);
      if (queue.length === 0) this.#waiting.delete(job.path);
      this.#signalWaiting();
    }
    job.settle(outcome);
  }

  #next(): void {
    if (this.#running !== null) return;
    const job = this.#dequeue();
    if (job === undefined) return this.#rest();
    this.#running = job;
    clearTimeout(this.#idle);
    this.#thread ??= this.#startThread();
    const { number, path, scan, until, sliceMs } = job;
    const order: Order = { number, path, scan, sliceMs, limitMs: until - performance.now() };
    this.#thread.postMessage(order);
  }

  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#thread === null) return;
    this.#idle = setTimeout(() => this.#endThread(), IDLE_MS);
    Deno.unrefTimer(this.#idle);
  }

  #startThread(): Worker {
    const thread = new Worker(new URL("./scan_worker.ts", import.meta.url), { type: "module" });
    thread.onmessage = ({ data }: MessageEvent<Answer>) => this.#answered(data.outcome);
    thread.onerror = (event) => {
      event.preventDefault();
      this.#endThread();
      this.#answered({ kind: "failed", unavailable: true, message: event.message });
    };
    thread.postMessage(this.#signals.buffer);
    return thread;
  }

  #endThread(): void {
    clearTimeout(this.#idle);
    this.#thread?.terminate();
    this.#thread = null;
  }

  #answered(outcome: Outcome): void {
    const job = this.#running!;
    this.#running = null;
    if (this.#closing !== null) return this.#closing.resolve();
    const stopped = Atomics.load(this.#signals, SIGNALS.stop) === job.number;
    if (outcome.kind === "stopped" && !stopped && performance.now() < job.until) {
      job.sliceMs *= SLICE_GROWTH;
      this.#enqueue(job);
    } else job.settle(outcome);
    this.#next();
  }
}
