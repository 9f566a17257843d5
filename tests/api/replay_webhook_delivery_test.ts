import assert from "node:assert/strict";
import { change, openWebhooks, type WebhookFixture } from "./webhooks.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";

const replay = (webhook: string, delivery: string) => ({
  method: "POST",
  path: `/webhooks/${webhook}/deliveries/${delivery}/replay`,
});

const first = async (hooks: WebhookFixture) => (await hooks.deliveries())[0]!;

Deno.test("replayWebhookDelivery resends a message under its id, whatever its state", async () => {
  await using hooks = await openWebhooks();
  const { id } = await hooks.create();
  await hooks.dispatch(change());
  const { _id } = await first(hooks);
  const queued = ok(await hooks.owner.as("admin", replay(id, _id)));
  assert.partialDeepStrictEqual(queued, { id: _id, state: "queued", tries: 0, endedAt: null });
  await hooks.app.services.jobRunner.idle();
  const [one, two] = hooks.server.received;
  assert.equal(two!.headers["webhook-id"], one!.headers["webhook-id"]);
  assert.equal(two!.body, one!.body);
  assert.partialDeepStrictEqual(await first(hooks), { state: "delivered", tries: 1 });
});

Deno.test("replayWebhookDelivery tries a pending delivery now and restores all its attempts", async () => {
  await using hooks = await openWebhooks();
  const { id } = await hooks.create();
  hooks.server.behave(500);
  await hooks.dispatch(change());
  await hooks.later(5_500); // Five seconds plus up to 10% jitter.
  const { _id, tries } = await first(hooks);
  assert.equal(tries, 2);
  hooks.server.behave(200);
  ok(await hooks.owner.asOwner(replay(id, _id)));
  await hooks.app.services.jobRunner.idle();
  assert.partialDeepStrictEqual(await first(hooks), { state: "delivered", tries: 1 });
  await hooks.later(300_000);
  assert.equal(
    hooks.server.received.length,
    3,
    "the attempt that was pending is not made in addition",
  );
});

Deno.test("replayWebhookDelivery refuses what it cannot resend, and sends nothing", async () => {
  await using hooks = await openWebhooks();
  const { id } = await hooks.create();
  const { id: otherId } = await hooks.create({ events: { posts: ["deleted"] } });
  await hooks.dispatch(change());
  const { _id } = await first(hooks);
  const { owner } = hooks;
  refused(await owner.asOwner(replay(id, UNKNOWN_ID)), 404, "DELIVERY_NOT_FOUND");
  refused(await owner.asOwner(replay(otherId, _id)), 404, "DELIVERY_NOT_FOUND");
  refused(await owner.asOwner(replay(UNKNOWN_ID, _id)), 404, "WEBHOOK_NOT_FOUND");
  await owner.isForAdmins(replay(id, _id));
  ok(await owner.asOwner({ method: "PATCH", path: `/webhooks/${id}`, body: { enabled: false } }));
  refused(await owner.asOwner(replay(id, _id)), 409, "WEBHOOK_OFF");
  await hooks.app.services.jobRunner.idle();
  assert.equal(hooks.server.received.length, 1);
  assert.equal((await first(hooks)).state, "delivered");
});
