import type { Clock } from "../clock.ts";
import type { Log } from "./log.ts";

/** Records when the process reaches its limit of connections. */
export interface ConnectionShortage {
  /** Logs a wait at most once a minute. `closed` idle connections were closed for it. */
  note(closed: number): void;
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
        "The limit of connections is reached, so the longest idle ones are closed. " +
          "If this continues, allow more file descriptors, for example with `ulimit -n`",
        { closed: closedSince },
      );
      loggedAt = notedAt;
      closedSince = 0;
    },
    isRecent: () => clock.elapsed() - notedAt < MINUTE_MS,
  };
}
