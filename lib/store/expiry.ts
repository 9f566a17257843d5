import type { Clock } from "../clock.ts";
import { compare } from "./filter.ts";
import type { Definition, Filter, Records, StoredRecord } from "./port.ts";

const BATCH_MAX = 500;

export async function purgeExpired<T extends StoredRecord>(
  records: Records<T>,
  { expiry }: Definition,
  clock: Clock,
): Promise<number> {
  if (expiry === undefined) return 0;
  const expired = compare(expiry, "lt", new Date(clock.now()).toISOString());
  return await deleteAll(records, expired);
}

/** Deletes all matching records in batches, between which other writers proceed. */
export async function deleteAll(
  records: Pick<Records, "deleteMany">,
  filter: Filter,
): Promise<number> {
  let removed = 0;
  for (;;) {
    const batch = await records.deleteMany(filter, BATCH_MAX);
    removed += batch;
    if (batch < BATCH_MAX) return removed;
  }
}

/** Target duration of a batch in milliseconds: other writers wait about as long. */
const SHORT_BATCH_MS = 2;
const SHORT_BATCH_MAX = 256;

/**
 * Deletes all matching records, of any size, without delaying other requests: each batch is as
 * large as its target time allows. Resolves to the number of deleted records.
 *
 * @param isStopped Ends the deletion early; checked before each batch.
 */
export async function deleteInShortBatches(
  records: Pick<Records, "deleteMany">,
  filter: Filter,
  isStopped: () => boolean,
): Promise<number> {
  let [removed, limit] = [0, 1];
  while (!isStopped()) {
    const began = performance.now();
    const batch = await records.deleteMany(filter, limit);
    removed += batch;
    if (batch < limit) break;
    const took = performance.now() - began;
    limit = took > SHORT_BATCH_MS
      ? Math.max(1, Math.floor(limit / 2))
      : Math.min(SHORT_BATCH_MAX, 2 * limit);
  }
  return removed;
}
