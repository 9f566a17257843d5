import assert from "node:assert/strict";
import { IDENTITIES, identityOf, type IdentityRecord } from "@/lib/auth/identities.ts";
import { SESSIONS } from "@/lib/auth/sessions.ts";
import { type UserRecord, USERS } from "@/lib/auth/users.ts";
import { CODES } from "@/lib/credentials/codes.ts";
import { eq } from "@/lib/store/filter.ts";
import { codeTo, mailsOf } from "../support/mailbox.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { openSignInFixture } from "../api/sign_in_fixture.ts";
import { isSignedIn, refresh } from "../api/signed_in.ts";
import { ok, refused } from "../api/test_collection.ts";
import {
  ADA,
  assertTraceless,
  authProject,
  countOf,
  type EmailUser,
  HEADER_MODE,
  logIn,
  NEXT_PASSWORD,
  PASSWORD,
  requestCode,
  signUp,
  storedUser,
  userCall,
  userOf,
} from "../api/user_email.ts";
import { createGuest, patchUser } from "./user_fixture.ts";

/** Eve signs up with Ada's address. Ada owns the mailbox, has no session, and verifies it. */

const verify = (otp: string, more: Record<string, unknown> = {}) =>
  userCall("verify-email", { email: ADA, otp, ...more });

/** Links Eve's provider, like an import does for a user without a verified address. */
async function linkEvesProvider({ services }: TestApp, { projectId }: TestProject, userId: string) {
  const link = { provider: "github", providerUserId: "3", linkedAt: "2026-01-01T00:00:00.000Z" };
  await services.engine.records<UserRecord>(projectId, USERS)
    .updateOne(eq("_id", userId), { set: { providers: [link] } });
  await services.engine.records<IdentityRecord>(projectId, IDENTITIES).insert({
    _id: services.newId(),
    identity: identityOf("github", "3"),
    userId,
    seen: { email: null, name: "Eve", username: "eve", avatarUrl: null },
  });
}

/** Asserts that nothing Eve set up still signs her in. */
async function assertEveIsOut(app: TestApp, project: TestProject, eve: EmailUser): Promise<void> {
  assert.equal(await isSignedIn(project, eve), false);
  refused(await refresh(project, eve.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  refused(await logIn(project, ADA), 401, "INVALID_CREDENTIALS");
  const user = await storedUser(app, project, eve.id);
  assert.deepEqual([user.emailVerified, user.providers], [true, []]);
  assert.equal(await countOf(app, project, IDENTITIES), 0);
}

Deno.test("verify-email without the session drops the password, providers and sessions", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const eve = await signUp(project, { email: ADA });
  await linkEvesProvider(app, project, eve.id);
  const otp = await codeTo(app.services, project.projectId, ADA);
  const data = ok(await project.asPublic(verify(otp)));
  assert.equal(data.passwordDropped, true);
  assert.match(data.message, /no longer good/);
  await assertEveIsOut(app, project, eve);
  const reset = await requestCode(app, project, "request-password-reset", ADA);
  const body = { email: ADA, otp: reset, newPassword: NEXT_PASSWORD };
  ok(await project.asPublic(userCall("reset-password", body)));
  assert.equal(ok(await logIn(project, ADA, NEXT_PASSWORD)).userId, eve.id);
});

Deno.test("verify-email by the mail's link alone drops earlier credentials", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, {}, { siteUrl: "https://app.example" });
  const eve = await signUp(project, { email: ADA });
  const [mail] = await mailsOf(app.services, project.projectId, ADA);
  const url = new URL(/https:\S+/.exec(mail!.text!)![0]);
  const otp = new URLSearchParams(url.hash.slice(1)).get("code")!;
  const email = url.searchParams.get("email");
  ok(await project.asPublic(userCall("verify-email", { email, otp })));
  await assertEveIsOut(app, project, eve);
});

Deno.test("verify-email by another signed-in user drops earlier credentials", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true });
  const eve = await signUp(project, { email: ADA });
  const guest = await createGuest(project);
  const otp = await codeTo(app.services, project.projectId, ADA);
  assert.equal(ok(await project.asPublic(verify(otp), guest)).passwordDropped, true);
  await assertEveIsOut(app, project, eve);
  assert.ok(await isSignedIn(project, guest));
});

Deno.test("verify-email with a session of the user keeps password, providers and every session", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const ada = await signUp(project, { email: ADA });
  await linkEvesProvider(app, project, ada.id);
  const phone = userOf(await logIn(project, ADA));
  const otp = await codeTo(app.services, project.projectId, ADA);
  assert.deepEqual(ok(await project.asPublic(verify(otp), phone)), { message: "E-mail verified" });
  for (const one of [ada, phone]) assert.ok(await isSignedIn(project, one));
  ok(await logIn(project, ADA));
  assert.equal(await countOf(app, project, IDENTITIES), 1);
});

Deno.test("verify-email with an expired access token is refused and uses up no attempt", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const ada = await signUp(project, { email: ADA });
  const otp = await codeTo(app.services, project.projectId, ADA);
  ok(await project.asPublic(userCall("logout"), ada));
  await assertTraceless(app, project, async () => {
    refused(await project.asPublic(verify(otp), ada), 401, "ACCESS_TOKEN_INVALID");
  });
  ok(await project.asPublic(verify(otp, { password: PASSWORD })));
  ok(await logIn(project, ADA));
});

