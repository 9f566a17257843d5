import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { openDesk } from "./desk.ts";
import { NOBODY, ok, refused } from "./shelf.ts";
import { isSignedIn, signIn } from "./signed_in.ts";

const remove = (id: string) => ({ method: "DELETE", path: `/users/${id}` });

Deno.test("a deleted user is gone, and their sessions with them", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  const ann = await signIn(app, desk.project);
  assert.deepEqual(ok(await desk.as("admin", remove(ann.id))), { id: ann.id });
  assert.equal(await isSignedIn(desk.project, ann), false);
  refused(await desk.asOwner(remove(ann.id)), 404, "USER_NOT_FOUND");
});

Deno.test("another project's user and another role are refused", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  const ann = await signIn(app, desk.project);
  const stranger = await app.project();
  const foreign = await signIn(app, stranger);
  for (const id of [NOBODY, foreign.id]) {
    refused(await desk.asOwner(remove(id)), 404, "USER_NOT_FOUND");
  }
  refused(await desk.asOwner(remove("x")), 400, "INVALID_ID");
  await desk.isForAdmins(remove(ann.id));
  assert.ok(await isSignedIn(desk.project, ann));
  assert.ok(await isSignedIn(stranger, foreign));
});
