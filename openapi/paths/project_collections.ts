import { z } from "@hono/zod-openapi";
import { parseDefinition, parseNamedDefinition } from "@/lib/documents/definition.ts";
import type { CollectionDefinition, ReplacingDefinition } from "@/lib/documents/fields.ts";
import { BODY_BYTES_MAX } from "@/lib/limits.ts";
import { answered } from "../answers.ts";
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
  description: "What a collection is to be called, by the rules for names of new ones.",
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
  description: "A definition: `name`, and of a field only `key` and `type`, are needed.",
  bytesMax: BODY_BYTES_MAX,
};

const namedDefinitionBody: ParsedBody<ReplacingDefinition> = {
  ...definitionBody,
  schema: NamedDefinitionInput,
  parse: (members, { params }) => parseNamedDefinition(params.collectionName!, members),
  description: "The whole definition; `name` may be left out.",
};

const defined = (status: number, description: string, message: string) => ({
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
  description: "Every collection of the project as it is defined, by name.",
  security: projectMember("viewer"),
  params: { projectId },
  success: answered("Collections listed", "The definitions.", {
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
  description: "Without `rls` a collection is private: signed-in users read and write what is " +
    "their own.",
  security: projectMember("admin"),
  params: { projectId },
  body: definitionBody,
  success: [defined(201, "The definition with every default filled in.", "Collection created")],
  problems: ["INVALID_DEFINITION", "COLLECTION_EXISTS", "PLAN_LIMIT_REACHED"],
});

export const updateCollection = contract({
  operationId: "updateCollection",
  tag: TAG,
  method: "put",
  path: "/api/projects/{projectId}/collections/{collectionName}",
  summary: "Update a collection for the project's admins",
  description:
    "Replaces the whole definition, whoever has changed it meanwhile; the name cannot change. " +
    "Fields that are no longer declared keep their stored values. A field with `renamedFrom` takes " +
    "over those of that field, in all documents at the moment in which the definition changes.\n\n" +
    "From the answer on every write fits the new definition, and nobody reads by a rule that let " +
    "more through. For the rest, other processes on MongoDB may take up to 5 s to follow.\n\n" +
    "While stored documents are compared with the new definition, everybody reads. On MongoDB " +
    "writes to the collection wait meanwhile, for up to 4 s. On SQLite documents are compared, " +
    "renamed fields moved, and new fields and indexes over arrays filled, a few at a time, and writes go on in between; for " +
    "each other index of a collection they wait once, for 1 µs of each document. " +
    "`listCollections` tells how far it has come. Whoever changes the same collection meanwhile " +
    "waits for up to 8 s, and is then asked to come back (503).",
  security: projectMember("admin"),
  params: { projectId, collectionName },
  body: namedDefinitionBody,
  success: [defined(200, "The definition as it is now.", "Collection changed")],
  problems: ["INVALID_DEFINITION", "COLLECTION_NOT_FOUND", "DEFINITION_CONFLICT"],
});

export const renameCollection = contract({
  operationId: "renameCollection",
  tag: TAG,
  method: "post",
  path: "/api/projects/{projectId}/collections/{collectionName}/rename",
  summary: "Rename a collection for the project's admins",
  description:
    "Its documents stay where they are, with their ids and `ETag`s. `Ref`s of all collections, " +
    "and of users, and the events of webhooks name it by its new name from the same moment on; messages about what " +
    "was changed before have the former one. The former name is 404 then, and free: applications " +
    "must ask for the new one. Live lists end, and slow questions are counted anew.\n\n" +
    "Another letter case is another name. Other processes on MongoDB may take up to 5 s to follow.",
  security: projectMember("admin"),
  params: { projectId, collectionName },
  body: {
    schema: CollectionRename,
    example: { name: "articles" },
    description: "The new name.",
  },
  success: [{
    ...defined(200, "The definition as it is now.", "Collection renamed"),
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
  description:
    "The collection is gone at once, for good, and its name is free. Its documents are " +
    "removed in the background. Other processes on MongoDB may list them for up to 5 s, by the " +
    "rules that the collection had, by which they show nothing of a new collection of that name. " +
    "Nothing is written to the deleted one any more.",
  security: projectMember("admin"),
  params: { projectId, collectionName },
  success: answered("Collection deleted", "The name of the deleted collection.", {
    data: z.strictObject({ name: z.string() }),
    example: { name: "posts" },
  }),
  problems: ["COLLECTION_NOT_FOUND", "COLLECTION_IN_USE"],
});

/** In the order of the reference. */
export const PROJECT_COLLECTIONS = {
  listCollections,
  createCollection,
  updateCollection,
  renameCollection,
  deleteCollection,
};
