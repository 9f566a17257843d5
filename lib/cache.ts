import type { Clock } from "./clock.ts";
import { CACHE_MS } from "./limits.ts";
import { createLru } from "./lru.ts";
import type { MaybePromise } from "./maybe_promise.ts";

/** A read-through cache whose entries are read again after `CACHE_MS`. */
export interface ReadThrough<V> {
  get(key: string): MaybePromise<V | null>;
  /** Removes the entries that match. Values that are being read at the moment are not cached. */
  invalidate(matches: (key: string, value: V) => boolean): void;
  /** Removes one entry, without iterating over all of them. */
  drop(key: string): void;
}

interface CacheEntry<V> {
  readonly value: V;
  readonly readAt: number;
  readonly version: unknown;
}

export interface ReadThroughOptions {
  readonly clock: Clock;
  readonly max: number;
  /** Version of an entry. If it has changed, the entry is read again regardless of its age. */
  readonly versionOf?: (key: string) => unknown;
}

/** @param read Reads a value, given the cached one. A missing value is not cached. */
export function createReadThrough<V extends object>(
  { clock, max, versionOf = () => null }: ReadThroughOptions,
  read: (key: string, cached: V | null) => Promise<V | null>,
): ReadThrough<V> {
  const entries = createLru<string, CacheEntry<V>>(max);
  let invalidations = 0;

  type ReadState = Pick<CacheEntry<V>, "readAt" | "version">;

  async function refresh(key: string, cached: V | null, state: ReadState): Promise<V | null> {
    const before = invalidations;
    const value = await read(key, cached);
    if (value === null) entries.delete(key);
    // An invalidation during the read may have meant this entry.
    else if (before === invalidations) entries.set(key, { value, ...state });
    return value;
  }

  return {
    get(key) {
      const entry = entries.get(key);
      const readAt = clock.elapsed();
      const version = versionOf(key);
      const isYoung = entry !== undefined && readAt - entry.readAt < CACHE_MS;
      if (isYoung && entry.version === version) return entry.value;
      return refresh(key, entry?.value ?? null, { readAt, version });
    },
    invalidate(matches) {
      invalidations++;
      for (const [key, { value }] of entries.entries()) {
        if (matches(key, value)) entries.delete(key);
      }
    },
    drop(key) {
      invalidations++;
      entries.delete(key);
    },
  };
}
