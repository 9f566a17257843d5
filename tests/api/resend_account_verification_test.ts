import assert from "node:assert/strict";
import { SEND_ACCOUNT_CODE } from "@/lib/accounts/send_code.ts";
import { enqueue, JOBS } from "@/lib/jobs/jobs.ts";
import { CODES_PER_HOUR } from "@/lib/limits.ts";
import { openAccount } from "../support/dashboard.ts";
import { codeTo, mailsOf } from "../support/mailbox.ts";
import { openTestApp } from "../support/test_app.ts";
import {
  ADA,
  assertTraceless,
  authCall,
  countOf,
  MINUTE_MS,
  NO_MAIL,
  requestCode,
  sentMails,
} from "./account_email.ts";
import { ok, refused, times } from "./test_collection.ts";

const resend = (email: unknown) => authCall("resend-verification", { email });

Deno.test("resendAccountVerification mails a code with a dashboard link", async () => {
  await using app = await openTestApp({ env: { PUBLIC_URL: "https://corbel.example.com" } });
  const account = await openAccount(app, { email: "Ada@example.com" });
  assert.deepEqual(await sentMails(app), [["verify", account.email]]);
  app.clock.advance(MINUTE_MS);
  const answer = await app.send(resend(ADA));
  const message = "If it can be verified, a code is on its way";
  assert.deepEqual(answer.body, { success: true, data: { message }, message });
  const code = await codeTo(app.services, "control", account.email);
  const [, mail] = await mailsOf(app.services, "control");
  assert.deepEqual([mail!.kind, mail!.to, mail!.hasCode], ["verify", account.email, true]);
  const query = new URLSearchParams({ purpose: "verify", email: account.email });
  const link = `https://corbel.example.com/dashboard/verify?${query}#code=${code}`;
  assert.ok(mail!.text!.includes(link), mail!.text!);
  assert.ok(mail!.html!.includes(link.replaceAll("&", "&amp;")));
});

Deno.test("resendAccountVerification answers all addresses alike and mails only an unverified account", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: ADA });
  await openAccount(app, { email: "bob@example.com" });
  const otp = await codeTo(app.services, "control", "bob@example.com");
  ok(await app.send(authCall("verify-email", { email: "bob@example.com", otp })));
  app.clock.advance(MINUTE_MS);
  const before = (await sentMails(app)).length;
  const texts = new Set<string>();
  for (const email of [ADA, "bob@example.com", "nobody@example.com"]) {
    const answer = await app.send(resend(email));
    ok(answer);
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1);
  assert.deepEqual((await sentMails(app)).slice(before), [["verify", ADA]]);
});

Deno.test("resendAccountVerification sends one mail a minute and five an hour, with registering's", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: ADA });
  const requestMany = async () => {
    for (const answer of await Promise.all(times(10, () => app.send(resend(ADA))))) ok(answer);
    return (await sentMails(app)).length;
  };
  assert.equal(await requestMany(), 1);
  for (const sent of [2, 3, 4, 5, 5]) {
    app.clock.advance(MINUTE_MS);
    assert.equal(await requestMany(), sent);
  }
  assert.equal(CODES_PER_HOUR, 5);
  app.clock.advance(55 * MINUTE_MS);
  assert.equal(await requestMany(), 6);
});

Deno.test("resendAccountVerification without a mail server is 503 for any address, without a trace", async () => {
  await using app = await openTestApp({ env: NO_MAIL });
  await openAccount(app, { email: ADA });
  await assertTraceless(app, async () => {
    for (const email of [ADA, "nobody@example.com"]) {
      const answer = await app.send(resend(email));
      refused(answer, 503, "MAIL_NOT_CONFIGURED");
      assert.match(answer.body.message, /deno task admin account password/);
    }
  });
  assert.deepEqual(await sentMails(app), []);
});

Deno.test("resendAccountVerification: a queued request is dropped when no mail server is left", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: ADA });
  assert.equal((await sentMails(app)).length, 1);
  const { store, clock } = app;
  await using other = await openTestApp({ store, clock, env: NO_MAIL });
  const { engine, newId } = other.services;
  const noted = { subject: JSON.stringify({ purpose: "verify", email: ADA }), lane: "verify" };
  await engine.transaction(
    "control",
    (tx) => enqueue(tx, { clock, newId }, [noted], { kind: SEND_ACCOUNT_CODE.name }),
  );
  assert.equal(await other.services.jobRunner.runDue(), 1);
  assert.equal(await countOf(other, JOBS), 0);
  assert.equal((await sentMails(app)).length, 1);
});

Deno.test("resendAccountVerification refuses an invalid address with 400, without a trace", async () => {
  await using app = await openTestApp();
  await assertTraceless(app, async () => {
    for (const email of [undefined, null, 1, "", "ada", `${ADA},bob@example.com`, [ADA]]) {
      refused(await app.send(resend(email)), 400, "INVALID_BODY");
    }
  });
});

Deno.test("registerAccount sends no code when it is refused or there is no mail server", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  await assertTraceless(app, async () => {
    const { email, password } = account;
    refused(await app.send(authCall("register", { email, password })), 409, "ACCOUNT_EXISTS");
    const weak = { email: "bob@example.com", password: "short" };
    refused(await app.send(authCall("register", weak)), 400, "INVALID_PASSWORD");
  });
  // The refused registrations do not delay the first account's next mail.
  await requestCode(app, "resend-verification", ADA);
  await using silent = await openTestApp({ env: NO_MAIL });
  await openAccount(silent);
  assert.deepEqual(await sentMails(silent), []);
});
