import assert from "node:assert/strict";
import { issueToken } from "@/lib/auth/issue_token.ts";
import { openTestApp, type TestProject } from "../support/test_app.ts";
import { NOBODY, ok, refused, times } from "./test_collection.ts";
import { arrive, exchangeCall, isSignedIn, refresh, signIn } from "./signed_in.ts";

const callOf = (id: string, body: unknown) => ({
  method: "PATCH",
  path: `/api/userAuth/users/${id}`,
  body,
});

const set = (project: TestProject, id: string, disabled: boolean) =>
  project.asSecret(callOf(id, { disabled }));

Deno.test("disabling a user ends their sessions at once, and nobody else's", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const again = await signIn(app, project, user.id);
  const other = await signIn(app, project);
  for (const one of [user, again, other]) assert.ok(await isSignedIn(project, one));
  app.clock.advance(1000);
  const data = ok(await set(project, user.id, true));
  assert.equal(data.disabled, true);
  assert.equal(data.updatedAt, "2026-01-31T12:00:01.000Z");
  for (const one of [user, again]) {
    assert.equal(await isSignedIn(project, one), false);
    refused(await refresh(project, one.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  }
  assert.ok(await isSignedIn(project, other));
  ok(await refresh(project, other.refreshToken));
});

Deno.test("a disabled user opens no session, until they are enabled; what has ended stays ended", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  ok(await set(project, user.id, true));
  const issue = () => issueToken(app.services, project.projectId, { userId: user.id, seconds: 60 });
  await assert.rejects(arrive(app, project, user.id), { code: "USER_NOT_FOUND" });
  await assert.rejects(issue(), { code: "USER_NOT_FOUND" });
  assert.equal(ok(await set(project, user.id, false)).disabled, false);
  assert.equal(await isSignedIn(project, user), false);
  refused(await refresh(project, user.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  assert.ok(await isSignedIn(project, await signIn(app, project, user.id)));
});

Deno.test("of sign-ins and refreshes beside a disabling none is left standing", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  for (let round = 0; round < 5; round++) {
    const user = await signIn(app, project);
    const { rtCode, token } = await arrive(app, project, user.id);
    const opened = times(5, () => arrive(app, project, user.id).catch(() => null));
    const [, exchanged, renewed, ...arrivals] = await Promise.all([
      set(project, user.id, true),
      project.asPublic(exchangeCall({ rtCode, token })),
      refresh(project, user.refreshToken),
      ...opened,
    ]);
    for (const answer of [exchanged!, renewed!]) {
      if (answer.status !== 200) continue;
      refused(await refresh(project, ok(answer).refreshToken), 401, "REFRESH_TOKEN_INVALID");
    }
    for (const arrival of arrivals) {
      if (arrival !== null) assert.equal(await isSignedIn(project, arrival), false);
    }
  }
});

Deno.test("disabling again changes nothing; enabling ends no session", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  ok(await set(project, user.id, false));
  assert.ok(await isSignedIn(project, user));
  for (let n = 0; n < 2; n++) assert.equal(ok(await set(project, user.id, true)).disabled, true);
});

Deno.test("a body of another shape is 400 and changes nothing", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const bodies = [
    {},
    [],
    { disabled: "true" },
    { disabled: null },
    { disabled: 1 },
    { disabled: true, name: "x" },
    { email: "eve@example.com" },
    '{"__proto__":{"disabled":true}}',
  ];
  for (const body of bodies) {
    refused(await project.asSecret(callOf(user.id, body)), 400, "INVALID_BODY");
  }
  assert.ok(await isSignedIn(project, user));
});

Deno.test("unknown users and those of another project are 404; what is no id is 400", async () => {
  await using app = await openTestApp();
  const [project, stranger] = [await app.project(), await app.project()];
  const foreign = await signIn(app, stranger);
  for (const id of [NOBODY, foreign.id]) {
    refused(await set(project, id, true), 404, "USER_NOT_FOUND");
  }
  refused(await set(project, "x", true), 400, "INVALID_ID");
  assert.ok(await isSignedIn(stranger, foreign));
});

Deno.test("only the secret key disables users", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const call = callOf(user.id, { disabled: true });
  refused(await project.asPublic(call, user), 403, "SECRET_KEY_REQUIRED");
  assert.ok(await isSignedIn(project, user));
});
