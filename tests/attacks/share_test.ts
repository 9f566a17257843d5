/** Endless requests of one project leave room for other projects. */

import assert from "node:assert/strict";
import { createRequestShares, type RequestShares } from "@/lib/http/request_shares.ts";
import { createApp } from "@/routes/app.ts";
import { createTestCollection, refused } from "../api/test_collection.ts";
import { until } from "../acceptance/until.ts";
import { type Answer, type Call, send } from "../support/conforming_client.ts";
import { openTestApp, type TestProject } from "../support/test_app.ts";

/** Returns a body that sends nothing until it is canceled. */
function openSilentBody() {
  let cut = () => {};
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => void (cut = () => stream.error(new Error("gone"))),
  });
  return { body, cut: () => cut() };
}

Deno.test("one project may have half of the requests in flight, and others continue", async () => {
  await using app = await openTestApp();
  const shares = createRequestShares({ max: 8, shareMax: 4 });
  let counted = 0;
  const requestShares: RequestShares = {
    ...shares,
    track(caller, work) {
      shares.track(caller, work);
      counted++;
    },
  };
  const serve = createApp({ ...app.services, requestShares });
  const [one, other] = [await createTestCollection(app), await createTestCollection(app)];
  const call = ({ secretKey }: TestProject, rest: Partial<Call> = {}): Promise<Answer> =>
    send(serve, { path: "/api/data/posts", headers: { "x-api-key": secretKey }, ...rest });
  const bodies = Array.from({ length: 4 }, openSilentBody);
  counted = 0;
  const waiting = bodies.map(({ body }) => call(one.project, { body }));
  await until("four requests are in flight", () => counted === 4);
  for (let tries = 0; tries < 20; tries++) {
    const answer = await call(one.project);
    refused(answer, 503, "SERVER_BUSY");
    assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    assert.equal((await call(other.project)).status, 200);
  }
  for (const { cut } of bodies) cut();
  for (const answer of await Promise.all(waiting)) refused(answer, 400, "INVALID_JSON");
  assert.equal((await call(one.project)).status, 200);
});

Deno.test("a server gives one project half of 4,000 requests and a quarter of 256 MiB of bodies", async () => {
  await using app = await openTestApp();
  const { requestShares, bodyBudget } = app.services;
  const busy = { code: "SERVER_BUSY" };
  const gate = Promise.withResolvers<void>();
  const take = (caller: string) => {
    requestShares.assertAvailable(caller);
    requestShares.track(caller, gate.promise);
  };
  for (let i = 0; i < 2000; i++) take("one");
  assert.throws(() => take("one"), busy);
  for (let i = 0; i < 2000; i++) take("other");
  assert.throws(() => take("other"), busy);
  take("a third, which has nothing under way");
  gate.resolve();
  const MiB = 1_048_576;
  using held = new DisposableStack();
  for (const holder of ["one", "other", "a third", "a fourth"]) {
    const body = held.use(bodyBudget.open(holder));
    body.add(64 * MiB);
    assert.throws(() => body.add(1), busy);
  }
  assert.throws(() => bodyBudget.open("a fifth").add(1), busy);
});

Deno.test("a download is in flight until it is sent", async () => {
  const sent = Promise.withResolvers<void>();
  const counted: Promise<unknown>[] = [];
  await using app = await openTestApp();
  const requestShares = {
    assertAvailable() {},
    track: (_caller: string, work: Promise<unknown>) => void counted.push(work),
  };
  const serve = createApp({ ...app.services, requestShares });
  const project = await app.project();
  const { cookie } = await project.owner();
  await project.collection({ name: "posts" });
  const path = `/dashboard/projects/${project.projectId}/collections/posts/export?format=json`;
  const request = new Request(`http://localhost:8000${path}`, { headers: { cookie } });
  const connection = { remoteAddr: { hostname: "127.0.0.1" }, completed: sent.promise };
  const response = await serve.fetch(request, connection);
  assert.equal(response.status, 200);
  assert.ok(counted.includes(sent.promise), "a download in progress counts");
  await response.text();
  sent.resolve();
});
