import assert from "node:assert/strict";
import { openAccount } from "../support/dashboard.ts";
import { codeTo, mailsOf } from "../support/mailbox.ts";
import { openTestApp } from "../support/test_app.ts";
import {
  ADA,
  assertTraceless,
  authCall,
  isSignedIn,
  MINUTE_MS,
  NO_MAIL,
  sentMails,
} from "./account_email.ts";
import { ok, refused, times } from "./test_collection.ts";

const forgot = (email: unknown) => authCall("request-password-reset", { email });

Deno.test("requestAccountPasswordReset mails a code with a dashboard link and changes nothing", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  assert.deepEqual(await sentMails(app), [["verify", ADA]]);
  const answer = await app.send(forgot("ADA@example.com"));
  const message = "If an account has this e-mail, a code is on its way";
  assert.deepEqual(answer.body, { success: true, data: { message }, message });
  const code = await codeTo(app.services, "control", ADA);
  const mail = (await mailsOf(app.services, "control")).at(-1)!;
  assert.deepEqual([mail.kind, mail.to, mail.hasCode], ["resetPassword", ADA, true]);
  const query = new URLSearchParams({ purpose: "resetPassword", email: ADA });
  const link = `http://localhost:8000/dashboard/verify?${query}#code=${code}`;
  assert.ok(mail.text!.includes(link), mail.text!);
  assert.ok(await isSignedIn(account));
  ok(await app.send(authCall("login", { email: ADA, password: account.password })));
});

Deno.test("requestAccountPasswordReset answers a known and an unknown address alike, and mails one", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: ADA });
  assert.deepEqual(await sentMails(app), [["verify", ADA]]);
  const texts = new Set<string>();
  for (const email of [ADA, "nobody@example.com"]) {
    const answer = await app.send(forgot(email));
    ok(answer);
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1);
  assert.deepEqual((await sentMails(app)).slice(1), [["resetPassword", ADA]]);
});

Deno.test("requestAccountPasswordReset mails nothing to an address that only looks like the account's", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: "kann@example.com" });
  await mailsOf(app.services, "control");
  for (const email of ["\u212Aann@example.com", "kann\u00AD@example.com"]) {
    ok(await app.send(forgot(email)));
  }
  assert.deepEqual(await sentMails(app), [["verify", "kann@example.com"]]);
});

Deno.test("requestAccountPasswordReset: concurrent requests send one mail, at most five an hour", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: ADA });
  const resets = async () =>
    (await sentMails(app)).filter(([kind]) => kind === "resetPassword").length;
  for (const sent of [1, 2, 3, 4, 5, 5]) {
    for (const answer of await Promise.all(times(10, () => app.send(forgot(ADA))))) ok(answer);
    assert.equal(await resets(), sent);
    app.clock.advance(MINUTE_MS);
  }
});

Deno.test("requestAccountPasswordReset without a mail server is 503 for any address, without a trace", async () => {
  await using app = await openTestApp({ env: NO_MAIL });
  await openAccount(app, { email: ADA });
  await assertTraceless(app, async () => {
    for (const email of [ADA, "nobody@example.com"]) {
      const answer = await app.send(forgot(email));
      refused(answer, 503, "MAIL_NOT_CONFIGURED");
      assert.match(answer.body.message, /deno task admin account password/);
    }
  });
});

Deno.test("requestAccountPasswordReset refuses an invalid address with 400, without a trace", async () => {
  await using app = await openTestApp();
  await assertTraceless(app, async () => {
    for (const email of [undefined, null, "", "ada", `${ADA}\r\nbcc: eve@example.com`]) {
      refused(await app.send(forgot(email)), 400, "INVALID_BODY");
    }
  });
});
