import { ACCOUNT_PROBLEMS } from "./problems/accounts.ts";
import { AI_PROBLEMS } from "./problems/ai.ts";
import { EVENT_PROBLEMS } from "./problems/events.ts";
import { FILE_PROBLEMS } from "./problems/files.ts";
import { MAIL_PROBLEMS } from "./problems/mail.ts";
import { USER_PROBLEMS } from "./problems/users.ts";
import { KEPT_ANSWERS_MAX, QUERY_LENGTH_MAX, QUERY_PARAMETERS_MAX } from "./limits.ts";

/**
 * The one catalogue of what a request can be refused for. `code` is stable, `status` is what HTTP
 * says, `when` is what the reference says, `message` is what the client reads unless the thrower
 * knows better (which parameter, which field, what to do).
 */

type ProblemEntry = { readonly status: number; readonly message: string; readonly when: string };

const table = {
  INVALID_PATH: {
    status: 400,
    message: "The path is malformed: use one slash between segments and no encoded slashes.",
    when: "The path has empty or dot segments, an encoded slash or a broken escape.",
  },
  INVALID_JSON: {
    status: 400,
    message: "The body is not valid JSON.",
    when: "The body is empty, is not UTF-8 or does not parse as JSON.",
  },
  INVALID_BODY: {
    status: 400,
    message: "The body does not have the shape this operation takes.",
    when: "The body is JSON, but not of the declared shape.",
  },
  INVALID_DOCUMENT: {
    status: 400,
    message: "The document does not fit its collection.",
    when: "A name, a value or a size in the document is not allowed, or a field does not fit.",
  },
  FIELD_READ_ONLY: {
    status: 400,
    message: "The field is set by the server: leave it out.",
    when: "A server-owned field was sent with another value than the stored one.",
  },
  INVALID_ID: {
    status: 400,
    message: "The id must be 24 hexadecimal digits.",
    when: "An id in the path is not 24 hexadecimal digits.",
  },
  INVALID_PROJECT_ID: {
    status: 400,
    message: "Invalid project ID",
    when: "The project id is not a valid ObjectId.",
  },
  INVALID_QUERY: {
    status: 400,
    message: "A query parameter is not valid.",
    when: "A query parameter is unknown, malformed or out of range; the message names it.",
  },
  QUERY_TOO_LONG: {
    status: 414,
    message: `The query is too long: send at most ${QUERY_LENGTH_MAX} characters and ` +
      `${QUERY_PARAMETERS_MAX} parameters.`,
    when: `The query has more than ${QUERY_LENGTH_MAX} characters as it is sent, or more than ` +
      `${QUERY_PARAMETERS_MAX} parameters.`,
  },
  UNKNOWN_OPERATOR: {
    status: 400,
    message:
      "The operator is unknown: use _gt, _gte, _lt, _lte, _ne, _in, _nin, _exists, _regex, " +
      "_contains or _startswith.",
    when: "A declared field is followed by a suffix that is no operator.",
  },
  SEARCH_NOT_DECLARED: {
    status: 400,
    message: "The collection has no field to search: declare one with search: true.",
    when: "A list is searched whose collection declares no field with `search`.",
  },
  INVALID_CURSOR: {
    status: 400,
    message:
      "The cursor does not belong to this query: start again without it, and keep filter and sort while paging.",
    when:
      "The cursor was altered, or belongs to another project, collection, filter, sort or caller; or " +
      "it names a document by a long text that has changed since, which others begin with too.",
  },
  INVALID_IDEMPOTENCY_KEY: {
    status: 400,
    message: "Idempotency-Key must be 1 to 128 printable ASCII characters.",
    when: "The Idempotency-Key header is empty, too long or not printable ASCII.",
  },
  INVALID_DEFINITION: {
    status: 400,
    message: "The collection definition is not valid.",
    when: "A member of a collection definition is missing, unknown or contradicts another.",
  },
  INVALID_INPUT: {
    status: 400,
    message: "An option is missing or not valid.",
    when: "A command's option, or a member of a body, cannot be used; the message says why.",
  },
  PROJECT_NAME_MISMATCH: {
    status: 400,
    message: "This is not the project's name: send it as it is to delete the project.",
    when: "The name that deleting asks for is not the project's own.",
  },
  INVALID_RETURN_TO: {
    status: 400,
    message: "The return_to must be a path on the project's site: one slash, then what follows it.",
    when:
      "The return_to does not begin with one slash, leads to another origin once it is decoded and " +
      "normalised, or is too long.",
  },
  INVALID_STATE: {
    status: 400,
    message: "This sign-in is not known in this browser, or is over: start again.",
    when: "The state is missing, unknown, expired or used, or belongs to another provider or " +
      "another browser.",
  },
  EXCHANGE_FIELDS_MISSING: {
    status: 400,
    message: "rtCode and token are required",
    when: "The body has no rtCode or no token, or one of them is no text.",
  },
  EXCHANGE_CODE_INVALID: {
    status: 400,
    message: "Invalid or expired refresh token exchange code",
    when: "The code is unknown, used or expired, does not go with the token, or its session ended.",
  },
  API_KEY_INVALID: {
    status: 401,
    message: "Missing or invalid API key: send a current key of the project as x-api-key.",
    when: "The API key is missing, malformed, unknown or rotated.",
  },
  ACCESS_TOKEN_REQUIRED: {
    status: 401,
    message: "This needs a signed-in user: send Authorization: Bearer <accessToken>.",
    when: "A bearer token is missing where the user must be known.",
  },
  ACCESS_TOKEN_INVALID: {
    status: 401,
    message: "The access token is not valid: renew it, or sign in again.",
    when: "The bearer token is malformed, forged, expired, revoked or of another project.",
  },
  REFRESH_TOKEN_INVALID: {
    status: 401,
    message: "The refresh token is not valid: sign in again.",
    when: "The refresh token is missing, malformed, unknown, used, expired or revoked.",
  },
  USERS_RESERVED: {
    status: 403,
    message: "The collection users is reserved: use /api/userAuth/* to manage users.",
    when: "The path begins with /api/data/users, in any case or encoding.",
  },
  RLS_REQUIRED: {
    status: 403,
    message:
      "A publishable key cannot write to a collection without row-level security: enable it, or use a secret key on a server.",
    when: "A publishable key attempts a write on a collection without row-level security.",
  },
  OWNER_MISMATCH: {
    status: 403,
    message: "The document belongs to somebody else.",
    when: "The caller may see the document but does not own it, or named another owner.",
  },
  OWNER_IMMUTABLE: {
    status: 403,
    message: "The owner of a document cannot be changed.",
    when: "A signed-in user attempts to give a document to somebody else.",
  },
  SECRET_KEY_REQUIRED: {
    status: 403,
    message: "This needs the project's secret key, on a server.",
    when: "A publishable key was used where only a secret key may act.",
  },
  PUBLISHABLE_KEY_REQUIRED: {
    status: 403,
    message: "This is for a signed-in user: send the publishable key and the user's access token.",
    when: "A secret key was used where only a signed-in user may act.",
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    message: "This origin is not among the project's allowed origins.",
    when: "The project lists allowed origins and the request comes from another one.",
  },
  CROSS_SITE_REQUEST: {
    status: 403,
    message: "This request comes from another site: use the dashboard's own pages.",
    when: "A page of another site made the browser send it.",
  },
  ROLE_REQUIRED: {
    status: 403,
    message: "Your role in this project does not allow this.",
    when: "The account is a member of the project, but of a lower role.",
  },
  PLAN_LIMIT_REACHED: {
    status: 403,
    message: "The plan does not allow any more of these.",
    when: "A limit of the plan is met; the message names both.",
  },
  DOCUMENT_QUOTA_EXCEEDED: {
    status: 403,
    message: "The project's documents take all that its plan allows: delete some for good, or " +
      "use a larger plan.",
    when: "The write would make the project's documents larger than its plan allows; the message " +
      "names both.",
  },
  COLLECTION_NOT_FOUND: {
    status: 404,
    message: "There is no such collection in this project.",
    when: "The collection does not exist in the key's project.",
  },
  DOCUMENT_NOT_FOUND: {
    status: 404,
    message: "There is no such document, or you may not see it.",
    when: "The document does not exist, is in the trash, or is hidden from the caller.",
  },
  PROJECT_NOT_FOUND: {
    status: 404,
    message: "Project not found or access denied",
    when: "The project does not exist, or the caller has no part in it.",
  },
  MEMBER_NOT_FOUND: {
    status: 404,
    message: "This account is no member of the project.",
    when: "The account does not exist, or is no member of the project.",
  },
  INVITATION_NOT_FOUND: {
    status: 404,
    message: "This invitation is not valid: it was used or withdrawn, it has expired, or it is " +
      "for somebody else. Ask for a new one.",
    when: "The invitation is unknown, accepted, declined, withdrawn or older than 7 days, its " +
      "inviter may invite no more, its project is gone, or it is for another account.",
  },
  USER_NOT_FOUND: {
    status: 404,
    message: "There is no such user in this project.",
    when: "The user does not exist in the project.",
  },
  PROVIDER_UNKNOWN: {
    status: 404,
    message: "There is no such sign-in provider.",
    when: "The path names a provider that Corbel does not know.",
  },
  SESSION_NOT_FOUND: {
    status: 404,
    message: "There is no such session.",
    when: "The session does not exist, has ended, or is somebody else's.",
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    message: "There is nothing at this address: /docs lists every operation.",
    when: "No operation has this path.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: "This address does not take that method.",
    when: "The path exists, but not with this method.",
  },
  REQUEST_TIMEOUT: {
    status: 408,
    message: "The request body did not arrive in time.",
    when: "The body was not complete within the time limit.",
  },
  DUPLICATE_VALUE: {
    status: 409,
    message: "Another document already has this value in a unique field.",
    when: "A unique field would hold the same value twice.",
  },
  COLLECTION_EXISTS: {
    status: 409,
    message: "A collection of this name exists already; names that differ only in case are one.",
    when: "A collection is created under a name that is taken.",
  },
  COLLECTION_IN_USE: {
    status: 409,
    message: "Other collections refer to this one: change them first.",
    when: "A collection is deleted while a Ref of another one names it; the message says which.",
  },
  DEFINITION_CONFLICT: {
    status: 409,
    message: "Stored documents do not fit the new definition.",
    when: "A changed type, unique or required does not hold for documents already stored.",
  },
  EMAIL_TAKEN: {
    status: 409,
    message: "A user with this e-mail exists already in the project.",
    when: "A user is created with an e-mail that is taken.",
  },
  MEMBER_EXISTS: {
    status: 409,
    message: "This account is a member of the project already.",
    when: "A member is invited, or accepts an invitation to their own project.",
  },
  INVITATION_LIMIT_REACHED: {
    status: 409,
    message: "The project has as many open invitations as it may: withdraw one first.",
    when: "A project with 50 open invitations makes another one.",
  },
  OWNER_STAYS: {
    status: 409,
    message: "The owner stays: another member must accept the project first.",
    when: "The owner's role is changed, or the owner is removed or leaves.",
  },
  PRECONDITION_FAILED: {
    status: 412,
    message: "The document has changed since you read it: read it again and repeat the change.",
    when: "If-Match does not name the document's present state.",
  },
  BODY_TOO_LARGE: {
    status: 413,
    message: "The body is larger than this operation takes.",
    when: "The body exceeds the limit of the operation.",
  },
  DOCUMENT_TOO_LARGE: {
    status: 413,
    message: "The document is larger than 1 MiB.",
    when: "The document, or what it would become, exceeds 1 MiB of JSON text, or 20,000 members.",
  },
  ANSWER_TOO_LARGE: {
    status: 413,
    message: "The answer would be larger than 16 MiB: ask for fewer rows or fields.",
    when: "What was asked for exceeds 16 MiB of JSON text; or it shows parts of documents, and " +
      "these exceed 128 MiB.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: "Send the body as application/json in UTF-8.",
    when: "The Content-Type is not application/json.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: "This Idempotency-Key was used for another request: use a new key for a new request.",
    when: "The key came with another method, path or body before.",
  },
  PROVIDER_NOT_CONFIGURED: {
    status: 422,
    message: "This provider is not enabled for the project, or its client id or secret is missing.",
    when: "The project has not set up the provider, or has switched it off.",
  },
  PROVIDER_INCOMPLETE: {
    status: 422,
    message: "To be enabled the provider needs a client id and a client secret.",
    when: "A provider is enabled without a client id or a client secret; the message names which.",
  },
  SITE_URL_MISSING: {
    status: 422,
    message: "The project has no Site URL: set it in the project's settings.",
    when: "There is no front end to send the signed-in user back to.",
  },
  RATE_LIMITED: {
    status: 429,
    message: "Too many requests: wait as long as Retry-After says.",
    when: "The key and address, or the account, made more requests than allowed; the message " +
      "says which where it is not the key's in a minute.",
  },
  INTERNAL: {
    status: 500,
    message: "Something went wrong on our side.",
    when: "An unexpected failure; the log has the details under the request id.",
  },
  STORE_UNAVAILABLE: {
    status: 503,
    message: "The service cannot store or read at the moment: try again.",
    when: "The database cannot be reached, is full, read-only or busy for too long.",
  },
  QUERY_TOO_SLOW: {
    status: 503,
    message: "The query takes too long: narrow it by a field that has an index.",
    when: "A list or a count did not finish within its time limit, or too many were waiting; the " +
      "message names the fields of the index that would help.",
  },
  NOT_READY: {
    status: 503,
    message: "The service is not ready.",
    when: "Something the service depends on is down; the message names it.",
  },
  TOO_MANY_IDEMPOTENCY_KEYS: {
    status: 429,
    message:
      `A project keeps up to ${KEPT_ANSWERS_MAX} answers for Idempotency-Key, each for a day: ` +
      "send this without the header, or later.",
    when: "The project keeps as many answers for `Idempotency-Key` as it may.",
  },
  SERVER_BUSY: {
    status: 503,
    message: "The server has too much to do at once: try again soon.",
    when: "More is under way at once than the server, or one caller's share of it, has room for.",
  },
  STOPPING: {
    status: 503,
    message: "The server is stopping: try again.",
    when: "The request came while the server was finishing those before it.",
  },
  HANDLER_TIMEOUT: {
    status: 503,
    message: "The request took too long and was given up: try again.",
    when: "The operation did not finish within the time limit.",
  },
  ...ACCOUNT_PROBLEMS,
  ...USER_PROBLEMS,
  ...EVENT_PROBLEMS,
  ...FILE_PROBLEMS,
  ...AI_PROBLEMS,
  ...MAIL_PROBLEMS,
} as const satisfies Record<string, ProblemEntry>;

