import { z } from "@hono/zod-openapi";
import { parseDefinition, parseNamedDefinition } from "@/lib/documents/definition.ts";
import type { CollectionDefinition, ReplacingDefinition } from "@/lib/documents/fields.ts";
import { BODY_BYTES_MAX } from "@/lib/limits.ts";
import { okAnswer } from "../answers.ts";
import { contract, type ParsedBody } from "../contract.ts";
import { collectionName, projectId } from "../parameters.ts";
import {
  COLLECTION_EXAMPLE,
  Definition,
  DefinitionInput,
  NamedDefinitionInput,
} from "../schemas/collection.ts";
import { projectMember } from "../security.ts";

const TAG = "Project collections";

const CollectionRename = z.strictObject({ name: z.string() }).openapi("CollectionRename", {
  description: "The new name of a collection, by the rules for new collections.",
  example: { name: "articles" },
});

const DEFINITION_INPUT_EXAMPLE = {
  name: "posts",
  fields: [{ key: "title", type: "String", required: true }],
  rls: { mode: "public-read" },
};

const definitionBody: ParsedBody<CollectionDefinition> = {
  schema: DefinitionInput,
  parse: parseDefinition,
  example: DEFINITION_INPUT_EXAMPLE,
  description: "A definition. Only `name`, and `key` and `type` of each field, are required.",
  bytesMax: BODY_BYTES_MAX,
};

const namedDefinitionBody: ParsedBody<ReplacingDefinition> = {
  ...definitionBody,
  schema: NamedDefinitionInput,
  parse: (members, { params }) => parseNamedDefinition(params.collectionName!, members),
  description: "The complete definition; `name` may be left out.",
};

const definitionAnswer = (status: number, description: string, message: string) => ({
  status,
  description,
  data: Definition,
  example: COLLECTION_EXAMPLE,
  message,
});

export const listCollections = contract({
  operationId: "listCollections",
  tag: TAG,
  method: "get",
  path: "/api/projects/{projectId}/collections",
  summary: "List a project's collections for its members",
  description: "The definitions of all collections, by name.",
  security: projectMember("viewer"),
  params: { projectId },
  success: okAnswer("Collections listed", "The definitions.", {
    data: z.strictObject({ items: z.array(Definition) }),
    example: { items: [COLLECTION_EXAMPLE] },
  }),
  problems: [],
});

export const createCollection = contract({
  operationId: "createCollection",
  tag: TAG,
  method: "post",
  path: "/api/projects/{projectId}/collections",
  summary: "Create a collection for the project's admins",
  description: "Without `rls`, a collection is private: signed-in users read and write their own " +
    "documents.",
  security: projectMember("admin"),
  params: { projectId },
  body: definitionBody,
  success: [definitionAnswer(201, "The definition, including all defaults.", "Collection created")],
  problems: ["INVALID_DEFINITION", "COLLECTION_EXISTS", "PLAN_LIMIT_REACHED"],
});

export const updateCollection = contract({
  operationId: "updateCollection",
  tag: TAG,
  method: "put",
  path: "/api/projects/{projectId}/collections/{collectionName}",
  summary: "Update a collection for the project's admins",
  description: "Replaces the complete definition, including concurrent changes to it; the name " +
    "cannot change. Fields that are no longer declared keep their stored values. A field with " +
    "`renamedFrom` takes over the values of that field, in all documents at the moment of the " +
    "change.\n\n" +
    "After the answer, every write conforms to the new definition, and no read uses a less " +
    "strict access rule. Other effects may take up to 5 s to reach other processes on " +
    "MongoDB.\n\n" +
    "While stored documents are compared with the new definition, reads continue. On MongoDB, " +
    "writes to the collection wait for up to 4 s. On SQLite, documents are compared, renamed " +
    "fields moved, and new fields and indexes over arrays filled in small steps, between which " +
    "writes continue; for each other index, writes wait once, for 1 µs per document. " +
    "`listCollections` shows the progress. Other changes of the same collection wait for up to 8 " +
    "s, and are then answered with 503.",
  security: projectMember("admin"),
  params: { projectId, collectionName },
  body: namedDefinitionBody,
  success: [definitionAnswer(200, "The changed definition.", "Collection changed")],
  problems: ["INVALID_DEFINITION", "COLLECTION_NOT_FOUND", "DEFINITION_CONFLICT"],
});

export const renameCollection = contract({
  operationId: "renameCollection",
  tag: TAG,
  method: "post",
  path: "/api/projects/{projectId}/collections/{collectionName}/rename",
  summary: "Rename a collection for the project's admins",
  description: "Documents keep their ids and `ETag`s. `Ref`s of all collections and of users, " +
    "and the events of webhooks, refer to the new name at the same moment; messages about " +
    "earlier changes have the former name. The former name is then 404 and free, so applications " +
    "must use the new one. Live lists end, and the figures of slow questions are reset.\n\n" +
    "Names differ by letter case. Other processes on MongoDB may take up to 5 s to follow.",
  security: projectMember("admin"),
  params: { projectId, collectionName },
  body: {
    schema: CollectionRename,
    example: { name: "articles" },
    description: "The new name.",
  },
  success: [{
    ...definitionAnswer(200, "The changed definition.", "Collection renamed"),
    example: { ...COLLECTION_EXAMPLE, name: "articles" },
  }],
  problems: ["INVALID_DEFINITION", "COLLECTION_NOT_FOUND", "COLLECTION_EXISTS"],
});

export const deleteCollection = contract({
  operationId: "deleteCollection",
  tag: TAG,
  method: "delete",
  path: "/api/projects/{projectId}/collections/{collectionName}",
  summary: "Delete a collection for the project's admins",
  description: "Deletes the collection immediately and permanently; its name is free. Its " +
    "documents are removed in the background. Other processes on MongoDB may list them for up to " +
    "5 s by the collection's former rules, but never documents of a new collection with that " +
    "name. Writes to the deleted collection are refused.",
  security: projectMember("admin"),
  params: { projectId, collectionName },
  success: okAnswer("Collection deleted", "The name of the deleted collection.", {
    data: z.strictObject({ name: z.string() }),
    example: { name: "posts" },
  }),
  problems: ["COLLECTION_NOT_FOUND", "COLLECTION_IN_USE"],
});

export const PROJECT_COLLECTIONS = {
  listCollections,
  createCollection,
  updateCollection,
  renameCollection,
  deleteCollection,
};
