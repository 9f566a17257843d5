import assert from "node:assert/strict";
import { WEBHOOKS } from "@/lib/events/webhooks/records.ts";
import { KeyRing } from "@/lib/crypto/key_ring.ts";
import { reseal } from "@/lib/operations/reseal.ts";
import { ALL } from "@/lib/store/filter.ts";
import { change, openWebhooks } from "./webhooks.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";

const rotate = (id: string) => ({ method: "POST", path: `/webhooks/${id}/rotate-secret` });

Deno.test("rotateWebhookSecret shows the new secret once, and until when the former is valid", async () => {
  await using hooks = await openWebhooks();
  const { secret: first, ...webhook } = await hooks.create();
  const answer = await hooks.owner.as("admin", rotate(webhook.id));
  const { secret, ...rotated } = ok(answer);
  assert.match(secret, /^whsec_/);
  assert.notEqual(secret, first);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.deepEqual(rotated, { ...webhook, formerSecretUntil: "2026-02-01T12:00:00.000Z" });
  await hooks.dispatch(change());
  assert.equal(hooks.server.received[0]!.headers["webhook-signature"]!.split(" ").length, 2);
  hooks.app.clock.advance(24 * 3_600_000);
  const shown = ok(await hooks.owner.asOwner({ path: `/webhooks/${webhook.id}` }));
  assert.equal(shown.formerSecretUntil, null);
});

Deno.test("after rotateWebhookSecret resealing includes both secrets", async () => {
  await using hooks = await openWebhooks();
  const { id } = await hooks.create();
  ok(await hooks.owner.asOwner(rotate(id)));
  const keyRing = await KeyRing.parse(`new:${btoa("n".repeat(32))}`);
  const { unopened } = await reseal({ ...hooks.app.services, keyRing });
  assert.equal(unopened.filter(({ kind }) => kind === "_webhooks").length, 2);
});

Deno.test("rotateWebhookSecret is for admins and the owner, of existing webhooks", async () => {
  await using hooks = await openWebhooks();
  const { id } = await hooks.create();
  const stored = () =>
    Array.fromAsync(
      hooks.app.services.engine.records(hooks.projectId, WEBHOOKS).find({ filter: ALL }),
    );
  const before = await stored();
  refused(await hooks.owner.asOwner(rotate(UNKNOWN_ID)), 404, "WEBHOOK_NOT_FOUND");
  await hooks.owner.isForAdmins(rotate(id));
  assert.deepEqual(await stored(), before);
});
