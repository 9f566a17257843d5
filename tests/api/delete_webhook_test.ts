import assert from "node:assert/strict";
import { change, openWebhooks } from "./webhooks.ts";
import { ok, refused } from "./test_collection.ts";

Deno.test("deleteWebhook deletes a webhook once and ends its deliveries", async () => {
  await using hooks = await openWebhooks();
  const { id } = await hooks.create();
  const call = { method: "DELETE", path: `/webhooks/${id}` };
  await hooks.owner.isForAdmins(call);
  assert.equal(ok(await hooks.owner.asOwner({ path: "/webhooks" })).items.length, 1);
  assert.deepEqual(ok(await hooks.owner.as("admin", call)), { deleted: true });
  refused(await hooks.owner.asOwner(call), 404, "WEBHOOK_NOT_FOUND");
  await hooks.dispatch(change());
  assert.deepEqual([hooks.server.received, await hooks.deliveries()], [[], []]);
  const deliveries = { path: `/webhooks/${id}/deliveries` };
  refused(await hooks.owner.asOwner(deliveries), 404, "WEBHOOK_NOT_FOUND");
});
