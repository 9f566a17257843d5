import { z } from "@hono/zod-openapi";
import { okAnswer } from "../answers.ts";
import { contract } from "../contract.ts";
import { collectionName } from "../parameters.ts";
import { Collection, COLLECTION_EXAMPLE } from "../schemas/collection.ts";
import { projectKey } from "../security.ts";

export const getSchema = contract({
  operationId: "getSchema",
  tag: "Collections",
  method: "get",
  path: "/api/schemas/{collectionName}",
  summary: "Get a collection's definition for the app",
  description: "Fields, row-level security and strictness of a collection, for any valid key.",
  security: projectKey,
  params: { collectionName },
  success: okAnswer("Collection found", "The definition.", {
    data: z.strictObject({ collection: Collection }),
    example: {
      collection: { ...COLLECTION_EXAMPLE, indexes: [], model: COLLECTION_EXAMPLE.fields },
    },
  }),
  problems: ["COLLECTION_NOT_FOUND"],
});

export const SCHEMAS = { getSchema };
