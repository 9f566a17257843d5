import assert from "node:assert/strict";
import { resetPassword } from "@/lib/accounts/manage_accounts.ts";
import { CODES } from "@/lib/credentials/codes.ts";
import { Problem } from "@/lib/problems.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openAccount, PASSWORD, signInAgain } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import {
  ADA,
  assertTraceless,
  authCall,
  countOf,
  isSignedIn,
  MINUTE_MS,
  NEXT_PASSWORD,
  requestCode,
  signUpCode,
  storedAccount,
  wrongCode,
} from "./account_email.ts";
import { ok, refused, tally, times } from "./test_collection.ts";

const reset = (otp: unknown, newPassword: unknown = NEXT_PASSWORD, email: unknown = ADA) =>
  authCall("reset-password", { email, otp, newPassword });

const logIn = (password: string) => authCall("login", { email: ADA, password });

Deno.test("resetAccountPassword sets the password, ends all sessions, drops codes and verifies", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const other = await openAccount(app, { email: "bob@example.com" });
  const again = await signInAgain(account);
  const toVerify = await signUpCode(app, account);
  const otp = await requestCode(app, "request-password-reset", ADA);
  const answer = await account.send(reset(otp));
  const message = "Password reset";
  assert.deepEqual(answer.body, { success: true, data: { message }, message });
  assert.deepEqual(answer.headers.getSetCookie(), []);
  for (const one of [account, again]) assert.equal(await isSignedIn(one), false);
  assert.ok(await isSignedIn(other));
  assert.equal((await storedAccount(app, account)).emailVerified, true);
  assert.equal(await countOf(app, CODES), 1); // The other account's code.
  for (const code of [toVerify, otp]) {
    const call = authCall("verify-email", { email: ADA, otp: code });
    refused(await app.send(call), 400, "INVALID_CODE");
  }
  refused(await app.send(reset(otp)), 400, "INVALID_CODE");
  refused(await app.send(logIn(PASSWORD)), 401, "CREDENTIALS_INVALID");
  ok(await app.send(logIn(NEXT_PASSWORD)));
});

Deno.test("resetAccountPassword refuses all invalid codes alike, without a trace", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  await openAccount(app, { email: "bob@example.com" });
  const bobs = await requestCode(app, "request-password-reset", "bob@example.com");
  const replaced = await requestCode(app, "request-password-reset", ADA);
  const otp = await requestCode(app, "request-password-reset", ADA);
  const texts = new Set<string>();
  const assertInvalidCode = async (call: ReturnType<typeof reset>) => {
    const answer = await app.send(call);
    refused(answer, 400, "INVALID_CODE");
    texts.add(answer.text);
  };
  await assertTraceless(app, async () => {
    await assertInvalidCode(reset(wrongCode(otp)));
    if (replaced !== otp) await assertInvalidCode(reset(replaced));
    if (bobs !== otp) await assertInvalidCode(reset(bobs));
    await assertInvalidCode(reset(otp, NEXT_PASSWORD, "nobody@example.com"));
  }, [CODES]);
  app.clock.advance(10 * MINUTE_MS);
  await assertInvalidCode(reset(otp));
  assert.equal(texts.size, 1);
  assert.ok(await isSignedIn(account));
  ok(await app.send(logIn(PASSWORD)));
});

Deno.test("resetAccountPassword refuses a verification code", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  refused(await app.send(reset(await signUpCode(app, account))), 400, "INVALID_CODE");
  assert.ok(await isSignedIn(account));
});

Deno.test("resetAccountPassword: an invalid password is 400 and uses up no attempt", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: ADA });
  const otp = await requestCode(app, "request-password-reset", ADA);
  await assertTraceless(app, async () => {
    for (const password of ["short", ADA, "password1", "x".repeat(201), "no\u0000thing here"]) {
      refused(await app.send(reset(otp, password)), 400, "INVALID_PASSWORD");
    }
  });
  ok(await app.send(reset(otp)));
});

Deno.test("resetAccountPassword: a full queue is 503 and uses up no attempt", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: ADA });
  const otp = await requestCode(app, "request-password-reset", ADA);
  const passwordQueue = {
    run: () => Promise.reject(new Problem("PASSWORDS_BUSY", { retryAfter: 2 })),
  };
  const busy = createApp({ ...app.services, passwordQueue });
  await assertTraceless(app, async () => {
    for (const _ of times(6, () => null)) {
      refused(await send(busy, reset(otp)), 503, "PASSWORDS_BUSY");
    }
  });
  ok(await app.send(reset(otp)));
});

Deno.test("resetAccountPassword: of four concurrent calls with one code one succeeds", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: ADA });
  const otp = await requestCode(app, "request-password-reset", ADA);
  const passwords = times(4, (i) => `${NEXT_PASSWORD} ${i}`);
  const answers = await Promise.all(passwords.map((password) => app.send(reset(otp, password))));
  assert.deepEqual(tally(answers), { 200: 1, 400: 3 });
  const logIns = await Promise.all(passwords.map((password) => app.send(logIn(password))));
  assert.deepEqual(
    logIns.map(({ status }) => status === 200),
    answers.map((one) => one.status === 200),
  );
});

Deno.test("changePassword and the admin command delete sent codes, too", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const first = await requestCode(app, "request-password-reset", ADA);
  const body = { currentPassword: PASSWORD, newPassword: NEXT_PASSWORD };
  ok(await account.send({ path: "/api/auth/change-password", body }));
  refused(await app.send(reset(first, "nine dry feathers 17")), 400, "INVALID_CODE");
  const second = await requestCode(app, "request-password-reset", ADA);
  await resetPassword(app.services, { email: ADA, password: PASSWORD });
  refused(await app.send(reset(second)), 400, "INVALID_CODE");
  ok(await app.send(logIn(PASSWORD)));
});

Deno.test("resetAccountPassword: a body of another shape is 400 and uses up no attempt", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: ADA });
  const otp = await requestCode(app, "request-password-reset", ADA);
  await assertTraceless(app, async () => {
    for (const body of [{}, { email: ADA, otp }, { otp, newPassword: NEXT_PASSWORD }, [ADA]]) {
      refused(await app.send(authCall("reset-password", body)), 400, "INVALID_BODY");
    }
    refused(await app.send(reset(otp, 12345678)), 400, "INVALID_BODY");
  });
});
