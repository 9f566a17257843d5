import { createLru } from "../lru.ts";
import type { SharedCounts } from "./rate_limit.ts";

const KEYS_KEPT = 100_000;

/** Adds up in memory, for all who can reach this. */
export function createSummedCounts(): SharedCounts {
  const sums = createLru<string, number>(KEYS_KEPT);
  return {
    add(key, endsAt, count) {
      const name = `${endsAt} ${key}`;
      const sum = (sums.get(name) ?? 0) + count;
      sums.set(name, sum);
      return Promise.resolve(sum);
    },
  };
}
