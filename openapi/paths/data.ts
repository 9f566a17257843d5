import {
  BATCH_OPERATIONS_MAX,
  BODY_BYTES_MAX,
  BULK_BODY_BYTES_MAX,
  PATH_LENGTH_MAX,
  PATH_LEVELS_MAX,
} from "@/lib/limits.ts";
import { typesChangedBy } from "@/lib/store/shape.ts";
import { aggregateParameters } from "../aggregate_parameters.ts";
import { createdAnswer, okAnswer } from "../answers.ts";
import { contract, type HandlerBody } from "../contract.ts";
import {
  collectionName,
  createQuery,
  deletionQuery,
  documentId,
  idempotencyKey,
  ifMatch,
  ifNoneMatch,
  listParameters,
  presentationParameters,
  replaceQuery,
} from "../parameters.ts";
import {
  BulkInput,
  BulkResult,
  DeletedDocument,
  Document,
  DOCUMENT_EXAMPLE,
  DocumentChanges,
  DocumentGroups,
  DocumentInput,
  DocumentList,
  GROUPS_EXAMPLE,
  ShownDocument,
  warnings,
} from "../schemas/document.ts";
import { BatchInput, BatchResult, readBatch } from "../schemas/batch.ts";
import { projectKey } from "../security.ts";
import { EXAMPLE_ID } from "../schemas/values.ts";

const TAG = "Documents";
const ETAG = { etag: "Identifies this state of the document, for If-Match and If-None-Match." };
const LIST_ETAG = { etag: "Identifies this answer, for If-None-Match." };

const LARGE_ANSWERS =
  "The documents of an answer, including populated ones, have at most 16 MiB of JSON text. If " +
  "they are larger, request fewer documents or `fields`.";

const documentBody: HandlerBody = {
  schema: DocumentInput,
  byHandler: true,
  example: { title: "Hello", status: "published", views: 3 },
  description: "One JSON object.",
  bytesMax: BODY_BYTES_MAX,
};

const documentAnswer = (status: number, description: string, message: string) => ({
  status,
  description,
  data: Document,
  example: DOCUMENT_EXAMPLE,
  message,
  headers: ETAG,
});

const SENT_BACK =
  "A document can be sent back as it was read: members that the server sets are ignored, " +
  "but a different `_id` is refused. `If-Match` prevents overwriting changes of others.";

/** Notes on changes of documents, by applications and by members. */
export const NOT_IN_TRASH = "A document in the trash is a 404: recover it first.";
export const TO_TRASH = "Moves the document to the trash, from which it can be recovered for 30 " +
  "days, and sets `updatedAt`, which shows the change to clients that synchronise; " +
  "`permanent=true` deletes it permanently.";
export const OUT_OF_TRASH =
  "Recovers the document from the trash, and sets `updatedAt`. A document outside the " +
  "trash stays unchanged.";

export const listDocuments = contract({
  operationId: "listDocuments",
  tag: TAG,
  method: "get",
  path: "/api/data/{collectionName}",
  summary: "List the documents that the caller may see",
  description:
    "Filters, sorts and pages a collection. With row-level security `public-read`, every " +
    "caller with a key reads all documents; with `private`, signed-in users read their own.\n\n" +
    LARGE_ANSWERS +
    " If a list shows parts of documents (`fields`, `meta`, `populate`), large documents are read " +
    "one after the other, at most 128 MiB of them, and may change during that time.",
  security: projectKey,
  params: { collectionName },
  parameters: listParameters,
  headers: { "if-none-match": ifNoneMatch },
  success: [{
    status: 200,
    description: "A page of documents.",
    headers: LIST_ETAG,
    data: DocumentList,
    topLevelMembers: { warnings },
    example: {
      items: [DOCUMENT_EXAMPLE],
      total: 1,
      page: 1,
      nextCursor: null,
      prevCursor: null,
      limit: 100,
    },
    message: "Documents listed",
  }, { status: 304, description: "The list has not changed.", data: null, headers: LIST_ETAG }],
  problems: [
    "INVALID_QUERY",
    "UNKNOWN_OPERATOR",
    "SEARCH_NOT_DECLARED",
    "INVALID_CURSOR",
    "ACCESS_TOKEN_REQUIRED",
    "SECRET_KEY_REQUIRED",
    "COLLECTION_NOT_FOUND",
    "ANSWER_TOO_LARGE",
    "QUERY_TOO_SLOW",
  ],
});

export const aggregateDocuments = contract({
  operationId: "aggregateDocuments",
  tag: TAG,
  method: "get",
  path: "/api/data/{collectionName}/aggregate",
  summary: "Count and add up the documents that the caller may see",
  description: "Groups the documents that a list with the same filter would show to the caller, " +
    "and answers the figures of each group: counts, sums, means, least and greatest values. The " +
    "database computes them; an index on the field of `group` makes it faster.\n\n" +
    "Other parameters of lists are refused. `group`, `timeZone`, `sum`, `avg`, `min` and `max` " +
    "are never filters: filter a field of such a name by `where`.",
  security: projectKey,
  params: { collectionName },
  parameters: aggregateParameters,
  success: [{
    status: 200,
    description: "The groups, in the order of `sort`.",
    data: DocumentGroups,
    topLevelMembers: { warnings },
    example: GROUPS_EXAMPLE,
    message: "Documents aggregated",
  }],
  problems: [
    "INVALID_QUERY",
    "UNKNOWN_OPERATOR",
    "ACCESS_TOKEN_REQUIRED",
    "COLLECTION_NOT_FOUND",
    "ANSWER_TOO_LARGE",
    "QUERY_TOO_SLOW",
  ],
});

