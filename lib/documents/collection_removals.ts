import type { Clock } from "../clock.ts";
import { enqueue, type JobKind, type JobRecord, type JobServices } from "../jobs/jobs.ts";
import { REQUEST_TIMEOUT_MS } from "../limits.ts";
import type { NewId } from "../ids.ts";
import { deleteInShortBatches } from "../store/expiry.ts";
import { ALL } from "../store/filter.ts";
import type { Definition, Json, Transaction } from "../store/port.ts";
import { type CollectionRecord, tableName } from "./catalog.ts";
import { fileFieldsOf, removesFiles } from "./file_fields.ts";
import {
  type FileReferenceServices,
  type RemovableDocuments,
  removableRecords,
} from "./file_references.ts";

/** Requests with an old cache entry may write until then: body and handler have a limit each. */
const LATE_WRITES_MS = 3 * REQUEST_TIMEOUT_MS;

/**
 * Removes a deleted collection's documents; the subject is the name of their table. The table is
 * emptied at once, and dropped when no request can write to it any more. A new collection of this
 * name has another table, which neither the job nor writers with an old cache entry touch.
 */
export const COLLECTION_REMOVAL: JobKind<JobServices & FileReferenceServices> = {
  name: "removeCollection",
  atOnce: 2,
  async run(services, projectId, { subject: storedAs, createdAt, detail }, isStopping) {
    const { engine, clock } = services;
    const definition = removalDefinition(storedAs);
    const files = (detail ?? NO_FILES) as unknown as RemovedFiles; // Enqueued below.
    const documents = removableRecords(services, { ...files, projectId, records: definition });
    await deleteInShortBatches(documents, ALL, isStopping);
    if (isStopping()) return clock.now();
    const quietAt = Date.parse(createdAt) + LATE_WRITES_MS;
    if (clock.now() <= quietAt) return quietAt + 1;
    await engine.dropDefinition(projectId, definition);
    return null;
  },
};

/** Stored with the job if the collection has fields whose files are removed with the documents. */
type RemovedFiles = Pick<RemovableDocuments, "collectionId" | "files">;

const NO_FILES = { collectionId: "", files: [] };

/** Returns a definition that suffices to remove the documents. */
const removalDefinition = (storedAs: string): Definition => ({
  name: storedAs,
  fields: { isDeleted: { type: "Boolean" } },
  indexes: [],
  trash: true,
});

/** Stores the removal job. The caller starts it after the transaction. */
export async function enqueueCollectionRemoval(
  tx: Transaction,
  services: { readonly clock: Clock; readonly newId: NewId },
  record: CollectionRecord,
): Promise<JobRecord> {
  const storedAs = tableName(record);
  const files = fileFieldsOf(record.definition.fields);
  const removed: RemovedFiles = { collectionId: record._id, files };
  const [job] = await enqueue(tx, services, [{
    subject: storedAs,
    lane: storedAs,
    ...(removesFiles(removed) && { detail: removed as unknown as Json }),
  }], { kind: COLLECTION_REMOVAL.name });
  return job!;
}
