import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { openDesk } from "./desk.ts";
import { NOBODY, ok, refused } from "./shelf.ts";
import { isSignedIn, signIn } from "./signed_in.ts";

const patch = (id: string, body: unknown) => ({ method: "PATCH", path: `/users/${id}`, body });

Deno.test("a disabled user is signed out at once, until they are enabled and sign in again", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  const ann = await signIn(app, desk.project);
  assert.equal(ok(await desk.as("admin", patch(ann.id, { disabled: true }))).disabled, true);
  assert.equal(await isSignedIn(desk.project, ann), false);
  assert.equal(ok(await desk.asOwner(patch(ann.id, { disabled: false }))).disabled, false);
  assert.ok(await isSignedIn(desk.project, await signIn(app, desk.project, ann.id)));
});

Deno.test("another change, another user and another role are refused", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  const ann = await signIn(app, desk.project);
  for (const body of [{}, { disabled: 1 }, { disabled: true, email: "a@example.com" }]) {
    refused(await desk.asOwner(patch(ann.id, body)), 400, "INVALID_BODY");
  }
  refused(await desk.asOwner(patch("x", { disabled: true })), 400, "INVALID_ID");
  refused(await desk.asOwner(patch(NOBODY, { disabled: true })), 404, "USER_NOT_FOUND");
  await desk.isForAdmins(patch(ann.id, { disabled: true }));
  assert.ok(await isSignedIn(desk.project, ann));
});
