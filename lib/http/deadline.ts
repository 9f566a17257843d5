import { Problem } from "../problems.ts";

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
  within<T>(work: (restart: () => void) => Promise<T>, extraMs?: number): Promise<T>;
}

interface PendingRequest {
  until: number;
  readonly giveUp: (problem: Problem) => void;
  /** Where it stands among those that wait, or {@linkcode GONE}. */
  place: number;
}

const GONE = -1;
const LOOK_EVERY_MS = 1000;

export function createDeadlines(timeoutMs: number, now: () => number): Deadlines {
  // No set: one that is added to and deleted from all the time is made anew again and again, and
  // what was thrown away adds up to megabytes a second until the next full collection.
  const waiting: PendingRequest[] = [];
  let timer: ReturnType<typeof setInterval> | undefined;

  function enter(giveUp: PendingRequest["giveUp"], until: number): PendingRequest {
    const entry = { until, giveUp, place: waiting.length };
    waiting.push(entry);
    timer ??= setInterval(look, LOOK_EVERY_MS);
    return entry;
  }

  /** The last one takes its place. */
  function leave(entry: PendingRequest): void {
    if (entry.place === GONE) return;
    const last = waiting.pop()!;
    if (last !== entry) {
      waiting[entry.place] = last;
      last.place = entry.place;
    }
    entry.place = GONE;
  }

  function look(): void {
    const time = now();
    for (const entry of waiting.filter(({ until }) => until <= time)) {
      leave(entry);
      entry.giveUp(new Problem("HANDLER_TIMEOUT"));
    }
    if (waiting.length === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  }

  return {
    within<T>(work: (restart: () => void) => Promise<T>, extraMs = 0): Promise<T> {
      const ms = timeoutMs + extraMs;
      let entry: PendingRequest | undefined;
      const done = work(() => {
        if (entry !== undefined) entry.until = now() + ms;
      });
      return new Promise<T>((resolve, reject) => {
        const own = entry = enter(reject, now() + ms);
        done.then(
          (value) => {
            leave(own);
            resolve(value);
          },
          (error) => {
            leave(own);
            reject(error);
          },
        );
      });
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      for (const entry of waiting.splice(0)) entry.place = GONE;
    },
  };
}
