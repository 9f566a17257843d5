import { type Clock, timestamp } from "../clock.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Filter, Id } from "../store/port.ts";
import { type RemovedRows, removeObjects, removeRows, unclaimed } from "./ledger.ts";
import type { FileServices } from "./removals.ts";
import { type UploadRecord, UPLOADS } from "./uploads.ts";

const BATCH = 50;

const expired = (clock: Clock): Filter =>
  and(compare("expiresAt", "lte", timestamp(clock)), unclaimed(clock));

/** Ends up to `BATCH` matching uploads of a project. The caller removes their objects. */
export async function releaseBatch(
  services: FileServices,
  projectId: Id,
  filter: Filter = expired(services.clock),
): Promise<RemovedRows> {
  const uploads = services.engine.records<UploadRecord>(projectId, UPLOADS);
  const found = await Array.fromAsync(uploads.find({ filter, limit: BATCH }));
  if (found.length === 0) return { rows: [], removals: [] };
  return await removeRows(services, projectId, async (uploads) => {
    const rows: UploadRecord[] = [];
    for (const { _id } of found) {
      // Another process may have changed or deleted the row.
      const deleted = await uploads.deleteOne(and(eq("_id", _id), filter));
      if (deleted !== null) rows.push(deleted.value);
    }
    return rows;
  });
}

export const releaseExpired = (
  services: FileServices,
  projectId: Id,
  stopped: () => boolean,
): Promise<number> => release(services, projectId, expired(services.clock), stopped);

/** Ends all uploads that no confirm has claimed, expired or not. Returns how many. */
export const releaseUnconfirmed = (services: FileServices, projectId: Id): Promise<number> =>
  release(services, projectId, unclaimed(services.clock));

async function release(
  services: FileServices,
  projectId: Id,
  filter: Filter,
  stopped: () => boolean = () => false,
): Promise<number> {
  let released = 0;
  while (!stopped()) {
    const removed = await releaseBatch(services, projectId, filter);
    released += removed.rows.length;
    await removeObjects(services, projectId, removed, stopped);
    if (removed.rows.length === 0) break;
  }
  return released;
}
