import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { NOBODY, ok, refused } from "./test_collection.ts";
import { isSignedIn, signIn } from "./signed_in.ts";

const patch = (id: string, body: unknown) => ({ method: "PATCH", path: `/users/${id}`, body });

Deno.test("a disabled user is signed out at once, until they are enabled and sign in again", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const ann = await signIn(app, owner.project);
  assert.equal(ok(await owner.as("admin", patch(ann.id, { disabled: true }))).disabled, true);
  assert.equal(await isSignedIn(owner.project, ann), false);
  assert.equal(ok(await owner.asOwner(patch(ann.id, { disabled: false }))).disabled, false);
  assert.ok(await isSignedIn(owner.project, await signIn(app, owner.project, ann.id)));
});

Deno.test("another change, another user and another role are refused", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const ann = await signIn(app, owner.project);
  for (const body of [{}, { disabled: 1 }, { disabled: true, email: "a@example.com" }]) {
    refused(await owner.asOwner(patch(ann.id, body)), 400, "INVALID_BODY");
  }
  refused(await owner.asOwner(patch("x", { disabled: true })), 400, "INVALID_ID");
  refused(await owner.asOwner(patch(NOBODY, { disabled: true })), 404, "USER_NOT_FOUND");
  await owner.isForAdmins(patch(ann.id, { disabled: true }));
  assert.ok(await isSignedIn(owner.project, ann));
});
