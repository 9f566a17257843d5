import { ACCOUNT_PROBLEMS } from "./problems/accounts.ts";
import { AI_PROBLEMS } from "./problems/ai.ts";
import { DOCUMENT_PROBLEMS } from "./problems/documents.ts";
import { EVENT_PROBLEMS } from "./problems/events.ts";
import { FILE_PROBLEMS } from "./problems/files.ts";
import { MAIL_PROBLEMS } from "./problems/mail.ts";
import { PROJECT_PROBLEMS } from "./problems/projects.ts";
import { SIGN_IN_PROBLEMS } from "./problems/sign_in.ts";
import { USER_PROBLEMS } from "./problems/users.ts";
import { QUERY_LENGTH_MAX, QUERY_PARAMETERS_MAX } from "./limits.ts";

/**
 * The one catalogue of what a request can be refused for. `code` is stable, `status` is what HTTP
 * says, `message` is what the client reads unless the thrower knows better (which parameter, which
 * field, what to do). `when` and `remedy` are the cause and what to do about it, as the reference and
 * docs/errors.md tell them.
 */

type ProblemEntry = {
  readonly status: number;
  readonly message: string;
  readonly when: string;
  readonly remedy: string;
};

const table = {
  INVALID_PATH: {
    status: 400,
    message: "The path is malformed: use one slash between segments and no encoded slashes.",
    when: "The path has empty or dot segments, an encoded slash or a broken escape.",
    remedy: "Build the address from whole segments, and encode each with " +
      "`encodeURIComponent`. An id or a name that is empty leaves two slashes side by " +
      "side.",
  },
  INVALID_JSON: {
    status: 400,
    message: "The body is not valid JSON.",
    when: "The body is empty, is not UTF-8 or does not parse as JSON, or it has an integer that " +
      "a double cannot hold.",
    remedy:
      "Send what `JSON.stringify` makes, in UTF-8. Log the body before it is sent: often it " +
      "is empty or was encoded twice. Send an integer beyond 2^53, such as an id, as a String.",
  },
  INVALID_BODY: {
    status: 400,
    message: "The body does not have the shape this operation takes.",
    when: "The body is JSON, but not of the declared shape.",
    remedy: "Compare the body with the operation's example. The message names the first " +
      "member that does not fit, and `faults` the others.",
  },
  INVALID_ID: {
    status: 400,
    message: "The id must be 24 hexadecimal digits.",
    when: "An id in the path is not 24 hexadecimal digits.",
    remedy: "Use the `_id` that an answer gave. A variable that is not set yet, often " +
      "`undefined`, is the usual reason.",
  },
  INVALID_QUERY: {
    status: 400,
    message: "A query parameter is not valid.",
    when: "A query parameter is unknown, malformed or out of range; the message names it.",
    remedy: "Correct the parameter that the message names. The operation's list of " +
      "parameters has their forms and bounds.",
  },
  QUERY_TOO_LONG: {
    status: 414,
    message: `The query is too long: send at most ${QUERY_LENGTH_MAX} characters and ` +
      `${QUERY_PARAMETERS_MAX} parameters.`,
    when: `The query has more than ${QUERY_LENGTH_MAX} characters as it is sent, or more than ` +
      `${QUERY_PARAMETERS_MAX} parameters.`,
    remedy: "Ask for less at once: split a long `_in` list over several requests, or name " +
      "fewer fields.",
  },
  INVALID_INPUT: {
    status: 400,
    message: "An option is missing or not valid.",
    when: "A command's option, or a member of a body, cannot be used; the message says why.",
    remedy: "Correct the option or member that the message names, and try again: nothing " +
      "was changed.",
  },
  API_KEY_INVALID: {
    status: 401,
    message: "Missing or invalid API key: send a current key of the project as x-api-key.",
    when:
      "The API key is missing, malformed, unknown or rotated, or stands in `Authorization`; the " +
      "message says which. Nothing is told of other projects.",
    remedy: "Copy a current key from the project's page in the dashboard and send it as " +
      "the header `x-api-key`. After a rotation, replace the old key wherever it is " +
      "configured.",
  },
  SECRET_KEY_REQUIRED: {
    status: 403,
    message: "This needs the project's secret key, on a server.",
    when: "A publishable key was used where only a secret key may act.",
    remedy: "Call this from your server with the secret key (`sk_live_…`). Never put that " +
      "key into a page or an app.",
  },
  PUBLISHABLE_KEY_REQUIRED: {
    status: 403,
    message: "This is for a signed-in user: send the publishable key and the user's access token.",
    when: "A secret key was used where only a signed-in user may act.",
    remedy: "Send the publishable key (`pk_live_…`) and the user's access token. For " +
      "other users' data there are operations that take the secret key.",
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    message: "This origin is not among the project's allowed origins.",
    when: "The project lists allowed origins and the request comes from another one.",
    remedy: "Add the page's origin, scheme and port included, to the project's allowed " +
      "origins, or empty that list to allow all.",
  },
  CROSS_SITE_REQUEST: {
    status: 403,
    message: "This request comes from another site: use the dashboard's own pages.",
    when: "A page of another site made the browser send it.",
    remedy: "Send the request from the dashboard's own pages, under the address that " +
      "`PUBLIC_URL` names, or from a program that is no browser.",
  },
  HOST_NOT_ALLOWED: {
    status: 403,
    message: "This development server answers at localhost only: set PUBLIC_URL to reach it " +
      "under another name.",
    when: "A request to `deno task dev` named a host that is neither this machine nor " +
      "`PUBLIC_URL`'s. Such a name may be another site's, made to lead here.",
    remedy: "Open the server at `http://localhost:8000`, or set `PUBLIC_URL` to the address " +
      "under which you reach it.",
  },
  USER_NOT_FOUND: {
    status: 404,
    message: "There is no such user in this project.",
    when: "The user does not exist in the project.",
    remedy: "Check the user's id, and that the key belongs to the project that the user " +
      "signed up in.",
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    message: "There is nothing at this address: /docs lists every operation.",
    when: "No operation has this path.",
    remedy: "Compare the path with the reference: spelling, case, the leading `/api`, and " +
      "no slash at the end.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: "This address does not take that method.",
    when: "The path exists, but not with this method.",
    remedy: "Use one of the methods in the `Allow` header.",
  },
  REQUEST_TIMEOUT: {
    status: 408,
    message: "The request body did not arrive in time.",
    when: "The body was not complete within the time limit.",
    remedy: "Send it again, over a better connection or in smaller parts. Uploads that " +
      "resume go on where they broke off.",
  },
  EMAIL_TAKEN: {
    status: 409,
    message: "A user with this e-mail exists already in the project.",
    when: "A user is created with an e-mail that is taken.",
    remedy: "Sign in with this e-mail, or reset its password. An administrator finds the " +
      "user in the list of users.",
  },
  BODY_TOO_LARGE: {
    status: 413,
    message: "The body is larger than this operation takes.",
    when: "The body exceeds the limit of the operation.",
    remedy: "Send less at once: fewer documents, or files through an upload instead of " +
      "inside a document.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: "Send the body as application/json in UTF-8.",
    when: "The Content-Type is not application/json.",
    remedy: "Set the header `Content-Type: application/json`. Many clients do so only " +
      "when they are told that the body is JSON.",
  },
  RATE_LIMITED: {
    status: 429,
    message: "Too many requests: wait as long as Retry-After says.",
    when: "The key and address, or the account, made more requests than allowed; the message " +
      "says which where it is not the key's in a minute.",
    remedy: "Wait as many seconds as `Retry-After` says, then go on slower. Ask for many " +
      "documents by one list, and write them in bulk.",
  },
  INTERNAL: {
    status: 500,
    message: "Something went wrong on our side.",
    when: "An unexpected failure; the log has the details under the request id.",
    remedy: "Try again once. If it stays, tell whoever runs the server the `x-request-id` " +
      "of the answer: the log has the reason under it.",
  },
  STORE_UNAVAILABLE: {
    status: 503,
    message: "The service cannot store or read at the moment: try again.",
    when: "The database cannot be reached, is full, read-only or busy for too long.",
    remedy: "Repeat it after `Retry-After`, with an `Idempotency-Key` where it creates " +
      "something. Who runs the server finds the reason in the log.",
  },
  NOT_READY: {
    status: 503,
    message: "The service is not ready.",
    when: "Something the service depends on is down; the message names it.",
    remedy: "Wait until it answers 200. If it stays, look into the log for why the " +
      "database or the file storage cannot be used.",
  },
  SERVER_BUSY: {
    status: 503,
    message: "The server has too much to do at once: try again soon.",
    when: "More is under way at once than the server, or one caller's share of it, has room for.",
    remedy: "Wait as many seconds as `Retry-After` says, and send fewer requests side by " +
      "side.",
  },
  STOPPING: {
    status: 503,
    message: "The server is stopping: try again.",
    when: "The request came while the server was finishing those before it.",
    remedy: "Repeat it after `Retry-After`: nothing was done. Another process, or the " +
      "same one after its restart, answers.",
  },
  HANDLER_TIMEOUT: {
    status: 503,
    message: "The request took too long and was given up: try again.",
    when: "The operation did not finish within the time limit.",
    remedy: "Repeat it after `Retry-After`, with less work in one request. A write may " +
      "have been done: read first, or use an `Idempotency-Key`.",
  },
  ...DOCUMENT_PROBLEMS,
  ...PROJECT_PROBLEMS,
  ...SIGN_IN_PROBLEMS,
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
