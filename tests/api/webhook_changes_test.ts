/** Tests the way from a write to its webhook message, through the change record. */

import assert from "node:assert/strict";
import { USER_EVENTS } from "@/lib/auth/user_events.ts";
import {
  DISPATCH_POSITION,
  type DispatchPositionRecord,
  POSITION_ID,
} from "@/lib/events/webhooks/dispatch.ts";
import { JOBS } from "@/lib/jobs/jobs.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Id } from "@/lib/store/port.ts";
import type { Services } from "@/lib/services.ts";
import type { Call } from "../support/conforming_client.ts";
import { openTestServices } from "../support/test_services.ts";
import { times } from "./test_collection.ts";
import { openPeer, openWebhooks, type WebhookFixture } from "./webhooks.ts";

const asServer = ({ app, owner }: WebhookFixture) => (call: Call) =>
  app.send({ ...call, headers: [["x-api-key", owner.project.secretKey]] });

async function create(hooks: WebhookFixture, n: number): Promise<Id> {
  const { status, body } = await asServer(hooks)({ path: "/api/data/posts", body: { n } });
  assert.equal(status, 201);
  return body.data._id;
}

async function dispatchAll({ webhookDispatcher, jobRunner }: Services): Promise<void> {
  await webhookDispatcher.idle();
  await jobRunner.idle();
}

const typesOf = ({ server }: WebhookFixture): string[] =>
  server.received.map(({ json: { type, data } }) =>
    `${type} ${data.document?.n ?? "-"} was ${data.previous?.n ?? "-"}`
  );

Deno.test("webhooks get each write to a document, in the order of that document's writes", async () => {
  await using hooks = await openWebhooks();
  const { services } = hooks.app;
  await create(hooks, 0);
  await hooks.create();
  const id = await create(hooks, 1);
  const at = `/api/data/posts/${id}`;
  const send = asServer(hooks);
  for (
    const call of [
      { method: "PATCH", path: at, body: { n: 2 } },
      { method: "DELETE", path: at },
      { method: "PATCH", path: `${at}/recover` },
      { method: "DELETE", path: `${at}?permanent=true` },
    ]
  ) assert.equal((await send(call)).status, 200);
  await dispatchAll(services);
  assert.deepEqual(typesOf(hooks), [
    "posts.created 1 was -",
    "posts.changed 2 was 1",
    "posts.deleted 2 was 2",
    "posts.recovered 2 was 2",
    "posts.deleted - was 2",
  ]);
  const [{ json }] = hooks.server.received as [typeof hooks.server.received[0]];
  assert.deepEqual([json.data.id, json.data.collection, json.data.projectId], [
    id,
    "posts",
    hooks.projectId,
  ]);
});

Deno.test("a webhook gets no changes from before it is enabled or while it is off", async () => {
  await using hooks = await openWebhooks();
  const { services, clock } = hooks.app;
  await create(hooks, 1);
  const { id } = await hooks.create({ enabled: false });
  await create(hooks, 2);
  const switchTo = async (enabled: boolean) => {
    const change = { method: "PATCH", path: `/webhooks/${id}`, body: { enabled } };
    const { status, text } = await hooks.owner.asOwner(change);
    assert.equal(status, 200, text);
  };
  await switchTo(true);
  await create(hooks, 3);
  await dispatchAll(services);
  await switchTo(false);
  // The job that looks for undispatched changes ends with the last webhook.
  clock.advance(60_000);
  await services.jobRunner.runDue();
  await dispatchAll(services);
  await create(hooks, 4);
  await switchTo(true);
  await create(hooks, 5);
  await dispatchAll(services);
  assert.deepEqual(typesOf(hooks), ["posts.created 3 was -", "posts.created 5 was -"]);
});

Deno.test("a collection that records no changes sends no webhook messages", async () => {
  await using hooks = await openWebhooks();
  const quiet = { name: "quiet", events: false };
  const made = await hooks.owner.asOwner({ method: "POST", path: "/collections", body: quiet });
  assert.equal(made.status, 201);
  await hooks.create({ events: { quiet: ["created"] } });
  await asServer(hooks)({ path: "/api/data/quiet", body: { n: 1 } });
  await dispatchAll(hooks.app.services);
  assert.deepEqual(typesOf(hooks), []);
});

Deno.test("changes that two processes dispatch concurrently are each dispatched once", async () => {
  await using hooks = await openWebhooks();
  const { app } = hooks;
  await using other = await openPeer(app);
  await hooks.create();
  await Promise.all(times(40, (n) => create(hooks, n)));
  // Simulates the other process's own writes.
  await Promise.all(times(20, async () => {
    other.services.webhookDispatcher.schedule(hooks.projectId);
    app.services.webhookDispatcher.schedule(hooks.projectId);
    await Promise.all([dispatchAll(other.services), dispatchAll(app.services)]);
  }));
  const numbers = hooks.server.received.map(({ json }) => json.data.document.n);
  assert.deepEqual(numbers.toSorted((a, b) => a - b), times(40, (n) => n));
});

