import assert from "node:assert/strict";
import { openWebhooks } from "./webhooks.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";

Deno.test("getWebhook returns members a webhook of their project without its secret", async () => {
  await using hooks = await openWebhooks();
  const { secret: _secret, ...webhook } = await hooks.create();
  const call = { path: `/webhooks/${webhook.id}` };
  assert.deepEqual(ok(await hooks.owner.as("viewer", call)), webhook);
  refused(await hooks.owner.asOwner({ path: `/webhooks/${UNKNOWN_ID}` }), 404, "WEBHOOK_NOT_FOUND");
  refused(await hooks.owner.asOwner({ path: "/webhooks/x" }), 400, "INVALID_ID");
  const { projectId } = await hooks.app.project();
  const other = `/api/projects/${projectId}/webhooks/${webhook.id}`;
  refused(await hooks.owner.account.send({ path: other }), 404, "PROJECT_NOT_FOUND");
});
