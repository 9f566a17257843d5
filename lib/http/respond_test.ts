import assert from "node:assert/strict";
import { Problem, PROBLEMS } from "../problems.ts";
import { QueryTooSlow, StoreUnavailable } from "../store/errors.ts";
import { type LogFields, silentLog } from "../runtime/log.ts";
import { RequestState } from "./request.ts";
import {
  envelope,
  NO_STORE,
  ok,
  okWithFields,
  preflight,
  problemReply,
  respond,
} from "./respond.ts";
import { asProblem } from "@/routes/as_problem.ts";

const CONNECTION = { remoteAddr: { hostname: "127.0.0.1" } };

const DIRECT = { trustProxy: 0, publicUrl: "http://localhost:8000" };

const request = (path = "/api/data/posts", headers: Record<string, string> = {}): RequestState =>
  new RequestState(new Request(`http://localhost:8000${path}`, { headers }), CONNECTION, DIRECT);

const ORIGIN = "https://app.example.com";

Deno.test("ok returns the success envelope with data as it is", () => {
  assert.equal(
    envelope('{"n":1.0}', 'It "works"\n'),
    '{"success":true,"data":{"n":1.0},' +
      '"message":"It \\"works\\"\\n"}',
  );
  assert.deepEqual(ok(201, "[]", "Made"), {
    status: 201,
    body: '{"success":true,"data":[],"message":"Made"}',
  });
  assert.deepEqual(ok(200, "{}", "Read", '"tag"').headers, [["etag", '"tag"']]);
});

Deno.test("respond sets the request id on every answer", async () => {
  const state = request("/docs");
  const response = respond(state, { status: 200, body: "text", type: "text/plain" });
  assert.equal(response.headers.get("x-request-id"), state.id);
  assert.equal(response.headers.get("content-type"), "text/plain");
  assert.equal(response.status, 200);
  assert.equal(await response.text(), "text");
});

Deno.test("respond sends a long text in slices of complete characters with its length", async () => {
  const text = "a".repeat(131_071) + "\u{1F600}é".repeat(400_000);
  const response = respond(request(), { status: 200, body: text });
  const bytes = new TextEncoder().encode(text);
  assert.equal(response.headers.get("content-length"), String(bytes.length));
  const chunks = [];
  for await (const chunk of response.body!) chunks.push(chunk);
  assert.ok(chunks.length > 8 && chunks.every(({ length }) => length <= 3 * 131_073));
  assert.equal(new TextDecoder().decode(Uint8Array.from(chunks.flatMap((one) => [...one]))), text);
});

Deno.test("respond makes answers under /api private and varying by caller", () => {
  const { headers } = respond(request(), ok(200, "{}", "Read"));
  assert.equal(headers.get("cache-control"), "private, no-cache");
  assert.equal(headers.get("vary"), "Origin, Authorization, x-api-key");
  assert.equal(headers.get("content-type"), "application/json; charset=utf-8");
  const page = respond(request("/docs"), { status: 200, body: "", type: "text/html" });
  assert.equal(page.headers.get("cache-control"), null);
});

Deno.test("respond forbids storing answers with secrets", () => {
  const { headers } = respond(request(), { ...ok(200, "{}", "Made"), headers: [NO_STORE] });
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(headers.get("vary"), "Origin, Authorization, x-api-key");
});

Deno.test("respond makes answers to malformed paths under /api private", () => {
  const state = request("/api//data");
  assert.equal(state.malformed, true);
  const { headers } = respond(state, problemReply(state, new Problem("INVALID_PATH")));
  assert.equal(headers.get("cache-control"), "private, no-cache");
});

Deno.test("respond echoes an origin and allows credentials", () => {
  const { headers } = respond(request("/api/health", { origin: ORIGIN }), ok(200, "{}", "Read"));
  assert.equal(headers.get("access-control-allow-origin"), ORIGIN);
  assert.equal(headers.get("access-control-allow-credentials"), "true");
  const exposed = headers.get("access-control-expose-headers")!.split(",").sort();
  assert.deepEqual(exposed, [
    "content-range",
    "etag",
    "location",
    "ratelimit-limit",
    "ratelimit-remaining",
    "ratelimit-reset",
    "retry-after",
    "tus-checksum-algorithm",
    "tus-extension",
    "tus-resumable",
    "tus-version",
    "upload-expires",
    "upload-length",
    "upload-offset",
    "x-corbel-warning",
    "x-request-id",
  ]);
  const plain = respond(request(), ok(200, "{}", "Read"));
  assert.equal(plain.headers.get("access-control-allow-origin"), null);
  assert.equal(plain.headers.get("access-control-allow-credentials"), null);
});