Deno.test("verify-email without a session keeps the password only if the request contains it", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { requireVerifiedEmail: true });
  const signingUp = userCall("signup", { email: ADA, password: PASSWORD });
  ok(await project.asPublic(signingUp), 201);
  const otp = await codeTo(app.services, project.projectId, ADA);
  await assertTraceless(app, project, async () => {
    const wrong = verify(otp, { password: NEXT_PASSWORD });
    refused(await project.asPublic(wrong), 400, "WRONG_PASSWORD");
  }, [CODES]);
  ok(await project.asPublic(verify(otp, { password: PASSWORD })));
  ok(await logIn(project, ADA));
  const other = "bob@example.com";
  ok(await project.asPublic(userCall("signup", { email: other, password: PASSWORD })), 201);
  const bobs = await codeTo(app.services, project.projectId, other);
  const bare = userCall("verify-email", { email: other, otp: bobs });
  assert.equal(ok(await project.asPublic(bare)).passwordDropped, true);
  refused(await logIn(project, other), 401, "INVALID_CREDENTIALS");
});

Deno.test("verify-email counts a wrong password as an attempt and reveals nothing about it", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  const otp = await codeTo(app.services, project.projectId, ADA);
  const other = otp === "000000" ? "000001" : "000000";
  refused(await project.asPublic(verify(other, { password: PASSWORD })), 400, "INVALID_CODE");
  for (let i = 0; i < 4; i++) {
    const wrong = verify(otp, { password: NEXT_PASSWORD });
    refused(await project.asPublic(wrong), 400, "WRONG_PASSWORD");
  }
  refused(await project.asPublic(verify(otp, { password: PASSWORD })), 400, "INVALID_CODE");
});

Deno.test("code/verify drops earlier credentials", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const eve = await signUp(project, { email: ADA });
  await linkEvesProvider(app, project, eve.id);
  const otp = await requestCode(app, project, "code/request", ADA);
  ok(await project.asPublic(userCall("code/verify", { email: ADA, otp }, HEADER_MODE)));
  await assertEveIsOut(app, project, eve);
});

Deno.test("reset-password drops earlier credentials", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const eve = await signUp(project, { email: ADA });
  await linkEvesProvider(app, project, eve.id);
  const otp = await requestCode(app, project, "request-password-reset", ADA);
  const body = { email: ADA, otp, newPassword: NEXT_PASSWORD };
  ok(await project.asPublic(userCall("reset-password", body)));
  await assertEveIsOut(app, project, eve);
});

Deno.test("confirm-email-change requires the session of the user who requested it", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true });
  const eve = await signUp(project, { email: "eve@example.com" });
  const asking = userCall("change-email", { newEmail: ADA, password: PASSWORD });
  ok(await project.asPublic(asking, eve));
  const otp = await codeTo(app.services, project.projectId, ADA);
  const confirming = userCall("confirm-email-change", { otp });
  const ada = await createGuest(project);
  // Ada's use of the code does not give Eve's account her address.
  refused(await project.asPublic(confirming), 401, "ACCESS_TOKEN_REQUIRED");
  refused(await project.asPublic(confirming, ada), 400, "INVALID_CODE");
  refused(await project.asPublic(verify(otp)), 400, "INVALID_CODE");
  assert.equal((await storedUser(app, project, eve.id)).email, "eve@example.com");
});

Deno.test("a linked provider that proves the address drops other earlier credentials", async () => {
  await using fixture = await openSignInFixture();
  const { app } = fixture;
  const project = await fixture.project();
  const { parameters } = await fixture.browser().signIn(project, "github", "bob");
  const id = parameters.userId!;
  // The project's server sets an unverified address and a password.
  ok(await patchUser(project, id, { email: ADA, password: PASSWORD }));
  const eve = userOf(await logIn(project, ADA));
  fixture.github.join({
    login: "bob",
    id: 2,
    emails: [{ email: ADA, primary: true, verified: true }],
  });
  const back = await fixture.browser().signIn(project, "github", "bob");
  assert.equal(back.parameters.userId, id);
  assert.equal(await isSignedIn(project, eve), false);
  refused(await refresh(project, eve.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  refused(await logIn(project, ADA), 401, "INVALID_CREDENTIALS");
  const user = await storedUser(app, project, id);
  assert.deepEqual([user.emailVerified, user.providers.length], [true, 1]);
  const again = await fixture.browser().signIn(project, "github", "bob");
  assert.equal(again.parameters.userId, id);
});

Deno.test("after an address is verified, a later code for it drops nothing", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const ada = await signUp(project, { email: ADA });
  const otp = await codeTo(app.services, project.projectId, ADA);
  ok(await patchUser(project, ada.id, { emailVerified: true }));
  assert.deepEqual(ok(await project.asPublic(verify(otp))), { message: "E-mail verified" });
  assert.ok(await isSignedIn(project, ada));
  const code = await requestCode(app, project, "code/request", ADA);
  ok(await project.asPublic(userCall("code/verify", { email: ADA, otp: code })));
  ok(await logIn(project, ADA));
  assert.equal(await countOf(app, project, SESSIONS), 3);
});
