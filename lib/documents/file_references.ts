import type { Clock } from "../clock.ts";
import type { FileServices } from "../files/removals.ts";
import { removeObjects, removeRows } from "../files/ledger.ts";
import { inScope, type UploadRecord, UPLOADS } from "../files/uploads.ts";
import type { NewId } from "../ids.ts";
import { enqueue, type JobKind, type JobQueue } from "../jobs/jobs.ts";
import { DOCUMENT_FILES_MAX } from "../limits.ts";
import type { FieldFault } from "../problems.ts";
import { and, eq, within } from "../store/filter.ts";
import type { Definition, Engine, Id, Records, Transaction, Writing } from "../store/port.ts";
import type { WriteAccess } from "./access.ts";
import { collectionOf, type CollectionRecord, COLLECTIONS } from "./catalog.ts";
import type { StoredDocument } from "./collection.ts";
import { refuseFaults } from "./document.ts";
import { type FileField, filesHeld, removesFiles } from "./file_fields.ts";

export interface FileReferenceServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Runs the jobs that remove files to which no document refers any more. */
  readonly jobRunner: JobQueue;
}

/** A transaction, or the engine if the write needs none. */
export type Scope = Pick<Transaction, "records">;

/** A document before and after a write; null if there is none. */
export interface Rewritten {
  readonly before: StoredDocument | null;
  readonly after: StoredDocument | null;
}

/** Prepares for a transaction that may queue the removal of files. */
export async function announceRemovals(
  { jobRunner }: Pick<FileReferenceServices, "jobRunner">,
  targets: readonly WriteAccess[],
): Promise<void> {
  const removing = targets.find(({ collection }) => removesFiles(collection));
  if (removing !== undefined) await jobRunner.announce(removing.projectId);
}

/**
 * Checks, in the transaction that writes a document, that the document refers only to files that the
 * writer may choose or to which it referred before. Queues the removal of files to which it no longer
 * refers. Throws `INVALID_DOCUMENT`.
 */
export async function updateFileReferences(
  scope: Scope,
  services: Pick<FileReferenceServices, "clock" | "newId">,
  { target, before, after }: Rewritten & { readonly target: WriteAccess },
): Promise<void> {
  const { id, files } = target.collection;
  if (files.length === 0) return;
  const had = filesHeld(files, before);
  const has = filesHeld(files, after);
  const added = [...has].filter(([path]) => !had.has(path));
  if (added.length > 0 && has.size > DOCUMENT_FILES_MAX) {
    const message = `is one file too many: a document holds up to ${DOCUMENT_FILES_MAX}`;
    refuseFaults([{ path: [...has.values()].at(-1)!.path, message }]);
  }
  const faults: FieldFault[] = [];
  for (const [file, { path }] of added) {
    if (await canRefer(scope, target, file)) continue;
    const whose = target.ownerId === null ? "of this project" : "of yours";
    faults.push({ path, message: `must name a confirmed file ${whose} by its path` });
  }
  refuseFaults(faults);
  const dropped = [...had].filter(([path, { removes }]) => removes && !has.has(path));
  await queueRemovals(scope, services, dropped.map(([path]) => path), id!); // It is stored.
}

/** No file has a longer path: it has an id, a UUID and the name of the file. */
const PATH_LENGTH_MAX = 200;

/** If the collection removes files, the file's row is locked until the end of the transaction. */
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
  await enqueue(scope, services, jobs, { kind: UNHELD_FILE_REMOVAL.name });
};

/**
 * Removes a file if no document of a collection refers to it, in the trash or not. The subject is the
 * file's path and the lane is the id of the collection. A write that adds a reference changes the
 * file's row, so that one of the two transactions is run again.
 */
export const UNHELD_FILE_REMOVAL: JobKind<FileServices> = {
  name: "removeUnheldFile",
  atOnce: 4,
  async run(services, projectId, { subject: path, lane: collectionId }) {
    const removed = await removeRows(services, projectId, async (uploads, tx) => {
      if (await isHeld(tx, collectionId, path)) return [];
      const gone = await uploads.deleteOne(and(eq("path", path), eq("state", "confirmed")));
      return gone === null ? [] : [gone.value];
    });
    await removeObjects(services, projectId, removed);
    return null;
  },
};

async function isHeld(tx: Transaction, collectionId: Id, file: string): Promise<boolean> {
  const stored = await tx.records<CollectionRecord>(COLLECTIONS).get(collectionId);
  if (stored === null) return false;
  const { files, records } = collectionOf(stored);
  for (const { path } of files) {
    if (await tx.records(records).findOne(eq(path, file)) !== null) return true;
  }
  return false;
}

/** Documents whose files are removed with them. */
export interface Holders {
  readonly projectId: Id;
  readonly collectionId: Id;
  readonly files: readonly FileField[];
  readonly records: Definition;
  readonly writing?: Writing;
}

const STEP_BYTES = 1_048_576;

/** Returns records whose removal queues the removal of their files. */
export function removableRecords(
  services: FileReferenceServices,
  { projectId, collectionId, files, records, writing }: Holders,
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
        const some = await engine.transaction(projectId, async (tx) => {
          const documents = tx.records<StoredDocument>(records, writing);
          const found = (await documents.list(query)).records();
          if (found.length === 0) return 0;
          const ids = found.map(({ _id }) => _id);
          const count = await documents.deleteMany(and(within("_id", ids), filter), ids.length);
          const held = found.flatMap((one) => [...filesHeld(files, one)])
            .filter(([, { removes }]) => removes);
          await queueRemovals(tx, services, [...new Set(held.map(([path]) => path))], collectionId);
          return count;
        });
        if (some === 0) break;
        removed += some;
      }
      return removed;
    },
  };
}
