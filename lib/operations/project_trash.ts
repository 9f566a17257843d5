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

/** Projects that were deleted earlier can no longer be restored. */
const trashCutoff = ({ clock }: TrashServices): string => isoAt(clock.now() - PROJECT_TRASH_MS);

type TrashingServices = TrashServices & { keys: KeyDirectory; servedFiles: ServedFiles };

/**
 * Returns when the project can no longer be restored. Throws `PROJECT_NAME_MISMATCH` unless `name`
 * confirms its name, and `PROJECT_NOT_FOUND` if the account no longer owns it.
 */
export async function trashProject(
  services: TrashingServices,
  { project, account }: Pick<ProjectMember, "project" | "account">,
  name: string,
): Promise<string> {
  if (name !== project.name) throw new Problem("PROJECT_NAME_MISMATCH");
  return await moveToTrash(services, project._id, eq("ownerId", account.accountId));
}

/**
 * Deletes invitations, too. Other processes refuse requests within `CACHE_MS`. Returns when the
 * project can no longer be restored. Throws `PROJECT_NOT_FOUND`.
 */
export const trashForOperator = (services: TrashingServices, projectId: Id): Promise<string> =>
  moveToTrash(services, projectId, ALL);

async function moveToTrash(
  services: TrashingServices,
  projectId: Id,
  which: Filter,
): Promise<string> {
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
 * If the owner's account was deleted, the project has no owner. Throws `PROJECT_NOT_FOUND` if it is
 * not in the trash, or has been there for too long.
 */
export async function restoreProject(services: TrashServices, projectId: Id): Promise<void> {
  await services.engine.transaction("control", async (tx) => {
    const projects = tx.records<ProjectRecord>(PROJECTS);
    const restored = await projects.updateOne(
      and(
        eq("_id", projectId),
        compare("deletedAt", "gt", trashCutoff(services)),
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

/** Lists projects that can be restored. @param which Restricts the list to one owner. */
export async function listTrashed(
  services: TrashServices,
  which: { readonly ownerId: Id } | null = null,
): Promise<TrashedProject[]> {
  const trashed = [];
  const due = and(
    compare("deletedAt", "gt", trashCutoff(services)),
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
 * Removes expired projects, and returns their number. Files in a project's own bucket stay. Several
 * processes can run this concurrently, and a later call completes an interrupted removal.
 */
export async function removeExpiredTrash(
  services: TrashServices & { blobStores: BlobStores },
  isStopped: () => boolean = () => false,
): Promise<number> {
  return await removeEach(services, compare("deletedAt", "lte", trashCutoff(services)), isStopped);
}

const ABANDONED_IMPORT_MS = PROJECT_TRASH_MS;

/** Returns the number of removed projects. */
export async function removeAbandonedImports(
  services: TrashServices & { blobStores: BlobStores },
  isStopped: () => boolean = () => false,
): Promise<number> {
  const left = isoAt(services.clock.now() - ABANDONED_IMPORT_MS);
  return await removeEach(services, compare("importTouchedAt", "lte", left), isStopped);
}

async function removeEach(
  services: TrashServices & { blobStores: BlobStores },
  due: Filter,
  isStopped: () => boolean,
): Promise<number> {
  const projects = services.engine.records<ProjectRecord>("control", PROJECTS);
  let removed = 0;
  for await (const { _id: projectId } of projects.find({ filter: due })) {
    if (isStopped()) return removed;
    if (await removeProject(services, projectId, due, isStopped)) removed++;
  }
  return removed;
}

/** Returns false if the project does not match, or was stopped; then the next call continues. */
export async function removeProject(
  { engine, clock, blobStores }: TrashServices & { blobStores: BlobStores },
  projectId: Id,
  which: Filter,
  isStopped: () => boolean = () => false,
): Promise<boolean> {
  const projects = engine.records<ProjectRecord>("control", PROJECTS);
  // From now on it cannot be restored, even if another process's clock is behind.
  const taken = await projects.updateOne(and(eq("_id", projectId), which), {
    set: { removedAt: timestamp(clock) },
  });
  if (taken === null || !await removeFiles(blobStores.internal, projectId, isStopped)) return false;
  await engine.dropSpace(projectId);
  const inProject = eq("projectId", projectId);
  for (const definition of PROJECT_RECORDS) {
    await deleteAll(engine.records("control", definition), inProject);
  }
  await projects.deleteOne(eq("_id", projectId));
  return true;
}

const PROJECT_RECORDS = [
  API_KEYS,
  FORMER_KEYS,
  MEMBERS,
  INVITATIONS,
  REQUEST_COUNTS,
  REQUEST_LOG,
  MAIL_USAGE,
  QUESTIONS,
];

/** Removes files in the server's own store. Returns false if it was stopped. */
async function removeFiles(
  blobs: Blobs,
  projectId: Id,
  isStopped: () => boolean,
): Promise<boolean> {
  for (const place of ["partial", "staged", "private", "derived", "stored"] as const) {
    for await (const { path } of walkBlobs(blobs, place, `${projectId}/`)) {
      if (isStopped()) return false;
      await blobs.remove(place, path);
    }
  }
  return true;
}
