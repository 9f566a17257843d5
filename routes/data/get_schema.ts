import { ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type { getSchema } from "@/openapi/paths/schemas.ts";
import type { HandlerOf } from "../handler.ts";

export const handleGetSchema: HandlerOf<typeof getSchema> = async (c) => {
  const { services, principal } = c.var;
  const params = c.req.valid("param");
  const collection = await services.catalog.find(principal.projectId, params.collectionName);
  if (collection === null) throw new Problem("COLLECTION_NOT_FOUND");
  const { definition } = collection;
  const shown = { ...definition, model: definition.fields };
  return ok(200, JSON.stringify({ collection: shown }), "Collection found");
};
