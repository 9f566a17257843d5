import { Busy } from "./connection.ts";

/** Random delay in milliseconds between two attempts to take a lock that another process holds. */
const RETRY_MIN_MS = 1;
const RETRY_SPREAD_MS = 1;
/** Duration in milliseconds of a gap, longer than the delay between two attempts. */
const GAP_MS = 5;
/** Milliseconds for which a process may take the lock without a gap: with rivals, and alone. */
const SHARED_RUN_MS = 10;
const LONE_RUN_MS = 250;
/** Time in milliseconds for which noticed processes are assumed to be active. */
const RIVALS_MS = 200;

export interface Overrides {
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

const SYSTEM: Overrides = {
  now: () => performance.now(),
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/**
 * Shares a file's write lock fairly among processes. SQLite does not have a queue: a waiting
 * process must try while the lock is free, and a process that takes it again immediately leaves no
 * such moment. A process that has taken the lock repeatedly for a while therefore leaves a gap:
 * after a short time if other processes were noticed recently, otherwise after a longer time,
 * because waiting processes cannot be seen.
 */
export class WriteLockFairness {
  readonly #now: () => number;
  readonly #pause: (ms: number) => Promise<void>;
  #runBegan = -Infinity;
  #lastEnded = -Infinity;
  #rivalsSeen = -Infinity;

  constructor({ now, pause } = SYSTEM) {
    this.#now = now;
    this.#pause = pause;
  }

  /**
   * Calls `begin` until it does not throw `Busy`, without blocking the event loop. Tries at least
   * once and until `deadline`, and then throws the last error of `begin`.
   */
  async acquire(begin: () => void, deadline: number): Promise<void> {
    await this.#leaveGap();
    for (;;) {
      try {
        return begin();
      } catch (error) {
        if (!(error instanceof Busy) || this.#now() >= deadline) throw error;
      }
      this.noticeRivals();
      await this.#pause(RETRY_MIN_MS + Math.random() * RETRY_SPREAD_MS);
      this.#runBegan = this.#now();
    }
  }

  noteRelease(): void {
    this.#lastEnded = this.#now();
  }

  noticeRivals(): void {
    this.#rivalsSeen = this.#now();
  }

  async #leaveGap(): Promise<void> {
    const now = this.#now();
    const wasIdle = now - this.#lastEnded >= GAP_MS;
    if (!wasIdle) {
      const run = now - this.#rivalsSeen < RIVALS_MS ? SHARED_RUN_MS : LONE_RUN_MS;
      if (now - this.#runBegan < run) return;
      await this.#pause(GAP_MS);
    }
    this.#runBegan = this.#now();
  }
}