Deno.test("preflight allows the interface's methods and headers and is cached", async () => {
  const state = request("/api/data/posts", { origin: ORIGIN });
  const response = respond(state, preflight(state.path, null));
  assert.equal(response.status, 204);
  assert.equal(await response.text(), "");
  assert.equal(response.headers.get("content-type"), null);
  const listOf = (name: string) => response.headers.get(name)!.split(",").sort();
  assert.deepEqual(listOf("access-control-allow-methods"), [
    "DELETE",
    "GET",
    "HEAD",
    "PATCH",
    "POST",
    "PUT",
  ]);
  assert.deepEqual(listOf("access-control-allow-headers"), [
    "authorization",
    "cache-control",
    "content-type",
    "idempotency-key",
    "if-match",
    "if-none-match",
    "range",
    "tus-resumable",
    "upload-checksum",
    "upload-offset",
    "user-agent",
    "x-api-key",
    "x-refresh-token",
    "x-refresh-token-mode",
  ]);
  assert.equal(response.headers.get("access-control-max-age"), "7200");
  assert.equal(response.headers.get("access-control-allow-origin"), ORIGIN);
});

Deno.test("respond sets rate limit headers if requests are counted", () => {
  const state = request();
  state.rate = { limit: 1000, remaining: 7, resetSeconds: 42 };
  const { headers } = respond(state, ok(200, "{}", "Read"));
  assert.equal(headers.get("ratelimit-limit"), "1000");
  assert.equal(headers.get("ratelimit-remaining"), "7");
  assert.equal(headers.get("ratelimit-reset"), "42");
  assert.equal(respond(request(), ok(200, "{}", "")).headers.get("ratelimit-limit"), null);
});

Deno.test("problemReply returns the error envelope and records the problem code", () => {
  const state = request();
  const reply = problemReply(state, new Problem("INVALID_QUERY", { message: '"limit" is odd.' }));
  assert.equal(reply.status, 400);
  assert.deepEqual(JSON.parse(reply.body as string), {
    success: false,
    data: {},
    message: '"limit" is odd.',
    code: "INVALID_QUERY",
  });
  assert.equal(state.problem, "INVALID_QUERY");
});

Deno.test("problemReply repeats the message in `error` for storage operations only", () => {
  const reply = problemReply(request("/api/storage/usage"), new Problem("SECRET_KEY_REQUIRED"));
  const { message } = PROBLEMS.SECRET_KEY_REQUIRED;
  assert.deepEqual(JSON.parse(reply.body as string), {
    success: false,
    data: {},
    message,
    error: message,
    code: "SECRET_KEY_REQUIRED",
  });
  for (const path of ["/api/storage", "/api/storages/x", "/files/x", "/api/data/storage"]) {
    const { body } = problemReply(request(path), new Problem("ROUTE_NOT_FOUND"));
    assert.equal("error" in JSON.parse(body as string), false, path);
  }
});

Deno.test("okWithFields puts fields at the top level and into data", () => {
  assert.deepEqual(okWithFields({ path: 'a"b', url: null }, "Done"), {
    status: 200,
    body:
      '{"success":true,"path":"a\\"b","url":null,"data":{"path":"a\\"b","url":null},"message":"Done"}',
  });
});

Deno.test("problemReply hides the messages of internal failures", () => {
  for (const code of ["INTERNAL", "STORE_UNAVAILABLE", "HANDLER_TIMEOUT"] as const) {
    const problem = new Problem(code, { message: "disk /var/lib full", cause: new Error("x") });
    const { body, status } = problemReply(request(), problem);
    assert.ok(status >= 500);
    assert.equal(String(body).includes("/var/lib"), false);
    assert.equal(JSON.parse(String(body)).message, new Problem(code).message);
  }
});

