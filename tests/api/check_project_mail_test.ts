import assert from "node:assert/strict";
import { startSmtpServer } from "../support/smtp_server.ts";
import { openMail, ownServer } from "./mail.ts";
import { ok, refused } from "./test_collection.ts";

const CHECK = { method: "POST", path: "/mail/check" };
const USER = { name: "blog", password: "a-password-that-stays-inside" };

Deno.test("checkProjectMail sends a mail to the account and returns the server's reply", async () => {
  await using mail = await openMail();
  await using own = await startSmtpServer({ user: USER });
  ok(await mail.owner.asOwner({ method: "PUT", path: "/mail", body: ownServer(own) }));
  const { to, answer } = ok(await mail.owner.asOwner(CHECK));
  assert.equal(to, mail.owner.account.email);
  assert.match(answer, /^250 /);
  const arrived = await own.next(to);
  assert.deepEqual([arrived.from, arrived.user], ["blog@blog.example", "blog"]);
  assert.deepEqual(await mail.logged(), []);
});

Deno.test("checkProjectMail reports why the server did not accept the mail", async () => {
  await using mail = await openMail();
  await using own = await startSmtpServer({ user: USER });
  const set = (url: string) =>
    mail.owner.asOwner({ method: "PUT", path: "/mail", body: { ...ownServer(own), url } });
  const check = () => mail.owner.asOwner(CHECK);
  ok(await set(own.url));
  own.behave((step) => step === "recipient" ? { code: 554, message: "5.7.1 not you" } : null);
  refused(await check(), 422, "MAIL_SERVER_REFUSED", "554 5.7.1 not you");
  own.behave((step) => step === "data" ? { code: 451, message: "4.7.1 later" } : null);
  refused(await check(), 422, "MAIL_SERVER_UNREACHABLE", "451 4.7.1 later");
  own.behave((step) => step === "mail" ? "cut" : null);
  refused(await check(), 422, "MAIL_SERVER_UNREACHABLE", "broke off");
  own.behave(null);
  ok(await set(own.url.replace("stays-inside", "is-wrong")));
  const wrong = await check();
  refused(wrong, 422, "MAIL_SERVER_REFUSED", "535");
  assert.ok(!wrong.text.includes("is-wrong"));
  ok(await set(`smtp://127.0.0.1:1`));
  refused(await check(), 422, "MAIL_SERVER_UNREACHABLE", "ECONNREFUSED");
  assert.equal(own.mails.length, 0);
});

Deno.test("checkProjectMail reports a private host like an unknown one", async () => {
  await using mail = await openMail({ env: { ALLOW_PRIVATE_ENDPOINTS: "false" } });
  const messages: string[] = [];
  for (const host of ["localhost", "nobody.invalid"]) {
    const body = { url: `smtp://${host}:${mail.smtp.port}`, from: "blog@blog.example" };
    ok(await mail.owner.asOwner({ method: "PUT", path: "/mail", body }));
    const answer = await mail.owner.asOwner(CHECK);
    refused(answer, 422, "MAIL_SERVER_UNREACHABLE", "not a public address");
    messages.push(answer.body.message.replace(host, "name"));
  }
  assert.equal(messages[0], messages[1]);
});

Deno.test("checkProjectMail refuses a project without a mail server, and viewers", async () => {
  await using mail = await openMail();
  refused(await mail.owner.asOwner(CHECK), 400, "INVALID_INPUT", "set it first");
  await mail.owner.isForAdmins(CHECK);
});
