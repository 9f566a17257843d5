import { setTimeout as delay } from "node:timers/promises";

const PAUSE_MS_MAX = 100;

/** Measures a wait for other writers. The pauses are random, so that waiting writers do not collide. */
export class Patience {
  readonly #begun = performance.now();
  readonly #spread = Math.random();

  /** Whether the wait has lasted longer than a moment between the two, random for each instance. */
  isOver(minMs: number, maxMs = minMs): boolean {
    return performance.now() - this.#begun > minMs + this.#spread * (maxMs - minMs);
  }

  pause(): Promise<void> {
    return delay(Math.random() * PAUSE_MS_MAX);
  }
}
