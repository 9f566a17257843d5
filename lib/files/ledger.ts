import { type Clock, timestamp } from "../clock.ts";
import type { JobRecord } from "../jobs/jobs.ts";
import { ALL, and, compare, eq, not, or } from "../store/filter.ts";
import type { Filter, Id, Records, Transaction } from "../store/port.ts";
import { enqueueRemovals, type FileServices, runRemoval } from "./removals.ts";
import { INTERNAL } from "./stores.ts";
import { STORAGE_USAGE, type StorageUsageRecord, type UploadRecord, UPLOADS } from "./uploads.ts";

/** What rows are charged for, and hold. */
export type Sums = Readonly<
  Record<"used" | "reserved" | "held" | "external" | "files" | "open", number>
>;

export const NOTHING: Sums = { used: 0, reserved: 0, held: 0, external: 0, files: 0, open: 0 };

type SummedRow = Pick<UploadRecord, "target" | "state" | "bytes">;

export function plus(before: Sums, { target, state, bytes }: SummedRow): Sums {
  const files = before.files + 1;
  const open = before.open + (state === "confirmed" ? 0 : 1);
  const sums = { ...before, files, open };
  if (target !== INTERNAL) return { ...sums, external: sums.external + 1 };
  const held = sums.held + bytes;
  return state === "confirmed"
    ? { ...sums, held, used: sums.used + bytes }
    : { ...sums, held, reserved: sums.reserved + bytes };
}

/** What is known of the sums; a record of an earlier version has no counts of rows. */
const COUNTED = not(eq("files", null));

/**
 * Adds to the sums, in the transaction that has changed the rows. Where rows were never counted,
 * they are now: with that change.
 */
export async function addSums(
  tx: Transaction,
  projectId: Id,
  { files, open, ...bytes }: Sums,
): Promise<void> {
  const usage = tx.records<StorageUsageRecord>(STORAGE_USAGE);
  const mine = eq("_id", projectId);
  const increment = { files, open, ...bytes };
  if (await usage.updateOne(and(mine, COUNTED), { increment }) !== null) return;
  const rows = tx.records<UploadRecord>(UPLOADS);
  const set = {
    files: await rows.count(ALL),
    open: await rows.count(not(eq("state", "confirmed"))),
  };
  await usage.updateOne(mine, { set, increment: bytes });
}

/** The sums as they are stored; null before the first upload. */
export async function findUsage(
  { engine }: Pick<FileServices, "engine">,
  projectId: Id,
): Promise<StorageUsageRecord | null> {
  const found = await engine.records<StorageUsageRecord>(projectId, STORAGE_USAGE).get(projectId);
  return found?.value ?? null;
}

const negated = (sums: Sums): Sums => minus(NOTHING, sums);

export const minus = (from: Sums, sums: Sums): Sums => ({
  used: from.used - sums.used,
  reserved: from.reserved - sums.reserved,
  held: from.held - sums.held,
  external: from.external - sums.external,
  files: from.files - sums.files,
  open: from.open - sums.open,
});

/** Not confirmed so far, and in time to be. */
export const unexpired = (clock: Clock): Filter => compare("expiresAt", "gt", timestamp(clock));

/** Until the first of some open uploads expires. */
export async function secondsToExpiry(
  uploads: Records<UploadRecord>,
  clock: Clock,
  which: Filter = ALL,
): Promise<number> {
  const { value: first } = await uploads.find({
    filter: and(which, unexpired(clock)),
    sort: [{ path: "expiresAt", descending: false }],
    limit: 1,
  }).next();
  const ms = first === undefined ? 0 : Date.parse(first.expiresAt!) - clock.now();
  return Math.max(1, Math.ceil(ms / 1000));
}

/** Of a row that no confirm has in its hands any more. */
export const UNCLAIMED = { state: "requested", claim: null, claimedUntil: null } as const;

/** Whether nobody is about to confirm it: no confirm has taken it, or the one that had died. */
export const unclaimed = (clock: Clock): Filter =>
  or(
    eq("state", "requested"),
    and(eq("state", "copying"), compare("claimedUntil", "lte", timestamp(clock))),
  );

/** Whether the upload can no longer be confirmed, nor is about to be: there is no such file. */
export const isOver = ({ state, expiresAt, claimedUntil }: UploadRecord, now: string): boolean =>
  state !== "confirmed" && expiresAt! <= now && !(state === "copying" && claimedUntil! > now);

export interface RemovedRows {
  readonly rows: readonly UploadRecord[];
  /** Of their objects; they are {@linkcode removeObjects}' to carry out. */
  readonly removals: readonly JobRecord[];
}

/**
 * Removes rows, returns their space and notes their objects, all in one transaction.
 * @param take Removes rows and resolves to them; it may run more than once.
 */
export async function removeRows(
  services: FileServices,
  projectId: Id,
  take: (uploads: Records<UploadRecord>, tx: Transaction) => Promise<readonly UploadRecord[]>,
): Promise<RemovedRows> {
  await services.jobRunner.announce(projectId);
  return await services.engine.transaction(projectId, async (tx) => {
    const rows = await take(tx.records<UploadRecord>(UPLOADS), tx);
    if (rows.length === 0) return { rows, removals: [] };
    await addSums(tx, projectId, negated(rows.reduce(plus, NOTHING)));
    return { rows, removals: await enqueueRemovals(tx, services, rows) };
  });
}

/** The same with the one row that a filter lets through, if there is one. */
export const removeRow = (
  services: FileServices,
  projectId: Id,
  which: Filter,
): Promise<RemovedRows> =>
  removeRows(services, projectId, async (uploads) => {
    const gone = await uploads.deleteOne(which);
    return gone === null ? [] : [gone.value];
  });

/** Removes the objects of removed rows. An object that cannot be removed now is retried later. */
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
