import { ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type { getSchema } from "@/openapi/paths/schemas.ts";
import type { HandlerOf } from "../call.ts";

export const handleGetSchema: HandlerOf<typeof getSchema> = async (call) => {
  const { services, principal, params } = call;
  const collection = await services.catalog.find(principal.projectId, params.collectionName);
  if (collection === null) throw new Problem("COLLECTION_NOT_FOUND");
  const { definition } = collection;
  const shown = { ...definition, model: definition.fields };
  return ok(200, JSON.stringify({ collection: shown }), "Collection found");
};
