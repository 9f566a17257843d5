import { ALL, and, eq, not } from "../store/filter.ts";
import type { Id } from "../store/port.ts";
import type { BlobPlace, Blobs, FilePlace, ListedBlob } from "./blobs.ts";
import { addRow, NO_SUMS, type UsageSums } from "./ledger.ts";
import { releaseUnconfirmed } from "./release.ts";
import { type JobRecord, JOBS } from "../jobs/jobs.ts";
import { type FileServices, OBJECT_REMOVAL } from "./removals.ts";
import { INTERNAL_TARGET } from "./stores.ts";
import { sweepAbandoned } from "./sweep.ts";
import {
  filePlaceOf,
  findUpload,
  STORAGE_USAGE,
  type StorageUsageRecord,
  type UploadRecord,
  UPLOADS,
} from "./uploads.ts";
import { walkBlobs } from "./walk.ts";

/** A difference between the ledger and the stores. */
export type Drift =
  /** A confirmed file without its object. */
  | { readonly kind: "missing"; readonly path: string; readonly bytes: number }
  /** A confirmed file whose object has another length. */
  | {
    readonly kind: "length";
    readonly path: string;
    readonly bytes: number;
    readonly storedBytes: number;
  }
  /** An object without a row and without a queued removal. */
  | { readonly kind: "orphan"; readonly path: string; readonly storedBytes: number }
  /** A stored sum that differs from the sum of the rows. */
  | {
    readonly kind: "sum";
    readonly sum: keyof UsageSums;
    readonly counted: number;
    readonly stored: number;
  };

/** An unfinished upload or removal, which is not drift. */
export type Unfinished =
  | {
    readonly kind: "hold";
    readonly path: string;
    readonly bytes: number;
    readonly expiresAt: string;
  }
  | {
    readonly kind: "temporary";
    readonly place: BlobPlace;
    readonly path: string;
    readonly bytes: number;
  }
  | {
    readonly kind: "removal";
    readonly path: string;
    readonly tries: number;
    readonly dueAt: string;
  };

export interface ReconcileReport {
  /** Whether no drift remains. */
  readonly ok: boolean;
  /** Number of confirmed files that were compared. */
  readonly files: number;
  readonly driftCount: number;
  readonly unrepaired: number;
  readonly unfinishedCount: number;
  /** The first {@linkcode LISTED_MAX} differences. */
  readonly drift: readonly (Drift & { readonly repaired: boolean })[];
  /** The first {@linkcode LISTED_MAX} unfinished uploads and removals. */
  readonly unfinished: readonly Unfinished[];
}

const LISTED_MAX = 1_000;

interface ReconcileRun {
  readonly services: FileServices;
  readonly projectId: Id;
  /** Name of the store that uploads go to. */
  readonly current: string;
  readonly repair: boolean;
  add(drift: Drift, repaired?: boolean): void;
}

/**
 * Compares the ledger of a project with its stores, in both directions, while servers may run.
 * `repair` first ends running uploads and pending work, then corrects sums and removes orphans. A
 * file whose object is missing or differs is never changed: it stays charged. Throws
 * `BlobsUnavailable`.
 */
export async function reconcile(
  services: FileServices,
  projectId: Id,
  { repair }: { readonly repair: boolean },
): Promise<ReconcileReport> {
  const drift = createBoundedList<Drift & { readonly repaired: boolean }>();
  const unfinished = createBoundedList<Unfinished>();
  let [files, unrepaired] = [0, 0];
  const run: ReconcileRun = {
    services,
    projectId,
    current: (await services.blobStores.currentTarget(projectId)).name,
    repair,
    add(found, repaired = false) {
      if (!repaired) unrepaired++;
      drift.add({ ...found, repaired });
    },
  };
  if (repair) await finishPending(run);
  for (const target of await compareSums(run)) {
    const blobs = await services.blobStores.blobsOf(projectId, target);
    for (const place of ["stored", "private"] as const) {
      files += await compareStore(run, { target, blobs, place });
    }
    for await (const one of temporaries(projectId, blobs)) unfinished.add(one);
  }
  for await (const one of holdsAndRemovals(run)) unfinished.add(one);
  return {
    ok: unrepaired === 0,
    files,
    driftCount: drift.count(),
    unrepaired,
    unfinishedCount: unfinished.count(),
    drift: drift.items,
    unfinished: unfinished.items,
  };
}

function createBoundedList<T>() {
  const items: T[] = [];
  let count = 0;
  return {
    items,
    count: () => count,
    add(item: T) {
      if (count++ < LISTED_MAX) items.push(item);
    },
  };
}

/** Does the pending work of the reaper, and ends uploads that could still be confirmed. */
async function finishPending({ services, projectId, current }: ReconcileRun): Promise<void> {
  const prefix = `${projectId}/`;
  await releaseUnconfirmed(services, projectId);
  await services.jobRunner.runNow(services, OBJECT_REMOVAL, { space: projectId, which: ALL });
  for (const target of new Set([INTERNAL_TARGET, current])) {
    const blobs = await services.blobStores.blobsOf(projectId, target);
    for (const place of ["staged", "partial"] as const) {
      await sweepAbandoned(services, blobs, { place, prefix });
    }
  }
}

