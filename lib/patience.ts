import { setTimeout as delay } from "node:timers/promises";

const PAUSE_MS_MAX = 100;

/** Waits for what others have under way. Of many that wait each looks again at other moments. */
export class Patience {
  readonly #begun = performance.now();
  readonly #spread = Math.random();

  /** Whether more than this has passed, or, of a span, more than a moment in it that is its own. */
  isOver(minMs: number, maxMs = minMs): boolean {
    return performance.now() - this.#begun > minMs + this.#spread * (maxMs - minMs);
  }

  pause(): Promise<void> {
    return delay(Math.random() * PAUSE_MS_MAX);
  }
}
