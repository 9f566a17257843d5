import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { isSignedIn, refresh, signIn } from "./signed_in.ts";
import { ok, refused, tally, times, UNKNOWN_ID } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";

const end = (userId: string, sessionId: string) => ({
  method: "DELETE",
  path: `/users/${userId}/sessions/${sessionId}`,
});

Deno.test("endProjectUserSession ends one session of a user at once, and no other", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const here = await signIn(app, owner.project);
  const there = await signIn(app, owner.project, here.id);
  assert.ok(await isSignedIn(owner.project, there));
  const answer = await owner.as("admin", end(here.id, there.sessionId));
  assert.deepEqual(ok(answer), { id: there.sessionId });
  assert.equal(await isSignedIn(owner.project, there), false);
  refused(await refresh(owner.project, there.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  assert.ok(await isSignedIn(owner.project, here));
});

Deno.test("exactly one of 20 concurrent endProjectUserSession requests succeeds", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const user = await signIn(app, owner.project);
  const answers = await Promise.all(
    times(20, () => owner.asOwner(end(user.id, user.sessionId))),
  );
  assert.deepEqual(tally(answers), { 200: 1, 404: 19 });
});

Deno.test("endProjectUserSession refuses unknown and foreign sessions with 404", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const stranger = await app.project();
  const ann = await signIn(app, owner.project);
  const bob = await signIn(app, owner.project);
  const foreign = await signIn(app, stranger);
  const calls = [
    end(ann.id, UNKNOWN_ID),
    end(ann.id, bob.sessionId),
    end(UNKNOWN_ID, ann.sessionId),
    end(foreign.id, foreign.sessionId),
  ];
  for (const call of calls) refused(await owner.asOwner(call), 404, "SESSION_NOT_FOUND");
  refused(await owner.asOwner(end(ann.id, "x")), 400, "INVALID_ID");
  refused(await owner.asOwner(end("x", ann.sessionId)), 400, "INVALID_ID");
  for (const user of [ann, bob]) assert.ok(await isSignedIn(owner.project, user));
  assert.ok(await isSignedIn(stranger, foreign));
});

Deno.test("endProjectUserSession admits only admins and the owner", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const user = await signIn(app, owner.project);
  await owner.isForAdmins(end(user.id, user.sessionId));
  assert.ok(await isSignedIn(owner.project, user));
});
