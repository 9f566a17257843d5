import { z } from "@hono/zod-openapi";
import { TYPED_COLLECTIONS_MAX } from "@/lib/limits.ts";
import { contract } from "../contract.ts";
import { openQueryOf } from "../inputs.ts";
import { ifNoneMatch, projectId } from "../parameters.ts";
import { AUDIENCES } from "../project/operations.ts";
import { projectReader } from "../security.ts";

const TAG = "Types";
const ETAG = { etag: "Identifies this version, for If-None-Match." };

const NAMES =
  `"collections" takes up to ${TYPED_COLLECTIONS_MAX} names of collections, separated by commas.`;

const typesQuery = openQueryOf({
  audience: z.enum(AUDIENCES, '"audience" must be client or server.').optional().openapi({
    param: {
      description: "`client`: operations for the publishable key and users' access tokens. " +
        "`server`: operations for the secret key. If left out: `client` for the publishable key, " +
        "otherwise `server`.",
    },
  }),
  collections: z.string().transform((text) => [...new Set(text.split(","))].toSorted())
    .pipe(z.array(z.string().min(1, NAMES)).max(TYPED_COLLECTIONS_MAX, NAMES)).optional()
    .openapi({
      type: "string",
      example: "posts,comments",
      param: {
        description: `Names of collections, comma-separated: ${TYPED_COLLECTIONS_MAX} at most. ` +
          "All collections if left out.",
      },
    }),
});

const ORIGIN_NOTE = "It depends only on the project's definitions and settings.";

export const getProjectOpenApi = contract({
  operationId: "getProjectOpenApi",
  tag: TAG,
  method: "get",
  path: "/api/projects/{projectId}/openapi.json",
  summary: "Get a project's own OpenAPI document, with a key or as a member",
  description: "The OpenAPI 3.1 document of this project: each collection with its own paths and " +
    "types, users with their fields, the enabled sign-in methods, and the exact problems of each " +
    "operation. Generators make typed clients from it. With more than 50 collections it is brief. " +
    ORIGIN_NOTE,
  security: projectReader,
  params: { projectId },
  query: typesQuery,
  headers: { "if-none-match": ifNoneMatch },
  success: [{
    status: 200,
    description: "The document.",
    data: null,
    content: { type: "application/json", schema: z.looseObject({ openapi: z.string() }) },
    example: { openapi: "3.1.0" },
    headers: ETAG,
  }, { status: 304, description: "The document has not changed.", data: null, headers: ETAG }],
  problems: ["SECRET_KEY_REQUIRED"],
});

export const getProjectTypes = contract({
  operationId: "getProjectTypes",
  tag: TAG,
  method: "get",
  path: "/api/projects/{projectId}/types.ts",
  summary: "Get a project's types as a TypeScript file, with a key or as a member",
  description:
    "The types of documents, of the input that creates, replaces, changes and finds them, " +
    "and of users, as one module without imports. `Project` is the type argument of " +
    "`createClient`. " + ORIGIN_NOTE,
  security: projectReader,
  params: { projectId },
  query: typesQuery,
  headers: { "if-none-match": ifNoneMatch },
  success: [{
    status: 200,
    description: "The file.",
    data: null,
    content: { type: "application/typescript", schema: z.string() },
    example: "export interface Project { … }",
    headers: ETAG,
  }, { status: 304, description: "The file has not changed.", data: null, headers: ETAG }],
  problems: ["SECRET_KEY_REQUIRED"],
});

export const PROJECT_TYPES = { getProjectOpenApi, getProjectTypes };
