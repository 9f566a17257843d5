import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";

Deno.test("a stopping server refuses a request with STOPPING and does not process it", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await project.collection({ name: "things" });
  await app.services.requestDrain.drain();
  const answer = await project.asSecret({ path: "/api/data/things", body: { n: 1 } });
  assert.deepEqual([answer.status, answer.body.code], [503, "STOPPING"]);
  assert.equal(answer.headers.get("connection"), "close");
  assert.equal(answer.headers.get("retry-after"), "1");

  await using other = await openTestApp({ store: app.store, clock: app.clock });
  const listed = await other.send({
    path: "/api/data/things",
    headers: { "x-api-key": project.secretKey },
  });
  assert.equal(listed.body.data.total, 0);
});

Deno.test("a stopping server waits for the requests in flight", async () => {
  await using app = await openTestApp();
  const { requestDrain } = app.services;
  const work = Promise.withResolvers<void>();
  const tracked = requestDrain.track(work.promise);
  const order: string[] = [];
  const drained = requestDrain.drain().then(() => order.push("drained"));
  order.push("answered");
  work.resolve();
  await Promise.all([tracked, drained]);
  assert.deepEqual(order, ["answered", "drained"]);
});
