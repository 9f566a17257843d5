import { findCollection, openForWriting, type WriteAccess } from "@/lib/documents/access.ts";
import type { Collection } from "@/lib/documents/collection.ts";
import type { Caller } from "@/lib/auth/principals.ts";
import { includes, memberActor, type ProjectMember } from "@/lib/projects/members.ts";
import type { PageContext } from "../../handler.ts";
import { collectionPath } from "../collections/bar.tsx";
import { type Frame, homeOf, loadFrame } from "../frame.ts";

export type CollectionContext = PageContext<ProjectMember, "collectionName">;

/** The member in the place of the project's servers: no row-level security hides a row from them. */
export const serverOf = ({ var: { principal } }: PageContext<ProjectMember>): Caller => ({
  kind: "secret",
  projectId: principal.project._id,
  actor: memberActor(principal),
});

/** What the pages of one collection have in common. */
export interface Room {
  readonly frame: Frame;
  readonly collection: Collection;
  /** The path of its documents, with which those of the other pages begin. */
  readonly path: string;
  /** Whether the member may change documents. */
  readonly mayWrite: boolean;
}

/** The field that holds a document's owner; null for none. */
export const ownerOf = ({ collection: { definition: { rls } } }: Room): string | null =>
  rls.enabled ? rls.ownerField : null;

/** Throws `COLLECTION_NOT_FOUND`. */
export async function openRoom(c: CollectionContext): Promise<Room> {
  const { services, principal } = c.var;
  const [collection, frame] = await Promise.all([
    findCollection(services, serverOf(c), c.req.valid("param").collectionName),
    loadFrame(services, principal),
  ]);
  return {
    frame,
    collection,
    path: collectionPath(frame.home, collection.definition.name),
    mayWrite: includes(principal.role, "admin"),
  };
}

/** As {@linkcode openRoom}, where only the path is needed. */
export const pathOf = (c: CollectionContext): string =>
  collectionPath(homeOf(c.var.principal.project._id), c.req.valid("param").collectionName);

/** Throws `COLLECTION_NOT_FOUND`. */
export const openTarget = (c: CollectionContext): Promise<WriteAccess> =>
  openForWriting(c.var.services, serverOf(c), c.req.valid("param").collectionName);
