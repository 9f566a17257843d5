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
  /** Content type; JSON by default. */
  readonly type?: string;
  /** Additional headers, in lower case. They may replace `cache-control`. */
  readonly headers?: readonly (readonly [string, string])[];
  /** Whether the body is a stream without an end, which does not count as a request in progress. */
  readonly isOpenEnded?: boolean;
}

/** Header of answers with a token, a key or a code. */
export const NO_STORE = ["cache-control", "no-store"] as const;

const JSON_TYPE = "application/json; charset=utf-8";
/** Header with a hint about a request that was answered normally. */
const WARNING_HEADER = "x-corbel-warning";
const EXPOSED = `etag,content-range,location,retry-after,x-request-id,${WARNING_HEADER},` +
  "upload-offset,upload-length,upload-expires,tus-resumable,tus-version," +
  "tus-extension,tus-checksum-algorithm," +
  "ratelimit-limit,ratelimit-remaining,ratelimit-reset";
const ALLOWED_HEADERS = "content-type,authorization,x-api-key,x-refresh-token," +
  "x-refresh-token-mode,upload-offset,upload-checksum,tus-resumable,if-match,if-none-match,cache-control,range,idempotency-key,user-agent";
const PREFLIGHT_SECONDS = "7200";
const RETRY_SECONDS = 1;

/** A hint about a query parameter that is valid but probably a mistake. */
export interface QueryWarning {
  readonly parameter: string;
  readonly message: string;
}

/** Returns the JSON text of a successful answer. `data` is JSON text. */
export function envelope(
  data: string,
  message: string,
  warnings: readonly QueryWarning[] = [],
): string {
  const warned = warnings.length === 0 ? "" : `,"warnings":${JSON.stringify(warnings)}`;
  return `{"success":true,"data":${data},"message":${JSON.stringify(message)}${warned}}`;
}

/** Returns a successful answer. `data` is JSON text. */
export const ok = (status: number, data: string, message: string, etag?: string): Reply => ({
  status,
  body: envelope(data, message),
  ...(etag !== undefined && { headers: [["etag", etag]] }),
});

/** Returns an answer with only a message, which `data` repeats for clients that expect it there. */
export const messageReply = (message: string): Reply =>
  ok(200, JSON.stringify({ message }), message);

/** Returns the answer of an operation that verifies an e-mail address by a code. */
export function emailVerifiedReply({ isPasswordDropped }: { isPasswordDropped: boolean }): Reply {
  if (!isPasswordDropped) return messageReply("E-mail verified");
  const message = "E-mail verified. The password that was set before is no longer good";
  return ok(200, JSON.stringify({ message, passwordDropped: true }), message);
}

/** Returns an answer whose fields are at its top level and repeated in `data`. */
export const okWithFields = (members: Readonly<Record<string, Json>>, message: string): Reply => ({
  status: 200,
  body: jsonText({ success: true, ...members, data: members, message }),
});

/** Sets headers one by one: the constructor would cost as much as the rest of a small answer. */
export function respond(state: RequestState, reply: Reply): Response {
  const { body } = reply;
  const isHead = state.raw.method === "HEAD";
  // The body of an answer to HEAD is not read, so it must be ended here.
  if (isHead && body instanceof ReadableStream) body.cancel().catch(() => {});
  const response = isHead ? createResponse(state, reply, null) : bodyResponse(state, reply);
  addCommonHeaders(state, response.headers);
  // Otherwise Deno would send a content length of 0.
  if (isHead && body !== null && !(body instanceof ReadableStream)) {
    const bytes = typeof body === "string" ? bytesOf(body) : body.length;
    response.headers.set("content-length", String(bytes));
  }
  return response;
}

