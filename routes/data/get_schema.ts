import type { Caller } from "@/lib/auth/principals.ts";
import { ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type { Handler } from "../call.ts";

export const handleGetSchema: Handler<Caller> = async ({ services, principal, param }) => {
  const collection = await services.catalog.find(principal.projectId, param("collectionName"));
  if (collection === null) throw new Problem("COLLECTION_NOT_FOUND");
  const { definition } = collection;
  const shown = { ...definition, model: definition.fields };
  return ok(200, JSON.stringify({ collection: shown }), "Collection found");
};
