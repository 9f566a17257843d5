import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { NOBODY, ok, refused } from "./test_collection.ts";
import { isSignedIn, signIn } from "./signed_in.ts";

const end = (id: string) => ({ method: "DELETE", path: `/users/${id}/sessions` });

Deno.test("a user is signed out everywhere, and may sign in again", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const first = await signIn(app, owner.project);
  const second = await signIn(app, owner.project, first.id);
  assert.deepEqual(ok(await owner.as("admin", end(first.id))), { ended: 2 });
  for (const user of [first, second]) assert.equal(await isSignedIn(owner.project, user), false);
  assert.deepEqual(ok(await owner.asOwner(end(first.id))), { ended: 0 });
  assert.ok(await isSignedIn(owner.project, await signIn(app, owner.project, first.id)));
});

Deno.test("another user and another role are refused", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const ann = await signIn(app, owner.project);
  refused(await owner.asOwner(end(NOBODY)), 404, "USER_NOT_FOUND");
  refused(await owner.asOwner(end("x")), 400, "INVALID_ID");
  await owner.isForAdmins(end(ann.id));
  assert.ok(await isSignedIn(owner.project, ann));
});
