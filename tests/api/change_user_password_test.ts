import assert from "node:assert/strict";
import { CODES } from "@/lib/credentials/codes.ts";
import { openTestApp, type TestProject, type TestUser } from "../support/test_app.ts";
import { whileBusy } from "./passwords_full.ts";
import { isSignedIn, refresh } from "./signed_in.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import {
  ADA,
  assertTraceless,
  authProject,
  countOf,
  HEADER_MODE,
  logIn,
  MINUTE_MS,
  NEXT_PASSWORD,
  PASSWORD,
  requestCode,
  setAuth,
  signUp,
  userCall,
  userOf,
} from "./user_email.ts";

const callOf = (currentPassword: unknown = PASSWORD, newPassword: unknown = NEXT_PASSWORD) => ({
  ...userCall("change-password", { currentPassword, newPassword }),
  method: "PUT",
});

const change = (project: TestProject, user: TestUser, ...passwords: Parameters<typeof callOf>) =>
  project.asPublic(callOf(...passwords), user);

Deno.test("changeUserPassword sets the password, ends the other sessions and deletes codes", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  const other = userOf(await logIn(project, ADA));
  const bob = await signUp(project);
  await requestCode(app, project, "request-password-reset", ADA);
  assert.equal(await countOf(app, project, CODES), 3);
  const answer = await change(project, user);
  const message = "Password changed";
  assert.deepEqual(answer.body, { success: true, data: { message }, message });
  assert.ok(await isSignedIn(project, user));
  ok(await refresh(project, user.refreshToken));
  assert.equal(await isSignedIn(project, other), false);
  refused(await refresh(project, other.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  assert.ok(await isSignedIn(project, bob));
  assert.equal(await countOf(app, project, CODES), 1, "the code of another user");
  refused(await logIn(project, ADA), 401, "INVALID_CREDENTIALS");
  ok(await logIn(project, ADA, NEXT_PASSWORD));
});

Deno.test("changeUserPassword refuses a wrong or missing password without a trace", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true });
  const user = await signUp(project, { email: ADA });
  const anonymous = userCall("anonymous", undefined, HEADER_MODE);
  const guest = userOf(await project.asPublic(anonymous), 201);
  await assertTraceless(app, project, async () => {
    refused(await change(project, user, NEXT_PASSWORD, PASSWORD), 400, "WRONG_PASSWORD");
    refused(await change(project, guest), 400, "WRONG_PASSWORD", "not the current password");
  });
});

Deno.test("changeUserPassword locks the session after five wrong passwords", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  const other = userOf(await logIn(project, ADA));
  const answers = await Promise.all(times(8, () => change(project, user, NEXT_PASSWORD)));
  assert.deepEqual(tally(answers), { 400: 5, 429: 3 });
  const locked = await change(project, user);
  refused(locked, 429, "SIGN_IN_LOCKED");
  assert.equal(locked.headers.get("retry-after"), "60");
  ok(await logIn(project, ADA));
  ok(await change(project, other));
  assert.equal(await isSignedIn(project, user), false);
});

Deno.test("changeUserPassword accepts the right password after the lock expires", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project);
  for (let i = 0; i < 5; i++) {
    refused(await change(project, user, NEXT_PASSWORD), 400, "WRONG_PASSWORD");
  }
  refused(await change(project, user), 429, "SIGN_IN_LOCKED");
  await app.services.jobRunner.idle();
  app.clock.advance(MINUTE_MS);
  ok(await change(project, user));
});

Deno.test("changeUserPassword refuses invalid passwords and malformed bodies", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { passwordLengthMin: 12 });
  const user = await signUp(project, { email: ADA });
  await assertTraceless(app, project, async () => {
    refused(await change(project, user, PASSWORD, "11 letters."), 400, "INVALID_PASSWORD", "12 to");
    refused(await change(project, user, PASSWORD, "x".repeat(201)), 400, "INVALID_PASSWORD");
    refused(await change(project, user, PASSWORD, "ADA@example.com"), 400, "INVALID_PASSWORD");
    refused(await change(project, user, null), 400, "INVALID_BODY", "currentPassword");
    refused(await change(project, user, PASSWORD, 5), 400, "INVALID_BODY", "newPassword");
  });
});

Deno.test("exactly one of 10 concurrent changeUserPassword requests succeeds", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  const next = (i: number) => `${NEXT_PASSWORD} ${i}`;
  const answers = await Promise.all(times(10, (i) => change(project, user, PASSWORD, next(i))));
  const winners = answers.flatMap(({ status }, i) => status === 200 ? [i] : []);
  assert.equal(winners.length, 1);
  for (const answer of answers) {
    if (answer.status !== 200) assert.ok([400, 429].includes(answer.status), answer.text);
  }
  ok(await logIn(project, ADA, next(winners[0]!)));
});

Deno.test("changeUserPassword is 403 if passwords are off, and 503 while too many are hashed", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project);
  await assertTraceless(app, project, async () => {
    const answer = await whileBusy(app, project, callOf(), user);
    refused(answer, 503, "PASSWORDS_BUSY");
    assert.equal(answer.headers.get("retry-after"), "2");
  });
  await setAuth(app, project, { password: false });
  await assertTraceless(app, project, async () => {
    refused(await change(project, user), 403, "SIGN_IN_METHOD_OFF");
  });
});

Deno.test("changeUserPassword is 401 without an access token, and 403 with the secret key", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  refused(await project.asPublic(callOf()), 401, "ACCESS_TOKEN_REQUIRED");
  refused(await project.asSecret(callOf()), 403, "PUBLISHABLE_KEY_REQUIRED");
});
