/** Bodies that do not end are held within a bound, of which each project has a share. */

import assert from "node:assert/strict";
import { BODIES_SHARE_BYTES_MAX, BULK_BODY_BYTES_MAX } from "@/lib/limits.ts";
import { createApp } from "@/routes/app.ts";
import { createTestCollection, refused } from "../api/test_collection.ts";
import { type Answer, send } from "../support/conforming_client.ts";
import { openTestApp, type TestProject } from "../support/test_app.ts";

const PIECE = new TextEncoder().encode(`["${" ".repeat(65_534)}`);

/** A bulk of which all but the end arrives, and then nothing. */
function unfinished() {
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

Deno.test("unfinished bodies of one project hold a share of the memory, and others go on", async () => {
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
  const bodies = Array.from({ length: room }, unfinished);
  const waiting: Promise<Answer>[] = [];
  for (const { body, arrived } of bodies) {
    waiting.push(bulk(one.project, body));
    await arrived;
  }
  // Ten times as many as have room, at once.
  const more = Array.from({ length: 10 * room }, unfinished);
  for (const refusal of await Promise.all(more.map(({ body }) => bulk(one.project, body)))) {
    refused(refusal, 503, "SERVER_BUSY");
    assert.match(refusal.headers.get("retry-after")!, /^[1-9]\d*$/);
  }
  const held = Deno.memoryUsage().rss - before;
  assert.ok(held < 4 * BODIES_SHARE_BYTES_MAX, `${held} bytes are held`);
  const beside = await bulk(other.project, { documents: [{ title: "Two" }] });
  assert.equal(beside.status, 201, beside.text);

  for (const { end } of [...bodies, ...more]) end();
  for (const answer of await Promise.all(waiting)) refused(answer, 400, "INVALID_JSON", "cut off");
  const after = await bulk(one.project, { documents: [{ title: "Three" }] });
  assert.equal(after.status, 201, "what was held is free again");
});
