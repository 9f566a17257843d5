import type { Clock } from "./clock.ts";
import { CACHE_MS } from "./limits.ts";
import { createLru } from "./lru.ts";
import type { MaybePromise } from "./maybe_promise.ts";

/** Remembers what was read for as long as it may be stale, and no longer. */
export interface ReadThrough<V> {
  get(key: string): MaybePromise<V | null>;
  /** Drops the entries whose key or value matches; what is being read now is not kept either. */
  forget(matches: (key: string, value: V) => boolean): void;
  /** The same for one key, at no cost. */
  drop(key: string): void;
}

interface CacheEntry<V> {
  readonly value: V;
  readonly readAt: number;
  readonly mark: unknown;
}

export interface ReadThroughOptions {
  readonly clock: Clock;
  /** Entries that are kept at most. */
  readonly max: number;
  /** An entry whose mark is another than it was is read anew, however young. */
  readonly markOf?: (key: string) => unknown;
}

/**
 * @param read Reads an entry anew, given what was known of it. A miss is not remembered: what is
 * missing here may be made in another process a moment later.
 */
export function createReadThrough<V extends object>(
  { clock, max, markOf = () => null }: ReadThroughOptions,
  read: (key: string, known: V | null) => Promise<V | null>,
): ReadThrough<V> {
  const entries = createLru<string, CacheEntry<V>>(max);
  let forgotten = 0;

  type Since = Pick<CacheEntry<V>, "readAt" | "mark">;

  async function refresh(key: string, known: V | null, since: Since): Promise<V | null> {
    const before = forgotten;
    const value = await read(key, known);
    if (value === null) entries.delete(key);
    // Whoever forgot something meanwhile may have meant this.
    else if (before === forgotten) entries.set(key, { value, ...since });
    return value;
  }

  return {
    get(key) {
      const entry = entries.get(key);
      const readAt = clock.elapsed();
      const mark = markOf(key);
      const isYoung = entry !== undefined && readAt - entry.readAt < CACHE_MS;
      if (isYoung && entry.mark === mark) return entry.value;
      return refresh(key, entry?.value ?? null, { readAt, mark });
    },
    forget(matches) {
      forgotten++;
      for (const [key, { value }] of entries.entries()) {
        if (matches(key, value)) entries.delete(key);
      }
    },
    drop(key) {
      forgotten++;
      entries.delete(key);
    },
  };
}
