import assert from "node:assert/strict";
import { findProvider } from "@/lib/projects/providers.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner, type TestOwner } from "./test_owner.ts";
import { ok, refused } from "./test_collection.ts";

const SECRET = "a-client-secret-that-stays-inside";

const put = (owner: TestOwner, body: unknown, provider = "github") =>
  owner.asOwner({ method: "PUT", path: `/providers/${provider}`, body });

const stored = ({ app, projectId }: TestOwner) => findProvider(app.services, projectId, "github");

Deno.test("setProvider keeps the stored secret if none is sent, and never shows it", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const first = await put(owner, {
    enabled: true,
    clientId: "id",
    clientSecret: SECRET,
    linking: "never",
  });
  assert.deepEqual(ok(first), {
    provider: "github",
    enabled: true,
    clientId: "id",
    hasClientSecret: true,
    linking: "never",
    callbackUrl: `${app.services.config.publicUrl}/api/userAuth/social/github/callback`,
  });
  const again = await put(owner, { enabled: true, clientId: "other", clientSecret: "" });
  assert.equal(ok(again).clientId, "other");
  assert.equal(ok(again).linking, "never");
  const off = await put(owner, { enabled: false });
  assert.deepEqual([ok(off).enabled, ok(off).clientId], [false, "other"]);
  assert.equal((await stored(owner))!.clientSecret!.reveal(), SECRET);
  const list = await owner.asOwner({ path: "/providers" });
  for (const { text } of [first, again, off, list]) assert.ok(!text.includes(SECRET));
});

Deno.test("an enabled provider needs an id and a secret; 422 names the missing one", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  refused(await put(owner, { enabled: true }), 422, "PROVIDER_INCOMPLETE", "clientId and client");
  const noSecret = await put(owner, { enabled: true, clientId: "id" });
  refused(noSecret, 422, "PROVIDER_INCOMPLETE", "needs clientSecret");
  const noId = await put(owner, { enabled: true, clientSecret: SECRET });
  refused(noId, 422, "PROVIDER_INCOMPLETE", "needs clientId");
  assert.equal(await stored(owner), null, "a refusal stores nothing");
  const draft = ok(await put(owner, { enabled: false, clientSecret: SECRET }));
  assert.deepEqual([draft.clientId, draft.hasClientSecret], [null, true]);
  assert.equal(ok(await put(owner, { enabled: true, clientId: "id" })).enabled, true);
});

Deno.test("an unknown setting is refused, and no part of it is repeated", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const body = { enabled: true, clientId: "id", clientSecret: SECRET };
  const meant = /it is github or google\. Did you mean "github"\?$/;
  refused(await put(owner, body, "gihtub"), 404, "PROVIDER_UNKNOWN", meant);
  const spaced = await put(owner, { ...body, clientSecret: `${SECRET} x` });
  refused(spaced, 400, "INVALID_INPUT", "client secret");
  assert.ok(!spaced.text.includes(SECRET));
  for (
    const wrong of [
      { clientId: "id" },
      { ...body, enabled: "yes" },
      { ...body, linking: "always" },
      { ...body, clientId: null },
      { ...body, clientSecret: 1 },
      { ...body, more: true },
    ]
  ) refused(await put(owner, wrong), 400, "INVALID_BODY");
  assert.equal(await stored(owner), null);
});

Deno.test("only admins and the owner set up a provider", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const call = { method: "PUT", path: "/providers/github", body: { enabled: false } };
  await owner.isForAdmins(call);
  assert.equal(await stored(owner), null);
  ok(await owner.as("admin", call));
});
