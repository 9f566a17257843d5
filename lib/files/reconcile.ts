import { ALL, and, eq, not } from "../store/filter.ts";
import type { Id } from "../store/port.ts";
import type { Blobs, FilePlace, ListedBlob, Place } from "./blobs.ts";
import { NOTHING, plus, type Sums } from "./ledger.ts";
import { releaseUnconfirmed } from "./release.ts";
import { type JobRecord, JOBS } from "../jobs/jobs.ts";
import { type FileServices, OBJECT_REMOVAL } from "./removals.ts";
import { INTERNAL } from "./stores.ts";
import { sweepUnawaited } from "./sweep.ts";
import {
  findUpload,
  placeOf,
  STORAGE_USAGE,
  type StorageUsageRecord,
  type UploadRecord,
  UPLOADS,
} from "./uploads.ts";
import { walkBlobs } from "./walk.ts";

/** What must not be. */
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
  /** An object that no row and no noted removal knows. */
  | { readonly kind: "orphan"; readonly path: string; readonly storedBytes: number }
  /** A sum that is not what the rows add up to. */
  | {
    readonly kind: "sum";
    readonly sum: keyof Sums;
    readonly counted: number;
    readonly stored: number;
  };

/** What is under way, or waits for the reaper. */
export type Unfinished =
  | {
    readonly kind: "hold";
    readonly path: string;
    readonly bytes: number;
    readonly expiresAt: string;
  }
  | {
    readonly kind: "temporary";
    readonly place: Place;
    readonly path: string;
    readonly bytes: number;
  }
  | {
    readonly kind: "removal";
    readonly path: string;
    readonly tries: number;
    readonly dueAt: string;
  };

export interface Reconciled {
  /** Whether no drift remains. */
  readonly ok: boolean;
  /** Confirmed files that were compared. */
  readonly files: number;
  readonly driftCount: number;
  /** Of the drift, how much remains: all of it where nothing was to be repaired. */
  readonly unrepaired: number;
  readonly unfinishedCount: number;
  /** At most {@linkcode LISTED_MAX} of each. */
  readonly drift: readonly (Drift & { readonly repaired: boolean })[];
  readonly unfinished: readonly Unfinished[];
}

const LISTED_MAX = 1_000;

/** One run. */
interface Run {
  readonly services: FileServices;
  readonly projectId: Id;
  /** The store that uploads go to. */
  readonly current: string;
  readonly repair: boolean;
  add(drift: Drift, repaired?: boolean): void;
}

/**
 * Compares the ledger of a project with the stores of its files, both ways, a page of each in
 * memory at a time and beside running servers. With `repair` uploads under way are ended first, and
 * what waits for the reaper is finished; then sums are set to what the rows add up to, and orphans
 * are removed. A confirmed file whose object is missing or has another length is never touched: it
 * stays listed and charged until its object is put back or the file is deleted.
 * Throws `BlobsUnavailable`.
 */
