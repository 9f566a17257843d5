import type { Clock } from "../clock.ts";
import type { NewId } from "../ids.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import { Problem } from "../problems.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import type { Catalog, CollectionRecord } from "./catalog.ts";
import { enqueueCollectionRemoval } from "./collection_removals.ts";
import { referencedCollections } from "./definition.ts";
import { redefine } from "./redefine.ts";
import { readCollections } from "./save_collection.ts";
import { VIEWS } from "./views.ts";

interface DeleteServices {
  readonly engine: Engine;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly jobRunner: JobQueue;
}

/**
 * Deletes a collection. A job removes its documents, also if this process is killed. Throws
 * `COLLECTION_NOT_FOUND`, and `COLLECTION_IN_USE` while other collections refer to it.
 */
export async function deleteCollection(
  services: DeleteServices,
  projectId: Id,
  name: string,
): Promise<void> {
  const { catalog, jobRunner } = services;
  await jobRunner.announce(projectId);
  const job = await redefine(services, projectId, { name }, async ({ tx, records, stored }) => {
    assertNotReferenced(name, await readCollections(records));
    await records.deleteOne(eq("_id", stored.value._id));
    await tx.records(VIEWS).deleteOne(eq("_id", stored.value._id));
    return await enqueueCollectionRemoval(tx, services, stored.value);
  });
  catalog.forget(projectId, name);
  jobRunner.begin(projectId, job);
}

function assertNotReferenced(name: string, collections: readonly CollectionRecord[]): void {
  const referring = collections
    .filter((one) =>
      one.name !== name && referencedCollections(one.definition.fields).includes(name)
    )
    .map((one) => one.name);
  if (referring.length === 0) return;
  throw new Problem("COLLECTION_IN_USE", {
    message: `Other collections refer to this one, so change them first: ${referring.join(", ")}.`,
  });
}
