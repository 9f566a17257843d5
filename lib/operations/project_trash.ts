import { type AccountRecord, ACCOUNTS } from "../projects/account_records.ts";
import { API_KEYS, FORMER_KEYS, type KeyDirectory } from "../projects/api_keys.ts";
import { type Clock, timestamp } from "../clock.ts";
import { QUESTIONS } from "../documents/question_records.ts";
import type { Blobs } from "../files/blobs.ts";
import type { ServedFiles } from "../files/served_files.ts";
import type { BlobStores } from "../files/stores.ts";
import { walkBlobs } from "../files/walk.ts";
import { PROJECT_TRASH_MS } from "../limits.ts";
import { MAIL_USAGE } from "../mail/usage.ts";
import { Problem } from "../problems.ts";
import { deleteAll } from "../store/expiry.ts";
import { ALL, and, compare, eq } from "../store/filter.ts";
import type { Engine, Filter, Id } from "../store/port.ts";
import { INVITATIONS } from "../projects/invitations.ts";
import { MEMBERS, type ProjectMember } from "../projects/members.ts";
import { eachProject } from "../projects/projects.ts";
import { REQUEST_COUNTS } from "../projects/request_counts.ts";
import { REQUEST_LOG } from "../projects/request_log.ts";
import { IN_USE, type ProjectRecord, PROJECTS } from "../projects/records.ts";

interface TrashServices {
  readonly engine: Engine;
  readonly clock: Clock;
}

const isoAt = (ms: number): string => new Date(ms).toISOString();

/** Deleted before this moment is gone for good. */
const lastKept = ({ clock }: TrashServices): string => isoAt(clock.now() - PROJECT_TRASH_MS);

type TrashingServices = TrashServices & { keys: KeyDirectory; servedFiles: ServedFiles };

/**
 * Puts a project into the trash for its owner. Resolves as {@linkcode trashForOperator} does.
 * @param name The project's own, which shows that it is this one they mean. Throws
 * `PROJECT_NAME_MISMATCH`, and `PROJECT_NOT_FOUND` where it is no longer theirs.
 */
export async function trashProject(
  services: TrashingServices,
  { project, account }: Pick<ProjectMember, "project" | "account">,
  name: string,
): Promise<string> {
  if (name !== project.name) throw new Problem("PROJECT_NAME_MISMATCH");
  return await trash(services, project._id, eq("ownerId", account.accountId));
}

/**
 * Puts a project into the trash, where nothing of it answers any more: here at once, in other
 * processes within `CACHE_MS`. Its invitations end. Resolves to the moment until which it can be
 * restored. Throws `PROJECT_NOT_FOUND`.
 */
export const trashForOperator = (services: TrashingServices, projectId: Id): Promise<string> =>
  trash(services, projectId, ALL);

async function trash(services: TrashingServices, projectId: Id, which: Filter): Promise<string> {
  const { engine, clock, keys, servedFiles } = services;
  await engine.transaction("control", async (tx) => {
    const trashed = await tx.records<ProjectRecord>(PROJECTS).updateOne(
      and(eq("_id", projectId), which, IN_USE),
      { set: { deletedAt: timestamp(clock) } },
    );
    if (trashed === null) throw new Problem("PROJECT_NOT_FOUND");
    await deleteAll(tx.records(INVITATIONS), eq("projectId", projectId));
  });
  keys.forget(projectId);
  servedFiles.forget(projectId);
  return isoAt(clock.now() + PROJECT_TRASH_MS);
}

/**
 * Takes a project out of the trash. Where its owner has no account any more it has none. Throws
 * `PROJECT_NOT_FOUND` for one that is not in the trash, or has been there for too long.
 */
export async function restoreProject(services: TrashServices, projectId: Id): Promise<void> {
  await services.engine.transaction("control", async (tx) => {
    const projects = tx.records<ProjectRecord>(PROJECTS);
    const restored = await projects.updateOne(
      and(
        eq("_id", projectId),
        compare("deletedAt", "gt", lastKept(services)),
        eq("removedAt", null),
      ),
      { set: { deletedAt: null } },
    );
    if (restored === null) throw new Problem("PROJECT_NOT_FOUND");
    const { ownerId } = restored.value;
    if (ownerId === null || await tx.records<AccountRecord>(ACCOUNTS).get(ownerId) !== null) return;
    await projects.updateOne(eq("_id", projectId), { set: { ownerId: null } });
  });
}

