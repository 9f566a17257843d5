import { Problem } from "../problems.ts";
import type { Soon } from "../soon.ts";

/**
 * Gives up waiting for requests that take too long. One timer looks at all of them once a second:
 * a timer per request would cost more than most requests.
 */
export interface Deadlines extends Disposable {
  /**
   * Settles as `work` does, or rejects with `HANDLER_TIMEOUT`; `work` itself goes on. What `work`
   * is given starts its time anew: the body has a time limit of its own.
   *
   * @param extraMs Milliseconds beyond the time that all others have.
   */
  within<T>(work: (restart: () => void) => Soon<T>, extraMs?: number): Soon<T>;
}

interface Waiting {
  until: number;
  giveUp: (problem: Problem) => void;
}

const LOOK_EVERY_MS = 1000;

export function createDeadlines(timeoutMs: number, now: () => number): Deadlines {
  const waiting = new Set<Waiting>();
  let timer: ReturnType<typeof setInterval> | undefined;

  function look(): void {
    const time = now();
    for (const entry of waiting) {
      if (entry.until > time) continue;
      waiting.delete(entry);
      entry.giveUp(new Problem("HANDLER_TIMEOUT"));
    }
    if (waiting.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  }

  return {
    within<T>(work: (restart: () => void) => Soon<T>, extraMs = 0): Soon<T> {
      const ms = timeoutMs + extraMs;
      let entry: Waiting | undefined;
      const done = work(() => {
        if (entry !== undefined) entry.until = now() + ms;
      });
      if (!(done instanceof Promise)) return done;
      return new Promise<T>((resolve, reject) => {
        const own: Waiting = entry = { until: now() + ms, giveUp: reject };
        waiting.add(own);
        timer ??= setInterval(look, LOOK_EVERY_MS);
        done.then(
          (value) => {
            waiting.delete(own);
            resolve(value);
          },
          (error) => {
            waiting.delete(own);
            reject(error);
          },
        );
      });
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      waiting.clear();
    },
  };
}
