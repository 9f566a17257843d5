import { type Clock, timestamp } from "../clock.ts";
import type { JobRecord } from "../jobs/jobs.ts";
import { ALL, and, compare, eq, not, or } from "../store/filter.ts";
import type { Filter, Id, Records, Transaction } from "../store/port.ts";
import { enqueueRemovals, type FileServices, runRemoval } from "./removals.ts";
import { INTERNAL_TARGET } from "./stores.ts";
import { STORAGE_USAGE, type StorageUsageRecord, type UploadRecord, UPLOADS } from "./uploads.ts";

/** Sums over the rows of a project, with the names and units of `STORAGE_USAGE`. */
export type UsageSums = Readonly<
  Record<"used" | "reserved" | "held" | "external" | "files" | "open", number>
>;

export const NO_SUMS: UsageSums = { used: 0, reserved: 0, held: 0, external: 0, files: 0, open: 0 };

type SummedRow = Pick<UploadRecord, "target" | "state" | "bytes">;

export function addRow(before: UsageSums, { target, state, bytes }: SummedRow): UsageSums {
  const files = before.files + 1;
  const open = before.open + (state === "confirmed" ? 0 : 1);
  const sums = { ...before, files, open };
  if (target !== INTERNAL_TARGET) return { ...sums, external: sums.external + 1 };
  const held = sums.held + bytes;
  return state === "confirmed"
    ? { ...sums, held, used: sums.used + bytes }
    : { ...sums, held, reserved: sums.reserved + bytes };
}

/** Records of earlier versions have no counts of rows. */
const HAS_ROW_COUNTS = not(eq("files", null));

/** Adds to the sums in the transaction that changed the rows; counts rows if never counted. */
export async function addSums(
  tx: Transaction,
  projectId: Id,
  { files, open, ...bytes }: UsageSums,
): Promise<void> {
  const usage = tx.records<StorageUsageRecord>(STORAGE_USAGE);
  const isProject = eq("_id", projectId);
  const increment = { files, open, ...bytes };
  if (await usage.updateOne(and(isProject, HAS_ROW_COUNTS), { increment }) !== null) return;
  const rows = tx.records<UploadRecord>(UPLOADS);
  const set = {
    files: await rows.count(ALL),
    open: await rows.count(not(eq("state", "confirmed"))),
  };
  await usage.updateOne(isProject, { set, increment: bytes });
}

/** Returns the stored sums of a project; null before its first upload. */
export async function findUsage(
  { engine }: Pick<FileServices, "engine">,
  projectId: Id,
): Promise<StorageUsageRecord | null> {
  const found = await engine.records<StorageUsageRecord>(projectId, STORAGE_USAGE).get(projectId);
  return found?.value ?? null;
}

const negateSums = (sums: UsageSums): UsageSums => subtractSums(NO_SUMS, sums);

export const subtractSums = (from: UsageSums, sums: UsageSums): UsageSums => ({
  used: from.used - sums.used,
  reserved: from.reserved - sums.reserved,
  held: from.held - sums.held,
  external: from.external - sums.external,
  files: from.files - sums.files,
  open: from.open - sums.open,
});

/** Matches unconfirmed uploads whose reservation has not expired. */
export const unexpired = (clock: Clock): Filter => compare("expiresAt", "gt", timestamp(clock));

/** Returns the seconds until the first of the matching open uploads expires; at least 1. */
export async function secondsToExpiry(
  uploads: Records<UploadRecord>,
  clock: Clock,
  filter: Filter = ALL,
): Promise<number> {
  const { value: first } = await uploads.find({
    filter: and(filter, unexpired(clock)),
    sort: [{ path: "expiresAt", descending: false }],
    limit: 1,
  }).next();
  const ms = first === undefined ? 0 : Date.parse(first.expiresAt!) - clock.now();
  return Math.max(1, Math.ceil(ms / 1000));
}

export const UNCLAIMED = { state: "requested", claim: null, claimedUntil: null } as const;

/** Matches unconfirmed uploads that no confirm has claimed, or whose claim has lapsed. */
export const unclaimed = (clock: Clock): Filter =>
  or(
    eq("state", "requested"),
    and(eq("state", "copying"), compare("claimedUntil", "lte", timestamp(clock))),
  );

/** Whether the upload can no longer be confirmed and no confirm has claimed it. */
export const isExpired = ({ state, expiresAt, claimedUntil }: UploadRecord, now: string): boolean =>
  state !== "confirmed" && expiresAt! <= now && !(state === "copying" && claimedUntil! > now);

export interface RemovedRows {
  readonly rows: readonly UploadRecord[];
  /** Jobs that remove the objects of the rows, for {@linkcode removeObjects}. */
  readonly removals: readonly JobRecord[];
}

/** Removes rows and enqueues their removal in one transaction. `deleteRows` may run repeatedly. */
export async function removeRows(
  services: FileServices,
  projectId: Id,
  deleteRows: (uploads: Records<UploadRecord>, tx: Transaction) => Promise<readonly UploadRecord[]>,
): Promise<RemovedRows> {
  await services.jobRunner.announce(projectId);
  return await services.engine.transaction(projectId, async (tx) => {
    const rows = await deleteRows(tx.records<UploadRecord>(UPLOADS), tx);
    if (rows.length === 0) return { rows, removals: [] };
    await addSums(tx, projectId, negateSums(rows.reduce(addRow, NO_SUMS)));
    return { rows, removals: await enqueueRemovals(tx, services, rows) };
  });
}

export const removeRow = (
  services: FileServices,
  projectId: Id,
  filter: Filter,
): Promise<RemovedRows> =>
  removeRows(services, projectId, async (uploads) => {
    const deleted = await uploads.deleteOne(filter);
    return deleted === null ? [] : [deleted.value];
  });

/** Removes the objects of removed rows. A removal that fails is retried later. */
export async function removeObjects(
  services: FileServices,
  projectId: Id,
  { removals }: RemovedRows,
  stopped: () => boolean = () => false,
): Promise<void> {
  for (const job of removals) {
    if (stopped()) return;
    await runRemoval(services, projectId, job);
  }
}
