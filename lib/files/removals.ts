import type { Clock } from "../clock.ts";
import type { NewId } from "../ids.ts";
import {
  enqueue,
  type JobKind,
  type JobQueue,
  type JobRecord,
  type JobServices,
} from "../jobs/jobs.ts";
import { eq } from "../store/filter.ts";
import type { Id, Transaction } from "../store/port.ts";
import type { BlobStores } from "./stores.ts";
import { removeDerived } from "./derived.ts";
import { findUpload, placeOf } from "./uploads.ts";

/** What the verbs on files need. */
export interface FileServices extends JobServices {
  readonly newId: NewId;
  readonly blobStores: BlobStores;
  readonly jobRunner: JobQueue;
}

/**
 * Objects of a path that no row has, with what was made of them, or that lie elsewhere than its row
 * says: the subject is the path, the lane the store that the row named. May be done twice: paths are never used again.
 */
export const OBJECT_REMOVAL: JobKind<FileServices> = {
  name: "removeObjects",
  atOnce: 4,
  hasLaneShares: true,
  async run({ blobStores, engine }, projectId, { subject: path, lane: target }) {
    const blobs = await blobStores.named(projectId, target);
    const row = await findUpload({ engine }, projectId, path);
    for (const place of ["staged", "private", "stored"] as const) {
      if (row === null || placeOf(row) !== place) await blobs.remove(place, path);
    }
    if (row !== null) return null;
    await blobs.pieces.remove(path);
    await removeDerived({ engine, blobStores }, projectId, path);
    return null;
  },
};

/** Where the objects lie of a row that is no more, or that has another place by now. */
export interface Leftover {
  readonly path: string;
  readonly target: string;
}

/**
 * Notes objects to be removed, in the transaction that removes their rows. The caller removes them
 * when it has ended.
 */
export const enqueueRemovals = (
  tx: Transaction,
  services: { readonly clock: Clock; readonly newId: NewId },
  leftovers: readonly Leftover[],
): Promise<JobRecord[]> =>
  enqueue(tx, services, leftovers.map(({ path, target }) => ({ subject: path, lane: target })), {
    kind: OBJECT_REMOVAL.name,
  });

/** Removes objects now. Never rejects: the removal is committed, and what fails is retried later. */
export async function runRemoval(
  services: FileServices,
  projectId: Id,
  { _id }: JobRecord,
): Promise<void> {
  const { jobRunner, log } = services;
  try {
    await jobRunner.runNow(services, OBJECT_REMOVAL, { space: projectId, which: eq("_id", _id) });
  } catch (error) {
    const details = { project: projectId, error: String(error) };
    log.write("warn", "The objects of a removed file are left for later", details);
  }
}

/** Removes objects that have no row. */
export async function removeLeftover(
  services: FileServices,
  projectId: Id,
  leftover: Leftover,
): Promise<void> {
  await services.jobRunner.announce(projectId);
  const [job] = await services.engine.transaction(
    projectId,
    (tx) => enqueueRemovals(tx, services, [leftover]),
  );
  await runRemoval(services, projectId, job!);
}
