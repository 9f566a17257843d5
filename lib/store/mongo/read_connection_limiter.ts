import type { MaybePromise } from "../../maybe_promise.ts";
import { FairQueue } from "../fair_queue.ts";

/** Of a pool's connections, as many are for lists and counts, whoever asks for them. */
const SHARE = 7 / 8;
/** Commands of one space that wait: short ones are done in about a second. */
const WAITING_MAX = 1_000;

interface PendingCommand {
  readonly space: string;
  admit(isAdmitted: boolean): void;
}

/** The time was up before a connection was free, or too many wait for one. */
export class NoReadConnection extends Error {
  override readonly name = "NoReadConnection";

  constructor() {
    super("Too many other lists and counts are under way");
  }
}

/**
 * Which of a pool's connections lists and counts may hold, one by each of their commands: some are
 * always left for reads and writes of single records, and no space takes more of the others than it
 * leaves. Who finds none free waits; spaces take turns.
 */
export class ReadConnectionLimiter {
  readonly #max: number;
  #taken = 0;
  readonly #takenBy = new Map<string, number>();
  readonly #waiting = new FairQueue<PendingCommand>();

  /** @param connections Of the pool; 0 is without end, as the driver has it. */
  constructor(connections: number) {
    this.#max = Math.max(1, Math.floor((connections || Infinity) * SHARE));
  }

  /**
   * Acquires a connection, at once where one is free: to be released. Resolves to how many of the
   * milliseconds are left then. Rejects with `NoReadConnection`.
   */
  acquire(space: string, limitMs: number): MaybePromise<number> {
    if (!this.#hasRoom(space)) return this.#wait(space, limitMs);
    this.#hold(space);
    return limitMs;
  }

  release(space: string): void {
    const left = this.#takenBy.get(space)! - 1;
    if (left > 0) this.#takenBy.set(space, left);
    else this.#takenBy.delete(space);
    this.#taken--;
    if (!this.#waiting.isEmpty) this.#admit();
  }

  /** For a space that has some waiting there is none: they were let in before. */
  #hasRoom(space: string): boolean {
    return (this.#takenBy.get(space) ?? 0) < this.#max - this.#taken;
  }

  #hold(space: string): void {
    this.#takenBy.set(space, (this.#takenBy.get(space) ?? 0) + 1);
    this.#taken++;
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
      const next = this.#waiting.next((space) => this.#hasRoom(space));
      if (next === undefined) return;
      this.#hold(next.space);
      next.admit(true);
    }
  }
}
