import { nextTurn } from "../next_turn.ts";
import { bytesOf, jsonText } from "../store/json_text.ts";
import { PATH_LENGTH_MAX } from "../limits.ts";
import { type FieldFault, Problem, type ProblemCode, PROBLEMS } from "../problems.ts";
import type { Json } from "../store/port.ts";
import { isResumablePath, isStoragePath } from "./path.ts";
import type { RequestState } from "./request.ts";
import { TUS_HEADERS, TUS_OPTIONS } from "./tus.ts";

/** An answer before it becomes a `Response`. */
export interface Reply {
  readonly status: number;
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
  /** JSON if left out. */
  readonly type?: string;
  /** Beside those that every answer carries, or in the place of `cache-control`; in lower case. */
  readonly headers?: readonly (readonly [string, string])[];
  /** Of a stream that goes on until somebody ends it: it is no work that is under way. */
  readonly isOpenEnded?: boolean;
}

/** For answers that hold a token, a key or a code. */
export const NO_STORE = ["cache-control", "no-store"] as const;

const JSON_TYPE = "application/json; charset=utf-8";
/** Of an answer that is as it should be to a request that is not. */
const WARNING_HEADER = "x-corbel-warning";
const EXPOSED = `etag,content-range,location,retry-after,x-request-id,${WARNING_HEADER},` +
  "upload-offset,upload-length,upload-expires,tus-resumable,tus-version," +
  "tus-extension,tus-checksum-algorithm," +
  "ratelimit-limit,ratelimit-remaining,ratelimit-reset";
const ALLOWED_HEADERS = "content-type,authorization,x-api-key,x-refresh-token," +
  "x-refresh-token-mode,upload-offset,upload-checksum,tus-resumable,if-match,if-none-match,cache-control,range,idempotency-key,user-agent";
const PREFLIGHT_SECONDS = "7200";
const RETRY_SECONDS = 1;

/** What of a query is no mistake, but hardly meant so. */
export interface QueryWarning {
  readonly parameter: string;
  readonly message: string;
}

/** The envelope of success. `data` is JSON text. */
export function envelope(
  data: string,
  message: string,
  warnings: readonly QueryWarning[] = [],
): string {
  const warned = warnings.length === 0 ? "" : `,"warnings":${JSON.stringify(warnings)}`;
  return `{"success":true,"data":${data},"message":${JSON.stringify(message)}${warned}}`;
}

/** An answer in the envelope. */
export const ok = (status: number, data: string, message: string, etag?: string): Reply => ({
  status,
  body: envelope(data, message),
  ...(etag !== undefined && { headers: [["etag", etag]] }),
});

/** An answer that has nothing but its message, for clients that look for it in `data`. */
export const told = (message: string): Reply => ok(200, JSON.stringify({ message }), message);

/** The answer of an operation that verifies an e-mail by a code. */
export function toldVerified({ isPasswordDropped }: { isPasswordDropped: boolean }): Reply {
  if (!isPasswordDropped) return told("E-mail verified");
  const message = "E-mail verified. The password that was set before is no longer good";
  return ok(200, JSON.stringify({ message, passwordDropped: true }), message);
}

/** An answer whose members stand in the envelope itself, and are repeated in `data`. */
export const okWith = (members: Readonly<Record<string, Json>>, message: string): Reply => ({
  status: 200,
  body: jsonText({ success: true, ...members, data: members, message }),
});

/**
 * The one place where answers become responses. Headers are set one by one: handed to the
 * constructor they cost Deno as much as all the rest of a small answer.
 */
export function respond(state: RequestState, reply: Reply): Response {
  const { body } = reply;
  const isHead = state.raw.method === "HEAD";
  // Nobody reads it, so nothing else would ever end it.
  if (isHead && body instanceof ReadableStream) body.cancel().catch(() => {});
  const response = isHead ? made(state, reply, null) : whole(state, reply);
  addCommonHeaders(state, response.headers);
  // Without it Deno would say of the answer to a HEAD that the one to a GET has no bytes.
  if (isHead && body !== null && !(body instanceof ReadableStream)) {
    const bytes = typeof body === "string" ? bytesOf(body) : body.length;
    response.headers.set("content-length", String(bytes));
  }
  return response;
}

/** Sets the headers that every answer carries. */
function addCommonHeaders(state: RequestState, headers: Headers): void {
  const { id, reader, rate, path, warning } = state;
  headers.set("x-request-id", id);
  if (warning !== null) headers.set(WARNING_HEADER, warning);
  if (isResumablePath(path)) { for (const [name, value] of TUS_HEADERS) headers.set(name, value); }
  if (reader !== null) {
    headers.set("access-control-allow-origin", reader);
    headers.set("access-control-allow-credentials", "true");
    headers.set("access-control-expose-headers", EXPOSED);
  }
  if (rate !== null) {
    headers.set("ratelimit-limit", String(rate.limit));
    headers.set("ratelimit-remaining", String(rate.remaining));
    headers.set("ratelimit-reset", String(rate.resetSeconds));
  }
}

function whole(state: RequestState, reply: Reply): Response {
  const { body } = reply;
  if (typeof body !== "string" || body.length <= LONG_TEXT) return made(state, reply, body);
  const response = made(state, reply, inSlices(body));
  response.headers.set("content-length", String(bytesOf(body)));
  return response;
}

