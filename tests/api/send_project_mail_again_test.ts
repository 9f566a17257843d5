import assert from "node:assert/strict";
import { enqueueMail, requireMailContext } from "@/lib/mail/outbox.ts";
import { getMailsThisMonth } from "@/lib/mail/usage.ts";
import { startSmtpServer } from "../support/smtp_server.ts";
import { MAIL, type MailFixture, openMail, ownServer, TO } from "./mail.ts";
import { ok, refused, tally, times, UNKNOWN_ID } from "./test_collection.ts";

const sendAgainCall = (id: string) => ({ method: "POST", path: `/mail/logs/${id}/send` });

/** Sends a mail that the server refuses permanently, and returns its id. */
async function failMail(mail: MailFixture): Promise<string> {
  mail.smtp.behave(() => ({ code: 550, message: "not today" }));
  const { id } = ok(await mail.send(MAIL));
  await mail.logged();
  mail.smtp.behave(null);
  return id;
}

const used = ({ app, projectId }: MailFixture) => getMailsThisMonth(app.services, projectId);

Deno.test("sendProjectMailAgain resends a failed mail and counts it", async () => {
  await using mail = await openMail();
  const id = await failMail(mail);
  assert.equal(await used(mail), 0);
  const { state, tries, answer } = ok(await mail.owner.as("admin", sendAgainCall(id)));
  assert.deepEqual([state, tries, answer], ["queued", 0, null]);
  assert.equal((await mail.smtp.next(TO)).text.trim(), MAIL.text);
  const [logged] = await mail.logged();
  assert.deepEqual([logged!.id, logged!.state, logged!.tries], [id, "sent", 1]);
  assert.equal(await used(mail), 1);
  refused(await mail.owner.asOwner(sendAgainCall(id)), 409, "MAIL_NOT_RESENDABLE");
  assert.equal(mail.smtp.mails.length, 1);
});

Deno.test("of concurrent calls one resends the mail", async () => {
  await using mail = await openMail();
  const id = await failMail(mail);
  const answers = await Promise.all(times(20, () => mail.owner.asOwner(sendAgainCall(id))));
  assert.deepEqual(tally(answers), { 200: 1, 409: 19 });
  await mail.logged();
  assert.deepEqual([mail.smtp.mails.length, await used(mail)], [1, 1]);
});

Deno.test("the mail is resent through the server that is set now", async () => {
  await using mail = await openMail();
  await using own = await startSmtpServer();
  const id = await failMail(mail);
  ok(await mail.owner.asOwner({ method: "PUT", path: "/mail", body: ownServer(own) }));
  assert.equal(ok(await mail.owner.asOwner(sendAgainCall(id))).provider, "byok");
  assert.equal((await own.next(TO)).from, "blog@blog.example");
  assert.equal(await used(mail), 0);
});

Deno.test("a mail that is missing, waiting or had a code is not resent", async () => {
  await using mail = await openMail();
  refused(await mail.owner.asOwner(sendAgainCall(UNKNOWN_ID)), 404, "MAIL_NOT_FOUND");
  refused(await mail.owner.asOwner(sendAgainCall("x")), 400, "INVALID_ID");
  mail.smtp.behave(() => ({ code: 451, message: "later" }));
  const waiting = ok(await mail.send(MAIL)).id;
  await mail.logged();
  refused(await mail.owner.asOwner(sendAgainCall(waiting)), 409, "MAIL_NOT_RESENDABLE");
  mail.smtp.behave(() => ({ code: 550, message: "never" }));
  const { services } = mail.app;
  const code = { kind: "code", to: TO, variables: { code: "123456" }, hasCode: true } as const;
  const context = await requireMailContext(services, mail.projectId, {
    kinds: ["code"],
    language: null,
  });
  const job = await services.engine.transaction(
    mail.projectId,
    (tx) => enqueueMail(tx, services, context, code),
  );
  services.jobRunner.begin(mail.projectId, job!);
  await mail.logged();
  mail.smtp.behave(null);
  refused(await mail.owner.asOwner(sendAgainCall(job!.subject)), 409, "MAIL_NOT_RESENDABLE");
  assert.equal(mail.smtp.mails.length, 0);
});

Deno.test("beyond the plan or without a server the mail remains failed", async () => {
  await using mail = await openMail();
  const id = await failMail(mail);
  ok(await mail.send({ ...MAIL, to: times(50, (index) => `user${index}@example.com`) }));
  refused(await mail.owner.asOwner(sendAgainCall(id)), 429, "MAIL_QUOTA_EXCEEDED", "one more");
  const stateOf = async () => (await mail.logged()).find((one) => one.id === id)!.state;
  assert.deepEqual([await stateOf(), await used(mail)], ["failed", 50]);
  await using silent = await openMail({ env: { MAIL_URL: "" } });
  await using own = await startSmtpServer();
  ok(await silent.owner.asOwner({ method: "PUT", path: "/mail", body: ownServer(own) }));
  own.behave(() => ({ code: 550, message: "never" }));
  const lost = ok(await silent.send(MAIL)).id;
  await silent.logged();
  ok(await silent.owner.asOwner({ method: "DELETE", path: "/mail" }));
  refused(await silent.owner.asOwner(sendAgainCall(lost)), 503, "MAIL_NOT_CONFIGURED");
});

Deno.test("viewers and strangers cannot resend", async () => {
  await using mail = await openMail();
  const id = await failMail(mail);
  await mail.owner.isForAdmins(sendAgainCall(id));
  await mail.logged();
  assert.equal(mail.smtp.mails.length, 0);
});
