import { KEPT_ANSWERS_MAX, VIEWS_MAX } from "../limits.ts";

/** Problems of documents, collections and lists, part of `PROBLEMS`. */
export const DOCUMENT_PROBLEMS = {
  INVALID_DOCUMENT: {
    status: 400,
    message: "The document does not fit its collection.",
    when:
      "A name, a value or the size of the document is not allowed, or a field does not fit its " +
      "declaration.",
    remedy: "Change the fields that `faults` names, or the collection's definition. A " +
      "collection that is not `strict` accepts undeclared fields.",
  },
  FIELD_READ_ONLY: {
    status: 400,
    message: "The field is set by the server: leave it out.",
    when: "A field that the server sets was sent with another value than the stored one.",
    remedy:
      "Leave out `_id`, `createdAt`, `updatedAt`, `isDeleted` and `deletedAt` when you create " +
      "a document. To change a document, keep its `_id`.",
  },
  UNKNOWN_OPERATOR: {
    status: 400,
    message:
      "The operator is unknown: use _gt, _gte, _lt, _lte, _ne, _in, _nin, _exists, _regex, " +
      "_contains or _startswith.",
    when: "A declared field is followed by a suffix that is not an operator.",
    remedy: "Use one of the operators that the message lists. For a field whose name ends with " +
      "such a suffix, use `where`.",
  },
  SEARCH_NOT_DECLARED: {
    status: 400,
    message: "The collection has no field to search: declare one with search: true.",
    when: "A search was requested in a collection without a field with `search`.",
    remedy: "Set `search: true` on a String or an Array of String in the collection's " +
      "definition, or filter with `_contains`.",
  },
  INVALID_CURSOR: {
    status: 400,
    message:
      "The cursor does not belong to this query: start again without it, and keep filter and sort while paging.",
    when:
      "The cursor was altered, or belongs to another project, collection, filter, sort or caller, " +
      "or its document had a long sort value that has changed since.",
    remedy: "Start again without the cursor. Use the same filter, sort and caller for all pages, " +
      "and do not change cursors.",
  },
  INVALID_IDEMPOTENCY_KEY: {
    status: 400,
    message: "Idempotency-Key must be 1 to 128 printable ASCII characters.",
    when: "The Idempotency-Key header is empty, too long or not printable ASCII.",
    remedy: "Send a new UUID with each new request, and the same one again only to repeat a " +
      "request.",
  },
  INVALID_DEFINITION: {
    status: 400,
    message: "The collection definition is not valid.",
    when: "A member of a collection definition is missing, unknown or contradicts another one.",
    remedy: "Correct the member that the message names. The Documents guide describes " +
      "every member of a definition.",
  },
  USERS_RESERVED: {
    status: 403,
    message: "The collection users is reserved: use /api/userAuth/* to manage users.",
    when: "The path begins with /api/data/users, in any case or encoding.",
    remedy: "Use `/api/userAuth` for the signed-in user and for users, and another name " +
      "for a collection of your own.",
  },
  RLS_REQUIRED: {
    status: 403,
    message:
      "A publishable key cannot write to a collection without row-level security: enable it, or use a secret key on a server.",
    when: "A publishable key was used to write to a collection without row-level security.",
    remedy: "Enable row-level security in the collection's definition, or write from your " +
      "server with the secret key.",
  },
  OWNER_MISMATCH: {
    status: 403,
    message: "The document belongs to another user.",
    when: "The caller may see the document but does not own it, or named another owner.",
    remedy: "Write only documents of the signed-in user, and omit the owner field, which the " +
      "server sets. To write for other users, use the secret key on a server.",
  },
  OWNER_IMMUTABLE: {
    status: 403,
    message: "The owner of a document cannot be changed.",
    when: "A signed-in user tried to change the owner of a document.",
    remedy: "Omit the owner field. Only the secret key may change the owner of a document.",
  },
  DOCUMENT_QUOTA_EXCEEDED: {
    status: 403,
    message:
      "The project's documents take all the space of its plan: delete some permanently, or " +
      "use a larger plan.",
    when:
      "The write would make the project's documents, users, mails and webhook messages larger " +
      "than its plan allows; the message names both.",
    remedy: "Delete documents permanently, also from the trash, or change to a larger plan.",
  },
  COLLECTION_NOT_FOUND: {
    status: 404,
    message: "There is no such collection in this project.",
    when: "The collection does not exist in the key's project.",
    remedy: "Check the name, including its letter case, and that the key belongs to the project " +
      "of the collection. Otherwise create the collection in the dashboard.",
  },
  DOCUMENT_NOT_FOUND: {
    status: 404,
    message: "There is no such document, or you may not see it.",
    when: "The document does not exist, is in the trash, or is hidden from the caller.",
    remedy: "Check the id and the collection. If documents are private, send the access token of " +
      "their owner. If the document is in the trash, recover it.",
  },
  DUPLICATE_VALUE: {
    status: 409,
    message: "Another document already has this value in a unique field.",
    when: "A unique field would have the same value in two documents.",
    remedy: "Choose another value for the field that the message names, or change the " +
      "document that has it.",
  },
  COLLECTION_EXISTS: {
    status: 409,
    message:
      "A collection of this name exists already; names that differ only in case are the same " +
      "name.",
    when: "A collection is created with the name of an existing one.",
    remedy: "Choose another name, or change the existing collection.",
  },
  COLLECTION_IN_USE: {
    status: 409,
    message: "Other collections refer to this one: change them first.",
    when: "A collection is deleted while Ref fields of others refer to it; the message names them.",
    remedy: "Remove or change the Ref fields that the message names, then delete the " +
      "collection.",
  },
  DEFINITION_CONFLICT: {
    status: 409,
    message: "Stored documents do not fit the new definition.",
    when: "Stored documents violate a new `type`, `unique` or `required`.",
    remedy: "Change the documents that the message names, or do not change the field.",
  },
  PRECONDITION_FAILED: {
    status: 412,
    message: "The document has changed since you read it: read it again and repeat the change.",
    when: "The `If-Match` header does not contain the document's current ETag.",
    remedy: "Read the document again, apply the change to its current state, and send its new " +
      "`etag` as `If-Match`.",
  },
  DOCUMENT_TOO_LARGE: {
    status: 413,
    message: "The document is larger than 1 MiB: store long contents in files or in separate " +
      "documents.",
    when:
      "The document, or the result of the change, exceeds 1 MiB of JSON text or 20,000 members.",
    remedy: "Split the document, and store files in the file storage with their address in the " +
      "document.",
  },
  ANSWER_TOO_LARGE: {
    status: 413,
    message: "The answer would be larger than 16 MiB: ask for fewer rows or fields.",
    when: "The answer exceeds 16 MiB of JSON text, or consists of parts of documents that exceed " +
      "128 MiB.",
    remedy: "Lower `limit`, name only the needed `fields`, or populate less.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: "This Idempotency-Key was used for another request: use a new key for a new request.",
    when: "The key was sent before with another method, path or body.",
    remedy: "Use a new key for each new request. Repeat a request with exactly the same body.",
  },
  QUERY_TOO_SLOW: {
    status: 503,
    message: "The query takes too long: narrow it by a field that has an index.",
    when: "A list or a count did not finish within its time limit, or too many were queued; the " +
      "message names the fields of an index that would help.",
    remedy: "Add the index that the message names to the definition, or filter by an " +
      "indexed field. `total=none` avoids the count.",
  },
  TOO_MANY_IDEMPOTENCY_KEYS: {
    status: 429,
    message:
      `A project keeps up to ${KEPT_ANSWERS_MAX} answers for Idempotency-Key, each for a day: ` +
      "send this without the header, or later.",
    when: "The project stores the maximum number of answers for `Idempotency-Key`.",
    remedy:
      "Send the header only if a repetition would do harm, or write in bulk. Each answer is " +
      "deleted after a day.",
  },
  VIEW_NOT_FOUND: {
    status: 404,
    message: "The collection has no such view.",
    when: "The collection has no view of this name. Letter case counts.",
    remedy: "List the collection's views, and use a name of the list.",
  },
  VIEW_LIMIT_REACHED: {
    status: 409,
    message: `A collection has at most ${VIEWS_MAX} views: delete one first.`,
    when: `Another view is saved in a collection with ${VIEWS_MAX} views.`,
    remedy: "Delete views that are no longer used, or replace an existing one.",
  },
} as const;
