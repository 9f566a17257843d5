import type { MaybePromise } from "../../maybe_promise.ts";
import { FairQueue } from "../fair_queue.ts";

/** Share of the pool's connections that lists and counts may use. */
const READ_SHARE = 7 / 8;
/** Maximum number of waiting commands of one space. Short commands finish within about a second. */
const WAITING_MAX = 1_000;

interface PendingCommand {
  readonly space: string;
  admit(isAdmitted: boolean): void;
}

/** No connection became free within the time limit, or too many commands are waiting. */
export class NoReadConnection extends Error {
  override readonly name = "NoReadConnection";

  constructor() {
    super("Too many other lists and counts are in progress");
  }
}

/**
 * Limits the connections that lists and counts use, one per command. Some connections always remain
 * for reads and writes of single records, and each space may use at most as many of the others as
 * it leaves free. If there is no free connection, commands wait, and spaces take turns.
 */
export class ReadConnectionLimiter {
  readonly #max: number;
  #acquired = 0;
  readonly #acquiredBySpace = new Map<string, number>();
  readonly #waiting = new FairQueue<PendingCommand>();

  /**
   * Creates a limiter.
   *
   * @param connections Size of the pool; 0 means unlimited, as in the driver.
   */
  constructor(connections: number) {
    this.#max = Math.max(1, Math.floor((connections || Infinity) * READ_SHARE));
  }

  /**
   * Acquires a connection, immediately if one is free. The caller must release it. Resolves to the
   * remaining milliseconds of the limit. Rejects with `NoReadConnection`.
   */
  acquire(space: string, limitMs: number): MaybePromise<number> {
    if (!this.#hasFree(space)) return this.#wait(space, limitMs);
    this.#take(space);
    return limitMs;
  }

  release(space: string): void {
    const left = this.#acquiredBySpace.get(space)! - 1;
    if (left > 0) this.#acquiredBySpace.set(space, left);
    else this.#acquiredBySpace.delete(space);
    this.#acquired--;
    if (!this.#waiting.isEmpty) this.#admit();
  }

  /** Whether a space may take a connection: not while commands of the space are waiting. */
  #hasFree(space: string): boolean {
    return (this.#acquiredBySpace.get(space) ?? 0) < this.#max - this.#acquired;
  }

  #take(space: string): void {
    this.#acquiredBySpace.set(space, (this.#acquiredBySpace.get(space) ?? 0) + 1);
    this.#acquired++;
  }

  async #wait(space: string, limitMs: number): Promise<number> {
    if (this.#waiting.countOf(space) >= WAITING_MAX) throw new NoReadConnection();
    const until = performance.now() + limitMs;
    const admitted = Promise.withResolvers<boolean>();
    const waiting = { space, admit: admitted.resolve };
    this.#waiting.add(space, waiting);
    const timer = setTimeout(() => {
      this.#waiting.remove(space, waiting);
      waiting.admit(false);
    }, limitMs);
    const isAdmitted = await admitted.promise;
    clearTimeout(timer);
    if (!isAdmitted) throw new NoReadConnection();
    return Math.max(1, Math.ceil(until - performance.now()));
  }

  #admit(): void {
    for (;;) {
      const next = this.#waiting.next((space) => this.#hasFree(space));
      if (next === undefined) return;
      this.#take(next.space);
      next.admit(true);
    }
  }
}
