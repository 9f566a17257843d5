import assert from "node:assert/strict";
import { resetPassword } from "@/lib/accounts/manage_accounts.ts";
import { CODES } from "@/lib/credentials/codes.ts";
import { Problem } from "@/lib/problems.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openAccount, PASSWORD, signedInAgain } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import {
  ADA,
  authCall,
  codeFor,
  countOf,
  firstCode,
  isSignedIn,
  MINUTE_MS,
  NEXT_PASSWORD,
  storedAccount,
  traceless,
  wrongCode,
} from "./account_email.ts";
import { ok, refused, tally, times } from "./test_collection.ts";

const reset = (otp: unknown, newPassword: unknown = NEXT_PASSWORD, email: unknown = ADA) =>
  authCall("reset-password", { email, otp, newPassword });

const logIn = (password: string) => authCall("login", { email: ADA, password });

Deno.test("resetAccountPassword sets the password, ends all sessions, drops codes and counts as verified", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const other = await openAccount(app, { email: "bob@example.com" });
  const again = await signedInAgain(account);
  const toVerify = await firstCode(app, account);
  const otp = await codeFor(app, "request-password-reset", ADA);
  const answer = await account.send(reset(otp));
  const message = "Password reset";
  assert.deepEqual(answer.body, { success: true, data: { message }, message });
  assert.deepEqual(answer.headers.getSetCookie(), []);
  for (const one of [account, again]) assert.equal(await isSignedIn(one), false);
  assert.ok(await isSignedIn(other));
  assert.equal((await storedAccount(app, account)).emailVerified, true);
  assert.equal(await countOf(app, CODES), 1); // The other account's.
  for (const code of [toVerify, otp]) {
    const call = authCall("verify-email", { email: ADA, otp: code });
    refused(await app.send(call), 400, "INVALID_CODE");
  }
  refused(await app.send(reset(otp)), 400, "INVALID_CODE");
  refused(await app.send(logIn(PASSWORD)), 401, "CREDENTIALS_INVALID");
  ok(await app.send(logIn(NEXT_PASSWORD)));
});

Deno.test("resetAccountPassword: wrong, used, replaced, expired and others' codes are one refusal, without a trace", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  await openAccount(app, { email: "bob@example.com" });
  const bobs = await codeFor(app, "request-password-reset", "bob@example.com");
  const replaced = await codeFor(app, "request-password-reset", ADA);
  const otp = await codeFor(app, "request-password-reset", ADA);
  const texts = new Set<string>();
  const refuse = async (call: ReturnType<typeof reset>) => {
    const answer = await app.send(call);
    refused(answer, 400, "INVALID_CODE");
    texts.add(answer.text);
  };
  await traceless(app, async () => {
    await refuse(reset(wrongCode(otp)));
    if (replaced !== otp) await refuse(reset(replaced));
    if (bobs !== otp) await refuse(reset(bobs));
    await refuse(reset(otp, NEXT_PASSWORD, "nobody@example.com"));
  }, [CODES]);
  app.clock.advance(10 * MINUTE_MS);
  await refuse(reset(otp));
  assert.equal(texts.size, 1);
  assert.ok(await isSignedIn(account));
  ok(await app.send(logIn(PASSWORD)));
});

Deno.test("resetAccountPassword: a code that verifies resets nothing", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  refused(await app.send(reset(await firstCode(app, account))), 400, "INVALID_CODE");
  assert.ok(await isSignedIn(account));
});

Deno.test("resetAccountPassword: a password that cannot be chosen is 400, and costs no try", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: ADA });
  const otp = await codeFor(app, "request-password-reset", ADA);
  await traceless(app, async () => {
    for (const password of ["short", ADA, "password1", "x".repeat(201), "no\u0000thing here"]) {
      refused(await app.send(reset(otp, password)), 400, "INVALID_PASSWORD");
    }
  });
  ok(await app.send(reset(otp)));
});

Deno.test("resetAccountPassword: a full queue is 503, and costs no try", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: ADA });
  const otp = await codeFor(app, "request-password-reset", ADA);
  const passwordQueue = {
    run: () => Promise.reject(new Problem("PASSWORDS_BUSY", { retryAfter: 2 })),
  };
  const busy = createApp({ ...app.services, passwordQueue });
  await traceless(app, async () => {
    for (const _ of times(6, () => null)) {
      refused(await send(busy, reset(otp)), 503, "PASSWORDS_BUSY");
    }
  });
  ok(await app.send(reset(otp)));
});

Deno.test("resetAccountPassword: of four at once with one code one sets its password", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: ADA });
  const otp = await codeFor(app, "request-password-reset", ADA);
  const passwords = times(4, (i) => `${NEXT_PASSWORD} ${i}`);
  const answers = await Promise.all(passwords.map((password) => app.send(reset(otp, password))));
  assert.deepEqual(tally(answers), { 200: 1, 400: 3 });
  const logIns = await Promise.all(passwords.map((password) => app.send(logIn(password))));
  assert.deepEqual(
    logIns.map(({ status }) => status === 200),
    answers.map((one) => one.status === 200),
  );
});

Deno.test("changePassword and the command line drop the codes that were sent, too", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const first = await codeFor(app, "request-password-reset", ADA);
  const body = { currentPassword: PASSWORD, newPassword: NEXT_PASSWORD };
  ok(await account.send({ path: "/api/auth/change-password", body }));
  refused(await app.send(reset(first, "nine dry feathers 17")), 400, "INVALID_CODE");
  const second = await codeFor(app, "request-password-reset", ADA);
  await resetPassword(app.services, { email: ADA, password: PASSWORD });
  refused(await app.send(reset(second)), 400, "INVALID_CODE");
  ok(await app.send(logIn(PASSWORD)));
});

Deno.test("resetAccountPassword: a body of another shape is 400, and costs no try", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: ADA });
  const otp = await codeFor(app, "request-password-reset", ADA);
  await traceless(app, async () => {
    for (const body of [{}, { email: ADA, otp }, { otp, newPassword: NEXT_PASSWORD }, [ADA]]) {
      refused(await app.send(authCall("reset-password", body)), 400, "INVALID_BODY");
    }
    refused(await app.send(reset(otp, 12345678)), 400, "INVALID_BODY");
  });
});
