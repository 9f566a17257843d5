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
import type { Collection, StoredDocument } from "./collection.ts";
import { refuseFaults } from "./document.ts";
import { type FileField, filesHeld, removesFiles } from "./file_fields.ts";

export interface KeepServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Removes files that no document holds any more. */
  readonly jobRunner: JobQueue;
}

/** Where a document is written. */
export type Scope = Pick<Transaction, "records">;

/** A document before a write and behind it; null where there is none. */
export interface Rewritten {
  readonly before: StoredDocument | null;
  readonly after: StoredDocument | null;
}

/** Before a transaction that may note files to be removed. */
export async function announceRemovals(
  { jobRunner }: Pick<KeepServices, "jobRunner">,
  projectId: Id,
  collections: readonly Collection[],
): Promise<void> {
  if (collections.some(removesFiles)) await jobRunner.announce(projectId);
}

/**
 * In the transaction that writes a document: sees that it holds only files that its writer may
 * choose, or that it held before, and notes those to be removed that it holds no more. Throws
 * `INVALID_DOCUMENT`.
 */
export async function keepFiles(
  scope: Scope,
  services: Pick<KeepServices, "clock" | "newId">,
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
    if (await mayHold(scope, target, file)) continue;
    const whose = target.ownerId === null ? "of this project" : "of yours";
    faults.push({ path, message: `must name a confirmed file ${whose} by its path` });
  }
  refuseFaults(faults);
  const dropped = [...had].filter(([path, { removes }]) => removes && !has.has(path));
  await noteDropped(scope, services, dropped.map(([path]) => path), id!); // It is stored.
}

/** No path of ours is longer: an id, a UUID and the name that a file is stored under. */
const PATH_LENGTH_MAX = 200;

/** Where files are removed, one that is held is held fast until the end of the transaction. */
async function mayHold(scope: Scope, target: WriteAccess, path: string): Promise<boolean> {
  if (path.length > PATH_LENGTH_MAX) return false;
  const uploads = scope.records<UploadRecord>(UPLOADS);
  const chosen = and(eq("path", path), eq("state", "confirmed"), inScope(target));
  const found = removesFiles(target.collection)
    ? await uploads.updateOne(chosen, { set: { path } }) // A change of nothing.
    : await uploads.findOne(chosen);
  return found !== null;
}

const noteDropped = async (
  scope: Scope,
  services: Pick<KeepServices, "clock" | "newId">,
  paths: readonly string[],
  collectionId: Id,
): Promise<void> => {
  if (paths.length === 0) return;
  const jobs = paths.map((path) => ({ subject: path, lane: collectionId }));
  await enqueue(scope, services, jobs, { kind: UNHELD_FILE_REMOVAL.name });
};

/**
 * A file that a document held: the subject is its path, the lane the id of the collection. It is
 * removed where no document of the collection holds it, in the trash or not. Whoever takes it up
 * meanwhile changes its row, so that one of the two transactions begins anew.
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

/** Documents that hold files which go with them. */
export interface Holders {
  readonly projectId: Id;
  readonly collectionId: Id;
  readonly files: readonly FileField[];
  readonly records: Definition;
  readonly writing?: Writing;
}

const STEP_BYTES = 1_048_576;

/** Records whose removal notes the files that go with them. */
export function removableRecords(
  services: KeepServices,
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
          await noteDropped(tx, services, [...new Set(held.map(([path]) => path))], collectionId);
          return count;
        });
        if (some === 0) break;
        removed += some;
      }
      return removed;
    },
  };
}
