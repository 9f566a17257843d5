import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { Problem } from "../problems.ts";
import type { RateState } from "./request.ts";

/** Counts requests within a minute. */
export interface RateLimiter {
  /** Null where nothing is counted. Throws `RATE_LIMITED` beyond the limit. */
  count(key: string): Promise<RateState | null>;
}

const WINDOW_SECONDS = 60;

/** @param limit Requests per minute and key; null counts nothing. */
export function createRateLimiter(limit: number | null): RateLimiter {
  if (limit === null) return { count: () => Promise.resolve(null) };
  const limiter = new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS });
  const stateOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes): RateState => ({
    limit,
    remaining: remainingPoints,
    resetSeconds: Math.ceil(msBeforeNext / 1000),
  });
  return {
    async count(key) {
      try {
        return stateOf(await limiter.consume(key));
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        throw new RateLimited(stateOf(refused));
      }
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
