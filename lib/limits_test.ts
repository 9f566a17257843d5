import assert from "node:assert/strict";
import * as limits from "./limits.ts";

Deno.test("the limits of lists are those of the interface", () => {
  assert.equal(limits.PAGE_DEFAULT, 1);
  assert.equal(limits.LIST_LIMIT_DEFAULT, 100);
  assert.equal(limits.LIST_LIMIT_MAX, 1000);
});

Deno.test("the limits of documents, definitions and queries are those of the wire rules", () => {
  assert.equal(limits.BULK_DOCUMENTS_MAX, 100);
  assert.equal(limits.BULK_BODY_BYTES_MAX, 8_388_608);
  assert.equal(limits.DOCUMENT_BYTES_MAX, 1_048_576);
  assert.equal(limits.DOCUMENT_DEPTH_MAX, 20);
  assert.equal(limits.NAME_LENGTH_MAX, 64);
  assert.equal(limits.DEFINITION_DEPTH_MAX, 3);
  assert.equal(limits.REGEX_LENGTH_MAX, 128);
  assert.equal(limits.WHERE_BYTES_MAX, 4096);
  assert.equal(limits.WHERE_DEPTH_MAX, 5);
  assert.equal(limits.WHERE_CONDITIONS_MAX, 50);
  assert.equal(limits.POPULATE_PATHS_MAX, 10);
  assert.equal(limits.IDEMPOTENCY_KEY_LENGTH_MAX, 128);
});

Deno.test("times are those of the wire rules in the units of their names", () => {
  assert.equal(limits.IDEMPOTENCY_MS, 86_400_000);
  assert.equal(limits.TRASH_MS, 2_592_000_000);
  assert.equal(limits.ACCESS_TOKEN_SECONDS, 900);
  assert.equal(limits.SESSION_MS, 2_592_000_000);
  assert.equal(limits.REQUEST_TIMEOUT_MS, 30_000);
  assert.equal(limits.SHUTDOWN_MS, 10_000);
  assert.equal(limits.RATE_PER_MINUTE, 1000);
});

Deno.test("the limits of events are those of the wire rules", () => {
  assert.equal(limits.CHANGES_MS, 86_400_000);
  assert.equal(limits.CHANGES_MAX, 100_000);
  assert.equal(limits.LIVE_STREAMS_SHARE_MAX, 20);
  assert.equal(limits.LIVE_STREAMS_MAX, 1000);
  assert.equal(limits.LIVE_BEHIND_BYTES_MAX, 1_048_576);
  assert.equal(limits.LIVE_TICKET_SECONDS, 60);
  assert.equal(limits.WEBHOOK_TIMEOUT_MS, 10_000);
  assert.equal(limits.WEBHOOK_ANSWER_BYTES, 1024);
  assert.equal(limits.WEBHOOK_LOG_MS, 604_800_000);
  assert.equal(limits.WEBHOOK_OVERLAP_MS, 86_400_000);
  assert.equal(limits.FREE_WEBHOOKS, 3);
  assert.equal(limits.PRO_WEBHOOKS, 50);
});

Deno.test("the body limit has room for the largest document with escapes", () => {
  assert.ok(limits.BODY_BYTES_MAX > 1_048_576);
  assert.ok(limits.BODY_BYTES_MAX < 2 * 1_048_576, "a body of 2 MiB is refused");
});

Deno.test("cache entries expire within five seconds", () => {
  assert.ok(limits.CACHE_MS > 0);
  assert.ok(limits.CACHE_MS <= 5000);
});
