import assert from "node:assert/strict";
import { CHANGES_BYTES_MAX } from "@/lib/limits.ts";
import { listen } from "../support/live_reader.ts";
import { openWebhooks } from "./webhooks.ts";
import { times } from "./test_collection.ts";

const LENGTH = 1_000_000;
/** Each change stores the document before and after it. */
const CHANGES = Math.ceil(CHANGES_BYTES_MAX / (2 * LENGTH)) + 3;

Deno.test("changes over the kept bytes, undelivered by a dead process, are all delivered in time", async () => {
  // The free plan allows fewer pending bytes.
  await using hooks = await openWebhooks({ plan: "pro" });
  const { app, owner: { project }, projectId } = hooks;
  const { webhookDispatcher, jobRunner, engine } = app.services;
  const send = (path: string, body: object, method = "POST") =>
    app.send({ method, path, body, headers: [["x-api-key", project.secretKey]] });
  const created = await send("/api/data/posts", { n: 0, text: "x".repeat(LENGTH) });
  assert.equal(created.status, 201, created.text);
  const path = `/api/data/posts/${created.body.data._id}`;
  await hooks.create({ events: { posts: ["changed"] } });
  await using reader = await listen({ app, project, path: "posts/live?fields=n&limit=1" });
  const { id: lastEventId } = await reader.expect("list");
  // Simulates a process that ends before it delivers the recorded changes.
  engine.changes.onRecorded(() => {});
  for (let n = 1; n <= CHANGES; n++) {
    const { status, text } = await send(path, { n }, "PATCH");
    assert.equal(status, 200, text);
  }
  app.clock.advance(60_000);
  for (let pass = 0; pass < 2; pass++) {
    await jobRunner.runDue();
    await webhookDispatcher.idle();
    await jobRunner.idle();
  }
  const numbers = times(CHANGES, (n) => n + 1);
  assert.deepEqual(hooks.server.received.map(({ json }) => json.data.document.n), numbers);
  await using again = await listen({ app, project, path: "posts/live?fields=n", lastEventId });
  const missed = await again.changes(CHANGES);
  assert.deepEqual(missed.map(({ data }) => data.document.n), numbers);
  // After ten minutes only the bytes for a day are kept.
  app.clock.advance(600_001);
  assert.ok(await engine.changes.trim(projectId, new Date(app.clock.now()).toISOString()) > 0);
});
