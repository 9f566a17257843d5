import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";

const PATH = "/providers/github/trial";

Deno.test("only admins can try a configured provider, at the dashboard's address", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const set = (body: unknown) => owner.asOwner({ method: "PUT", path: "/providers/github", body });
  ok(await owner.asOwner({ method: "PATCH", path: "", body: { siteUrl: null } }));
  refused(await owner.asOwner({ path: PATH }), 422, "PROVIDER_NOT_CONFIGURED");
  ok(await set({ enabled: false, clientId: "id", clientSecret: "secret" }));
  refused(await owner.asOwner({ path: PATH }), 422, "PROVIDER_NOT_CONFIGURED");
  ok(await set({ enabled: true }));
  refused(await owner.asOwner({ path: PATH }), 422, "SITE_URL_MISSING");
  ok(await owner.asOwner({ method: "PATCH", path: "", body: { siteUrl: "https://a.example" } }));
  const { publicUrl } = app.services.config;
  const { url, callbackUrl } = ok(await owner.asOwner({ path: PATH }));
  assert.equal(callbackUrl, `${publicUrl}/api/userAuth/social/github/callback`);
  assert.ok(url.startsWith(`${publicUrl}/dashboard/projects/${owner.projectId}/`), url);
  const page = await owner.account.send({ path: url.slice(publicUrl.length) });
  assert.equal(page.status, 302);
  assert.match(page.headers.get("location")!, /client_id=id/);
  await owner.isForAdmins({ path: PATH });
  refused(await owner.asOwner({ path: "/providers/none/trial" }), 404, "PROVIDER_UNKNOWN");
});
