import { Problem } from "../problems.ts";

/** Lets one timer check all requests: a timer per request costs more than most requests. */
export interface Deadlines extends Disposable {
  /**
   * Settles like `work`, or rejects with `HANDLER_TIMEOUT` while `work` continues. `restart` starts
   * its time again after the body. @param extraMs Milliseconds in addition to the common limit.
   */
  within<T>(work: (restart: () => void) => Promise<T>, extraMs?: number): Promise<T>;
}

interface PendingRequest {
  until: number;
  readonly giveUp: (problem: Problem) => void;
  /** Index in the list of pending requests, or {@linkcode REMOVED_INDEX}. */
  index: number;
}

const REMOVED_INDEX = -1;
const CHECK_INTERVAL_MS = 1000;

export function createDeadlines(timeoutMs: number, now: () => number): Deadlines {
  // An array, because a set with many insertions and deletions reallocates its memory all the time.
  const waiting: PendingRequest[] = [];
  let timer: ReturnType<typeof setInterval> | undefined;

  function add(giveUp: PendingRequest["giveUp"], until: number): PendingRequest {
    const entry = { until, giveUp, index: waiting.length };
    waiting.push(entry);
    timer ??= setInterval(expireDue, CHECK_INTERVAL_MS);
    return entry;
  }

  /** Removes a request. The last one of the list takes its index. */
  function remove(entry: PendingRequest): void {
    if (entry.index === REMOVED_INDEX) return;
    const last = waiting.pop()!;
    if (last !== entry) {
      waiting[entry.index] = last;
      last.index = entry.index;
    }
    entry.index = REMOVED_INDEX;
  }

  function expireDue(): void {
    const time = now();
    for (const entry of waiting.filter(({ until }) => until <= time)) {
      remove(entry);
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
        const own = entry = add(reject, now() + ms);
        done.then(
          (value) => {
            remove(own);
            resolve(value);
          },
          (error) => {
            remove(own);
            reject(error);
          },
        );
      });
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      for (const entry of waiting.splice(0)) entry.index = REMOVED_INDEX;
    },
  };
}
