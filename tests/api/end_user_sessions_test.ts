import assert from "node:assert/strict";
import { openTestApp, type TestProject } from "../support/test_app.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";
import { isSignedIn, refresh, signIn } from "./signed_in.ts";

const callOf = (id: string) => ({
  method: "DELETE",
  path: `/api/userAuth/users/${id}/sessions`,
});

const end = (project: TestProject, id: string) => project.asSecret(callOf(id));

Deno.test("endUserSessions ends all sessions of a user, who may sign in again", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const first = await signIn(app, project);
  const second = await signIn(app, project, first.id);
  const other = await signIn(app, project);
  for (const user of [first, second]) assert.ok(await isSignedIn(project, user));
  assert.deepEqual(ok(await end(project, first.id)), { ended: 2 });
  for (const user of [first, second]) {
    assert.equal(await isSignedIn(project, user), false, "the session ends at once");
    refused(await refresh(project, user.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  }
  assert.ok(await isSignedIn(project, other));
  assert.deepEqual(ok(await end(project, first.id)), { ended: 0 });
  assert.ok(await isSignedIn(project, await signIn(app, project, first.id)));
});

Deno.test("endUserSessions is 404 for unknown and foreign users, and 400 for a malformed id", async () => {
  await using app = await openTestApp();
  const [project, stranger] = [await app.project(), await app.project()];
  const foreign = await signIn(app, stranger);
  for (const id of [UNKNOWN_ID, foreign.id]) refused(await end(project, id), 404, "USER_NOT_FOUND");
  refused(await end(project, "x"), 400, "INVALID_ID");
  assert.ok(await isSignedIn(stranger, foreign));
});

Deno.test("endUserSessions requires the secret key", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  refused(await project.asPublic(callOf(user.id), user), 403, "SECRET_KEY_REQUIRED");
  assert.ok(await isSignedIn(project, user));
});
