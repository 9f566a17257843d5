import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { openDesk } from "./desk.ts";
import { NOBODY, ok, refused } from "./shelf.ts";
import { isSignedIn, signIn } from "./signed_in.ts";

const end = (id: string) => ({ method: "DELETE", path: `/users/${id}/sessions` });

Deno.test("a user is signed out everywhere, and may sign in again", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  const first = await signIn(app, desk.project);
  const second = await signIn(app, desk.project, first.id);
  assert.deepEqual(ok(await desk.as("admin", end(first.id))), { ended: 2 });
  for (const user of [first, second]) assert.equal(await isSignedIn(desk.project, user), false);
  assert.deepEqual(ok(await desk.asOwner(end(first.id))), { ended: 0 });
  assert.ok(await isSignedIn(desk.project, await signIn(app, desk.project, first.id)));
});

Deno.test("another user and another role are refused", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  const ann = await signIn(app, desk.project);
  refused(await desk.asOwner(end(NOBODY)), 404, "USER_NOT_FOUND");
  refused(await desk.asOwner(end("x")), 400, "INVALID_ID");
  await desk.isForAdmins(end(ann.id));
  assert.ok(await isSignedIn(desk.project, ann));
});