export const createDocument = contract({
  operationId: "createDocument",
  tag: TAG,
  method: "post",
  path: "/api/data/{collectionName}",
  summary: "Create a document for the caller",
  description: "Stores one document. A signed-in user becomes its owner. A value of a `unique` " +
    "field that another document has, even one that the caller cannot read, is a 409.",
  security: projectKey,
  params: { collectionName },
  query: createQuery,
  headers: { "idempotency-key": idempotencyKey },
  body: documentBody,
  success: [
    documentAnswer(201, "The stored document.", "Document created"),
    documentAnswer(200, "The existing document, with the changes.", "Document changed"),
  ],
  problems: [
    "INVALID_DOCUMENT",
    "FIELD_READ_ONLY",
    "ACCESS_TOKEN_REQUIRED",
    "RLS_REQUIRED",
    "OWNER_MISMATCH",
    "DOCUMENT_QUOTA_EXCEEDED",
    "COLLECTION_NOT_FOUND",
    "DUPLICATE_VALUE",
    "DOCUMENT_TOO_LARGE",
    "IDEMPOTENCY_KEY_REUSED",
    "TOO_MANY_IDEMPOTENCY_KEYS",
  ],
});

export const createDocuments = contract({
  operationId: "createDocuments",
  tag: TAG,
  method: "post",
  path: "/api/data/{collectionName}/bulk",
  summary: "Create many documents for the caller",
  description: "Stores 1 to 100 documents, all of them or none.",
  security: projectKey,
  params: { collectionName },
  headers: { "idempotency-key": idempotencyKey },
  body: {
    schema: BulkInput,
    byHandler: true,
    example: { documents: [{ title: "One" }, { title: "Two" }] },
    description: "1 to 100 documents; 8 MiB at most.",
    bytesMax: BULK_BODY_BYTES_MAX,
  },
  success: createdAnswer("Documents created", "The ids, in the order of the documents.", {
    data: BulkResult,
    example: { insertedCount: 1, ids: [EXAMPLE_ID] },
  }),
  problems: [...createDocument.problems],
});

export const getDocument = contract({
  operationId: "getDocument",
  tag: TAG,
  method: "get",
  path: "/api/data/{collectionName}/{id}",
  summary: "Get a document that the caller may see",
  description: `One document, if the caller may see it. ${LARGE_ANSWERS} With \`populate\`, it ` +
    "has no ETag, because it changes with other documents.",
  security: projectKey,
  params: { collectionName, id: documentId },
  parameters: presentationParameters,
  headers: { "if-none-match": ifNoneMatch },
  success: [
    { ...documentAnswer(200, "The document.", "Document found"), data: ShownDocument },
    { status: 304, description: "The document has not changed.", data: null, headers: ETAG },
  ],
  problems: [
    "INVALID_QUERY",
    "ACCESS_TOKEN_REQUIRED",
    "COLLECTION_NOT_FOUND",
    "DOCUMENT_NOT_FOUND",
    "ANSWER_TOO_LARGE",
    "QUERY_TOO_SLOW",
  ],
});

const WRITE_PROBLEMS = [
  "ACCESS_TOKEN_REQUIRED",
  "RLS_REQUIRED",
  "OWNER_MISMATCH",
  "COLLECTION_NOT_FOUND",
  "DOCUMENT_NOT_FOUND",
] as const;

const CHANGE_PROBLEMS = [
  ...WRITE_PROBLEMS,
  "INVALID_DOCUMENT",
  "FIELD_READ_ONLY",
  "OWNER_IMMUTABLE",
  "DOCUMENT_QUOTA_EXCEEDED",
  "DUPLICATE_VALUE",
  "PRECONDITION_FAILED",
  "DOCUMENT_TOO_LARGE",
] as const;

export const replaceDocument = contract({
  operationId: "replaceDocument",
  tag: TAG,
  method: "put",
  path: "/api/data/{collectionName}/{id}",
  summary: "Replace one of the caller's documents",
  description: "Replaces all members except those that the server sets. Without the owner field, " +
    `the owner stays. ${SENT_BACK} ${NOT_IN_TRASH}`,
  security: projectKey,
  params: { collectionName, id: documentId },
  query: replaceQuery,
  headers: { "if-match": ifMatch },
  body: documentBody,
  success: [
    documentAnswer(200, "The stored document.", "Document replaced"),
    documentAnswer(201, "The created document.", "Document created"),
  ],
  problems: CHANGE_PROBLEMS,
});

