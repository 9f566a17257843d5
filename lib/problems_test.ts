import assert from "node:assert/strict";
import { Problem, type ProblemCode, PROBLEMS } from "./problems.ts";

const entries = Object.entries(PROBLEMS) as [ProblemCode, (typeof PROBLEMS)[ProblemCode]][];

Deno.test("PROBLEMS is frozen", () => {
  assert.ok(Object.isFrozen(PROBLEMS));
  for (const [code, entry] of entries) assert.ok(Object.isFrozen(entry), `${code} can be changed`);
});

Deno.test("codes are upper-case words and statuses are 4xx or 5xx", () => {
  for (const [code, { status }] of entries) {
    assert.match(code, /^[A-Z]+(_[A-Z]+)*$/);
    assert.ok(Number.isInteger(status) && status >= 400 && status <= 599, `${code}: ${status}`);
  }
});

Deno.test("problems have the statuses of the wire rules", () => {
  const statuses: Partial<Record<ProblemCode, number>> = {
    INVALID_ID: 400,
    INVALID_CURSOR: 400,
    INVALID_QUERY: 400,
    INVALID_PROJECT_ID: 400,
    UNKNOWN_OPERATOR: 400,
    SEARCH_NOT_DECLARED: 400,
    FIELD_READ_ONLY: 400,
    INVALID_JSON: 400,
    EXCHANGE_FIELDS_MISSING: 400,
    EXCHANGE_CODE_INVALID: 400,
    INVALID_RETURN_TO: 400,
    INVALID_STATE: 400,
    API_KEY_INVALID: 401,
    ACCESS_TOKEN_REQUIRED: 401,
    ACCESS_TOKEN_INVALID: 401,
    REFRESH_TOKEN_INVALID: 401,
    USERS_RESERVED: 403,
    RLS_REQUIRED: 403,
    OWNER_MISMATCH: 403,
    OWNER_IMMUTABLE: 403,
    SECRET_KEY_REQUIRED: 403,
    PUBLISHABLE_KEY_REQUIRED: 403,
    ORIGIN_NOT_ALLOWED: 403,
    COLLECTION_NOT_FOUND: 404,
    DOCUMENT_NOT_FOUND: 404,
    PROJECT_NOT_FOUND: 404,
    SESSION_NOT_FOUND: 404,
    PROVIDER_UNKNOWN: 404,
    METHOD_NOT_ALLOWED: 405,
    REQUEST_TIMEOUT: 408,
    DUPLICATE_VALUE: 409,
    PRECONDITION_FAILED: 412,
    BODY_TOO_LARGE: 413,
    DOCUMENT_TOO_LARGE: 413,
    UNSUPPORTED_MEDIA_TYPE: 415,
    IDEMPOTENCY_KEY_REUSED: 422,
    PROVIDER_NOT_CONFIGURED: 422,
    SITE_URL_MISSING: 422,
    RATE_LIMITED: 429,
    INTERNAL: 500,
    STORE_UNAVAILABLE: 503,
    HANDLER_TIMEOUT: 503,
  };
  for (const [code, status] of Object.entries(statuses)) {
    assert.equal(PROBLEMS[code as ProblemCode].status, status, code);
  }
});

Deno.test("texts are sentences, and messages of the interface are unchanged", () => {
  const interfaces: Partial<Record<ProblemCode, string>> = {
    INVALID_PROJECT_ID: "Invalid project ID",
    PROJECT_NOT_FOUND: "Project not found or access denied",
    EXCHANGE_FIELDS_MISSING: "rtCode and token are required",
    EXCHANGE_CODE_INVALID: "Invalid or expired refresh token exchange code",
    AI_KEY_MALFORMED: "Invalid key format; key must start with gsk_",
    AI_KEY_REJECTED: "Invalid user-supplied AI key",
    PRO_PLAN_REQUIRED: "Feature requires the Pro plan; upgrade",
  };
  for (const [code, { message, when, remedy }] of entries) {
    if (interfaces[code] !== undefined) assert.equal(message, interfaces[code]);
    else assert.match(message, /^[A-Z].*\.$/s, code);
    assert.match(when, /^[A-Z].*\.$/s, code);
    assert.match(remedy, /^[A-Z].*\.$/s, code);
    assert.ok(remedy.length <= 200, `${code}: ${remedy.length} characters`);
    assert.notEqual(remedy, message, code);
    assert.equal(`${message}${when}${remedy}`.includes("  "), false, code);
  }
});

Deno.test("a Problem has the default message unless another one is given", () => {
  const plain = new Problem("DOCUMENT_NOT_FOUND");
  assert.equal(plain.code, "DOCUMENT_NOT_FOUND");
  assert.equal(plain.status, 404);
  assert.equal(plain.message, PROBLEMS.DOCUMENT_NOT_FOUND.message);
  assert.equal(plain.retryAfter, undefined);
  assert.equal(plain.allow, undefined);
  assert.equal(Object.hasOwn(plain, "cause"), false);

  const cause = new Error("inside");
  const detailed = new Problem("METHOD_NOT_ALLOWED", {
    message: "Use GET.",
    cause,
    allow: ["GET"],
    retryAfter: 7,
  });
  assert.equal(detailed.message, "Use GET.");
  assert.equal(detailed.status, 405);
  assert.equal(detailed.cause, cause);
  assert.deepEqual(detailed.allow, ["GET"]);
  assert.equal(detailed.retryAfter, 7);
});
