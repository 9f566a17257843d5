import { deleteCollection } from "@/lib/documents/delete_collection.ts";
import { asMembers } from "@/lib/documents/document.ts";
import {
  createCollection,
  listCollections,
  updateCollection,
} from "@/lib/documents/save_collection.ts";
import { ok } from "@/lib/http/respond.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { Problem } from "@/lib/problems.ts";
import type { Handler } from "../call.ts";

export const handleListCollections: Handler<ProjectMember> = async ({ services, principal }) => {
  const items = await listCollections(services, principal.project._id);
  return ok(200, JSON.stringify({ items }), "Collections listed");
};

export const handleCreateCollection: Handler<ProjectMember> = async (call) => {
  const body = asMembers(await call.body());
  const definition = await createCollection(call.services, call.principal.project._id, body);
  return ok(201, JSON.stringify(definition), "Collection created");
};

export const handleUpdateCollection: Handler<ProjectMember> = async (call) => {
  const name = call.param("collectionName");
  const body = { name, ...asMembers(await call.body()) };
  if (body.name !== name) {
    throw new Problem("INVALID_DEFINITION", {
      message: "The name of a collection cannot change: leave it out.",
    });
  }
  const definition = await updateCollection(call.services, call.principal.project._id, body);
  return ok(200, JSON.stringify(definition), "Collection changed");
};

export const handleDeleteCollection: Handler<ProjectMember> = async (call) => {
  const name = call.param("collectionName");
  await deleteCollection(call.services, call.principal.project._id, name);
  return ok(200, JSON.stringify({ name }), "Collection deleted");
};
