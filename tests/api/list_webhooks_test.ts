import assert from "node:assert/strict";
import { openAccount } from "../support/dashboard.ts";
import { openWebhooks } from "./webhooks.ts";
import { ok, refused } from "./test_collection.ts";

Deno.test("listWebhooks returns members pages of all webhooks, newest first, without secrets", async () => {
  await using hooks = await openWebhooks();
  const { owner } = hooks;
  const { secret: _one, ...first } = await hooks.create({ name: "First" });
  hooks.app.clock.advance(1000);
  const { secret: _two, ...second } = await hooks.create({ name: "Second" });
  const page = await owner.as("viewer", { path: "/webhooks?limit=1" });
  assert.deepEqual(ok(page).items, [second]);
  const { nextCursor } = ok(page);
  const next = ok(await owner.asOwner({ path: `/webhooks?limit=1&cursor=${nextCursor}` }));
  assert.deepEqual(next, { items: [first], nextCursor: null });
  refused(await owner.asOwner({ path: "/webhooks?cursor=x" }), 400, "INVALID_CURSOR");
  refused(await owner.asOwner({ path: "/webhooks?limit=0" }), 400, "INVALID_QUERY");
  const stranger = await openAccount(hooks.app);
  const path = `/api/projects/${hooks.projectId}/webhooks`;
  refused(await stranger.send({ path }), 404, "PROJECT_NOT_FOUND");
});
