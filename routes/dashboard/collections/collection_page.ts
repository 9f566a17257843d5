import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import { getCollection } from "@/lib/documents/save_collection.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import type { PageContext } from "../../handler.ts";
import { type Frame, loadFrame } from "../frame.ts";

export interface CollectionPage {
  readonly frame: Frame;
  readonly collection: CollectionDefinition;
  readonly canEdit: boolean;
}

/** Loads the path's collection. Throws `COLLECTION_NOT_FOUND`. */
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
    canEdit: roleIncludes(principal.role, "admin"),
  };
}
