import assert from "node:assert/strict";
import { CODES } from "@/lib/credentials/codes.ts";
import { openTestApp, type TestApp, type TestProject, type TestUser } from "../support/test_app.ts";
import { codeTo, mailsOf } from "../support/mailbox.ts";
import { faults } from "../support/server_faults.ts";
import { isSignedIn } from "./signed_in.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import {
  ADA,
  assertTraceless,
  authProject,
  HEADER_MODE,
  logIn,
  MINUTE_MS,
  PASSWORD,
  requestCode,
  sentMails,
  signUp,
  storedUser,
  userCall,
  userOf,
  wrongCode,
} from "./user_email.ts";

const NEXT = "Ada@Example.org";

const confirm = (project: TestProject, user: TestUser, otp: unknown) =>
  project.asPublic(userCall("confirm-email-change", { otp }), user);

async function codeOfChange(
  app: TestApp,
  project: TestProject,
  user: TestUser,
  newEmail = NEXT,
): Promise<string> {
  await app.services.jobRunner.idle();
  app.clock.advance(MINUTE_MS);
  const body = { newEmail, password: PASSWORD };
  ok(await project.asPublic(userCall("change-email", body), user));
  return await codeTo(app.services, project.projectId, newEmail);
}

async function verifiedUser(app: TestApp, project: TestProject) {
  const user = await signUp(project, { email: ADA });
  const otp = await codeTo(app.services, project.projectId, ADA);
  ok(await project.asPublic(userCall("verify-email", { email: ADA, otp }), user));
  return user;
}

Deno.test("confirmEmailChange sets the verified address and notifies the former one", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await verifiedUser(app, project);
  const otp = await codeOfChange(app, project, user);
  const answer = await confirm(project, user, otp);
  const message = "E-mail changed";
  assert.deepEqual(answer.body, { success: true, data: { message }, message });
  const me = ok(await project.asPublic({ path: "/api/userAuth/me" }, user));
  assert.deepEqual([me.email, me.emailVerified, me._id], [NEXT, true, user.id]);
  refused(await logIn(project, ADA), 401, "INVALID_CREDENTIALS");
  assert.equal(ok(await logIn(project, NEXT.toLowerCase())).userId, user.id);
  const [notice] = (await mailsOf(app.services, project.projectId, ADA))
    .filter(({ kind }) => kind === "emailChanged");
  assert.equal(notice!.hasCode, false);
  assert.ok(!notice!.text!.includes(NEXT), "the mail does not contain the new address");
  assert.ok(await isSignedIn(project, user));
});

Deno.test("confirmEmailChange does not notify an unverified address, and voids its codes", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  const reset = await requestCode(app, project, "request-password-reset", ADA);
  ok(await confirm(project, user, await codeOfChange(app, project, user)));
  const kinds = (await sentMails(app, project)).map(([kind]) => kind);
  assert.ok(!kinds.includes("emailChanged"));
  const call = userCall("reset-password", { email: ADA, otp: reset, newPassword: "a new one 77" });
  refused(await project.asPublic(call), 400, "INVALID_CODE");
});

Deno.test({
  name: "confirmEmailChange frees the former address for another user" +
    (faults.staysTaken === null ? "" : ` (skipped: ${faults.staysTaken})`),
  ignore: faults.staysTaken !== null,
  async fn() {
    await using app = await openTestApp();
    const project = await app.project();
    const user = await signUp(project, { email: ADA });
    ok(await confirm(project, user, await codeOfChange(app, project, user)));
    await signUp(project, { email: ADA });
  },
});

Deno.test("confirmEmailChange gives an anonymous user an address and keeps their id", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true });
  const call = userCall("anonymous", undefined, HEADER_MODE);
  const guest = userOf(await project.asPublic(call), 201);
  ok(await confirm(project, guest, await codeOfChange(app, project, guest)));
  const me = ok(await project.asPublic({ path: "/api/userAuth/me" }, guest));
  assert.deepEqual([me._id, me.email, me.isAnonymous], [guest.id, NEXT, false]);
});