export async function reconcile(
  services: FileServices,
  projectId: Id,
  { repair }: { readonly repair: boolean },
): Promise<Reconciled> {
  const drift = listOf<Drift & { readonly repaired: boolean }>();
  const unfinished = listOf<Unfinished>();
  let [files, unrepaired] = [0, 0];
  const run: Run = {
    services,
    projectId,
    current: (await services.blobStores.current(projectId)).name,
    repair,
    add(found, repaired = false) {
      if (!repaired) unrepaired++;
      drift.add({ ...found, repaired });
    },
  };
  if (repair) await finish(run);
  for (const target of await compareSums(run)) {
    const blobs = await services.blobStores.named(projectId, target);
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

function listOf<T>() {
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

/** What the reaper would do in time, done now; uploads that may still be confirmed end too. */
async function finish({ services, projectId, current }: Run): Promise<void> {
  const prefix = `${projectId}/`;
  await releaseUnconfirmed(services, projectId);
  await services.jobRunner.runNow(services, OBJECT_REMOVAL, { space: projectId, which: ALL });
  for (const target of new Set([INTERNAL, current])) {
    const blobs = await services.blobStores.named(projectId, target);
    for (const place of ["staged", "partial"] as const) {
      await sweepUnawaited(services, blobs, { place, prefix });
    }
  }
}

/**
 * Adds up the rows, in one transaction, so that what others do meanwhile is in both or in neither;
 * writes in the project wait for it. Resolves to the stores that must be compared.
 */
async function compareSums(run: Run): Promise<Set<string>> {
  const { services, projectId, current, repair } = run;
  const [targets, counted, stored] = await services.engine.transaction(projectId, async (tx) => {
    let sums = NOTHING;
    const targets = new Set([INTERNAL, current]);
    const rows = tx.records<UploadRecord>(UPLOADS);
    for await (const row of rows.find({ filter: ALL })) {
      sums = plus(sums, row);
      targets.add(row.target);
    }
    const usages = tx.records<StorageUsageRecord>(STORAGE_USAGE);
    const usage = (await usages.get(projectId))?.value;
    if (repair && differing(sums, { ...UNCOUNTED, ...(usage ?? NOTHING) }).length > 0) {
      if (usage === undefined) await usages.insert({ _id: projectId, ...sums, target: current });
      else await usages.updateOne(eq("_id", projectId), { set: sums });
    }
    // What an earlier version did not count is not stored wrongly.
    return [targets, sums, { files: sums.files, open: sums.open, ...(usage ?? NOTHING) }] as const;
  });
  for (const sum of differing(counted, stored)) {
    run.add({ kind: "sum", sum, counted: counted[sum], stored: stored[sum] }, repair);
  }
  return targets;
}

/** Unlike any count: a record of an earlier version is completed. */
const UNCOUNTED = { files: -1, open: -1 };

const differing = (counted: Sums, stored: Sums): (keyof Sums)[] =>
  (Object.keys(NOTHING) as (keyof Sums)[]).filter((sum) => counted[sum] !== stored[sum]);

/** Walks rows and objects side by side, both in the order of their paths. */
async function compareStore(
  run: Run,
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
    const order = row === undefined ? 1 : object === undefined ? -1 : compare(row, object);
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

const compare = ({ path }: UploadRecord, object: ListedBlob): number =>
  path < object.path ? -1 : path === object.path ? 0 : 1;

/** Looks again: the file may have been deleted since its row was read. */
async function checkFile(run: Run, blobs: Blobs, row: UploadRecord): Promise<void> {
  const { path, bytes } = row;
  const place = placeOf(row);
  const stored = await blobs.stat(place, path);
  if (stored?.bytes === bytes) return;
  // An object goes only after its row, or after that has another place.
  const now = await findUpload(run.services, run.projectId, path);
  if (now?.state !== "confirmed" || placeOf(now) !== place) return;
  if (stored === null) run.add({ kind: "missing", path, bytes });
  else run.add({ kind: "length", path, bytes, storedBytes: stored.bytes });
}

/** Looks again: an upload may have been requested since rows were read, or be removed just now. */
async function checkOrphan(
  { services, projectId, repair, add }: Run,
  { blobs, place }: { blobs: Blobs; place: FilePlace },
  { path }: ListedBlob,
): Promise<void> {
  const row = await findUpload(services, projectId, path);
  if (row !== null && placeOf(row) === place) return;
  const removal = and(eq("kind", OBJECT_REMOVAL.name), eq("subject", path));
  if (await services.engine.records<JobRecord>(projectId, JOBS).findOne(removal) !== null) return;
  // A removal that was carried out in between has left no note, and no object.
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

async function* holdsAndRemovals({ services, projectId }: Run): AsyncGenerator<Unfinished> {
  const { engine } = services;
  const held = engine.records<UploadRecord>(projectId, UPLOADS)
    .find({ filter: not(eq("state", "confirmed")) });
  for await (const { path, bytes, expiresAt } of held) {
    yield { kind: "hold", path, bytes, expiresAt: expiresAt! };
  }
  const removals = engine.records<JobRecord>(projectId, JOBS)
    .find({ filter: eq("kind", OBJECT_REMOVAL.name) });
  for await (const { subject: path, tries, dueAt } of removals) {
    yield { kind: "removal", path, tries, dueAt };
  }
}
