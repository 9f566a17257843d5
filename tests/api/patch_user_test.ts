import assert from "node:assert/strict";
import { issueToken } from "@/lib/auth/issue_token.ts";
import { CODES } from "@/lib/credentials/codes.ts";
import { faults, testUnless } from "../support/server_faults.ts";
import { openTestApp, type TestProject } from "../support/test_app.ts";
import { ok, refused, times, UNKNOWN_ID } from "./test_collection.ts";
import { whileBusy } from "./passwords_full.ts";
import { arrive, exchangeCall, isSignedIn, refresh, signIn } from "./signed_in.ts";
import {
  ADA,
  assertTraceless,
  authProject,
  countOf,
  declareFields,
  HEADER_MODE,
  logIn,
  NEXT_PASSWORD,
  requestCode,
  signUp,
  userCall,
  userOf,
} from "./user_email.ts";

const callOf = (id: string, body: unknown) => ({
  method: "PATCH",
  path: `/api/userAuth/users/${id}`,
  body,
});

const set = (project: TestProject, id: string, disabled: boolean) =>
  project.asSecret(callOf(id, { disabled }));

Deno.test("disabling a user ends their sessions immediately, and those of no other user", async () => {
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

Deno.test("a disabled user opens no session until they are enabled; ended sessions stay ended", async () => {
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

Deno.test("no sign-in or refresh that runs concurrently with disabling leaves a session", async () => {
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

Deno.test("disabling a user again changes nothing, and enabling them ends no session", async () => {
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
    { disabled: true, name: 5 },
    { disabled: true, passwordHash: "x" },
    { email: "eve" },
    { emailVerified: "true" },
    { username: "ab" },
    { roles: ["two words"] },
    { roles: null },
    { claims: "x" },
    { claims: { text: "x".repeat(1024) } },
    { company: "undeclared" },
    { isAnonymous: true },
    '{"__proto__":{"disabled":true}}',
  ];
  for (const body of bodies) {
    refused(await project.asSecret(callOf(user.id, body)), 400, "INVALID_BODY");
  }
  assert.ok(await isSignedIn(project, user));
});

Deno.test("patchUser sets what the body names and leaves the rest", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await declareFields(app, project, { key: "company", type: "String" });
  const user = await signUp(project, { email: ADA, name: "Ada", company: "Engines" });
  const changes: Record<string, unknown>[] = [
    { name: null, username: "ada" },
    { roles: ["editor", "team:1"] },
    { claims: { plan: "pro" } },
    { emailVerified: true },
    { company: null, avatarUrl: "https://example.com/a.png" },
  ];
  const expected = ok(await project.asSecret({ path: callOf(user.id, {}).path }));
  for (const change of changes) {
    app.clock.advance(1000);
    const updatedAt = new Date(app.clock.now()).toISOString();
    Object.assign(expected, change, { updatedAt });
    assert.deepEqual(ok(await project.asSecret(callOf(user.id, change))), expected);
  }
  assert.ok(await isSignedIn(project, user), "no session ends");
});

Deno.test("a new address is unverified unless the body says otherwise, and ends sessions and codes", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  const otp = await requestCode(app, project, "request-password-reset", ADA);
  const patch = (body: unknown) => project.asSecret(callOf(user.id, body));
  ok(await patch({ emailVerified: true }));
  const moved = ok(await patch({ email: "Ada@Example.org" }));
  assert.deepEqual([moved.email, moved.emailVerified], ["Ada@Example.org", false]);
  assert.equal(await isSignedIn(project, user), false);
  refused(await refresh(project, user.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  const reset = userCall("reset-password", { email: ADA, otp, newPassword: NEXT_PASSWORD });
  refused(await project.asPublic(reset), 400, "INVALID_CODE");
  const again = userOf(await logIn(project, "ada@example.org"));
  ok(await patch({ email: "Ada@Example.org" }));
  assert.ok(await isSignedIn(project, again), "an equal address changes nothing");
  const known = ok(await patch({ email: ADA, emailVerified: true }));
  assert.deepEqual([known.email, known.emailVerified], [ADA, true]);
  const gone = ok(await patch({ email: null }));
  assert.deepEqual([gone.email, gone.emailVerified], [null, false]);
});

testUnless(
  faults.staysTaken,
  "an address that is removed from a user can be used by another",
  async () => {
    await using app = await openTestApp();
    const project = await app.project();
    const user = await signUp(project, { email: ADA });
    ok(await project.asSecret(callOf(user.id, { email: null })));
    await signUp(project, { email: ADA });
  },
);

Deno.test("a new password ends all sessions and codes, and is checked like any new password", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  await assertTraceless(app, project, async () => {
    for (const password of ["short", "x".repeat(201), ADA]) {
      refused(await project.asSecret(callOf(user.id, { password })), 400, "INVALID_PASSWORD");
    }
    const call = callOf(user.id, { password: NEXT_PASSWORD });
    const server = { ...project, publishableKey: project.secretKey };
    refused(await whileBusy(app, server, call), 503, "PASSWORDS_BUSY");
  });
  ok(await project.asSecret(callOf(user.id, { password: NEXT_PASSWORD })));
  assert.equal(await isSignedIn(project, user), false);
  assert.equal(await countOf(app, project, CODES), 0);
  refused(await logIn(project, ADA), 401, "INVALID_CREDENTIALS");
  ok(await logIn(project, ADA, NEXT_PASSWORD));
});

Deno.test("a taken address or username is 409 in any letter case, and changes nothing", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA, username: "ada" });
  const user = await signUp(project);
  await assertTraceless(app, project, async () => {
    const taken = { name: "x", email: "ADA@example.com" };
    refused(await project.asSecret(callOf(user.id, taken)), 409, "EMAIL_TAKEN");
    refused(await project.asSecret(callOf(user.id, { username: "ADA" })), 409, "USERNAME_TAKEN");
  });
});

Deno.test("an anonymous user who gets an address is no longer anonymous", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true });
  const call = userCall("anonymous", undefined, HEADER_MODE);
  const { id } = userOf(await project.asPublic(call), 201);
  assert.equal(ok(await project.asSecret(callOf(id, { name: "Guest" }))).isAnonymous, true);
  const named = ok(await project.asSecret(callOf(id, { email: ADA })));
  assert.deepEqual([named._id, named.isAnonymous], [id, false]);
});

Deno.test("an unknown user or one of another project is 404; an invalid id is 400", async () => {
  await using app = await openTestApp();
  const [project, stranger] = [await app.project(), await app.project()];
  const foreign = await signIn(app, stranger);
  for (const id of [UNKNOWN_ID, foreign.id]) {
    refused(await set(project, id, true), 404, "USER_NOT_FOUND");
  }
  refused(await set(project, "x", true), 400, "INVALID_ID");
  assert.ok(await isSignedIn(stranger, foreign));
});

Deno.test("only the secret key can disable users", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const call = callOf(user.id, { disabled: true });
  refused(await project.asPublic(call, user), 403, "SECRET_KEY_REQUIRED");
  assert.ok(await isSignedIn(project, user));
});
