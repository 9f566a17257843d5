import assert from "node:assert/strict";
import { CODES } from "@/lib/credentials/codes.ts";
import { openAccount, PASSWORD, type TestAccount } from "../support/dashboard.ts";
import { codeTo, mailsOf } from "../support/mailbox.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import {
  assertTraceless,
  authCall,
  isSignedIn,
  MINUTE_MS,
  NEXT_PASSWORD,
  requestCode,
  signUpCode,
  wrongCode,
} from "./account_email.ts";
import { ok, refused, times } from "./test_collection.ts";

const NEXT = "Grace@Example.org";

async function codeOfChange(
  app: TestApp,
  account: TestAccount,
  newEmail = NEXT,
): Promise<string> {
  await app.services.jobRunner.idle();
  app.clock.advance(MINUTE_MS);
  ok(await account.send(authCall("change-email", { newEmail, password: PASSWORD })));
  return await codeTo(app.services, "control", newEmail);
}

const confirm = (account: TestAccount, otp: unknown) =>
  account.send(authCall("confirm-email-change", { otp }));

const signIn = (app: TestApp, email: string) =>
  app.send(authCall("login", { email, password: PASSWORD }));

Deno.test("confirmAccountEmail sets the verified address and notifies the former one", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const otp = await signUpCode(app, account);
  ok(await account.send(authCall("verify-email", { email: account.email, otp })));
  const changed = ok(await confirm(account, await codeOfChange(app, account)));
  assert.deepEqual([changed.email, changed.emailVerified], [NEXT, true]);
  assert.equal(changed.accountId, account.accountId);
  assert.ok(await isSignedIn(account));
  refused(await signIn(app, account.email), 401, "CREDENTIALS_INVALID");
  ok(await signIn(app, NEXT.toLowerCase()));
  const notices = (await mailsOf(app.services, "control", account.email))
    .filter(({ kind }) => kind === "emailChanged");
  assert.equal(notices.length, 1);
  assert.ok(!notices[0]!.text!.includes(NEXT), "the mail does not contain the new address");
});

Deno.test("confirmAccountEmail does not notify an unverified address, and voids its codes", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const reset = await requestCode(app, "request-password-reset", account.email);
  ok(await confirm(account, await codeOfChange(app, account)));
  const kinds = (await mailsOf(app.services, "control", account.email)).map(({ kind }) => kind);
  assert.ok(!kinds.includes("emailChanged"));
  const { email } = account;
  const call = authCall("reset-password", { email, otp: reset, newPassword: NEXT_PASSWORD });
  refused(await app.send(call), 400, "INVALID_CODE");
});

Deno.test("confirmAccountEmail refuses wrong, foreign and used codes without a trace", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const other = await openAccount(app);
  const otp = await codeOfChange(app, account);
  await app.services.jobRunner.idle();
  await assertTraceless(app, async () => {
    refused(await confirm(account, wrongCode(otp)), 400, "INVALID_CODE");
    refused(await confirm(other, otp), 400, "INVALID_CODE");
    refused(await confirm(account, 5), 400, "INVALID_BODY");
    refused(await app.send(authCall("confirm-email-change", { otp })), 401, "SIGN_IN_REQUIRED");
  }, [CODES]);
  ok(await confirm(account, otp));
  refused(await confirm(account, otp), 400, "INVALID_CODE");
});

Deno.test("exactly one of several concurrent confirmAccountEmail requests succeeds", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const otp = await codeOfChange(app, account);
  const answers = await Promise.all(times(5, () => confirm(account, otp)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
});

Deno.test("confirmAccountEmail refuses an address that was taken since, and changes nothing", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const otp = await codeOfChange(app, account);
  const rival = { email: NEXT.toLowerCase(), password: PASSWORD };
  assert.equal((await app.send(authCall("register", rival))).status, 201);
  await app.services.jobRunner.idle();
  await assertTraceless(app, async () => {
    refused(await confirm(account, otp), 409, "ACCOUNT_EXISTS");
  }, [CODES]);
  assert.equal(ok(await account.send({ path: "/api/auth/me" })).email, account.email);
});
