/** Limits on the memory of unfinished bodies, for a process and for each project. */

import assert from "node:assert/strict";
import { BODIES_SHARE_BYTES_MAX, BULK_BODY_BYTES_MAX } from "@/lib/limits.ts";
import { createByteBudget } from "@/lib/http/byte_budget.ts";
import { createApp } from "@/routes/app.ts";
import { createTestCollection, refused } from "../api/test_collection.ts";
import { type Answer, send } from "../support/conforming_client.ts";
import { openTestApp, type TestProject } from "../support/test_app.ts";

const PIECE = new TextEncoder().encode(`["${" ".repeat(65_534)}`);

/** Sends a bulk except its end, and then nothing. */
function openUnfinishedBody() {
  const end = Promise.withResolvers<void>();
  let left = Math.floor(BULK_BODY_BYTES_MAX / PIECE.length) - 1;
  const arrived = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async pull(stream) {
      if (left-- > 0) return stream.enqueue(PIECE.slice());
      arrived.resolve();
      await end.promise;
      stream.error(new Error("gone"));
    },
  });
  return { body, arrived: arrived.promise, end: () => end.resolve() };
}

Deno.test("unfinished bodies of one project use a share of memory, and other projects continue", async () => {
  await using app = await openTestApp();
  const serve = createApp(app.services);
  const [one, other] = [await createTestCollection(app), await createTestCollection(app)];
  const bulk = ({ secretKey }: TestProject, body: unknown): Promise<Answer> =>
    send(serve, {
      path: "/api/data/posts/bulk",
      headers: { "x-api-key": secretKey },
      body,
    });
  const before = Deno.memoryUsage().rss;
  const room = Math.floor(BODIES_SHARE_BYTES_MAX / BULK_BODY_BYTES_MAX);
  const bodies = Array.from({ length: room }, openUnfinishedBody);
  const waiting: Promise<Answer>[] = [];
  for (const { body, arrived } of bodies) {
    waiting.push(bulk(one.project, body));
    await arrived;
  }
  const more = Array.from({ length: 10 * room }, openUnfinishedBody);
  for (const refusal of await Promise.all(more.map(({ body }) => bulk(one.project, body)))) {
    refused(refusal, 503, "SERVER_BUSY");
    assert.match(refusal.headers.get("retry-after")!, /^[1-9]\d*$/);
  }
  const held = Deno.memoryUsage().rss - before;
  assert.ok(held < 4 * BODIES_SHARE_BYTES_MAX, `${held} bytes are in memory`);
  const unaffected = await bulk(other.project, { documents: [{ title: "Two" }] });
  assert.equal(unaffected.status, 201, unaffected.text);

  for (const { end } of [...bodies, ...more]) end();
  for (const answer of await Promise.all(waiting)) refused(answer, 400, "INVALID_JSON", "cut off");
  const after = await bulk(one.project, { documents: [{ title: "Three" }] });
  assert.equal(after.status, 201, "the memory is free again");
});

Deno.test("a body counts against the process's limit until the response, with or without a length", async () => {
  await using app = await openTestApp();
  const bodyBudget = createByteBudget({ bytesMax: 100_000, shareBytesMax: 100_000 });
  const serve = createApp({ ...app.services, bodyBudget });
  const { project: { secretKey } } = await createTestCollection(app);
  const post = (length: number, headers: Record<string, string>) => {
    const text = `{"text":"${"a".repeat(length)}"}`;
    return send(serve, {
      path: "/api/data/posts",
      headers: { "x-api-key": secretKey, "content-type": "application/json", ...headers },
      body: "content-length" in headers ? text : new Blob([text]).stream(),
      method: "POST",
    });
  };
  refused(await post(100_000, { "content-length": "100011" }), 503, "SERVER_BUSY");
  refused(await post(100_000, {}), 503, "SERVER_BUSY");
  for (let i = 0; i < 3; i++) assert.equal((await post(90_000, {})).status, 201);
});

Deno.test("a long body of an unsupported type is refused unread", async () => {
  await using app = await openTestApp();
  const { project } = await createTestCollection(app);
  const headers = { "content-type": "text/plain", "transfer-encoding": "chunked" };
  const body = new ReadableStream<Uint8Array>();
  const call = { method: "POST", path: "/api/data/posts", headers, body };
  refused(await project.asSecret(call), 415, "UNSUPPORTED_MEDIA_TYPE");
});
