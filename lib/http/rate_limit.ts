import { LRUCache } from "lru-cache";
import type { Clock } from "../clock.ts";
import { Problem } from "../problems.ts";
import type { RateState } from "./request.ts";

/** Counts requests within a minute. */
export interface RateLimiter {
  /** Null where nothing is counted. Throws {@linkcode RateLimited} beyond the limit. */
  count(key: string): RateState | null;
  /** Notes from now on what it counts, for limiters elsewhere that are to count as one with it. */
  share(): RateShare;
}

/** One end of the exchange between limiters. */
export interface RateShare {
  /** What was counted here and not taken before. */
  take(): Counted[];
  /** Counts what was taken elsewhere. */
  add(counted: readonly Counted[]): void;
}

export interface Counted {
  readonly key: string;
  readonly count: number;
  /** When the minute is over in which it was counted, in milliseconds of the epoch. */
  readonly endsAt: number;
}

interface Window {
  /** Here and elsewhere. */
  count: number;
  readonly endsAt: number;
}

const WINDOW_MS = 60_000;
/** Whoever comes from more addresses than this within a minute makes others start anew. */
const WINDOWS_KEPT = 100_000;

/** @param limit Requests per minute and key; null counts nothing. */
export function createRateLimiter(limit: number | null, clock: Clock): RateLimiter {
  if (limit === null) return { count: () => null, share: () => ({ take: () => [], add() {} }) };
  const windows = new LRUCache<string, Window>({ max: WINDOWS_KEPT });
  let untold: Map<string, Counted> | null = null;

  function windowOf(key: string, now: number, endsAt: number): Window {
    let window = windows.get(key);
    if (window === undefined || window.endsAt <= now) {
      window = { count: 0, endsAt };
      windows.set(key, window);
    }
    return window;
  }

  return {
    count(key) {
      const now = clock.now();
      const window = windowOf(key, now, now + WINDOW_MS);
      window.count++;
      if (untold !== null) note(untold, key, window.endsAt);
      const state = {
        limit,
        remaining: Math.max(limit - window.count, 0),
        resetSeconds: Math.ceil((window.endsAt - now) / 1000),
      };
      if (window.count > limit) throw new RateLimited(state);
      return state;
    },
    share() {
      untold = new Map();
      return {
        take() {
          const taken = [...untold!.values()];
          untold = new Map();
          return taken;
        },
        add(counted) {
          const now = clock.now();
          for (const { key, count, endsAt } of counted) {
            if (endsAt > now) windowOf(key, now, endsAt).count += count;
          }
        },
      };
    },
  };
}

function note(untold: Map<string, Counted>, key: string, endsAt: number): void {
  const noted = untold.get(key);
  // A new minute has begun since: what is left of the old one interests nobody.
  const count = noted?.endsAt === endsAt ? noted.count + 1 : 1;
  untold.set(key, { key, count, endsAt });
}

/** The refusal, with what its headers say. */
export class RateLimited extends Problem {
  readonly state: RateState;

  constructor(state: RateState) {
    super("RATE_LIMITED", { retryAfter: state.resetSeconds });
    this.state = state;
  }
}
