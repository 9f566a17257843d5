import assert from "node:assert/strict";
import { enqueueMail, mailContext } from "@/lib/mail/outbox.ts";
import { mailsThisMonth } from "@/lib/mail/usage.ts";
import { startSmtpServer } from "../support/smtp_server.ts";
import { MAIL, type MailFixture, openMail, ownServer, TO } from "./mail.ts";
import { NOBODY, ok, refused, tally, times } from "./test_collection.ts";

const again = (id: string) => ({ method: "POST", path: `/mail/logs/${id}/send` });

/** A mail that the server has refused for good; resolves to its id. */
async function failed(mail: MailFixture): Promise<string> {
  mail.smtp.behave(() => ({ code: 550, message: "not today" }));
  const { id } = ok(await mail.send(MAIL));
  await mail.logged();
  mail.smtp.behave(null);
  return id;
}

const used = ({ app, projectId }: MailFixture) => mailsThisMonth(app.services, projectId);

Deno.test("a mail that has failed is sent once more, and counts", async () => {
  await using mail = await openMail();
  const id = await failed(mail);
  assert.equal(await used(mail), 0);
  const { state, tries, answer } = ok(await mail.owner.as("admin", again(id)));
  assert.deepEqual([state, tries, answer], ["queued", 0, null]);
  assert.equal((await mail.smtp.next(TO)).text.trim(), MAIL.text);
  const [logged] = await mail.logged();
  assert.deepEqual([logged!.id, logged!.state, logged!.tries], [id, "sent", 1]);
  assert.equal(await used(mail), 1);
  refused(await mail.owner.asOwner(again(id)), 409, "MAIL_NOT_RESENDABLE");
  assert.equal(mail.smtp.mails.length, 1);
});

Deno.test("of many at once one sends it", async () => {
  await using mail = await openMail();
  const id = await failed(mail);
  const answers = await Promise.all(times(20, () => mail.owner.asOwner(again(id))));
  assert.deepEqual(tally(answers), { 200: 1, 409: 19 });
  await mail.logged();
  assert.deepEqual([mail.smtp.mails.length, await used(mail)], [1, 1]);
});

Deno.test("it goes by whoever sends now", async () => {
  await using mail = await openMail();
  await using own = await startSmtpServer();
  const id = await failed(mail);
  ok(await mail.owner.asOwner({ method: "PUT", path: "/mail", body: ownServer(own) }));
  assert.equal(ok(await mail.owner.asOwner(again(id))).provider, "byok");
  assert.equal((await own.next(TO)).from, "blog@blog.example");
  assert.equal(await used(mail), 0);
});

Deno.test("none that is there no more, was sent, waits or had a code is sent again", async () => {
  await using mail = await openMail();
  refused(await mail.owner.asOwner(again(NOBODY)), 404, "MAIL_NOT_FOUND");
  refused(await mail.owner.asOwner(again("x")), 400, "INVALID_ID");
  mail.smtp.behave(() => ({ code: 451, message: "later" }));
  const waiting = ok(await mail.send(MAIL)).id;
  await mail.logged();
  refused(await mail.owner.asOwner(again(waiting)), 409, "MAIL_NOT_RESENDABLE");
  mail.smtp.behave(() => ({ code: 550, message: "never" }));
  const { services } = mail.app;
  const code = { kind: "code", to: TO, variables: { code: "123456" }, hasCode: true } as const;
  const context = await mailContext(services, mail.projectId, { kinds: ["code"], language: null });
  const job = await services.engine.transaction(
    mail.projectId,
    (tx) => enqueueMail(tx, services, context, code),
  );
  services.jobRunner.begin(mail.projectId, job!);
  await mail.logged();
  mail.smtp.behave(null);
  refused(await mail.owner.asOwner(again(job!.subject)), 409, "MAIL_NOT_RESENDABLE");
  assert.equal(mail.smtp.mails.length, 0);
});

Deno.test("beyond the plan, and where nobody sends, it stays as it is", async () => {
  await using mail = await openMail();
  const id = await failed(mail);
  ok(await mail.send({ ...MAIL, to: times(50, (index) => `user${index}@example.com`) }));
  refused(await mail.owner.asOwner(again(id)), 429, "MAIL_QUOTA_EXCEEDED", "one more");
  const stateOf = async () => (await mail.logged()).find((one) => one.id === id)!.state;
  assert.deepEqual([await stateOf(), await used(mail)], ["failed", 50]);
  await using silent = await openMail({ env: { MAIL_URL: "" } });
  await using own = await startSmtpServer();
  ok(await silent.owner.asOwner({ method: "PUT", path: "/mail", body: ownServer(own) }));
  own.behave(() => ({ code: 550, message: "never" }));
  const lost = ok(await silent.send(MAIL)).id;
  await silent.logged();
  ok(await silent.owner.asOwner({ method: "DELETE", path: "/mail" }));
  refused(await silent.owner.asOwner(again(lost)), 503, "MAIL_NOT_CONFIGURED");
});

Deno.test("viewers and strangers send nothing again", async () => {
  await using mail = await openMail();
  const id = await failed(mail);
  await mail.owner.isForAdmins(again(id));
  await mail.logged();
  assert.equal(mail.smtp.mails.length, 0);
});
