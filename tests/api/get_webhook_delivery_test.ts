import assert from "node:assert/strict";
import { change, openWebhooks } from "./webhooks.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";

Deno.test("getWebhookDelivery returns members the sent body and the receiver's answer", async () => {
  await using hooks = await openWebhooks();
  const { id } = await hooks.create();
  const { id: otherId } = await hooks.create({ events: { posts: ["deleted"] } });
  await hooks.dispatch(change());
  const { _id } = (await hooks.deliveries())[0]!;
  const read = ok(await hooks.owner.as("viewer", { path: `/webhooks/${id}/deliveries/${_id}` }));
  assert.equal(read.body, hooks.server.received[0]!.body);
  assert.partialDeepStrictEqual(read, { id: _id, state: "delivered", status: 200, answer: "ok" });
  const missing: [string, string][] = [[id, UNKNOWN_ID], [otherId, _id]];
  for (const [webhook, delivery] of missing) {
    const path = `/webhooks/${webhook}/deliveries/${delivery}`;
    refused(await hooks.owner.asOwner({ path }), 404, "DELIVERY_NOT_FOUND");
  }
  const path = `/webhooks/${UNKNOWN_ID}/deliveries/${_id}`;
  refused(await hooks.owner.asOwner({ path }), 404, "WEBHOOK_NOT_FOUND");
});