export type ProblemCode = keyof typeof table;

for (const entry of Object.values(table)) Object.freeze(entry);

export const PROBLEMS: Readonly<Record<ProblemCode, ProblemEntry>> = Object.freeze(table);

export interface ProblemOptions {
  /** Replaces the catalogue's message; must not carry secrets or internals. */
  message?: string;
  /** What led here; logged, never sent. */
  cause?: unknown;
  /** Seconds for the `Retry-After` header. */
  retryAfter?: number;
  /** Methods for the `Allow` header. */
  allow?: readonly string[];
  /** Length of the file, for the `Content-Range` header. */
  fileBytes?: number;
  /** What the message tells, field by field, for a form that shows it there. */
  faults?: readonly FieldFault[];
  /** Of a batch: the index of the operation that was refused. */
  operation?: number;
}

/** What is wrong with one field. */
export interface FieldFault {
  /** Dotted; empty for the whole. */
  readonly path: string;
  /** Reads on from the field's name: "must be a Number". */
  readonly message: string;
}

/** A refusal on its way to the renderer. Verbs throw it; nothing else reaches a client. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly status: number;
  readonly retryAfter: number | undefined;
  readonly allow: readonly string[] | undefined;
  readonly fileBytes: number | undefined;
  readonly faults: readonly FieldFault[];
  readonly operation: number | undefined;

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    super(
      options.message ?? PROBLEMS[code].message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.status = PROBLEMS[code].status;
    this.retryAfter = options.retryAfter;
    this.allow = options.allow;
    this.fileBytes = options.fileBytes;
    this.faults = options.faults ?? [];
    this.operation = options.operation;
  }

  /** The same, as the refusal of one operation of a batch. */
  inOperation(operation: number): Problem {
    const { message, cause, retryAfter, faults } = this;
    return new Problem(this.code, {
      message,
      cause,
      faults,
      operation,
      ...(retryAfter !== undefined && { retryAfter }),
    });
  }
}
