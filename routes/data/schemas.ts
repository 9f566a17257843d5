import { findCollection } from "@/lib/documents/access.ts";
import { ok } from "@/lib/http/respond.ts";
import type { SCHEMAS } from "@/openapi/paths/schemas.ts";
import type { HandlersOf } from "../handler.ts";

export const schemas: HandlersOf<typeof SCHEMAS> = {
  getSchema: async (c) => {
    const { services, principal } = c.var;
    const { collectionName } = c.req.valid("param");
    const { definition } = await findCollection(services, principal, collectionName);
    const collection = { ...definition, model: definition.fields };
    return ok(200, JSON.stringify({ collection }), "Collection found");
  },
};
