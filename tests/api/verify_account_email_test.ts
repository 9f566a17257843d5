import assert from "node:assert/strict";
import { CODES } from "@/lib/credentials/codes.ts";
import { ACCOUNTS } from "@/lib/projects/account_records.ts";
import { eq } from "@/lib/store/filter.ts";
import { openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import {
  ADA,
  authCall,
  codeFor,
  countOf,
  firstCode,
  isSignedIn,
  MINUTE_MS,
  storedAccount,
  traceless,
  wrongCode,
} from "./account_email.ts";
import { ok, refused, tally, times } from "./test_collection.ts";

const verify = (otp: unknown, email: unknown = ADA) => authCall("verify-email", { email, otp });

Deno.test("verifyAccountEmail takes the code that registering sent, with its session", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  assert.equal(ok(await account.send({ path: "/api/auth/me" })).emailVerified, false);
  const otp = await firstCode(app, account);
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

Deno.test("verifyAccountEmail: wrong, used, replaced, expired and others' codes are one refusal", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const bobs = await firstCode(app, await openAccount(app, { email: "bob@example.com" }));
  const replaced = await firstCode(app, account);
  const otp = await codeFor(app, "resend-verification", ADA);
  const texts = new Set<string>();
  const refuse = async (call: ReturnType<typeof verify>) => {
    const answer = await app.send(call);
    refused(answer, 400, "INVALID_CODE");
    texts.add(answer.text);
  };
  await traceless(app, async () => {
    await refuse(verify(wrongCode(otp)));
    if (replaced !== otp) await refuse(verify(replaced));
    if (bobs !== otp) await refuse(verify(bobs));
    await refuse(verify(otp, "nobody@example.com"));
    await refuse(verify(otp, "no address"));
  }, [CODES]);
  const late = await codeFor(app, "resend-verification", ADA);
  app.clock.advance(10 * MINUTE_MS);
  await refuse(verify(late));
  const good = await codeFor(app, "resend-verification", ADA);
  ok(await account.send(verify(good)));
  await refuse(verify(good));
  assert.equal(texts.size, 1);
  assert.ok(await isSignedIn(account));
});

Deno.test("verifyAccountEmail: a code that resets a password verifies nothing", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const own = await firstCode(app, account);
  const otp = await codeFor(app, "request-password-reset", ADA);
  if (otp !== own) refused(await app.send(verify(otp)), 400, "INVALID_CODE");
  assert.equal((await storedAccount(app, account)).emailVerified, false);
  ok(await app.send(verify(own)));
});

Deno.test("verifyAccountEmail: of 20 uses of one code at once one wins", async () => {
  await using app = await openTestApp();
  const otp = await firstCode(app, await openAccount(app, { email: ADA }));
  const answers = await Promise.all(times(20, () => app.send(verify(otp))));
  assert.deepEqual(tally(answers), { 200: 1, 400: 19 });
});

Deno.test("verifyAccountEmail: a code is no good for an account that was made anew since", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const otp = await firstCode(app, account);
  const { password } = account;
  ok(await account.send({ method: "DELETE", path: "/api/auth/account", body: { password } }));
  refused(await app.send(verify(otp)), 400, "INVALID_CODE");
  const later = await openAccount(app, { email: ADA });
  refused(await app.send(verify(otp)), 400, "INVALID_CODE");
  assert.equal((await storedAccount(app, later)).emailVerified, false);
});

Deno.test("verifyAccountEmail: an account of an earlier version counts as unverified until then", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  await app.services.engine.records("control", ACCOUNTS)
    .updateOne(eq("_id", account.accountId), { unset: ["emailVerified"] });
  assert.equal(ok(await account.send({ path: "/api/auth/me" })).emailVerified, false);
  ok(await account.send(verify(await codeFor(app, "resend-verification", ADA))));
  assert.equal(ok(await account.send({ path: "/api/auth/me" })).emailVerified, true);
});

Deno.test("verifyAccountEmail: a body of another shape is 400, and costs no try", async () => {
  await using app = await openTestApp();
  const otp = await firstCode(app, await openAccount(app, { email: ADA }));
  await traceless(app, async () => {
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

Deno.test("verifyAccountEmail with a wrong password is refused, and the code stays good", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const otp = await firstCode(app, account);
  const body = { email: ADA, otp, password: "not this one 5" };
  refused(await app.send(authCall("verify-email", body)), 403, "PASSWORD_WRONG");
  ok(await account.send(verify(otp)));
});
