import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { NOTIFY_WEBHOOK_OWNER_JOB } from "@/lib/events/webhooks/deliver.ts";
import { DELIVER_JOB } from "@/lib/events/webhooks/deliveries.ts";
import type { WebhookEventChange } from "@/lib/events/webhooks/records.ts";
import { JOBS } from "@/lib/jobs/jobs.ts";
import { within } from "@/lib/store/filter.ts";
import { maintain } from "@/routes/maintenance.ts";
import { mailsOf } from "../support/mailbox.ts";
import { fakeClock } from "../support/test_services.ts";
import { change, enqueueChanges, openPeer, openWebhooks } from "./webhooks.ts";
import { ok, times } from "./test_collection.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];
/** The largest share of a pause that is added to it. */
const JITTER = 0.1;

const id = (index: number): string => index.toString(16).padStart(24, "0");

const changesOf = (recordId: string, count: number): WebhookEventChange[] =>
  times(count, (index) => change({ recordId, action: "changed", after: `{"n":${index}}` }));

Deno.test("a message passes the Standard Webhooks library, with project, document and previous", async () => {
  await using hooks = await openWebhooks({ clock: fakeClock(Date.now()) });
  const { secret } = await hooks.create();
  const sent = change({
    action: "changed",
    before: '{"title":"Ünö \\" 1"}',
    after: '{"title":"Two"}',
  });
  await hooks.dispatch(sent);
  const [{ headers, body, json }] = hooks.server.received as [typeof hooks.server.received[0]];
  assert.deepEqual(json, {
    type: "posts.changed",
    timestamp: sent.at,
    data: {
      projectId: hooks.projectId,
      collection: "posts",
      id: sent.recordId,
      actor: sent.actor,
      document: { title: "Two" },
      previous: { title: 'Ünö " 1' },
    },
  });
  assert.deepEqual(new Webhook(secret).verify(body, headers), json);
  assert.throws(() => new Webhook(secret).verify(body.replace("Two", "Six"), headers));
  assert.match(headers["webhook-id"]!, /^msg_[0-9a-f]{24}$/);
  assert.equal(headers["content-type"], "application/json");
  const [delivery] = await hooks.deliveries();
  assert.partialDeepStrictEqual(delivery, {
    state: "delivered",
    tries: 1,
    status: 200,
    answer: "ok",
    error: null,
  });
});

Deno.test("for a day after a rotation a message verifies with both secrets, then only the new one", async () => {
  await using hooks = await openWebhooks({
    clock: fakeClock(Date.now() - 24 * HOUR_MS + MINUTE_MS),
  });
  const { id: webhookId, secret: first } = await hooks.create();
  const rotate = { method: "POST", path: `/webhooks/${webhookId}/rotate-secret` };
  const { secret: second } = ok(await hooks.owner.asOwner(rotate));
  assert.notEqual(second, first);
  hooks.app.clock.advance(24 * HOUR_MS - MINUTE_MS);
  await hooks.dispatch(change());
  hooks.app.clock.advance(MINUTE_MS);
  await hooks.dispatch(change());
  const [during, after] = hooks.server.received;
  for (const secret of [first, second]) new Webhook(secret).verify(during!.body, during!.headers);
  new Webhook(second).verify(after!.body, after!.headers);
  assert.throws(() => new Webhook(first).verify(after!.body, after!.headers));
});

Deno.test("a webhook gets only the events that it subscribes to", async () => {
  await using hooks = await openWebhooks();
  await hooks.create({ events: { posts: ["deleted"], users: ["created", "signedIn"] } });
  await hooks.create({ enabled: false });
  const inTrash = '{"isDeleted":true}';
  await hooks.dispatch(
    change(),
    change({ action: "deleted", recordId: id(1), before: "{}", after: inTrash }),
    change({ action: "removed", recordId: id(1), before: inTrash, after: null }),
    change({ action: "removed", recordId: id(2), before: '{"isDeleted":false}', after: null }),
    change({ action: "deleted", name: "comments", recordId: id(3) }),
    change({ action: "created", name: "users", recordId: id(4) }),
    change({ action: "signedIn", name: "users", recordId: id(4) }),
    change({ action: "changed", name: "users", recordId: id(4) }),
  );
  const received = hooks.server.received.map(({ json }) => `${json.type} ${json.data.id}`);
  assert.deepEqual(received.toSorted(), [
    `posts.deleted ${id(1)}`,
    `posts.deleted ${id(2)}`,
    `users.created ${id(4)}`,
    `users.signedIn ${id(4)}`,
  ]);
});