/** Compares in one transaction, for which writes wait. Returns the stores to compare. */
async function compareSums(run: ReconcileRun): Promise<Set<string>> {
  const { services, projectId, current, repair } = run;
  const [targets, counted, stored] = await services.engine.transaction(projectId, async (tx) => {
    let sums = NO_SUMS;
    const targets = new Set([INTERNAL_TARGET, current]);
    const rows = tx.records<UploadRecord>(UPLOADS);
    for await (const row of rows.find({ filter: ALL })) {
      sums = addRow(sums, row);
      targets.add(row.target);
    }
    const usages = tx.records<StorageUsageRecord>(STORAGE_USAGE);
    const usage = (await usages.get(projectId))?.value;
    if (repair && differing(sums, { ...UNCOUNTED, ...(usage ?? NO_SUMS) }).length > 0) {
      if (usage === undefined) await usages.insert({ _id: projectId, ...sums, target: current });
      else await usages.updateOne(eq("_id", projectId), { set: sums });
    }
    // Counts that an earlier version did not store are not drift.
    return [targets, sums, { files: sums.files, open: sums.open, ...(usage ?? NO_SUMS) }] as const;
  });
  for (const sum of differing(counted, stored)) {
    run.add({ kind: "sum", sum, counted: counted[sum], stored: stored[sum] }, repair);
  }
  return targets;
}

/** Impossible counts, so that a repair completes the record of an earlier version. */
const UNCOUNTED = { files: -1, open: -1 };

const differing = (counted: UsageSums, stored: UsageSums): (keyof UsageSums)[] =>
  (Object.keys(NO_SUMS) as (keyof UsageSums)[]).filter((sum) => counted[sum] !== stored[sum]);

/** Walks rows and objects in the order of their paths. Returns the number of confirmed files. */
async function compareStore(
  run: ReconcileRun,
  { target, blobs, place }: { target: string; blobs: Blobs; place: FilePlace },
): Promise<number> {
  const { services: { engine }, projectId } = run;
  const isPrivate = eq("visibility", "private");
  await using rows = engine.records<UploadRecord>(projectId, UPLOADS).find({
    filter: and(eq("target", target), place === "private" ? isPrivate : not(isPrivate)),
    sort: [{ path: "path", descending: false }],
  });
  await using objects = walkBlobs(blobs, place, `${projectId}/`);
  const next = async <T>(walk: AsyncGenerator<T>) => (await walk.next()).value as T | undefined;
  let files = 0;
  let [row, object] = [await next(rows), await next(objects)];
  while (row !== undefined || object !== undefined) {
    const order = row === undefined ? 1 : object === undefined ? -1 : comparePaths(row, object);
    if (order <= 0 && row!.state === "confirmed") {
      files++;
      if (order < 0 || row!.bytes !== object!.bytes) await checkFile(run, blobs, row!);
    }
    if (order > 0) await checkOrphan(run, { blobs, place }, object!);
    if (order <= 0) row = await next(rows);
    if (order >= 0) object = await next(objects);
  }
  return files;
}

const comparePaths = ({ path }: UploadRecord, object: ListedBlob): number =>
  path < object.path ? -1 : path === object.path ? 0 : 1;

/** Checks a file again, because it may have been deleted since its row was read. */
async function checkFile(run: ReconcileRun, blobs: Blobs, row: UploadRecord): Promise<void> {
  const { path, bytes } = row;
  const place = filePlaceOf(row);
  const stored = await blobs.stat(place, path);
  if (stored?.bytes === bytes) return;
  // An object is removed only after its row was deleted or got another place.
  const now = await findUpload(run.services, run.projectId, path);
  if (now?.state !== "confirmed" || filePlaceOf(now) !== place) return;
  if (stored === null) run.add({ kind: "missing", path, bytes });
  else run.add({ kind: "length", path, bytes, storedBytes: stored.bytes });
}

/** Checks an object again: its upload may have been requested or removed in the meantime. */
async function checkOrphan(
  { services, projectId, repair, add }: ReconcileRun,
  { blobs, place }: { blobs: Blobs; place: FilePlace },
  { path }: ListedBlob,
): Promise<void> {
  const row = await findUpload(services, projectId, path);
  if (row !== null && filePlaceOf(row) === place) return;
  const removal = and(eq("kind", OBJECT_REMOVAL.name), eq("subject", path));
  if (await services.engine.records<JobRecord>(projectId, JOBS).findOne(removal) !== null) return;
  // If its removal has finished in the meantime, the object is missing as well.
  const stored = await blobs.stat(place, path);
  if (stored === null) return;
  if (repair) await blobs.remove(place, path);
  add({ kind: "orphan", path, storedBytes: stored.bytes }, repair);
}

async function* temporaries(projectId: Id, blobs: Blobs): AsyncGenerator<Unfinished> {
  for (const place of ["staged", "partial"] as const) {
    for await (const { path, bytes } of walkBlobs(blobs, place, `${projectId}/`)) {
      yield { kind: "temporary", place, path, bytes };
    }
  }
}

async function* holdsAndRemovals(
  { services, projectId }: ReconcileRun,
): AsyncGenerator<Unfinished> {
  const { engine } = services;
  const unconfirmed = engine.records<UploadRecord>(projectId, UPLOADS)
    .find({ filter: not(eq("state", "confirmed")) });
  for await (const { path, bytes, expiresAt } of unconfirmed) {
    yield { kind: "hold", path, bytes, expiresAt: expiresAt! };
  }
  const removals = engine.records<JobRecord>(projectId, JOBS)
    .find({ filter: eq("kind", OBJECT_REMOVAL.name) });
  for await (const { subject: path, tries, dueAt } of removals) {
    yield { kind: "removal", path, tries, dueAt };
  }
}
