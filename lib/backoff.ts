import { setTimeout as delay } from "node:timers/promises";

const PAUSE_MS_MAX = 100;

/** Times a wait for other writers. Pauses are random, so that waiting writers do not collide. */
export class Backoff {
  readonly #startedAt = performance.now();
  readonly #random = Math.random();

  /** Whether the wait has exceeded a time between the bounds, random for each instance. */
  isOver(minMs: number, maxMs = minMs): boolean {
    return performance.now() - this.#startedAt > minMs + this.#random * (maxMs - minMs);
  }

  pause(): Promise<void> {
    return delay(Math.random() * PAUSE_MS_MAX);
  }
}
