import assert from "node:assert/strict";
import { CODES } from "@/lib/credentials/codes.ts";
import { ACCOUNTS } from "@/lib/projects/account_records.ts";
import { eq } from "@/lib/store/filter.ts";
import { openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import {
  ADA,
  assertTraceless,
  authCall,
  countOf,
  isSignedIn,
  MINUTE_MS,
  requestCode,
  signUpCode,
  storedAccount,
  wrongCode,
} from "./account_email.ts";
import { ok, refused, tally, times } from "./test_collection.ts";

const verify = (otp: unknown, email: unknown = ADA) => authCall("verify-email", { email, otp });

Deno.test("verifyAccountEmail accepts the code of registering, with its session", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  assert.equal(ok(await account.send({ path: "/api/auth/me" })).emailVerified, false);
  const otp = await signUpCode(app, account);
  app.clock.advance(1000);
  const answer = await account.send(verify(otp, "Ada@EXAMPLE.com"));
  const message = "E-mail verified";
  assert.deepEqual(answer.body, { success: true, data: { message }, message });
  for (const path of ["/api/auth/me", "/api/user/me"]) {
    assert.equal(ok(await account.send({ path })).emailVerified, true, path);
  }
  assert.equal((await storedAccount(app, account)).updatedAt, "2026-01-31T12:00:01.000Z");
  assert.equal(await countOf(app, CODES), 0);
});

Deno.test("verifyAccountEmail refuses all invalid codes alike", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const bobs = await signUpCode(app, await openAccount(app, { email: "bob@example.com" }));
  const replaced = await signUpCode(app, account);
  const otp = await requestCode(app, "resend-verification", ADA);
  const texts = new Set<string>();
  const assertInvalidCode = async (call: ReturnType<typeof verify>) => {
    const answer = await app.send(call);
    refused(answer, 400, "INVALID_CODE");
    texts.add(answer.text);
  };
  await assertTraceless(app, async () => {
    await assertInvalidCode(verify(wrongCode(otp)));
    if (replaced !== otp) await assertInvalidCode(verify(replaced));
    if (bobs !== otp) await assertInvalidCode(verify(bobs));
    await assertInvalidCode(verify(otp, "nobody@example.com"));
    await assertInvalidCode(verify(otp, "no address"));
  }, [CODES]);
  const late = await requestCode(app, "resend-verification", ADA);
  app.clock.advance(10 * MINUTE_MS);
  await assertInvalidCode(verify(late));
  const good = await requestCode(app, "resend-verification", ADA);
  ok(await account.send(verify(good)));
  await assertInvalidCode(verify(good));
  assert.equal(texts.size, 1);
  assert.ok(await isSignedIn(account));
});

Deno.test("verifyAccountEmail refuses a code that resets a password", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const own = await signUpCode(app, account);
  const otp = await requestCode(app, "request-password-reset", ADA);
  if (otp !== own) refused(await app.send(verify(otp)), 400, "INVALID_CODE");
  assert.equal((await storedAccount(app, account)).emailVerified, false);
  ok(await app.send(verify(own)));
});

Deno.test("verifyAccountEmail: of 20 concurrent uses of one code one succeeds", async () => {
  await using app = await openTestApp();
  const otp = await signUpCode(app, await openAccount(app, { email: ADA }));
  const answers = await Promise.all(times(20, () => app.send(verify(otp))));
  assert.deepEqual(tally(answers), { 200: 1, 400: 19 });
});

Deno.test("verifyAccountEmail refuses the code of a deleted account for a new one", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const otp = await signUpCode(app, account);
  const { password } = account;
  ok(await account.send({ method: "DELETE", path: "/api/auth/account", body: { password } }));
  refused(await app.send(verify(otp)), 400, "INVALID_CODE");
  const later = await openAccount(app, { email: ADA });
  refused(await app.send(verify(otp)), 400, "INVALID_CODE");
  assert.equal((await storedAccount(app, later)).emailVerified, false);
});

Deno.test("verifyAccountEmail: an account of an earlier version is unverified until it verifies", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  await app.services.engine.records("control", ACCOUNTS)
    .updateOne(eq("_id", account.accountId), { unset: ["emailVerified"] });
  assert.equal(ok(await account.send({ path: "/api/auth/me" })).emailVerified, false);
  ok(await account.send(verify(await requestCode(app, "resend-verification", ADA))));
  assert.equal(ok(await account.send({ path: "/api/auth/me" })).emailVerified, true);
});

Deno.test("verifyAccountEmail: a body of another shape is 400 and uses up no attempt", async () => {
  await using app = await openTestApp();
  const otp = await signUpCode(app, await openAccount(app, { email: ADA }));
  await assertTraceless(app, async () => {
    for (
      const body of [{}, { email: ADA }, { otp }, { email: ADA, otp: 174503 }, {
        email: ADA,
        otp: "",
      }]
    ) {
      refused(await app.send(authCall("verify-email", body)), 400, "INVALID_BODY");
    }
    const more = { email: ADA, otp, isAdmin: true };
    refused(await app.send(authCall("verify-email", more)), 400, "INVALID_BODY");
  });
  ok(await app.send(verify(otp)));
});

Deno.test("verifyAccountEmail with a wrong password is refused, and the code remains valid", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const otp = await signUpCode(app, account);
  const body = { email: ADA, otp, password: "not this one 5" };
  refused(await app.send(authCall("verify-email", body)), 403, "PASSWORD_WRONG");
  ok(await account.send(verify(otp)));
});
