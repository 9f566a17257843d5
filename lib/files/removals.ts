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
import { filePlaceOf, findUpload } from "./uploads.ts";

export interface FileServices extends JobServices {
  readonly newId: NewId;
  readonly blobStores: BlobStores;
  readonly jobRunner: JobQueue;
}

/** Removes objects outside of the row's place, if there is a row. Subject: path. Lane: store. */
export const OBJECT_REMOVAL: JobKind<FileServices> = {
  name: "removeObjects",
  atOnce: 4,
  hasLaneShares: true,
  async run({ blobStores, engine }, projectId, { subject: path, lane: target }) {
    const blobs = await blobStores.blobsOf(projectId, target);
    const row = await findUpload({ engine }, projectId, path);
    for (const place of ["staged", "private", "stored"] as const) {
      if (row === null || filePlaceOf(row) !== place) await blobs.remove(place, path);
    }
    if (row !== null) return null;
    await blobs.pieces.remove(path);
    await removeDerived({ engine, blobStores }, projectId, path);
    return null;
  },
};

export interface Leftover {
  readonly path: string;
  readonly target: string;
}

/** Enqueues removals in the transaction that removes the rows. The caller runs the jobs. */
export const enqueueRemovals = (
  tx: Transaction,
  services: { readonly clock: Clock; readonly newId: NewId },
  leftovers: readonly Leftover[],
): Promise<JobRecord[]> =>
  enqueue(tx, services, leftovers.map(({ path, target }) => ({ subject: path, lane: target })), {
    kind: OBJECT_REMOVAL.name,
  });

/** Runs a removal now. Never rejects: the job is committed, and a failed one is retried later. */
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
    log.write("warn", "The objects of a removed file will be removed later", details);
  }
}

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
