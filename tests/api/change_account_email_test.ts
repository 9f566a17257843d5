import assert from "node:assert/strict";
import { CODE_PAUSE_MS } from "@/lib/limits.ts";
import { openAccount, PASSWORD } from "../support/dashboard.ts";
import { codeTo, mailsOf } from "../support/mailbox.ts";
import { openTestApp } from "../support/test_app.ts";
import { assertTraceless, authCall, NO_MAIL, storedAccount } from "./account_email.ts";
import { ok, refused } from "./test_collection.ts";

const NEXT = "grace@example.org";

const change = (newEmail: unknown, password: unknown = PASSWORD) =>
  authCall("change-email", { newEmail, password });

Deno.test("changeAccountEmail sends a code to the new address, and changes nothing yet", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const before = await storedAccount(app, account);
  const answer = await account.send(change(NEXT));
  assert.equal(ok(answer).message, "If no account has this e-mail, a code is on its way");
  assert.match(await codeTo(app.services, "control", NEXT), /^\d{6}$/);
  const [mail] = await mailsOf(app.services, "control", NEXT);
  assert.equal(mail!.kind, "emailChange");
  assert.deepEqual(await storedAccount(app, account), before);
});

Deno.test("changeAccountEmail to an address in use gets an identical response, and sends nothing", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const other = await openAccount(app);
  await app.services.jobRunner.idle();
  app.clock.advance(CODE_PAUSE_MS);
  const count = async () => (await mailsOf(app.services, "control", other.email)).length;
  const before = await count();
  const answers = [
    await account.send(change(other.email.toUpperCase())),
    await account.send(change(NEXT)),
  ];
  assert.deepEqual(answers[0]!.body, answers[1]!.body);
  assert.equal(await count(), before);
});

Deno.test("changeAccountEmail refuses a wrong password, locks after five, and sends nothing", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  await app.services.jobRunner.idle();
  await assertTraceless(app, async () => {
    for (let i = 0; i < 5; i++) {
      refused(await account.send(change(NEXT, "wrong")), 403, "PASSWORD_WRONG");
    }
    refused(await account.send(change(NEXT)), 429, "SIGN_IN_LOCKED");
    refused(await app.send(change(NEXT)), 401, "SIGN_IN_REQUIRED");
  });
});

Deno.test("changeAccountEmail refuses an invalid address, and is 503 without a mail server", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  for (const newEmail of ["", "ada", "a@b, c@d", 5, undefined]) {
    refused(await account.send(change(newEmail)), 400, "INVALID_BODY");
  }
  await using silent = await openTestApp({ env: NO_MAIL });
  const other = await openAccount(silent);
  refused(await other.send(change(NEXT)), 503, "MAIL_NOT_CONFIGURED");
});
