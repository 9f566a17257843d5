import type { Clock } from "../clock.ts";
import { createLru } from "../lru.ts";
import { Problem } from "../problems.ts";
import type { RateState } from "./request.ts";

/** Limits requests per key and minute of the clock. */
export interface RateLimiter extends AsyncDisposable {
  /** Counts a request; null without a limit. Throws {@linkcode RateLimited} beyond the limit. */
  count(key: string): RateState | null;
  /** Exchanges counts with other processes. Runs automatically within a second of a request. */
  share(): Promise<void>;
}

/** Sums of the counts of several processes or threads. */
export interface SharedCounts {
  /** Adds to the count of a key in the window that ends at `endsAt`. Resolves to the sum. */
  add(key: string, endsAt: number, count: number): Promise<number>;
}

interface CountWindow {
  readonly endsAt: number;
  /** Requests of this process and the known ones of other processes. */
  count: number;
  /** Requests of this process that were not shared yet. */
  unshared: number;
}

const WINDOW_MS = 60_000;
/** Maximum number of cached windows. If it is exceeded, the oldest counts start again. */
const WINDOWS_MAX = 100_000;

const SHARE_AFTER_MS = 1_000;
/** Counts below this share of the limit are not exchanged, because most callers never reach it. */
const SHARED_LIMIT_SHARE = 1 / 100;
/** Maximum number of keys in one exchange, which prefers keys with the most requests. */
const EXCHANGED_KEYS_MAX = 500;

/** @param limit Requests per minute and key; null counts nothing. */
export function createRateLimiter(
  limit: number | null,
  clock: Clock,
  shared?: SharedCounts,
): RateLimiter {
  if (limit === null) return UNLIMITED;
  const windows = createLru<string, CountWindow>(WINDOWS_MAX);
  const unshared = new Map<string, CountWindow>();
  const sharedFrom = Math.max(1, limit * SHARED_LIMIT_SHARE);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sharing: Promise<void> = Promise.resolve();

  function count(key: string): RateState {
    const now = clock.now();
    let window = windows.get(key);
    // A window that ends later than in a minute was created before the clock was set back.
    if (window === undefined || window.endsAt <= now || window.endsAt > now + WINDOW_MS) {
      window = { count: 0, unshared: 0, endsAt: now - now % WINDOW_MS + WINDOW_MS };
      windows.set(key, window);
    }
    window.count++;
    window.unshared++;
    if (shared !== undefined && window.unshared >= sharedFrom) shareLater(key, window);
    const state = {
      limit: limit!,
      remaining: Math.max(limit! - window.count, 0),
      resetSeconds: Math.ceil((window.endsAt - now) / 1000),
    };
    if (window.count > limit!) throw new RateLimited(state);
    return state;
  }

  function shareLater(key: string, window: CountWindow): void {
    unshared.set(key, window);
    timer ??= setTimeout(() => sharing = share(), SHARE_AFTER_MS);
  }

  async function share(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const most = [...unshared].sort(([, a], [, b]) => b.unshared - a.unshared).slice(
      0,
      EXCHANGED_KEYS_MAX,
    );
    unshared.clear();
    await Promise.all(most.map(([key, window]) => exchange(key, window)));
  }

  /** Shares the count of a window. If that fails, the count is shared with the next exchange. */
  async function exchange(key: string, window: CountWindow): Promise<void> {
    const { unshared: own } = window;
    window.unshared = 0;
    try {
      const all = await shared!.add(key, window.endsAt, own);
      // Requests may have arrived since.
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

export class RateLimited extends Problem {
  readonly state: RateState;

  constructor(state: RateState) {
    super("RATE_LIMITED", { retryAfter: state.resetSeconds });
    this.state = state;
  }
}