export interface TrashedProject {
  readonly projectId: Id;
  readonly name: string;
  readonly restorableUntil: string;
}

/** Projects that can be restored, and until when. @param which All, or those of one owner. */
export async function listTrashed(
  services: TrashServices,
  which: { readonly ownerId: Id } | null = null,
): Promise<TrashedProject[]> {
  const trashed = [];
  const due = and(
    compare("deletedAt", "gt", lastKept(services)),
    eq("removedAt", null),
    ...(which === null ? [] : [eq("ownerId", which.ownerId)]),
  );
  for await (const { _id: projectId, name, deletedAt } of eachProject(services, due)) {
    const restorableUntil = isoAt(Date.parse(deletedAt!) + PROJECT_TRASH_MS);
    trashed.push({ projectId, name, restorableUntil });
  }
  return trashed;
}

/**
 * Removes what has been in the trash for too long: the space, the files in our own store, keys and
 * members. Files in a project's own bucket stay: it is its owner's. Several processes may do so at
 * once, and what one leaves unfinished the next takes up. Resolves to how many it removed.
 */
export async function removeTrashed(
  services: TrashServices & { blobStores: BlobStores },
  stopped: () => boolean = () => false,
): Promise<number> {
  return await removeEach(services, compare("deletedAt", "lte", lastKept(services)), stopped);
}

/** How long an import that nobody goes on with is kept. */
const IMPORT_KEPT_MS = PROJECT_TRASH_MS;

/** The same with projects whose import was broken off, and not gone on with. */
export async function removeAbandonedImports(
  services: TrashServices & { blobStores: BlobStores },
  stopped: () => boolean = () => false,
): Promise<number> {
  const left = isoAt(services.clock.now() - IMPORT_KEPT_MS);
  return await removeEach(services, compare("importTouchedAt", "lte", left), stopped);
}

async function removeEach(
  services: TrashServices & { blobStores: BlobStores },
  due: Filter,
  stopped: () => boolean,
): Promise<number> {
  const projects = services.engine.records<ProjectRecord>("control", PROJECTS);
  let removed = 0;
  for await (const { _id: projectId } of projects.find({ filter: due })) {
    if (stopped()) return removed;
    if (await removeProject(services, projectId, due, stopped)) removed++;
  }
  return removed;
}

/**
 * Removes all of a project for good, if the filter still lets it through. False where it does not, or
 * where it was stopped on the way: then it goes on with the next call.
 */
export async function removeProject(
  { engine, clock, blobStores }: TrashServices & { blobStores: BlobStores },
  projectId: Id,
  which: Filter,
  stopped: () => boolean = () => false,
): Promise<boolean> {
  const projects = engine.records<ProjectRecord>("control", PROJECTS);
  // From here on it cannot be restored, whatever another process's clock says.
  const taken = await projects.updateOne(and(eq("_id", projectId), which), {
    set: { removedAt: timestamp(clock) },
  });
  if (taken === null || !await removeFiles(blobStores.internal, projectId, stopped)) return false;
  await engine.dropSpace(projectId);
  const its = eq("projectId", projectId);
  for (const definition of OF_PROJECTS) {
    await deleteAll(engine.records("control", definition), its);
  }
  await projects.deleteOne(eq("_id", projectId));
  return true;
}

/** What the control space holds of each project. */
const OF_PROJECTS = [
  API_KEYS,
  FORMER_KEYS,
  MEMBERS,
  INVITATIONS,
  REQUEST_COUNTS,
  REQUEST_LOG,
  MAIL_USAGE,
  QUESTIONS,
];

/** False where it was stopped before the last. */
async function removeFiles(
  blobs: Blobs,
  projectId: Id,
  stopped: () => boolean,
): Promise<boolean> {
  for (const place of ["partial", "staged", "private", "derived", "stored"] as const) {
    for await (const { path } of walkBlobs(blobs, place, `${projectId}/`)) {
      if (stopped()) return false;
      await blobs.remove(place, path);
    }
  }
  return true;
}
