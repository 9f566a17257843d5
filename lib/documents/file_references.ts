import type { Clock } from "../clock.ts";
import type { FileServices } from "../files/removals.ts";
import { removeObjects, removeRows } from "../files/ledger.ts";
import { inScope, type UploadRecord, UPLOADS } from "../files/uploads.ts";
import type { NewId } from "../ids.ts";
import { enqueue, type JobKind, type JobQueue } from "../jobs/jobs.ts";
import { DOCUMENT_FILES_MAX } from "../limits.ts";
import type { FieldFault } from "../problems.ts";
import { and, eq, within } from "../store/filter.ts";
import type { Definition, Engine, Id, Records, Transaction, WriteOptions } from "../store/port.ts";
import type { WriteAccess } from "./access.ts";
import { collectionOf, type CollectionRecord, COLLECTIONS } from "./catalog.ts";
import type { StoredDocument } from "./collection.ts";
import { rejectFaults } from "./document.ts";
import { type FileField, referencedFiles, removesFiles } from "./file_fields.ts";

export interface FileReferenceServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Runs the jobs that remove files to which no document refers any more. */
  readonly jobRunner: JobQueue;
}

/** A transaction, or the engine if the write does not need a transaction. */
export type Scope = Pick<Transaction, "records">;

/** A document before and after a write; null if it did not exist or is deleted. */
export interface DocumentChange {
  readonly before: StoredDocument | null;
  readonly after: StoredDocument | null;
}

export async function announceRemovals(
  { jobRunner }: Pick<FileReferenceServices, "jobRunner">,
  targets: readonly WriteAccess[],
): Promise<void> {
  const removing = targets.find(({ collection }) => removesFiles(collection));
  if (removing !== undefined) await jobRunner.announce(removing.projectId);
}

/**
 * Queues the removal of files to which a document no longer refers. Throws `INVALID_DOCUMENT` if
 * it refers to new files that the writer may not choose.
 */
export async function updateFileReferences(
  scope: Scope,
  services: Pick<FileReferenceServices, "clock" | "newId">,
  { target, before, after }: DocumentChange & { readonly target: WriteAccess },
): Promise<void> {
  const { id, files } = target.collection;
  if (files.length === 0) return;
  const filesBefore = referencedFiles(files, before);
  const filesAfter = referencedFiles(files, after);
  const added = [...filesAfter].filter(([path]) => !filesBefore.has(path));
  if (added.length > 0 && filesAfter.size > DOCUMENT_FILES_MAX) {
    const message = `is one file too many: a document holds up to ${DOCUMENT_FILES_MAX}`;
    rejectFaults([{ path: [...filesAfter.values()].at(-1)!.path, message }]);
  }
  const faults: FieldFault[] = [];
  for (const [file, { path }] of added) {
    if (await canRefer(scope, target, file)) continue;
    const whose = target.ownerId === null ? "of this project" : "of yours";
    faults.push({ path, message: `must name a confirmed file ${whose} by its path` });
  }
  rejectFaults(faults);
  const lost = [...filesBefore].filter(([path, { removes }]) => removes && !filesAfter.has(path));
  await queueRemovals(scope, services, lost.map(([path]) => path), id!); // It is stored.
}

/** Number of characters, which is enough for an id, a UUID and the file's name. */
const PATH_LENGTH_MAX = 200;

/** Locks the file's row until the end of the transaction if the collection removes files. */
async function canRefer(scope: Scope, target: WriteAccess, path: string): Promise<boolean> {
  if (path.length > PATH_LENGTH_MAX) return false;
  const uploads = scope.records<UploadRecord>(UPLOADS);
  const chosen = and(eq("path", path), eq("state", "confirmed"), inScope(target));
  const found = removesFiles(target.collection)
    ? await uploads.updateOne(chosen, { set: { path } }) // Changes nothing.
    : await uploads.findOne(chosen);
  return found !== null;
}

const queueRemovals = async (
  scope: Scope,
  services: Pick<FileReferenceServices, "clock" | "newId">,
  paths: readonly string[],
  collectionId: Id,
): Promise<void> => {
  if (paths.length === 0) return;
  const jobs = paths.map((path) => ({ subject: path, lane: collectionId }));
  await enqueue(scope, services, jobs, { kind: UNREFERENCED_FILE_REMOVAL.name });
};

/**
 * Removes a file to which no document of the collection refers, not even in the trash. The subject
 * is the file's path, the lane the collection's id. A write that adds a reference changes the
 * file's row, so one of two concurrent transactions is retried.
 */
export const UNREFERENCED_FILE_REMOVAL: JobKind<FileServices> = {
  name: "removeUnheldFile",
  atOnce: 4,
  async run(services, projectId, { subject: path, lane: collectionId }) {
    const removed = await removeRows(services, projectId, async (uploads, tx) => {
      if (await isReferenced(tx, collectionId, path)) return [];
      const deleted = await uploads.deleteOne(and(eq("path", path), eq("state", "confirmed")));
      return deleted === null ? [] : [deleted.value];
    });
    await removeObjects(services, projectId, removed);
    return null;
  },
};

async function isReferenced(tx: Transaction, collectionId: Id, file: string): Promise<boolean> {
  const stored = await tx.records<CollectionRecord>(COLLECTIONS).get(collectionId);
  if (stored === null) return false;
  const { files, records } = collectionOf(stored);
  for (const { path } of files) {
    if (await tx.records(records).findOne(eq(path, file)) !== null) return true;
  }
  return false;
}

/** Documents whose files are removed with them. */
export interface RemovableDocuments {
  readonly projectId: Id;
  readonly collectionId: Id;
  readonly files: readonly FileField[];
  readonly records: Definition;
  readonly writing?: WriteOptions;
}

const STEP_BYTES = 1_048_576;

/** Returns records whose removal removes their files, too. */
export function removableRecords(
  services: FileReferenceServices,
  { projectId, collectionId, files, records, writing }: RemovableDocuments,
): Pick<Records<StoredDocument>, "list" | "deleteMany"> {
  const { engine, jobRunner } = services;
  const plain = engine.records<StoredDocument>(projectId, records, writing);
  if (!removesFiles({ files })) return plain;
  return {
    list: (query) => plain.list(query),
    async deleteMany(filter, limit) {
      await jobRunner.announce(projectId);
      let removed = 0;
      while (removed < limit) {
        const query = { filter, sort: [], limit: limit - removed, bytesMax: STEP_BYTES };
        const removedInStep = await engine.transaction(projectId, async (tx) => {
          const documents = tx.records<StoredDocument>(records, writing);
          const found = (await documents.list(query)).records();
          if (found.length === 0) return 0;
          const ids = found.map(({ _id }) => _id);
          const count = await documents.deleteMany(and(within("_id", ids), filter), ids.length);
          const lost = found.flatMap((one) => [...referencedFiles(files, one)])
            .filter(([, { removes }]) => removes);
          await queueRemovals(tx, services, [...new Set(lost.map(([path]) => path))], collectionId);
          return count;
        });
        if (removedInStep === 0) break;
        removed += removedInStep;
      }
      return removed;
    },
  };
}
