import { KEPT_ANSWERS_MAX, VIEWS_MAX } from "../limits.ts";

/** What documents, collections and lists refuse for; part of the one catalogue. */
export const DOCUMENT_PROBLEMS = {
  INVALID_DOCUMENT: {
    status: 400,
    message: "The document does not fit its collection.",
    when: "A name, a value or a size in the document is not allowed, or a field does not fit.",
    remedy: "Change the fields that `faults` names, or the collection's definition. A " +
      "collection that is not `strict` takes undeclared fields.",
  },
  FIELD_READ_ONLY: {
    status: 400,
    message: "The field is set by the server: leave it out.",
    when: "A server-owned field was sent with another value than the stored one.",
    remedy: "Leave out `_id`, `createdAt`, `updatedAt`, `isDeleted` and `deletedAt` when " +
      "you create a document. To send one back, keep its `_id` as it was read.",
  },
  UNKNOWN_OPERATOR: {
    status: 400,
    message:
      "The operator is unknown: use _gt, _gte, _lt, _lte, _ne, _in, _nin, _exists, _regex, " +
      "_contains or _startswith.",
    when: "A declared field is followed by a suffix that is no operator.",
    remedy: "Use one of the operators that the message lists. A field whose own name ends " +
      "like this is asked for in `where`.",
  },
  SEARCH_NOT_DECLARED: {
    status: 400,
    message: "The collection has no field to search: declare one with search: true.",
    when: "A list is searched whose collection declares no field with `search`.",
    remedy: "Set `search: true` on a String or an Array of String in the collection's " +
      "definition, or filter with `_contains`.",
  },
  INVALID_CURSOR: {
    status: 400,
    message:
      "The cursor does not belong to this query: start again without it, and keep filter and sort while paging.",
    when:
      "The cursor was altered, or belongs to another project, collection, filter, sort or caller; or " +
      "it names a document by a long text that has changed since, which others begin with too.",
    remedy: "Begin again without the cursor. Keep filter, sort and caller the same from " +
      "page to page, and pass cursors on as they are.",
  },
  INVALID_IDEMPOTENCY_KEY: {
    status: 400,
    message: "Idempotency-Key must be 1 to 128 printable ASCII characters.",
    when: "The Idempotency-Key header is empty, too long or not printable ASCII.",
    remedy: "Send a fresh UUID for each new request, and the same one again only to " +
      "repeat that request.",
  },
  INVALID_DEFINITION: {
    status: 400,
    message: "The collection definition is not valid.",
    when: "A member of a collection definition is missing, unknown or contradicts another.",
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
    when: "A publishable key attempts a write on a collection without row-level security.",
    remedy: "Enable row-level security in the collection's definition, or write from your " +
      "server with the secret key.",
  },
  OWNER_MISMATCH: {
    status: 403,
    message: "The document belongs to somebody else.",
    when: "The caller may see the document but does not own it, or named another owner.",
    remedy: "Write documents of the signed-in user only, and leave the owner's field out: " +
      "it is filled in. To write for others, use the secret key on a server.",
  },
  OWNER_IMMUTABLE: {
    status: 403,
    message: "The owner of a document cannot be changed.",
    when: "A signed-in user attempts to give a document to somebody else.",
    remedy: "Leave the owner's field out of the change. Only the secret key may give a " +
      "document to somebody else.",
  },
  DOCUMENT_QUOTA_EXCEEDED: {
    status: 403,
    message: "The project's documents take all that its plan allows: delete some for good, or " +
      "use a larger plan.",
    when: "The write would make the project's documents, and its users, mails and messages to " +
      "webhooks, larger than its plan allows; the message names both.",
    remedy: "Delete documents for good, those in the trash too, or change to a larger " +
      "plan.",
  },
  COLLECTION_NOT_FOUND: {
    status: 404,
    message: "There is no such collection in this project.",
    when: "The collection does not exist in the key's project.",
    remedy: "Check the name, its case included, and that the key belongs to the project " +
      "that has the collection. Otherwise create it in the dashboard.",
  },
  DOCUMENT_NOT_FOUND: {
    status: 404,
    message: "There is no such document, or you may not see it.",
    when: "The document does not exist, is in the trash, or is hidden from the caller.",
    remedy: "Check the id and the collection. Where rows are private, send the access " +
      "token of their owner; recover the document if it is in the trash.",
  },
  DUPLICATE_VALUE: {
    status: 409,
    message: "Another document already has this value in a unique field.",
    when: "A unique field would hold the same value twice.",
    remedy: "Choose another value for the field that the message names, or change the " +
      "document that has it.",
  },
  COLLECTION_EXISTS: {
    status: 409,
    message: "A collection of this name exists already; names that differ only in case are one.",
    when: "A collection is created under a name that is taken.",
    remedy: "Choose another name, or change the collection that exists.",
  },
  COLLECTION_IN_USE: {
    status: 409,
    message: "Other collections refer to this one: change them first.",
    when: "A collection is deleted while a Ref of another one names it; the message says which.",
    remedy: "Remove or change the Ref fields that the message names, then delete the " +
      "collection.",
  },
  DEFINITION_CONFLICT: {
    status: 409,
    message: "Stored documents do not fit the new definition.",
    when: "A changed type, unique or required does not hold for documents already stored.",
    remedy: "Change the documents that the message names, or keep the field as it was.",
  },
  PRECONDITION_FAILED: {
    status: 412,
    message: "The document has changed since you read it: read it again and repeat the change.",
    when: "If-Match does not name the document's present state.",
    remedy: "Read the document again, apply the change to what it is now, and send its " +
      "new `etag` as `If-Match`.",
  },
  DOCUMENT_TOO_LARGE: {
    status: 413,
    message: "The document is larger than 1 MiB: keep long contents in files, or in documents of " +
      "their own.",
    when: "The document, or what it would become, exceeds 1 MiB of JSON text, or 20,000 members.",
    remedy: "Split the document, and keep files in the file storage with their address in " +
      "the document.",
  },
  ANSWER_TOO_LARGE: {
    status: 413,
    message: "The answer would be larger than 16 MiB: ask for fewer rows or fields.",
    when: "What was asked for exceeds 16 MiB of JSON text; or it shows parts of documents, and " +
      "these exceed 128 MiB.",
    remedy: "Lower `limit`, name only the needed `fields`, or populate less.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: "This Idempotency-Key was used for another request: use a new key for a new request.",
    when: "The key came with another method, path or body before.",
    remedy: "Make a new key for each new request. Repeat a request with the very same " +
      "body.",
  },
  QUERY_TOO_SLOW: {
    status: 503,
    message: "The query takes too long: narrow it by a field that has an index.",
    when: "A list or a count did not finish within its time limit, or too many were waiting; the " +
      "message names the fields of the index that would help.",
    remedy: "Add the index that the message names to the definition, or filter by an " +
      "indexed field. `total=none` spares the count.",
  },
  TOO_MANY_IDEMPOTENCY_KEYS: {
    status: 429,
    message:
      `A project keeps up to ${KEPT_ANSWERS_MAX} answers for Idempotency-Key, each for a day: ` +
      "send this without the header, or later.",
    when: "The project keeps as many answers for `Idempotency-Key` as it may.",
    remedy: "Send the header only where a repetition would do harm, or write in bulk. " +
      "Each answer is forgotten after a day.",
  },
  VIEW_NOT_FOUND: {
    status: 404,
    message: "The collection has no such view.",
    when: "The collection has no view of this name. Letter case counts.",
    remedy: "List the collection's views, and use a name that stands there.",
  },
  VIEW_LIMIT_REACHED: {
    status: 409,
    message: `A collection has at most ${VIEWS_MAX} views: delete one first.`,
    when: `A collection with ${VIEWS_MAX} views gets another one.`,
    remedy: "Delete views that nobody uses any more, or save one in the place of another.",
  },
} as const;
