import type { Clock } from "../clock.ts";
import { compare } from "./filter.ts";
import type { Definition, Filter, Records, StoredRecord } from "./port.ts";

const BATCH = 500;

/** Removes expired records; resolves to how many. */
export async function purgeExpired<T extends StoredRecord>(
  records: Records<T>,
  { expiry }: Definition,
  clock: Clock,
): Promise<number> {
  if (expiry === undefined) return 0;
  const expired = compare(expiry, "lt", new Date(clock.now()).toISOString());
  return await deleteAll(records, expired);
}

/** Removes all matches, in batches between which others get their turn; resolves to how many. */
export async function deleteAll(
  records: Pick<Records, "deleteMany">,
  filter: Filter,
): Promise<number> {
  let removed = 0;
  for (;;) {
    const batch = await records.deleteMany(filter, BATCH);
    removed += batch;
    if (batch < BATCH) return removed;
  }
}

/** Milliseconds that a batch should take: others wait as long at most. */
const GENTLE_MS = 2;
const GENTLE_BATCH_MAX = 256;

/**
 * {@linkcode deleteAll} for records of any size while others work: batches are as large as their
 * time allows.
 */
export async function deleteGently(
  records: Pick<Records, "deleteMany">,
  filter: Filter,
  stopped: () => boolean,
): Promise<number> {
  let [removed, limit] = [0, 1];
  while (!stopped()) {
    const began = performance.now();
    const batch = await records.deleteMany(filter, limit);
    removed += batch;
    if (batch < limit) break;
    const took = performance.now() - began;
    limit = took > GENTLE_MS
      ? Math.max(1, Math.floor(limit / 2))
      : Math.min(GENTLE_BATCH_MAX, 2 * limit);
  }
  return removed;
}