const OPERATORS_TEXT =
  "An object with one operator changes the stored value atomically: concurrent requests do not " +
  "overwrite each other.\n\n" +
  "| Value | Effect on the member |\n" +
  "| --- | --- |\n" +
  '| `{ "$inc": 1 }` | adds this to the number; missing or null counts as 0; refused if the sum ' +
  "of integers would be rounded |\n" +
  `| \`{ "$min": 5 }\`, \`{ "$max": 5 }\` | sets this ${typesChangedBy("$min").join(" or ")} if ` +
  "the stored value is greater, or less, or missing or null |\n" +
  '| `{ "$push": "x" }` | appends this to the list; missing or null counts as empty |\n' +
  '| `{ "$addToSet": "x" }` | appends this to the list unless it is in it |\n' +
  '| `{ "$pull": "x" }` | removes all equal elements from the list |\n' +
  '| `{ "$unset": true }` | removes the member |\n' +
  '| `{ "$now": true }` | sets the time of the server |\n\n' +
  'Write several elements as `{ "$push": { "$each": ["x", "y"] } }`. If a value of another type ' +
  "is stored or declared, the change is refused.";

export const patchDocument = contract({
  operationId: "patchDocument",
  tag: TAG,
  method: "patch",
  path: "/api/data/{collectionName}/{id}",
  summary: "Update one of the caller's documents",
  description: "Replaces each top-level member that is sent. A dotted name, such as " +
    `\`address.city\`, changes a part of an object; it has at most ${PATH_LEVELS_MAX} levels and ` +
    `${PATH_LENGTH_MAX} characters. ${OPERATORS_TEXT}\n\n` +
    `${SENT_BACK} ${NOT_IN_TRASH}`,
  security: projectKey,
  params: { collectionName, id: documentId },
  headers: { "if-match": ifMatch },
  body: {
    ...documentBody,
    schema: DocumentChanges,
    example: { title: "Hello", views: { $inc: 1 }, "address.city": "Rome" },
  },
  success: [documentAnswer(200, "The stored document.", "Document changed")],
  problems: CHANGE_PROBLEMS,
});

export const deleteDocument = contract({
  operationId: "deleteDocument",
  tag: TAG,
  method: "delete",
  path: "/api/data/{collectionName}/{id}",
  summary: "Delete one of the caller's documents",
  description: TO_TRASH,
  security: projectKey,
  params: { collectionName, id: documentId },
  query: deletionQuery,
  headers: { "if-match": ifMatch },
  success: okAnswer("Document deleted", "The id of the deleted document.", {
    data: DeletedDocument,
    example: { id: EXAMPLE_ID },
  }),
  problems: [...WRITE_PROBLEMS, "SECRET_KEY_REQUIRED", "PRECONDITION_FAILED"],
});

export const recoverDocument = contract({
  operationId: "recoverDocument",
  tag: TAG,
  method: "patch",
  path: "/api/data/{collectionName}/{id}/recover",
  summary: "Recover one of the caller's documents",
  description: OUT_OF_TRASH,
  security: projectKey,
  params: { collectionName, id: documentId },
  success: [documentAnswer(200, "The stored document.", "Document recovered")],
  problems: [...WRITE_PROBLEMS, "DUPLICATE_VALUE"],
});

export const writeBatch = contract({
  operationId: "writeBatch",
  tag: TAG,
  method: "post",
  path: "/api/batch",
  summary: "Write several documents together for the caller",
  description:
    `Executes up to ${BATCH_OPERATIONS_MAX} operations in one transaction, in their order: ` +
    "all of them or none. Each obeys the rules of its collection like a single request, and sees " +
    "the effects of earlier ones; `upsert` replaces or creates. The answer is the first refusal, if " +
    "there is one, with its index in `operation`. The documents of the answer have at most 8 MiB.",
  security: projectKey,
  headers: { "idempotency-key": idempotencyKey },
  body: {
    schema: BatchInput,
    parse: (members) => readBatch(members),
    example: {
      operations: [
        { action: "create", collection: "posts", document: { title: "Hello" } },
        { action: "patch", collection: "posts", id: EXAMPLE_ID, document: { views: { $inc: 1 } } },
      ],
    },
    description: `1 to ${BATCH_OPERATIONS_MAX} operations; 8 MiB at most.`,
    bytesMax: BULK_BODY_BYTES_MAX,
  },
  success: okAnswer("Batch done", "The results of the operations.", {
    data: BatchResult,
    example: { results: [{ id: EXAMPLE_ID, document: DOCUMENT_EXAMPLE }] },
  }),
  problems: [
    ...CHANGE_PROBLEMS,
    "USERS_RESERVED",
    "ANSWER_TOO_LARGE",
    "IDEMPOTENCY_KEY_REUSED",
    "TOO_MANY_IDEMPOTENCY_KEYS",
  ],
});

export const DATA = {
  listDocuments,
  aggregateDocuments,
  createDocument,
  createDocuments,
  getDocument,
  replaceDocument,
  patchDocument,
  deleteDocument,
  recoverDocument,
  writeBatch,
};
