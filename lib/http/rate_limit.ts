import type { Clock } from "../clock.ts";
import { createLru } from "../lru.ts";
import { Problem } from "../problems.ts";
import type { RateState } from "./request.ts";

/** Counts requests within a minute of the clock. */
export interface RateLimiter extends AsyncDisposable {
  /** Null where nothing is counted. Throws {@linkcode RateLimited} beyond the limit. */
  count(key: string): RateState | null;
  /** Exchanges counts with other processes; happens by itself within a second of a request. */
  share(): Promise<void>;
}

/** Where processes add up what each has counted. */
export interface SharedCounts {
  /** Adds to the count of a key in the window that ends then; resolves to what all have counted. */
  add(key: string, endsAt: number, count: number): Promise<number>;
}

interface Window {
  readonly endsAt: number;
  /** Requests of this process and, as far as it is known, of the others. */
  count: number;
  /** Those that the others do not know of. */
  unshared: number;
}

const WINDOW_MS = 60_000;
/** Whoever comes from more addresses than this within a minute makes others start anew. */
const WINDOWS_KEPT = 100_000;

const SHARE_AFTER_MS = 1_000;
/** Below this part of the limit a process keeps its counts to itself: most callers never reach it. */
const SHARED_FROM = 1 / 100;
/** Keys in one exchange, those with the most requests first. */
const SHARED_MAX = 500;

/** @param limit Requests per minute and key; null counts nothing. */
export function createRateLimiter(
  limit: number | null,
  clock: Clock,
  shared?: SharedCounts,
): RateLimiter {
  if (limit === null) return UNLIMITED;
  const windows = createLru<string, Window>(WINDOWS_KEPT);
  const unshared = new Map<string, Window>();
  const sharedFrom = Math.max(1, limit * SHARED_FROM);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sharing: Promise<void> = Promise.resolve();

  function count(key: string): RateState {
    const now = clock.now();
    let window = windows.get(key);
    // One that ends later than in a minute was begun before the clock was set back.
    if (window === undefined || window.endsAt <= now || window.endsAt > now + WINDOW_MS) {
      window = { count: 0, unshared: 0, endsAt: now - now % WINDOW_MS + WINDOW_MS };
      windows.set(key, window);
    }
    window.count++;
    window.unshared++;
    if (shared !== undefined && window.unshared >= sharedFrom) unshareLater(key, window);
    const state = {
      limit: limit!,
      remaining: Math.max(limit! - window.count, 0),
      resetSeconds: Math.ceil((window.endsAt - now) / 1000),
    };
    if (window.count > limit!) throw new RateLimited(state);
    return state;
  }

  function unshareLater(key: string, window: Window): void {
    unshared.set(key, window);
    timer ??= setTimeout(() => sharing = share(), SHARE_AFTER_MS);
  }

  async function share(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const most = [...unshared].sort(([, a], [, b]) => b.unshared - a.unshared).slice(0, SHARED_MAX);
    unshared.clear();
    await Promise.all(most.map(([key, window]) => exchange(key, window)));
  }

  /** What cannot be shared now is counted here all the same, and goes with the next exchange. */
  async function exchange(key: string, window: Window): Promise<void> {
    const { unshared: own } = window;
    window.unshared = 0;
    try {
      const all = await shared!.add(key, window.endsAt, own);
      // Requests may have come meanwhile.
      window.count = Math.max(window.count, all + window.unshared);
    } catch {
      window.unshared += own;
    }
  }

  return {
    count,
    share,
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await sharing;
    },
  };
}

const UNLIMITED: RateLimiter = {
  count: () => null,
  share: () => Promise.resolve(),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

/** The refusal, with what its headers say. */
export class RateLimited extends Problem {
  readonly state: RateState;

  constructor(state: RateState) {
    super("RATE_LIMITED", { retryAfter: state.resetSeconds });
    this.state = state;
  }
}
