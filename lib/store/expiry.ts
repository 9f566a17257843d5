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
export async function deleteAll<T extends StoredRecord>(
  records: Records<T>,
  filter: Filter,
): Promise<number> {
  let removed = 0;
  for (;;) {
    const batch = await records.deleteMany(filter, BATCH);
    removed += batch;
    if (batch < BATCH) return removed;
  }
}
