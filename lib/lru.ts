import { LRUCache } from "lru-cache";

const one = () => 1;

/**
 * Keeps so many entries, the latest used ones, and takes room for those that it has. The library's
 * own `max` takes room for all of them at once: 10 ms and 4 MB for 100,000.
 */
export const createLru = <K extends string, V extends object | number>(
  max: number,
): LRUCache<K, V> => new LRUCache({ maxSize: max, sizeCalculation: one });