function addCommonHeaders(state: RequestState, headers: Headers): void {
  const { id, allowedOrigin: reader, rate, path, warning } = state;
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

function bodyResponse(state: RequestState, reply: Reply): Response {
  const { body } = reply;
  if (typeof body !== "string" || body.length <= LARGE_BODY_LENGTH) {
    return createResponse(state, reply, body);
  }
  const response = createResponse(state, reply, bodyStream(body));
  response.headers.set("content-length", String(bytesOf(body)));
  return response;
}

/** Number of UTF-16 units or bytes from which a body is streamed in slices. */
const LARGE_BODY_LENGTH = 1_048_576;
/** Number of UTF-16 units or bytes of a slice. */
const SLICE_LENGTH = 131_072;

const encoder = new TextEncoder();

/** Encodes a body above 1 MiB in slices, between which other requests are served. */
export function bodyStream(
  body: string | Uint8Array<ArrayBuffer>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { length } = body;
  const slice = length <= LARGE_BODY_LENGTH ? LARGE_BODY_LENGTH : SLICE_LENGTH;
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      if (at > 0) await nextTurn();
      const end = at + slice;
      if (typeof body === "string") {
        // A slice must not end between two surrogates.
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

function createResponse({ path }: RequestState, reply: Reply, body: Reply["body"]): Response {
  const { status } = reply;
  const response = status === 200 ? new Response(body) : new Response(body, { status });
  const { headers } = response;
  if (path.startsWith("/api/")) {
    headers.set("cache-control", "private, no-cache");
    headers.set("vary", "Origin, Authorization, x-api-key");
  }
  if (path.startsWith("/files/")) {
    // The default for problems. Files set their own `cache-control`.
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

/** Failures whose own messages are sent, because they say what the client or operator can do. */
const EXPLAINED_FAILURES: ReadonlySet<ProblemCode> = new Set([
  "NOT_READY",
  "QUERY_TOO_SLOW",
  "MAIL_NOT_CONFIGURED",
]);

/** Problems of requests whose body may be unread, after which the connection is closed. */
const CLOSES_CONNECTION: ReadonlySet<ProblemCode> = new Set(
  (Object.keys(PROBLEMS) as ProblemCode[]).filter((code) =>
    code === "STOPPING" || (PROBLEMS[code].status === 413 && code !== "ANSWER_TOO_LARGE")
  ),
);

/** Returns the answer of a problem and records its code in the request's state. */
export function problemReply(state: RequestState, problem: Problem): Reply {
  state.problem = problem.code;
  const headers: [string, string][] = [];
  const retryAfter = problem.retryAfter ?? (problem.status === 503 ? RETRY_SECONDS : undefined);
  if (retryAfter !== undefined) headers.push(["retry-after", String(retryAfter)]);
  // The rest of the body is not read, so the connection cannot be used again.
  if (CLOSES_CONNECTION.has(problem.code)) headers.push(["connection", "close"]);
  if (problem.fileBytes !== undefined) {
    headers.push(["content-range", `bytes */${problem.fileBytes}`]);
  }
  if (problem.allow !== undefined) headers.push(["allow", problem.allow.join(", ")]);
  const room = { inStorage: isStoragePath(state.path) };
  const { code, operation, faults } = problem;
  const body = jsonText(
    problemBody({ code, message: publicMessage(problem), operation, faults }, room),
  );
  return { status: problem.status, body, headers };
}

/** Returns the message for clients, which does not reveal the details of internal failures. */
export function publicMessage({ code, status, message }: Problem): string {
  const opaque = status >= 500 && !EXPLAINED_FAILURES.has(code);
  return opaque ? PROBLEMS[code].message : message;
}

/** Returns the body of a problem. Storage operations repeat the message in `error`. */
export const problemBody = (
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

/** Cuts the path, which contains names of any length that the client sent. */
const boundedFault = ({ path, message }: FieldFault) => ({
  path: path.slice(0, PATH_LENGTH_MAX),
  message,
});

/** Returns the JSON text of a problem, for an answer whose status was already sent. */
export const problemText = (state: RequestState, problem: Problem): string =>
  problemReply(state, problem).body as string; // Bodies of problems are JSON text.

/** Allows all headers at any path, because the request itself decides about access. */
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
