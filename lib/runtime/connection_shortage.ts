import type { Clock } from "../clock.ts";
import type { Log } from "./log.ts";

/** Whether a process lately had no room for another connection. */
export interface ConnectionShortage {
  /**
   * Notes that a new connection had to wait. A line of the log says so, once a minute at most.
   *
   * @param closed How many idle connections were closed for it.
   */
  note(closed: number): void;
  /** Whether one had to wait within the last minute. */
  isRecent(): boolean;
}

const MINUTE_MS = 60_000;

export function createConnectionShortage(
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): ConnectionShortage {
  let notedAt = -Infinity;
  let loggedAt = -Infinity;
  let closedSince = 0;

  return {
    note(closed) {
      notedAt = clock.elapsed();
      closedSince += closed;
      if (notedAt - loggedAt < MINUTE_MS) return;
      log.write(
        "warn",
        "There is no room for more connections: the longest idle ones are closed. " +
          "Allow more file descriptors, such as by `ulimit -n`, if this goes on",
        { closed: closedSince },
      );
      loggedAt = notedAt;
      closedSince = 0;
    },
    isRecent: () => clock.elapsed() - notedAt < MINUTE_MS,
  };
}
