import assert from "node:assert/strict";
import { findProvider } from "@/lib/projects/providers.ts";
import { openTestApp } from "../support/test_app.ts";
import { type Desk, openDesk } from "./desk.ts";
import { ok, refused } from "./shelf.ts";

const SECRET = "a-client-secret-that-stays-inside";

const put = (desk: Desk, body: unknown, provider = "github") =>
  desk.asOwner({ method: "PUT", path: `/providers/${provider}`, body });

const stored = ({ app, projectId }: Desk) => findProvider(app.services, projectId, "github");

Deno.test("a provider is set up, its secret is kept where none is sent and never shown", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  const first = await put(desk, {
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
  const again = await put(desk, { enabled: true, clientId: "other", clientSecret: "" });
  assert.equal(ok(again).clientId, "other");
  assert.equal(ok(again).linking, "never");
  const off = await put(desk, { enabled: false });
  assert.deepEqual([ok(off).enabled, ok(off).clientId], [false, "other"]);
  assert.equal((await stored(desk))!.clientSecret!.reveal(), SECRET);
  const list = await desk.asOwner({ path: "/providers" });
  for (const { text } of [first, again, off, list]) assert.ok(!text.includes(SECRET));
});

Deno.test("to be enabled a provider needs an id and a secret: 422 names what is missing", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  refused(await put(desk, { enabled: true }), 422, "PROVIDER_INCOMPLETE", "clientId and client");
  const noSecret = await put(desk, { enabled: true, clientId: "id" });
  refused(noSecret, 422, "PROVIDER_INCOMPLETE", "needs clientSecret");
  const noId = await put(desk, { enabled: true, clientSecret: SECRET });
  refused(noId, 422, "PROVIDER_INCOMPLETE", "needs clientId");
  assert.equal(await stored(desk), null, "a refusal leaves no trace");
  const draft = ok(await put(desk, { enabled: false, clientSecret: SECRET }));
  assert.deepEqual([draft.clientId, draft.hasClientSecret], [null, true]);
  assert.equal(ok(await put(desk, { enabled: true, clientId: "id" })).enabled, true);
});

Deno.test("what no provider has is refused, and nothing of it repeated", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  const body = { enabled: true, clientId: "id", clientSecret: SECRET };
  refused(await put(desk, body, "gitlab"), 404, "PROVIDER_UNKNOWN");
  const spaced = await put(desk, { ...body, clientSecret: `${SECRET} x` });
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
  ) refused(await put(desk, wrong), 400, "INVALID_BODY");
  assert.equal(await stored(desk), null);
});

Deno.test("only admins and the owner set a provider up", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  const call = { method: "PUT", path: "/providers/github", body: { enabled: false } };
  await desk.isForAdmins(call);
  assert.equal(await stored(desk), null);
  ok(await desk.as("admin", call));
});
