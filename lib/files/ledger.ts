import { type Clock, timestamp } from "../clock.ts";
import { and, compare, eq, or } from "../store/filter.ts";
import type { Filter, Id, Records } from "../store/port.ts";
import { carryOut, type FileServices, noteRemovals, type RemovalRecord } from "./removals.ts";
import { INTERNAL } from "./stores.ts";
import { STORAGE_USAGE, type StorageUsageRecord, type UploadRecord, UPLOADS } from "./uploads.ts";

/** What rows are charged for, and hold. */
export type Sums = Readonly<Record<"used" | "reserved" | "held" | "external", number>>;

export const NOTHING: Sums = { used: 0, reserved: 0, held: 0, external: 0 };

export function plus(sums: Sums, { target, state, bytes }: UploadRecord): Sums {
  if (target !== INTERNAL) return { ...sums, external: sums.external + 1 };
  const held = sums.held + bytes;
  return state === "confirmed"
    ? { ...sums, held, used: sums.used + bytes }
    : { ...sums, held, reserved: sums.reserved + bytes };
}

/** The sums as they are stored; null before the first upload. */
export async function findUsage(
  { engine }: Pick<FileServices, "engine">,
  projectId: Id,
): Promise<StorageUsageRecord | null> {
  const found = await engine.records<StorageUsageRecord>(projectId, STORAGE_USAGE).get(projectId);
  return found?.value ?? null;
}

const negated = (sums: Sums) =>
  Object.fromEntries(Object.entries(sums).map(([name, value]) => [name, -value]));

/** Not confirmed so far, and in time to be. */
export const unexpired = (clock: Clock): Filter => compare("expiresAt", "gt", timestamp(clock));

/** Whether nobody is about to confirm it: no confirm has taken it, or the one that had died. */
export const unclaimed = (clock: Clock): Filter =>
  or(
    eq("state", "requested"),
    and(eq("state", "copying"), compare("claimedUntil", "lte", timestamp(clock))),
  );

/** Whether the upload can no longer be confirmed, nor is about to be: there is no such file. */
export const isOver = ({ state, expiresAt, claimedUntil }: UploadRecord, now: string): boolean =>
  state !== "confirmed" && expiresAt! <= now && !(state === "copying" && claimedUntil! > now);

export interface Removed {
  readonly rows: readonly UploadRecord[];
  /** Of their objects; they are {@linkcode removeObjects}' to carry out. */
  readonly removals: readonly RemovalRecord[];
}

/**
 * Removes rows, returns their space and notes their objects, all in one transaction.
 * @param take Removes rows and resolves to them; it may run more than once.
 */
export async function removeRows(
  services: FileServices,
  projectId: Id,
  take: (uploads: Records<UploadRecord>) => Promise<readonly UploadRecord[]>,
): Promise<Removed> {
  return await services.engine.transaction(projectId, async (tx) => {
    const rows = await take(tx.records<UploadRecord>(UPLOADS));
    if (rows.length === 0) return { rows, removals: [] };
    await tx.records<StorageUsageRecord>(STORAGE_USAGE)
      .updateOne(eq("_id", projectId), { increment: negated(rows.reduce(plus, NOTHING)) });
    return { rows, removals: await noteRemovals(tx, services, rows) };
  });
}

/** What cannot be removed now is tried again by the reaper. */
export async function removeObjects(
  services: FileServices,
  projectId: Id,
  { removals }: Removed,
  stopped: () => boolean = () => false,
): Promise<void> {
  for (const removal of removals) {
    if (stopped()) return;
    await carryOut(services, projectId, removal);
  }
}
