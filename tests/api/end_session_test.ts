import assert from "node:assert/strict";
import type { Id } from "@/lib/store/port.ts";
import { openTestApp, type TestProject, type TestUser } from "../support/test_app.ts";
import { ok, refused, tally, times, UNKNOWN_ID } from "./test_collection.ts";
import { isSignedIn, refresh, signIn } from "./signed_in.ts";

const callOf = (id: Id) => ({ method: "DELETE", path: `/api/userAuth/sessions/${id}` });

const end = (project: TestProject, user: TestUser, id: Id) => project.asPublic(callOf(id), user);

Deno.test("endSession ends another session of the user at once", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const here = await signIn(app, project);
  const there = await signIn(app, project, here.id);
  assert.ok(await isSignedIn(project, there));
  assert.deepEqual(ok(await end(project, here, there.sessionId)), { id: there.sessionId });
  assert.equal(await isSignedIn(project, there), false);
  refused(await refresh(project, there.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  assert.ok(await isSignedIn(project, here));
});

Deno.test("endSession ends the session that it is called from, once", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const answers = await Promise.all(times(20, () => end(project, user, user.sessionId)));
  const { 200: won, ...others } = tally(answers);
  assert.equal(won, 1);
  assert.ok(Object.keys(others).every((status) => status === "401" || status === "404"));
  refused(await end(project, user, user.sessionId), 401, "ACCESS_TOKEN_INVALID");
});

Deno.test("endSession gives unknown, ended and foreign sessions an identical 404", async () => {
  await using app = await openTestApp();
  const [project, stranger] = [await app.project(), await app.project()];
  const user = await signIn(app, project);
  const ended = await signIn(app, project, user.id);
  ok(await end(project, user, ended.sessionId));
  const [other, foreign] = [await signIn(app, project), await signIn(app, stranger)];
  const texts = new Set<string>();
  for (const id of [UNKNOWN_ID, ended.sessionId, other.sessionId, foreign.sessionId, user.id]) {
    const answer = await end(project, user, id);
    refused(answer, 404, "SESSION_NOT_FOUND");
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1);
  assert.ok(await isSignedIn(project, other));
  assert.ok(await isSignedIn(stranger, foreign));
});

Deno.test("endSession refuses a malformed id and accepts one in upper case", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  for (const id of ["x", "all", user.sessionId.slice(1)]) {
    refused(await end(project, user, id), 400, "INVALID_ID");
  }
  const id = user.sessionId.toUpperCase();
  assert.deepEqual(ok(await end(project, user, id)), { id: user.sessionId });
});

Deno.test("endSession is 401 without an access token, and 403 with the secret key", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const call = callOf(user.sessionId);
  refused(await project.asPublic(call), 401, "ACCESS_TOKEN_REQUIRED");
  refused(await project.asSecret(call), 403, "PUBLISHABLE_KEY_REQUIRED");
  assert.ok(await isSignedIn(project, user));
});
