import { z } from "@hono/zod-openapi";
import { TYPED_COLLECTIONS_MAX } from "@/lib/limits.ts";
import { contract } from "../contract.ts";
import { openQueryOf } from "../inputs.ts";
import { ifNoneMatch, projectId } from "../parameters.ts";
import { AUDIENCES } from "../project/operations.ts";
import { projectReader } from "../security.ts";

const TAG = "Types";
const ETAG = { etag: "Names this version, for If-None-Match." };

const NAMES =
  `"collections" takes up to ${TYPED_COLLECTIONS_MAX} names of collections, separated by commas.`;

/** For whom it is made, and of what. */
const asked = openQueryOf({
  audience: z.enum(AUDIENCES, '"audience" must be client or server.').optional().openapi({
    param: {
      description:
        "`client`: what an application may call with the publishable key and its users' " +
        "access tokens. `server`: what the secret key may call. Left out it is `client` for the " +
        "publishable key, and `server` for all others.",
    },
  }),
  collections: z.string().transform((text) => [...new Set(text.split(","))].toSorted())
    .pipe(z.array(z.string().min(1, NAMES)).max(TYPED_COLLECTIONS_MAX, NAMES)).optional()
    .openapi({
      type: "string",
      example: "posts,comments",
      param: {
        description:
          `Names of the collections in it, comma-separated: ${TYPED_COLLECTIONS_MAX} at ` +
          "most. All of the project if left out.",
      },
    }),
});

const TOGETHER = "It follows from the project's definitions and settings, and from nothing else.";

export const getProjectOpenApi = contract({
  operationId: "getProjectOpenApi",
  tag: TAG,
  method: "get",
  path: "/api/projects/{projectId}/openapi.json",
  summary: "Get a project's own OpenAPI document, with a key or as a member",
  description:
    "The OpenAPI 3.1 document of this project alone: each collection with paths and types " +
    "of its own, users with their fields, the sign-in that is switched on, and of each operation " +
    "exactly what it may refuse for. Generators make typed clients of it. With more than 50 " +
    "collections it is brief. " + TOGETHER,
  security: projectReader,
  params: { projectId },
  query: asked,
  headers: { "if-none-match": ifNoneMatch },
  success: [{
    status: 200,
    description: "The document.",
    data: null,
    content: { type: "application/json", schema: z.looseObject({ openapi: z.string() }) },
    example: { openapi: "3.1.0" },
    headers: ETAG,
  }, { status: 304, description: "The document is the one you hold.", data: null, headers: ETAG }],
  problems: ["SECRET_KEY_REQUIRED"],
});

export const getProjectTypes = contract({
  operationId: "getProjectTypes",
  tag: TAG,
  method: "get",
  path: "/api/projects/{projectId}/types.ts",
  summary: "Get a project's types as a TypeScript file, with a key or as a member",
  description:
    "The types of its documents, of what creates, replaces, changes and finds them, and of " +
    "its users, as one module without imports; `Project` in it is the type that `createClient` " +
    "takes. " + TOGETHER,
  security: projectReader,
  params: { projectId },
  query: asked,
  headers: { "if-none-match": ifNoneMatch },
  success: [{
    status: 200,
    description: "The file.",
    data: null,
    content: { type: "application/typescript", schema: z.string() },
    example: "export interface Project { … }",
    headers: ETAG,
  }, { status: 304, description: "The file is the one you hold.", data: null, headers: ETAG }],
  problems: ["SECRET_KEY_REQUIRED"],
});

export const PROJECT_TYPES = { getProjectOpenApi, getProjectTypes };