Deno.test("problemReply sends the message of NOT_READY", () => {
  const problem = new Problem("NOT_READY", { message: "The database does not answer." });
  const { body } = problemReply(request(), problem);
  assert.equal(JSON.parse(String(body)).message, "The database does not answer.");
});

Deno.test("problemReply sets Retry-After and Allow", () => {
  const headersOf = (problem: Problem) =>
    Object.fromEntries(problemReply(request(), problem).headers!);
  assert.deepEqual(headersOf(new Problem("RATE_LIMITED", { retryAfter: 17 })), {
    "retry-after": "17",
  });
  assert.deepEqual(headersOf(new Problem("STORE_UNAVAILABLE")), { "retry-after": "1" });
  assert.deepEqual(headersOf(new Problem("METHOD_NOT_ALLOWED", { allow: ["GET", "POST"] })), {
    allow: "GET, POST",
  });
  assert.deepEqual(headersOf(new Problem("INVALID_QUERY")), {});
});

Deno.test("problemReply closes a connection whose body may be unread", () => {
  for (const code of ["BODY_TOO_LARGE", "DOCUMENT_TOO_LARGE", "STOPPING"] as const) {
    const { headers } = problemReply(request(), new Problem(code));
    assert.ok(headers!.some(([name, value]) => name === "connection" && value === "close"), code);
  }
  assert.deepEqual(problemReply(request(), new Problem("ANSWER_TOO_LARGE")).headers, []);
});

Deno.test("asProblem turns a slow query into 503 with Retry-After and an index hint", () => {
  const state = request();
  const respondTo = (path: string | null) => {
    const reply = problemReply(state, asProblem(new QueryTooSlow(path), state, silentLog));
    assert.equal(reply.status, 503);
    assert.deepEqual(reply.headers, [["retry-after", "1"]]);
    return JSON.parse(reply.body as string);
  };
  const named = respondTo("place.city");
  assert.equal(named.code, "QUERY_TOO_SLOW");
  assert.match(named.message, /an index on "place\.city" would help/);
  assert.equal(respondTo(null).message, PROBLEMS.QUERY_TOO_SLOW.message);
});

/** Returns a log that records its lines. */
function recordingLog() {
  const lines: [string, string, LogFields | undefined][] = [];
  const log = {
    ...silentLog,
    write: (level: string, message: string, fields?: LogFields) =>
      void lines.push([level, message, fields]),
  };
  return { log, lines };
}

Deno.test("asProblem returns a problem as it is without logging it", () => {
  const { log, lines } = recordingLog();
  const problem = new Problem("INVALID_QUERY");
  assert.equal(asProblem(problem, request(), log), problem);
  assert.deepEqual(lines, []);
});

Deno.test("asProblem turns StoreUnavailable into 503 and logs the cause", () => {
  const { log, lines } = recordingLog();
  const state = request();
  const error = new StoreUnavailable('Cannot use "control.db": disk full');
  const problem = asProblem(error, state, log);
  assert.equal(problem.code, "STORE_UNAVAILABLE");
  assert.equal(problem.cause, error);
  assert.deepEqual(lines, [["error", "The store is unavailable", {
    requestId: state.id,
    operation: null,
    error: 'Cannot use "control.db": disk full',
  }]]);
});

Deno.test("asProblem turns other errors into 500 and logs the stack with the request id", () => {
  const { log, lines } = recordingLog();
  const state = request();
  state.operationId = "listDocuments";
  assert.equal(asProblem(new TypeError("x is not a function"), state, log).code, "INTERNAL");
  assert.equal(asProblem("thrown text", state, log).code, "INTERNAL");
  const [[level, , fields], [, , thrown]] = lines as [(typeof lines)[0], (typeof lines)[0]];
  assert.equal(level, "error");
  assert.equal(fields?.requestId, state.id);
  assert.equal(fields?.operation, "listDocuments");
  assert.match(String(fields?.error), /TypeError: x is not a function\n {4}at /);
  assert.equal(thrown?.error, "thrown text");
});