Deno.test("changes left undispatched by a dead process are dispatched by another", async () => {
  await using hooks = await openWebhooks();
  const { app, projectId } = hooks;
  await hooks.create();
  {
    await using ended = await openTestServices({ store: app.store, clock: app.clock });
    // Simulates a process that ends before it dispatches its recorded changes.
    ended.services.engine.changes.onRecorded(() => {});
    app.services.engine.changes.onRecorded(() => {});
    await create(hooks, 1);
  }
  await dispatchAll(app.services);
  assert.deepEqual(typesOf(hooks), []);
  app.clock.advance(60_000);
  await app.services.jobRunner.runDue();
  await dispatchAll(app.services);
  await app.services.jobRunner.runDue();
  await dispatchAll(app.services);
  assert.deepEqual(typesOf(hooks), ["posts.created 1 was -"]);
  assert.equal(await app.services.engine.records(projectId, DISPATCH_POSITION).count(ALL), 1);
  const jobs = app.services.engine.records(projectId, JOBS);
  assert.equal(await jobs.count(eq("kind", "tellWebhooks")), 1);
});

Deno.test("dispatched changes are not read again, however much other projects write", async () => {
  await using hooks = await openWebhooks();
  const { app, projectId } = hooks;
  const { engine, jobRunner } = app.services;
  await hooks.create();
  await create(hooks, 1);
  await dispatchAll(app.services);
  await app.project(); // Writes in another project.
  const head = await engine.changes.head(projectId);
  app.clock.advance(60_000);
  await jobRunner.runDue();
  await dispatchAll(app.services);
  const positions = engine.records<DispatchPositionRecord>(projectId, DISPATCH_POSITION);
  const { position } = (await positions.get(POSITION_ID))!.value;
  assert.ok(position >= head);
  await create(hooks, 2);
  await dispatchAll(app.services);
  assert.deepEqual(typesOf(hooks), ["posts.created 1 was -", "posts.created 2 was -"]);
});

Deno.test("webhooks get the events of users without their internal members", async () => {
  await using hooks = await openWebhooks();
  const { app, owner: { project } } = hooks;
  const { services } = app;
  await hooks.create({ events: { users: ["created", "changed", "deleted", "signedIn"] } });
  const send = asServer(hooks);
  const asApp = (call: Call, token?: string) =>
    app.send({
      ...call,
      headers: [
        ["x-api-key", project.publishableKey],
        ...(token === undefined ? [] : [["authorization", `Bearer ${token}`] as [string, string]]),
      ],
    });
  const password = "seven wet stones 41";
  const credentials = { email: "ada@example.com", password };
  const signedUp = await asApp({ path: "/api/userAuth/signup", body: credentials });
  assert.equal(signedUp.status, 201);
  const { userId, accessToken } = signedUp.body.data;
  assert.equal((await asApp({ path: "/api/userAuth/login", body: credentials })).status, 200);
  const at = "/api/userAuth/me";
  await asApp({ method: "PATCH", path: at, body: { name: "Ada" } }, accessToken);
  await asApp({ method: "PATCH", path: at, body: { name: "Ada" } }, accessToken);
  const user = `/api/userAuth/users/${userId}`;
  assert.equal((await send({ method: "PATCH", path: user, body: { disabled: true } })).status, 200);
  assert.equal((await send({ method: "DELETE", path: user })).status, 200);
  await dispatchAll(services);
  const messages = hooks.server.received.map(({ json }) => json);
  assert.deepEqual(
    messages.map(({ type, data: { document, previous } }) => [
      type,
      previous && [previous.name, previous.disabled],
      document && [document.name, document.disabled],
    ]),
    [
      ["users.created", null, [null, false]],
      ["users.signedIn", [null, false], [null, false]],
      ["users.changed", [null, false], ["Ada", false]],
      ["users.changed", ["Ada", false], ["Ada", true]],
      ["users.deleted", ["Ada", true], null],
    ],
  );
  assert.ok(messages.every(({ data }) => data.id === userId && data.collection === "users"));
  const text = JSON.stringify(messages);
  for (const secret of ["argon2", "passwordHash", "emailLower", password]) {
    assert.equal(text.includes(secret), false, secret);
  }
  const { engine } = services;
  assert.equal(await engine.records(hooks.projectId, USER_EVENTS).count(ALL), 0);
});
