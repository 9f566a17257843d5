import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { ok } from "./test_collection.ts";

Deno.test("listProviders returns every provider with its callback, also to viewers", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const nothing = { enabled: false, clientId: null, hasClientSecret: false, linking: "verified" };
  const callback = (provider: string) =>
    `${app.services.config.publicUrl}/api/userAuth/social/${provider}/callback`;
  const expected = ["github", "google"].map((provider) => (
    { provider, ...nothing, callbackUrl: callback(provider) }
  ));
  assert.deepEqual(ok(await owner.asOwner({ path: "/providers" })).items, expected);
  assert.deepEqual(ok(await owner.as("viewer", { path: "/providers" })).items, expected);
});
