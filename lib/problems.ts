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

type ProblemEntry = {
  readonly status: number;
  /** The default message, which code that throws the problem may replace by a more exact one. */
  readonly message: string;
  /** The cause, for the reference and docs/errors.md. */
  readonly when: string;
  /** The solution, for the reference and docs/errors.md. */
  readonly remedy: string;
};

const table = {
  INVALID_PATH: {
    status: 400,
    message: "The path is malformed: use one slash between segments and no encoded slashes.",
    when: "The path has empty or dot segments, an encoded slash or a broken escape.",
    remedy: "Encode each segment of the path with `encodeURIComponent`. An empty id or name " +
      "results in two adjacent slashes.",
  },
  INVALID_JSON: {
    status: 400,
    message: "The body is not valid JSON.",
    when: "The body is empty, is not UTF-8 or does not parse as JSON, or it has an integer that " +
      "a double cannot hold.",
    remedy:
      "Send the output of `JSON.stringify` in UTF-8. Log the body before you send it: it is " +
      "often empty or encoded twice. Send integers beyond 2^53, such as ids, as Strings.",
  },
  INVALID_BODY: {
    status: 400,
    message: "The body does not have the shape that this operation expects.",
    when: "The body is JSON but does not have the declared shape.",
    remedy: "Compare the body with the operation's example. The message names the first " +
      "invalid member, and `faults` lists the others.",
  },
  INVALID_ID: {
    status: 400,
    message: "The id must be 24 hexadecimal digits.",
    when: "An id in the path is not 24 hexadecimal digits.",
    remedy: "Use the `_id` of an answer. The usual cause is a variable that is not set, so that " +
      "the path contains `undefined`.",
  },
  INVALID_QUERY: {
    status: 400,
    message: "A query parameter is not valid.",
    when: "A query parameter is unknown, malformed or out of range; the message names it.",
    remedy: "Correct the parameter that the message names. The reference describes the " +
      "parameters of each operation.",
  },
  QUERY_TOO_LONG: {
    status: 414,
    message: `The query is too long: send at most ${QUERY_LENGTH_MAX} characters and ` +
      `${QUERY_PARAMETERS_MAX} parameters.`,
    when: `The encoded query has more than ${QUERY_LENGTH_MAX} characters or more than ` +
      `${QUERY_PARAMETERS_MAX} parameters.`,
    remedy: "Split a long `_in` list into several requests, or name fewer fields.",
  },
  INVALID_INPUT: {
    status: 400,
    message: "An option is missing or not valid.",
    when:
      "An option of a command or a member of a body is not valid; the message gives the reason.",
    remedy: "Correct the option or member that the message names, and try again. Nothing was " +
      "changed.",
  },
  API_KEY_INVALID: {
    status: 401,
    message: "Missing or invalid API key: send a current key of the project as x-api-key.",
    when: "The API key is missing, malformed, unknown, rotated or sent in `Authorization`; the " +
      "message says which, without revealing other projects.",
    remedy: "Copy a current key from the project's page in the dashboard and send it as " +
      "the header `x-api-key`. After a rotation, replace the old key wherever it is " +
      "configured.",
  },
  SECRET_KEY_REQUIRED: {
    status: 403,
    message: "This operation needs the project's secret key, on a server.",
    when: "A publishable key was used for an operation that requires the secret key.",
    remedy: "Call the operation from your server with the secret key (`sk_live_…`). Never put " +
      "that key into a page or an app.",
  },
  PUBLISHABLE_KEY_REQUIRED: {
    status: 403,
    message: "This operation is for signed-in users: send the publishable key and the user's " +
      "access token.",
    when: "A secret key was used for an operation of signed-in users.",
    remedy: "Send the publishable key (`pk_live_…`) and the user's access token. To manage " +
      "users, use the operations for the secret key.",
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    message: "This origin is not among the project's allowed origins.",
    when: "The project lists allowed origins and the request comes from another one.",
    remedy: "Add the page's origin, including scheme and port, to the project's allowed " +
      "origins, or clear the list to allow all origins.",
  },
  CROSS_SITE_REQUEST: {
    status: 403,
    message: "This request comes from another site: use the dashboard's own pages.",
    when: "A page of another site made the browser send the request.",
    remedy: "Send the request from the dashboard's own pages at the address of `PUBLIC_URL`, or " +
      "from a program that is not a browser.",
  },
  HOST_NOT_ALLOWED: {
    status: 403,
    message: "This development server answers at localhost only: set PUBLIC_URL to use another " +
      "name.",
    when: "A request to `deno task dev` used a host name other than localhost and that of " +
      "`PUBLIC_URL`. Another site may have pointed its own name to this machine.",
    remedy: "Open the server at `http://localhost:8000`, or set `PUBLIC_URL` to the address " +
      "that you use.",
  },
  USER_NOT_FOUND: {
    status: 404,
    message: "There is no such user in this project.",
    when: "The user does not exist in the project.",
    remedy: "Check the user's id, and that the key belongs to the user's project.",
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    message: "There is nothing at this address: /docs lists every operation.",
    when: "No operation has this path.",
    remedy: "Compare the path with the reference: check the spelling, the letter case and the " +
      "leading `/api`, and remove a final slash.",
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
    remedy: "Send the request again, over a better connection or in smaller parts. Resumable " +
      "uploads continue where they broke off.",
  },
  EMAIL_TAKEN: {
    status: 409,
    message: "A user with this e-mail exists already in the project.",
    when: "A user is created with an e-mail that another user has.",
    remedy: "Sign in with this e-mail, or reset its password. Members of the project can find " +
      "the user in the list of users.",
  },
  BODY_TOO_LARGE: {
    status: 413,
    message: "The body is larger than this operation allows.",
    when: "The body exceeds the limit of the operation.",
    remedy: "Send fewer documents per request, and upload files instead of sending them inside " +
      "documents.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: "Send the body as application/json in UTF-8.",
    when: "The Content-Type is not application/json.",
    remedy:
      "Set the header `Content-Type: application/json`. Many HTTP clients do so only if the " +
      "body is marked as JSON.",
  },
  RATE_LIMITED: {
    status: 429,
    message: "Too many requests: wait as long as Retry-After says.",
    when: "The key and address, or the account, made more requests than allowed. The message " +
      "names the limit, unless it is the key's limit per minute.",
    remedy: "Wait as many seconds as `Retry-After` says, then send requests more slowly. Read " +
      "many documents with one list, and write them in bulk.",
  },
  INTERNAL: {
    status: 500,
    message: "Something went wrong on our side.",
    when: "An unexpected failure; the log has the details under the request id.",
    remedy:
      "Try again once. If the failure persists, give the `x-request-id` of the answer to the " +
      "server's operator, who finds the cause in the log.",
  },
  STORE_UNAVAILABLE: {
    status: 503,
    message: "The service cannot store or read at the moment: try again.",
    when: "The database cannot be reached, is full, read-only or busy for too long.",
    remedy: "Repeat the request after `Retry-After`, with an `Idempotency-Key` if it creates " +
      "something. The server's operator finds the cause in the log.",
  },
  NOT_READY: {
    status: 503,
    message: "The service is not ready.",
    when: "Something the service depends on is down; the message names it.",
    remedy: "Wait until the operation answers 200. If the failure persists, look in the log for " +
      "errors of the database or the file storage.",
  },
  SERVER_BUSY: {
    status: 503,
    message: "The server is busy: try again soon.",
    when: "More requests are in progress than the server allows in total or for one caller.",
    remedy: "Wait as many seconds as `Retry-After` says, and send fewer concurrent requests.",
  },
  STOPPING: {
    status: 503,
    message: "The server is stopping: try again.",
    when: "The request arrived while the server was stopping.",
    remedy:
      "Repeat the request after `Retry-After`. Nothing was done. Another process answers, or " +
      "the server after its restart.",
  },
  HANDLER_TIMEOUT: {
    status: 503,
    message: "The request took too long: try again.",
    when: "The operation did not finish within the time limit.",
    remedy: "Repeat the request after `Retry-After`, with less work. A write may have been done: " +
      "read first, or use an `Idempotency-Key`.",
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
  /** Replaces the default message. Must not contain secrets or internals. */
  message?: string;
  /** The error that led to the problem, which is logged but never sent. */
  cause?: unknown;
  /** Seconds for the `Retry-After` header. */
  retryAfter?: number;
  /** Methods for the `Allow` header. */
  allow?: readonly string[];
  /** Length of the file, for the `Content-Range` header. */
  fileBytes?: number;
  /** The faults of single fields, which forms show next to their inputs. */
  faults?: readonly FieldFault[];
  /** Index of the refused operation in a batch. */
  operation?: number;
}

export interface FieldFault {
  /** Dotted path of the field; empty for the entire document. */
  readonly path: string;
  /** Text that continues a sentence after the field's name, such as "must be a Number". */
  readonly message: string;
}

/** A refused request. Verbs throw it, and clients receive only errors of this class. */
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

  /** Returns a copy with the index of the refused operation in a batch. */
  withOperationIndex(operation: number): Problem {
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
