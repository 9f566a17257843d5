import { LRUCache } from "lru-cache";

const entrySize = () => 1;

/** Creates an LRU cache by `maxSize`, because `max` allocates memory for all entries at once. */
export const createLru = <K extends string, V extends object | number>(
  max: number,
): LRUCache<K, V> => new LRUCache({ maxSize: max, sizeCalculation: entrySize });