Deno.test("confirmEmailChange of the user's own address verifies it without a notice", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  ok(await confirm(project, user, await codeOfChange(app, project, user, ADA)));
  const { email, emailVerified } = await storedUser(app, project, user.id);
  assert.deepEqual([email, emailVerified], [ADA, true]);
  const kinds = (await sentMails(app, project)).map(([kind]) => kind);
  assert.deepEqual(kinds, ["verify", "emailChange"]);
});

Deno.test("confirmEmailChange refuses every invalid code with an identical response", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await verifiedUser(app, project);
  const bob = await signUp(project, { email: "bob@example.com" });
  const replaced = await codeOfChange(app, project, user);
  const bobs = await codeOfChange(app, project, bob, "bob@example.org");
  const signIn = await requestCode(app, project, "code/request", ADA);
  const otp = await codeOfChange(app, project, user, "ada@example.net");
  const texts = new Set<string>();
  const assertRefused = async (otp: string, as: TestUser = user) => {
    const answer = await confirm(project, as, otp);
    refused(answer, 400, "INVALID_CODE");
    texts.add(answer.text);
  };
  await assertTraceless(app, project, async () => {
    for (const other of [replaced, bobs, signIn]) if (other !== otp) await assertRefused(other);
    if (bobs !== otp) await assertRefused(otp, bob);
  }, [CODES]);
  ok(await confirm(project, user, otp));
  await assertRefused(otp);
  const late = await codeOfChange(app, project, user, "ada@example.com");
  await app.services.jobRunner.idle();
  app.clock.advance(10 * MINUTE_MS);
  await assertRefused(late);
  assert.equal(texts.size, 1);
  refused(await confirm(project, user, null), 400, "INVALID_BODY", "otp");
});

Deno.test("confirmEmailChange voids a code after five wrong attempts", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  const otp = await codeOfChange(app, project, user);
  const wrong = times(5, () => confirm(project, user, wrongCode(otp)));
  assert.deepEqual(tally(await Promise.all(wrong)), { 400: 5 });
  refused(await confirm(project, user, otp), 400, "INVALID_CODE");
});

Deno.test("exactly one of 50 concurrent confirmEmailChange requests succeeds and sends a notice", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await verifiedUser(app, project);
  const otp = await codeOfChange(app, project, user);
  const answers = await Promise.all(times(50, () => confirm(project, user, otp)));
  assert.deepEqual(tally(answers), { 200: 1, 400: 49 });
  const notices = (await sentMails(app, project)).filter(([kind]) => kind === "emailChanged");
  assert.deepEqual(notices, [["emailChanged", ADA]]);
});

Deno.test("confirmEmailChange refuses an address that was taken since, and changes nothing", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await verifiedUser(app, project);
  const otp = await codeOfChange(app, project, user);
  await signUp(project, { email: NEXT.toLowerCase() });
  await assertTraceless(app, project, async () => {
    refused(await confirm(project, user, otp), 409, "EMAIL_TAKEN");
  }, [CODES]);
  ok(await logIn(project, ADA));
});

Deno.test("confirmEmailChange works without a mail server, and sends no notice", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await verifiedUser(app, project);
  const otp = await codeOfChange(app, project, user);
  await using later = await openTestApp({
    store: app.store,
    clock: app.clock,
    env: { MAIL_URL: "" },
  });
  const headers = {
    "x-api-key": project.publishableKey,
    authorization: `Bearer ${user.token}`,
  };
  ok(await later.send(userCall("confirm-email-change", { otp }, headers)));
  const kinds = (await sentMails(app, project)).map(([kind]) => kind);
  assert.ok(!kinds.includes("emailChanged"));
});

Deno.test("confirmEmailChange is 401 without an access token, and 403 with the secret key", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const call = userCall("confirm-email-change", { otp: "123456" });
  refused(await project.asPublic(call), 401, "ACCESS_TOKEN_REQUIRED");
  refused(await project.asSecret(call), 403, "PUBLISHABLE_KEY_REQUIRED");
});
