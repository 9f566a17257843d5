import assert from "node:assert/strict";
import { change, openWebhooks } from "./webhooks.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";

Deno.test("listWebhookDeliveries returns members pages of one webhook's deliveries, newest first", async () => {
  await using hooks = await openWebhooks();
  const { id } = await hooks.create();
  await hooks.create();
  await hooks.dispatch(change());
  hooks.app.clock.advance(1000);
  hooks.server.behave(500);
  await hooks.dispatch(change({ action: "changed" }));
  const path = `/webhooks/${id}/deliveries`;
  const page = ok(await hooks.owner.as("viewer", { path: `${path}?limit=1` }));
  const { id: deliveryId, nextTryAt } = page.items[0];
  const pause = Date.parse(nextTryAt) - hooks.app.clock.now();
  assert.ok(pause >= 5_000 && pause <= 5_500, nextTryAt);
  assert.deepEqual(page.items, [{
    id: deliveryId,
    type: "posts.changed",
    state: "queued",
    tries: 1,
    nextTryAt,
    status: 500,
    durationMs: 0,
    answer: "answered 500",
    error: null,
    createdAt: "2026-01-31T12:00:01.000Z",
    endedAt: null,
  }]);
  const cursor = page.nextCursor;
  const next = ok(await hooks.owner.asOwner({ path: `${path}?limit=1&cursor=${cursor}` }));
  assert.partialDeepStrictEqual(next, {
    items: [{ type: "posts.created", state: "delivered", nextTryAt: null }],
    nextCursor: null,
  });
  refused(await hooks.owner.asOwner({ path: `${path}?cursor=x` }), 400, "INVALID_CURSOR");
  const other = `/webhooks/${UNKNOWN_ID}/deliveries`;
  refused(await hooks.owner.asOwner({ path: other }), 404, "WEBHOOK_NOT_FOUND");
});