Deno.test("a message is retried after each pause, then fails, and the owner is notified daily", async () => {
  await using hooks = await openWebhooks();
  const { id: webhookId } = await hooks.create({ name: "Broken" });
  hooks.server.behave(503);
  await hooks.dispatch(change(), change({ recordId: id(2) }));
  for (const [index, pause] of PAUSES_MS.entries()) {
    await hooks.later(pause - 1);
    assert.equal(hooks.server.received.length, 2 * (index + 1), `before pause ${index}`);
    await hooks.later(JITTER * pause + 1);
    assert.equal(hooks.server.received.length, 2 * (index + 2), `after pause ${index}`);
  }
  const { services } = hooks.app;
  for (const delivery of await hooks.deliveries()) {
    assert.partialDeepStrictEqual(delivery, {
      state: "failed",
      tries: 10,
      status: 503,
      answer: "answered 503",
    });
  }
  const ids = new Set(hooks.server.received.map(({ headers }) => headers["webhook-id"]));
  assert.equal(ids.size, 2, "all attempts of a message have its id");
  const ours = within("kind", [DELIVER_JOB, NOTIFY_WEBHOOK_OWNER_JOB]);
  assert.equal(await services.engine.records(hooks.projectId, JOBS).count(ours), 0);
  const notices = (await mailsOf(services, "control")).filter(({ kind }) =>
    kind === "webhookFailed"
  );
  assert.equal(notices.length, 1);
  const path = `/dashboard/projects/${hooks.projectId}/webhooks/${webhookId}`;
  assert.ok(notices[0]!.text!.includes(path));
  assert.equal(notices[0]!.to, hooks.owner.account.email);
  assert.ok(!notices[0]!.text!.includes("Broken"), "a webhook's name may be chosen by a stranger");
});

Deno.test("messages of one document keep their order and hold back no other document", async () => {
  await using hooks = await openWebhooks();
  await hooks.create();
  hooks.server.behave(({ json }, response) => {
    response.statusCode = json.data.id === id(1) && json.data.document.n === 0 ? 500 : 200;
    response.end();
  });
  const first = changesOf(id(1), 4);
  const other = changesOf(id(2), 4);
  await hooks.dispatch(...first.flatMap((one, index) => [one, other[index]!]));
  const order = (recordId: string) =>
    hooks.server.received.filter(({ json }) => json.data.id === recordId)
      .map(({ json }) => json.data.document.n);
  assert.deepEqual(order(id(1)), [0]);
  assert.deepEqual(order(id(2)), [0, 1, 2, 3]);
  hooks.server.behave(200);
  await hooks.later((1 + JITTER) * 5 * SECOND_MS);
  assert.deepEqual(order(id(1)), [0, 0, 1, 2, 3]);
});

Deno.test("410 disables a webhook, fails its pending messages, and notifies the owner", async () => {
  await using hooks = await openWebhooks();
  const { id: webhookId } = await hooks.create();
  hooks.server.behave(410);
  await hooks.dispatch(...changesOf(id(1), 3));
  assert.equal(hooks.server.received.length, 1);
  const states = (await hooks.deliveries()).map(({ state, error }) => [state, error]);
  assert.deepEqual(states, [
    ["failed", null],
    ["failed", "The webhook is off."],
    ["failed", "The webhook is off."],
  ]);
  const webhook = ok(await hooks.owner.asOwner({ path: `/webhooks/${webhookId}` }));
  assert.partialDeepStrictEqual(webhook, {
    enabled: false,
    offBecause: "It answered that it is gone (410).",
  });
  await hooks.dispatch(change());
  assert.equal(hooks.server.received.length, 1);
  const notices = (await mailsOf(hooks.app.services, "control"))
    .filter(({ kind }) => kind === "webhookFailed");
  assert.equal(notices.length, 1);
});

