import assert from "node:assert/strict";
import { change, openWebhooks } from "./webhooks.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";

const patch = (id: string, body: unknown) => ({ method: "PATCH", path: `/webhooks/${id}`, body });

Deno.test("updateWebhook changes what the body names and leaves the rest", async () => {
  await using hooks = await openWebhooks();
  const { secret: _secret, ...webhook } = await hooks.create();
  hooks.app.clock.advance(1000);
  const given = { name: "Other", events: { posts: ["deleted"] } };
  const changed = ok(await hooks.owner.asOwner(patch(webhook.id, given)));
  const updatedAt = "2026-01-31T12:00:01.000Z";
  assert.deepEqual(changed, { ...webhook, ...given, updatedAt });
  assert.equal(ok(await hooks.owner.asOwner(patch(webhook.id, { enabled: false }))).enabled, false);
  await hooks.dispatch(change({ action: "deleted" }));
  assert.equal(hooks.server.received.length, 0, "the webhook is off");
  ok(await hooks.owner.as("admin", patch(webhook.id, { enabled: true })));
  await hooks.dispatch(change({ action: "deleted" }), change({ action: "changed" }));
  assert.deepEqual(hooks.server.received.map(({ json }) => json.type), ["posts.deleted"]);
});

Deno.test("updateWebhook sends pending deliveries to the new address, and clears offBecause", async () => {
  await using hooks = await openWebhooks();
  const { id, url } = await hooks.create();
  hooks.server.behave(500);
  await hooks.dispatch(change());
  ok(await hooks.owner.asOwner(patch(id, { url: url.replace("/hook", "/other") })));
  hooks.server.behave(410);
  await hooks.later(5_500); // Five seconds plus up to 10% jitter.
  assert.deepEqual(hooks.server.received.map(({ path }) => path), ["/hook", "/other"]);
  const off = ok(await hooks.owner.asOwner({ path: `/webhooks/${id}` }));
  assert.deepEqual([off.enabled, off.offBecause], [
    false,
    "It answered that it is gone (410).",
  ]);
  const on = ok(await hooks.owner.asOwner(patch(id, { enabled: true })));
  assert.deepEqual([on.enabled, on.offBecause], [true, null]);
});

Deno.test("updateWebhook refuses what createWebhook refuses, and changes nothing", async () => {
  await using hooks = await openWebhooks({ env: { ALLOW_PRIVATE_ENDPOINTS: "false" } });
  const { secret: _secret, ...webhook } = await hooks.create({ url: "https://a.example/" });
  const { id } = webhook;
  const { owner } = hooks;
  refused(await owner.asOwner(patch(id, { events: { posts: ["x"] } })), 400, "INVALID_BODY");
  const urls = ["http://a.example/", "https://a:b@a.example/", "https://10.1.2.3/"];
  for (const url of urls) {
    refused(await owner.asOwner(patch(id, { name: "New", url })), 400, "INVALID_INPUT", '"url"');
  }
  const events = { missing: ["created"] };
  refused(await owner.asOwner(patch(id, { name: "New", events })), 400, "INVALID_INPUT", "missing");
  refused(await owner.asOwner(patch(UNKNOWN_ID, { name: "New" })), 404, "WEBHOOK_NOT_FOUND");
  await owner.isForAdmins(patch(id, { name: "New" }));
  assert.deepEqual(ok(await owner.asOwner({ path: `/webhooks/${id}` })), webhook);
});
