import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { fakeClock } from "../support/test_services.ts";
import { openWebhooks } from "./webhooks.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";

const test = (id: string) => ({ method: "POST", path: `/webhooks/${id}/test` });

Deno.test("testWebhook sends a signed message, even if the webhook is off, and returns the response", async () => {
  await using hooks = await openWebhooks({ clock: fakeClock(Date.now()) });
  const { id, secret } = await hooks.create({ enabled: false });
  const tested = ok(await hooks.owner.as("admin", test(id)));
  assert.deepEqual(tested, { ok: true, status: 200, durationMs: 0, answer: "ok", error: null });
  const [{ body, headers, json }] = hooks.server.received as [typeof hooks.server.received[0]];
  assert.equal(json.type, "webhook.test");
  new Webhook(secret).verify(body, headers);
  for (const status of [302, 410, 500]) {
    hooks.server.behave(status);
    const failed = ok(await hooks.owner.asOwner(test(id)));
    assert.partialDeepStrictEqual(failed, { ok: false, status, answer: `answered ${status}` });
  }
  hooks.server.behave((_message, response) => response.destroy());
  const broken = ok(await hooks.owner.asOwner(test(id)));
  assert.partialDeepStrictEqual(broken, { ok: false, status: null, answer: null });
  assert.match(broken.error, /^cannot be reached/);
  assert.deepEqual(await hooks.deliveries(), []);
});

Deno.test("testWebhook is for admins and the owner, of existing webhooks", async () => {
  await using hooks = await openWebhooks();
  const { id } = await hooks.create();
  refused(await hooks.owner.asOwner(test(UNKNOWN_ID)), 404, "WEBHOOK_NOT_FOUND");
  await hooks.owner.isForAdmins(test(id));
  assert.equal(hooks.server.received.length, 0);
});
