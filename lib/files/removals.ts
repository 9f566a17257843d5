import type { Clock } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { enqueue, type JobKind, type JobRecord, type JobServices, runJob } from "../jobs/jobs.ts";
import type { Id, Transaction } from "../store/port.ts";
import type { FilePlace } from "./blobs.ts";
import type { BlobStores } from "./stores.ts";
import { findUpload, placeOf } from "./uploads.ts";

/** What the verbs on files need. */
export interface FileServices extends JobServices {
  readonly newId: NewId;
  readonly blobStores: BlobStores;
}

/**
 * Objects whose row is gone: the subject is their path, the lane the store that the row named. May
 * be done twice: paths are never used again. Of a file that has changed its place it is the object in
 * the former one alone: then the subject is that place, a space, and the path.
 */
export const OBJECT_REMOVAL: JobKind<FileServices> = {
  name: "removeObjects",
  async run({ blobStores, engine }, projectId, { subject, lane: target }) {
    const blobs = await blobStores.named(projectId, target);
    const [place, moved] = subject.split(" ") as [FilePlace, string?];
    if (moved !== undefined) {
      // It may have come back since.
      const row = await findUpload({ engine }, projectId, moved);
      if (row === null || placeOf(row) !== place) await blobs.remove(place, moved);
      return null;
    }
    for (const place of ["staged", "private", "stored"] as const) {
      await blobs.remove(place, subject);
    }
    return null;
  },
};

/** Where the objects of a row that is no more lie, or one that it has left. */
export interface Leftover {
  readonly path: string;
  readonly target: string;
  /** The place alone that the file has left. */
  readonly formerPlace?: FilePlace;
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
  enqueue(
    tx,
    services,
    leftovers.map(({ path, target, formerPlace }) => ({
      subject: formerPlace === undefined ? path : `${formerPlace} ${path}`,
      lane: target,
    })),
    { kind: OBJECT_REMOVAL.name, isClaimed: true },
  );

/** Removes objects that have no row. */
export async function removeLeftover(
  services: FileServices,
  projectId: Id,
  leftover: Leftover,
): Promise<void> {
  const [job] = await services.engine.transaction(
    projectId,
    (tx) => enqueueRemovals(tx, services, [leftover]),
  );
  await runJob(services, OBJECT_REMOVAL, { space: projectId, job: job! });
}
