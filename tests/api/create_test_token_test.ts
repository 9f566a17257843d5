import assert from "node:assert/strict";
import { SESSIONS } from "@/lib/auth/sessions.ts";
import { ALL } from "@/lib/store/filter.ts";
import { maintain } from "@/routes/maintenance.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused, tally, times, UNKNOWN_ID } from "./test_collection.ts";
import { createTestOwner, type TestOwner } from "./test_owner.ts";

const SECONDS = 900;

const create = (id: string) => ({ method: "POST", path: `/users/${id}/test-token` });

const me = (owner: TestOwner, token: string) =>
  owner.project.asPublic({ path: "/api/userAuth/me" }, { id: "", token });

const sessions = async ({ app, projectId }: TestOwner): Promise<number> =>
  await app.services.engine.records(projectId, SESSIONS).count(ALL);

async function openWithUser() {
  const app = await openTestApp();
  const owner = await createTestOwner(app);
  const { _id: userId } = ok(
    await owner.asOwner({ method: "POST", path: "/users", body: { email: "ann@example.com" } }),
    201,
  );
  return { app, owner, userId };
}

Deno.test("createTestToken returns a token for 15 minutes, and its session expires with it", async () => {
  const { app, owner, userId } = await openWithUser();
  await using _ = app;
  const answer = await owner.as("admin", create(userId));
  assert.equal(answer.status, 201);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const { accessToken, ...others } = ok(answer, 201);
  const { items: [session, ...more] } = ok(
    await owner.asOwner({ path: `/users/${userId}/sessions` }),
  );
  assert.deepEqual(others, { expiresIn: SECONDS, sessionId: session._id });
  assert.deepEqual(more, []);
  assert.equal(Date.parse(session.expiresAt), app.clock.now() + SECONDS * 1000);
  assert.equal(ok(await me(owner, accessToken))._id, userId);
  app.clock.advance(SECONDS * 1000 - 1000);
  ok(await me(owner, accessToken));
  app.clock.advance(1000);
  assert.equal((await me(owner, accessToken)).status, 401);
  assert.deepEqual(ok(await owner.asOwner({ path: `/users/${userId}/sessions` })).items, []);
  app.clock.advance(1);
  await maintain(app.services);
  assert.equal(await sessions(owner), 0);
});

Deno.test("a test token ends with its session", async () => {
  const { app, owner, userId } = await openWithUser();
  await using _ = app;
  const { accessToken, sessionId } = ok(await owner.asOwner(create(userId)), 201);
  const path = `/users/${userId}/sessions/${sessionId}`;
  ok(await owner.asOwner({ method: "DELETE", path }));
  assert.equal((await me(owner, accessToken)).status, 401);
});

Deno.test("createTestToken refuses disabled and unknown users, viewers and strangers", async () => {
  const { app, owner, userId } = await openWithUser();
  await using _ = app;
  refused(await owner.asOwner(create(UNKNOWN_ID)), 404, "USER_NOT_FOUND");
  refused(await owner.asOwner(create("x")), 400, "INVALID_ID");
  await owner.isForAdmins(create(userId));
  const path = `/users/${userId}`;
  ok(await owner.asOwner({ method: "PATCH", path, body: { disabled: true } }));
  refused(await owner.asOwner(create(userId)), 404, "USER_NOT_FOUND");
  assert.equal(await sessions(owner), 0);
});

Deno.test("disabling a user ends test tokens that are created concurrently", async () => {
  const { app, owner, userId } = await openWithUser();
  await using _ = app;
  const disable = { method: "PATCH", path: `/users/${userId}`, body: { disabled: true } };
  const answers = await Promise.all([
    ...times(10, () => owner.asOwner(create(userId))),
    owner.asOwner(disable),
    ...times(10, () => owner.asOwner(create(userId))),
  ]);
  assert.equal(tally(answers)[200], 1);
  for (const { status, body } of answers) {
    if (status === 201) assert.equal((await me(owner, body.data.accessToken)).status, 401);
  }
});
