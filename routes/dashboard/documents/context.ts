import { findCollection, openForWriting, type WriteAccess } from "@/lib/documents/access.ts";
import type { Collection } from "@/lib/documents/collection.ts";
import type { Caller } from "@/lib/auth/principals.ts";
import { memberActor, type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import type { PageContext } from "../../handler.ts";
import { collectionPath } from "../collections/bar.tsx";
import { type Frame, homeOf, loadFrame } from "../frame.ts";

export type Context = PageContext<ProjectMember, "collectionName">;

/** Returns the member as a caller with the rights of the secret key, without row-level security. */
export const serverCaller = ({ var: { principal } }: PageContext<ProjectMember>): Caller => ({
  kind: "secret",
  projectId: principal.project._id,
  actor: memberActor(principal),
});

export interface GridContext {
  readonly frame: Frame;
  readonly collection: Collection;
  readonly path: string;
  readonly canWrite: boolean;
}

export const ownerField = ({ collection: { definition: { rls } } }: GridContext): string | null =>
  rls.enabled ? rls.ownerField : null;

/** Loads the path's collection and the frame. Throws `COLLECTION_NOT_FOUND`. */
export async function loadContext(c: Context): Promise<GridContext> {
  const { services, principal } = c.var;
  const [collection, frame] = await Promise.all([
    findCollection(services, serverCaller(c), c.req.valid("param").collectionName),
    loadFrame(services, principal),
  ]);
  return {
    frame,
    collection,
    path: collectionPath(frame.home, collection.definition.name),
    canWrite: roleIncludes(principal.role, "admin"),
  };
}

/** Returns the path of the collection's documents without loading the collection. */
export const documentsPath = (c: Context): string =>
  collectionPath(homeOf(c.var.principal.project._id), c.req.valid("param").collectionName);

/** Opens the path's collection for writing. Throws `COLLECTION_NOT_FOUND`. */
export const openTarget = (c: Context): Promise<WriteAccess> =>
  openForWriting(c.var.services, serverCaller(c), c.req.valid("param").collectionName);
