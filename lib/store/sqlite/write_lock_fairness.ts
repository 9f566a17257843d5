import { Busy } from "./connection.ts";

/** Between two tries for a lock that another process holds. */
const RETRY_MIN_MS = 1;
const RETRY_SPREAD_MS = 1;
/** Leaves the file alone for longer than anybody waits between two tries. */
const GAP_MS = 5;
/** How long a process may go on taking turns without such a gap, beside others and alone. */
const SHARED_RUN_MS = 10;
const LONE_RUN_MS = 250;
/** How long others are reckoned with after they were noticed. */
const RIVALS_MS = 200;

export interface Overrides {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

const REAL: Overrides = {
  now: () => performance.now(),
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/**
 * Keeps a file's write lock fair among processes. SQLite has no queue: who waits must come while the
 * lock is free, and a process that takes it again at once leaves no such moment. So a process that
 * has taken the lock again and again for a while leaves a gap: after a short while when others were
 * noticed lately, after a longer one when they were not, for one who waits cannot be seen.
 */
export class WriteLockFairness {
  readonly #now: () => number;
  readonly #pause: (ms: number) => Promise<void>;
  #runBegan = -Infinity;
  #lastEnded = -Infinity;
  #rivalsSeen = -Infinity;

  constructor({ now, pause } = REAL) {
    this.#now = now;
    this.#pause = pause;
  }

  /**
   * Tries `begin` until it does not throw `Busy`, without blocking the event loop; at least once,
   * and until `deadline`, when it throws what `begin` threw last.
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

  /** The lock is free again. */
  released(): void {
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