Deno.test("of two processes that share the queue each message is sent by one, in order", async () => {
  await using hooks = await openWebhooks();
  await using second = await openPeer(hooks.app);
  await hooks.create();
  const changes = times(10, (index) => changesOf(id(index), 5)).flat();
  await enqueueChanges(hooks.app.services, hooks.projectId, changes, { begins: false });
  const runners = [hooks.app.services.jobRunner, second.services.jobRunner];
  await Promise.all(runners.map((runner) => runner.runDue()));
  await Promise.all(runners.map((runner) => runner.idle()));
  const ids = hooks.server.received.map(({ headers }) => headers["webhook-id"]);
  assert.equal(ids.length, 50);
  assert.equal(new Set(ids).size, 50);
  for (const recordId of times(10, id)) {
    const order = hooks.server.received.filter(({ json }) => json.data.id === recordId)
      .map(({ json }) => json.data.document.n);
    assert.deepEqual(order, [0, 1, 2, 3, 4]);
  }
});

Deno.test("messages of a killed process are sent by another, starting with the interrupted one", async () => {
  await using hooks = await openWebhooks();
  await using second = await openPeer({ store: hooks.app.store, clock: fakeClock() });
  await hooks.create();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let isKilled = true;
  hooks.server.behave(async (_message, response) => {
    if (isKilled) await held;
    response.end();
  });
  await enqueueChanges(hooks.app.services, hooks.projectId, changesOf(id(1), 3));
  while (hooks.server.received.length < 1) await turn();
  isKilled = false;
  second.clock.advance(7 * SECOND_MS);
  await second.services.jobRunner.runDue();
  assert.equal(hooks.server.received.length, 1, "the lease has not expired");
  second.clock.advance(SECOND_MS);
  await second.services.jobRunner.runDue();
  const order = hooks.server.received.map(({ json }) => json.data.document.n);
  assert.deepEqual(order, [0, 0, 1, 2]);
  release();
  await hooks.app.services.jobRunner.idle();
  const states = (await hooks.deliveries()).map(({ state, tries }) => [state, tries]);
  assert.deepEqual(states, [["delivered", 2], ["delivered", 1], ["delivered", 1]]);
});

Deno.test("at most four messages of a webhook are in flight, and none holds up another webhook", async () => {
  await using hooks = await openWebhooks();
  const { promise, resolve } = Promise.withResolvers<void>();
  const hanging = times(20, (index) => change({ recordId: id(index) }));
  let isHanging = false;
  await hooks.create({ url: `http://127.0.0.1:${hooks.server.port}/hangs` });
  await hooks.create({ events: { posts: ["deleted"] } });
  hooks.server.behave(async ({ path }, response) => {
    if (path === "/hangs" && isHanging) await promise;
    response.end();
  });
  const { services } = hooks.app;
  // A quick answer first, because until then a webhook has one message in flight.
  await hooks.dispatch(change({ recordId: id(50) }));
  isHanging = true;
  await enqueueChanges(services, hooks.projectId, [
    ...hanging,
    change({ action: "deleted", recordId: id(99) }),
  ]);
  while (!hooks.server.received.some(({ path }) => path === "/hook")) await turn();
  while (hooks.server.received.length < 6) await turn();
  await turn();
  assert.ok(hooks.server.maxConcurrent <= 5, `${hooks.server.maxConcurrent}`);
  resolve();
  await services.jobRunner.idle();
  assert.equal(hooks.server.received.filter(({ path }) => path === "/hangs").length, 22);
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

Deno.test("messages are kept for seven days and then removed", async () => {
  await using hooks = await openWebhooks();
  await hooks.create();
  await hooks.dispatch(change());
  const { services, clock } = hooks.app;
  clock.advance(7 * 24 * HOUR_MS - 1);
  await maintain(services);
  assert.equal((await hooks.deliveries()).length, 1);
  clock.advance(SECOND_MS);
  await maintain(services);
  assert.equal((await hooks.deliveries()).length, 0);
});

Deno.test("a message of a deleted webhook is not sent", async () => {
  await using hooks = await openWebhooks();
  const { id: webhookId } = await hooks.create();
  await enqueueChanges(hooks.app.services, hooks.projectId, [change()], { begins: false });
  ok(await hooks.owner.asOwner({ method: "DELETE", path: `/webhooks/${webhookId}` }));
  await hooks.later(0);
  assert.equal(hooks.server.received.length, 0);
  assert.equal((await hooks.deliveries())[0]!.error, "The webhook is deleted.");
});
