import { LRUCache } from "lru-cache";
import type { Clock } from "../clock.ts";
import { Problem } from "../problems.ts";
import type { RateState } from "./request.ts";

/** Counts requests within a minute. */
export interface RateLimiter {
  /** Null where nothing is counted. Throws {@linkcode RateLimited} beyond the limit. */
  count(key: string): RateState | null;
}

const WINDOW_MS = 60_000;
/** Whoever comes from more addresses than this within a minute makes others start anew. */
const WINDOWS_KEPT = 100_000;

/** @param limit Requests per minute and key; null counts nothing. */
export function createRateLimiter(limit: number | null, clock: Clock): RateLimiter {
  if (limit === null) return { count: () => null };
  const windows = new LRUCache<string, { count: number; endsAt: number }>({ max: WINDOWS_KEPT });
  return {
    count(key) {
      const now = clock.now();
      let window = windows.get(key);
      if (window === undefined || window.endsAt <= now) {
        window = { count: 0, endsAt: now + WINDOW_MS };
        windows.set(key, window);
      }
      window.count++;
      const state = {
        limit,
        remaining: Math.max(limit - window.count, 0),
        resetSeconds: Math.ceil((window.endsAt - now) / 1000),
      };
      if (window.count > limit) throw new RateLimited(state);
      return state;
    },
  };
}

/** The refusal, with what its headers say. */
export class RateLimited extends Problem {
  readonly state: RateState;

  constructor(state: RateState) {
    super("RATE_LIMITED", { retryAfter: state.resetSeconds });
    this.state = state;
  }
}
