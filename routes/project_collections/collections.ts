import { deleteCollection } from "@/lib/documents/delete_collection.ts";
import {
  createCollection,
  listCollections,
  updateCollection,
} from "@/lib/documents/save_collection.ts";
import { ok } from "@/lib/http/respond.ts";
import { renameCollection } from "@/lib/operations/rename_collection.ts";
import type { PROJECT_COLLECTIONS } from "@/openapi/paths/project_collections.ts";
import type { HandlersOf } from "../handler.ts";

export const projectCollections: HandlersOf<typeof PROJECT_COLLECTIONS> = {
  listCollections: async (c) => {
    const { services, principal } = c.var;
    const { _id: projectId } = principal.project;
    const items = await listCollections(services, projectId);
    return ok(200, JSON.stringify({ items }), "Collections listed");
  },

  createCollection: async (c) => {
    const { services, principal } = c.var;
    const input = c.req.valid("json");
    const definition = await createCollection(services, principal.project._id, input);
    return ok(201, JSON.stringify(definition), "Collection created");
  },

  updateCollection: async (c) => {
    const { services, principal } = c.var;
    const input = c.req.valid("json");
    const definition = await updateCollection(services, principal.project._id, input);
    return ok(200, JSON.stringify(definition), "Collection changed");
  },

  renameCollection: async (c) => {
    const { services, principal } = c.var;
    const { collectionName: from } = c.req.valid("param");
    const { name: to } = c.req.valid("json");
    const definition = await renameCollection(services, principal.project._id, { from, to });
    return ok(200, JSON.stringify(definition), "Collection renamed");
  },

  deleteCollection: async (c) => {
    const { services, principal } = c.var;
    const { collectionName: name } = c.req.valid("param");
    await deleteCollection(services, principal.project._id, name);
    return ok(200, JSON.stringify({ name }), "Collection deleted");
  },
};