/** UTF-16 units of a text, or bytes. */
const LONG_TEXT = 1_048_576;
/** UTF-16 units of a text, or bytes, that are sent without a turn of the event loop. */
const SLICE = 131_072;

const encoder = new TextEncoder();

/**
 * Streams a body as bytes. A body above 1 MiB comes in slices, with a turn of the event loop between
 * them: to encode 16 MiB at once would hold up every other request for 30 ms.
 */
export function inSlices(
  body: string | Uint8Array<ArrayBuffer>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { length } = body;
  const slice = length <= LONG_TEXT ? LONG_TEXT : SLICE;
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      if (at > 0) await nextTurn();
      const end = at + slice;
      if (typeof body === "string") {
        // A pair of surrogates stays together.
        const isCut = HIGH_SURROGATE.test(body.charAt(end - 1));
        controller.enqueue(encoder.encode(body.slice(at, at = end + (isCut ? 1 : 0))));
      } else {
        controller.enqueue(body.slice(at, at = end));
      }
      if (at >= length) controller.close();
    },
  }, { highWaterMark: 0 });
}

const HIGH_SURROGATE = /[\uD800-\uDBFF]/;

function made({ path }: RequestState, reply: Reply, body: Reply["body"]): Response {
  const { status } = reply;
  const response = status === 200 ? new Response(body) : new Response(body, { status });
  const { headers } = response;
  if (path.startsWith("/api/")) {
    headers.set("cache-control", "private, no-cache");
    headers.set("vary", "Origin, Authorization, x-api-key");
  }
  if (path.startsWith("/files/")) {
    // What is not served now may be a moment later; what is says for itself how long it keeps.
    headers.set("cache-control", "no-cache");
    headers.set("vary", "Origin");
  }
  if (reply.body !== null) headers.set("content-type", reply.type ?? JSON_TYPE);
  for (const [name, value] of reply.headers ?? []) {
    if (name === "set-cookie") headers.append(name, value);
    else headers.set(name, value);
  }
  return response;
}

/** Their messages say what to do: readiness is asked by operators, a query is slow for want of an index. */
const TELLING: ReadonlySet<ProblemCode> = new Set([
  "NOT_READY",
  "QUERY_TOO_SLOW",
  "MAIL_NOT_CONFIGURED",
]);

/** Refusals of a request that may not have been read to its end. */
const LEAVING_UNREAD: ReadonlySet<ProblemCode> = new Set(
  (Object.keys(PROBLEMS) as ProblemCode[]).filter((code) =>
    code === "STOPPING" || (PROBLEMS[code].status === 413 && code !== "ANSWER_TOO_LARGE")
  ),
);

/** A refusal in the envelope of errors. */
export function problemReply(state: RequestState, problem: Problem): Reply {
  state.problem = problem.code;
  const headers: [string, string][] = [];
  const retryAfter = problem.retryAfter ?? (problem.status === 503 ? RETRY_SECONDS : undefined);
  if (retryAfter !== undefined) headers.push(["retry-after", String(retryAfter)]);
  // Nobody reads what else comes on this connection.
  if (LEAVING_UNREAD.has(problem.code)) headers.push(["connection", "close"]);
  if (problem.fileBytes !== undefined) {
    headers.push(["content-range", `bytes */${problem.fileBytes}`]);
  }
  if (problem.allow !== undefined) headers.push(["allow", problem.allow.join(", ")]);
  const room = { inStorage: isStoragePath(state.path) };
  const { code, operation, faults } = problem;
  const body = jsonText(
    refusalBody({ code, message: messageOf(problem), operation, faults }, room),
  );
  return { status: problem.status, body, headers };
}

/** What is said of it: what failed inside is nobody's business outside. */
export function messageOf({ code, status, message }: Problem): string {
  const opaque = status >= 500 && !TELLING.has(code);
  return opaque ? PROBLEMS[code].message : message;
}

/** The envelope of errors. Clients of storage may read the text in `error` or in `message`. */
export const refusalBody = (
  { code, message, operation, faults = [] }: {
    code: ProblemCode;
    message: string;
    operation?: number | undefined;
    faults?: readonly FieldFault[];
  },
  { inStorage }: { inStorage: boolean },
) => ({
  success: false,
  data: {},
  message,
  ...(inStorage && { error: message }),
  code,
  ...(operation !== undefined && { operation }),
  ...(faults.length > 0 && !inStorage && { faults: faults.map(boundedFault) }),
});

/** Names are as long as whoever sent them made them. */
const boundedFault = ({ path, message }: FieldFault) => ({
  path: path.slice(0, PATH_LENGTH_MAX),
  message,
});

/** The same for an answer under way: its status is sent, and only text can follow. */
export const refusalText = (state: RequestState, problem: Problem): string =>
  problemReply(state, problem).body as string; // Refusals are JSON text.

/**
 * Answers a CORS preflight for any path, and allows the headers that it asks for: what a request may
 * do is decided by the request itself, and no answer depends on a header that is not documented.
 */
export const preflight = (path: string, requestedHeaders: string | null): Reply => ({
  status: 204,
  body: null,
  headers: [
    ["access-control-allow-methods", "GET,HEAD,POST,PUT,PATCH,DELETE"],
    ["access-control-allow-headers", requestedHeaders ?? ALLOWED_HEADERS],
    ["access-control-max-age", PREFLIGHT_SECONDS],
    ...isResumablePath(path) ? TUS_OPTIONS : [],
  ],
});
