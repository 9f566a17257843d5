import type { Clock } from "../clock.ts";
import { enqueue, type JobKind, type JobRecord, type JobServices } from "../jobs/jobs.ts";
import { REQUEST_TIMEOUT_MS } from "../limits.ts";
import type { NewId } from "../ids.ts";
import { deleteGently } from "../store/expiry.ts";
import { ALL } from "../store/filter.ts";
import type { Definition, Json, Transaction } from "../store/port.ts";
import { type CollectionRecord, placeOf } from "./catalog.ts";
import { fileFieldsOf, removesFiles } from "./file_fields.ts";
import { type FileReferenceServices, type Holders, removableRecords } from "./file_references.ts";

/**
 * How long somebody may go on writing who found the collection before it was deleted: what is known
 * of it may be some seconds old, a body and its handler have a time limit each.
 */
const LATE_WRITES_MS = 3 * REQUEST_TIMEOUT_MS;

/**
 * The documents of a deleted collection: the subject is the place where they are kept. A collection
 * of the same name that is made later is kept elsewhere: neither those who empty this place, nor
 * writers who have not heard of the deletion, ever touch the new one's documents. It is emptied at
 * once, and removed when nobody can write there any more.
 */
export const COLLECTION_REMOVAL: JobKind<JobServices & FileReferenceServices> = {
  name: "removeCollection",
  atOnce: 2,
  async run(services, projectId, { subject: storedAs, createdAt, detail }, isStopping) {
    const { engine, clock } = services;
    const place = keptAt(storedAs);
    const held = (detail ?? NO_FILES) as unknown as HeldFiles; // As it was enqueued.
    const documents = removableRecords(services, { ...held, projectId, records: place });
    await deleteGently(documents, ALL, isStopping);
    if (isStopping()) return clock.now();
    const quietAt = Date.parse(createdAt) + LATE_WRITES_MS;
    if (clock.now() <= quietAt) return quietAt + 1;
    await engine.drop(projectId, place);
    return null;
  },
};

/** Which files go with the documents; noted where any do. */
type HeldFiles = Pick<Holders, "collectionId" | "files">;

const NO_FILES = { collectionId: "", files: [] };

/** As far as it matters to remove it. */
const keptAt = (storedAs: string): Definition => ({
  name: storedAs,
  fields: { isDeleted: { type: "Boolean" } },
  indexes: [],
  trash: true,
});

/** In the transaction that deletes the collection; whoever deletes it begins the job. */
export async function enqueueCollectionRemoval(
  tx: Transaction,
  services: { readonly clock: Clock; readonly newId: NewId },
  record: CollectionRecord,
): Promise<JobRecord> {
  const storedAs = placeOf(record);
  const files = fileFieldsOf(record.definition.fields);
  const held: HeldFiles = { collectionId: record._id, files };
  const [job] = await enqueue(tx, services, [{
    subject: storedAs,
    lane: storedAs,
    ...(removesFiles(held) && { detail: held as unknown as Json }),
  }], { kind: COLLECTION_REMOVAL.name });
  return job!;
}
