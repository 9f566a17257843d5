import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { NOBODY, ok, refused } from "./test_collection.ts";
import { isSignedIn, signIn } from "./signed_in.ts";

const remove = (id: string) => ({ method: "DELETE", path: `/users/${id}` });

Deno.test("a deleted user is gone, and their sessions with them", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const ann = await signIn(app, owner.project);
  assert.deepEqual(ok(await owner.as("admin", remove(ann.id))), { id: ann.id });
  assert.equal(await isSignedIn(owner.project, ann), false);
  refused(await owner.asOwner(remove(ann.id)), 404, "USER_NOT_FOUND");
});

Deno.test("another project's user and another role are refused", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const ann = await signIn(app, owner.project);
  const stranger = await app.project();
  const foreign = await signIn(app, stranger);
  for (const id of [NOBODY, foreign.id]) {
    refused(await owner.asOwner(remove(id)), 404, "USER_NOT_FOUND");
  }
  refused(await owner.asOwner(remove("x")), 400, "INVALID_ID");
  await owner.isForAdmins(remove(ann.id));
  assert.ok(await isSignedIn(owner.project, ann));
  assert.ok(await isSignedIn(stranger, foreign));
});
