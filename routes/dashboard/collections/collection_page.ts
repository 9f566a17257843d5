import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import { getCollection } from "@/lib/documents/save_collection.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import type { PageContext } from "../../handler.ts";
import { type Frame, loadFrame } from "../frame.ts";

/** What each page of a collection begins with. */
export interface CollectionPage {
  readonly frame: Frame;
  readonly collection: CollectionDefinition;
  /** Whether the member may change it. */
  readonly canEdit: boolean;
}

/** Throws `COLLECTION_NOT_FOUND`. */
export async function loadCollectionPage(
  c: PageContext<ProjectMember, "collectionName">,
): Promise<CollectionPage> {
  const { services, principal } = c.var;
  const { _id: projectId } = principal.project;
  const [frame, collection] = await Promise.all([
    loadFrame(services, principal),
    getCollection(services, projectId, c.req.valid("param").collectionName),
  ]);
  return {
    frame,
    collection,
    canEdit: includes(principal.role, "admin"),
  };
}
