import assert from "node:assert/strict";
import { WEBHOOK_REPLAY_MAX } from "@/lib/limits.ts";
import { change, openWebhooks } from "./webhooks.ts";
import { ok, refused, times, UNKNOWN_ID } from "./test_collection.ts";

const replay = (id: string, body: unknown) => ({
  method: "POST",
  path: `/webhooks/${id}/replay`,
  body,
});

Deno.test("replayWebhookDeliveries resends all since a time, those of a document in order", async () => {
  await using hooks = await openWebhooks();
  const { id } = await hooks.create();
  await hooks.dispatch(change({ after: '{"n":0}' }));
  hooks.app.clock.advance(1000);
  await hooks.dispatch(...[1, 2, 3].map((n) => change({ action: "changed", after: `{"n":${n}}` })));
  const since = "2026-01-31T13:00:01+01:00";
  const answer = ok(await hooks.owner.as("admin", replay(id, { since })));
  assert.deepEqual(answer, { replayed: 3, nextSince: null });
  await hooks.app.services.jobRunner.idle();
  const order = hooks.server.received.map(({ json }) => json.data.document.n);
  assert.deepEqual(order, [0, 1, 2, 3, 1, 2, 3]);
});

Deno.test("replayWebhookDeliveries skips pending deliveries and returns where to continue", async () => {
  await using hooks = await openWebhooks();
  const { id } = await hooks.create();
  const changes = times(
    WEBHOOK_REPLAY_MAX,
    (index) => change({ recordId: index.toString(16).padStart(24, "0") }),
  );
  await hooks.dispatch(...changes);
  hooks.app.clock.advance(1000);
  hooks.server.behave(500);
  await hooks.dispatch(change());
  const all = { since: "2026-01-31T00:00:00.000Z" };
  hooks.server.behave(200);
  const part = ok(await hooks.owner.asOwner(replay(id, all)));
  const nextSince = "2026-01-31T12:00:01.000Z";
  assert.deepEqual(part, { replayed: WEBHOOK_REPLAY_MAX, nextSince });
  const rest = ok(await hooks.owner.asOwner(replay(id, { since: nextSince })));
  assert.deepEqual(rest, { replayed: 0, nextSince: null });
  await hooks.app.services.jobRunner.idle();
  assert.equal(hooks.server.received.length, 2 * WEBHOOK_REPLAY_MAX + 1);
});

Deno.test("replayWebhookDeliveries refuses what it cannot resend, and sends nothing", async () => {
  await using hooks = await openWebhooks();
  const { id } = await hooks.create();
  await hooks.dispatch(change());
  const good = { since: "2026-01-31T00:00:00.000Z" };
  const { owner } = hooks;
  for (const body of [{}, { since: "yesterday" }, { since: "2026-01-31" }, { ...good, all: 1 }]) {
    refused(await owner.asOwner(replay(id, body)), 400, "INVALID_BODY");
  }
  refused(await owner.asOwner(replay(UNKNOWN_ID, good)), 404, "WEBHOOK_NOT_FOUND");
  await owner.isForAdmins(replay(id, good));
  ok(await owner.asOwner({ method: "PATCH", path: `/webhooks/${id}`, body: { enabled: false } }));
  refused(await owner.asOwner(replay(id, good)), 409, "WEBHOOK_OFF");
  await hooks.app.services.jobRunner.idle();
  assert.equal(hooks.server.received.length, 1);
});
