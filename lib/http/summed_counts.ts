import { createLru } from "../lru.ts";
import type { SharedCounts } from "./rate_limit.ts";

const KEYS_MAX = 100_000;

export function createSummedCounts(): SharedCounts {
  const sums = createLru<string, number>(KEYS_MAX);
  return {
    add(key, endsAt, count) {
      const name = `${endsAt} ${key}`;
      const sum = (sums.get(name) ?? 0) + count;
      sums.set(name, sum);
      return Promise.resolve(sum);
    },
  };
}
