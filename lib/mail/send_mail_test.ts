import assert from "node:assert/strict";
import { createProject } from "../projects/create_project.ts";
import { JOBS } from "../jobs/jobs.ts";
import type { Services } from "../services.ts";
import { ALL, eq } from "../store/filter.ts";
import type { Id, Space } from "../store/port.ts";
import { startSmtpServer, type TestSmtpServer } from "@/tests/support/smtp_server.ts";
import { fakeClock, openTestServices, type TestOptions } from "@/tests/support/test_services.ts";
import { createTestStore, database } from "@/tests/support/test_store.ts";
import { type MailRecord, MAILS } from "./mails.ts";
import { enqueueMail, findMailContext, type NewMail, requireMailContext } from "./outbox.ts";
import { SEND_MAIL } from "./send_mail.ts";
import { clearMailServer, setMailSettings } from "./settings.ts";
import { getMailsThisMonth } from "./usage.ts";

const TO = "ada@example.com";
const CODE: NewMail = {
  kind: "code",
  to: TO,
  variables: { code: "123456", minutes: "10" },
  hasCode: true,
};
const NOTICE: NewMail = { kind: "accountExists", to: TO, variables: {} };

const envOf = ({ url }: TestSmtpServer) => ({
  MAIL_URL: url,
  MAIL_FROM: "Corbel <no-reply@corbel.example>",
  ALLOW_PRIVATE_ENDPOINTS: "true",
});

/** Opens services with a mail server and a project. */
async function open(options: TestOptions = {}) {
  await using opening = new AsyncDisposableStack();
  const smtp = opening.use(await startSmtpServer());
  const { services, clock } = opening.use(
    await openTestServices({ ...options, env: { ...envOf(smtp), ...options.env } }),
  );
  const siteUrl = "https://blog.example";
  const { projectId } = await createProject(services, { name: "Blog", siteUrl });
  const opened = opening.move();
  return {
    services,
    clock,
    smtp,
    projectId,
    async later(minutes: number) {
      clock.advance(minutes * 66_000); // With the jitter.
      await services.jobRunner.runDue();
      await services.jobRunner.idle();
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Stores a mail, begins to send it and returns its id. */
async function write(services: Services, space: Space, mail: NewMail): Promise<Id> {
  const context = await requireMailContext(services, space, { kinds: [mail.kind], language: null });
  await services.jobRunner.announce(space);
  const job = await services.engine.transaction(
    space,
    (tx) => enqueueMail(tx, services, context, mail),
  );
  services.jobRunner.begin(space, job!);
  return job!.subject;
}

async function rowOf({ engine, jobRunner }: Services, space: Space, id: Id): Promise<MailRecord> {
  await jobRunner.idle();
  return (await engine.records<MailRecord>(space, MAILS).get(id))!.value;
}

const jobsIn = ({ engine }: Services, space: Space) => engine.records(space, JOBS).count(ALL);

Deno.test("a sent mail stays in the log without its text", async () => {
  await using mail = await open();
  const { services, smtp, projectId } = mail;
  const id = await write(services, projectId, CODE);
  const arrived = await smtp.next(TO);
  assert.equal(arrived.subject, "123456 signs you in to Blog");
  assert.match(arrived.text, /\b123456\b/);
  const row = await rowOf(services, projectId, id);
  assert.deepEqual([row.state, row.tries, row.text, row.html], ["sent", 1, null, null]);
  assert.ok(!JSON.stringify(row).includes("123456"));
  assert.match(row.answer!, /^250 /);
  assert.equal(row.sentAt, "2026-01-31T12:00:00.000Z");
  assert.equal(await jobsIn(services, projectId), 0);
  const noticeId = await write(services, projectId, NOTICE);
  const { subject, text, html } = await rowOf(services, projectId, noticeId);
  assert.notEqual(subject, "(had a code)");
  assert.deepEqual([text, html], [null, null]);
});

Deno.test("a mail is retried after 1, 5, 15, 60 and 240 minutes with one Message-ID, then it fails", async () => {
  await using mail = await open();
  const { services, smtp, projectId, clock } = mail;
  const ids: string[] = [];
  const began = clock.now();
  const tried: number[] = [];
  smtp.behave((step) => {
    if (step !== "data") return null;
    tried.push((clock.now() - began) / 60_000);
    return { code: 451, message: `4.7.1 later ${tried.length}` };
  });
  const id = await write(services, projectId, NOTICE);
  let row = await rowOf(services, projectId, id);
  for (let minute = 1; minute <= 400; minute++) {
    await mail.later(1);
    row = await rowOf(services, projectId, id);
    ids.push(row.messageId);
  }
  const pauses = tried.slice(1).map((at, index) => at - tried[index]!);
  assert.equal(pauses.length, 5);
  for (const [index, minutes] of [1, 5, 15, 60, 240].entries()) {
    const pause = pauses[index]!;
    // With up to a tenth of jitter, and checked every 1.1 minutes.
    assert.ok(pause >= minutes && pause <= 1.1 * minutes + 1.1, `${pauses}`);
  }
  assert.deepEqual([row.state, row.tries, row.answer], ["failed", 6, "451 4.7.1 later 6"]);
  assert.equal(new Set(ids).size, 1);
  assert.equal(await jobsIn(services, projectId), 0);
  assert.equal(
    await getMailsThisMonth(services, projectId),
    0,
    "a failed mail is taken back from the count",
  );
});

Deno.test("a delayed mail arrives once, with the Message-ID of its row", async () => {
  await using mail = await open();
  const { services, smtp, projectId } = mail;
  const refused: string[] = [];
  smtp.behave((step) => {
    if (step !== "recipient" || refused.push("x") > 2) return null;
    return refused.length === 1 ? "cut" : { code: 450, message: "greylisted" };
  });
  const id = await write(services, projectId, NOTICE);
  const { state, answer, messageId } = await rowOf(services, projectId, id);
  assert.deepEqual([state, answer], ["queued", "The connection broke off."]);
  await mail.later(1);
  assert.equal((await rowOf(services, projectId, id)).answer, "450 greylisted");
  await mail.later(4);
  assert.equal(smtp.mails.length, 0, "not before its time");
  await mail.later(1);
  assert.deepEqual(smtp.mails.map((one) => one.messageId), [messageId]);
  const row = await rowOf(services, projectId, id);
  assert.deepEqual([row.state, row.tries, row.messageId], ["sent", 3, messageId]);
  assert.equal(smtp.mails[0]!.headers.get("date"), "Date: Sat, 31 Jan 2026 12:00:00 +0000");
});

Deno.test("a mail that SMTP refuses by 5xx is not retried and loses its code", async () => {
  await using mail = await open();
  const { services, smtp, projectId } = mail;
  let tries = 0;
  smtp.behave((step) =>
    step === "recipient" && ++tries ? { code: 550, message: "no such user" } : null
  );
  const id = await write(services, projectId, CODE);
  const row = await rowOf(services, projectId, id);
  assert.deepEqual([row.state, row.answer, row.text, row.html], [
    "failed",
    "550 no such user",
    null,
    null,
  ]);
  assert.ok(!JSON.stringify(row).includes("123456"));
  await mail.later(500);
  assert.equal(tries, 1);
  assert.equal(await getMailsThisMonth(services, projectId), 0);
});

Deno.test("a code is not sent after it has expired", async () => {
  await using mail = await open();
  const { services, smtp, projectId } = mail;
  smtp.behave(() => ({ code: 451, message: "later" }));
  const id = await write(services, projectId, CODE);
  await services.jobRunner.idle();
  await mail.later(1);
  assert.equal((await rowOf(services, projectId, id)).state, "queued");
  await mail.later(5);
  const { state, tries, answer } = await rowOf(services, projectId, id);
  assert.deepEqual(
    [state, tries, answer],
    ["failed", 3, "451 later"],
    "the code expires before the next try",
  );
  const long = await write(services, projectId, { ...CODE, usefulMs: 86_400_000 });
  await services.jobRunner.idle();
  for (const minutes of [1, 5, 15]) await mail.later(minutes);
  assert.equal((await rowOf(services, projectId, long)).state, "queued");
});

Deno.test("sign-in mails count beyond the plan, and mails to accounts do not count", async () => {
  await using mail = await open();
  const { services, smtp, projectId } = mail;
  for (let i = 0; i < 52; i++) await write(services, projectId, CODE);
  await services.jobRunner.idle();
  assert.equal(smtp.mails.length, 52);
  assert.equal(await getMailsThisMonth(services, projectId), 52);
  await write(services, "control", NOTICE);
  await services.jobRunner.idle();
  assert.equal((await smtp.next(TO)) !== undefined, true);
  assert.equal(await getMailsThisMonth(services, projectId), 52);
});

Deno.test("no mail is sent of a deleted project, and no deleted mail", async () => {
  await using mail = await open();
  const { services, smtp, projectId } = mail;
  smtp.behave(() => ({ code: 451, message: "later" }));
  const id = await write(services, projectId, NOTICE);
  await services.jobRunner.idle();
  smtp.behave(null);
  const job = { subject: id } as never;
  const stopped = () => false;
  await services.engine.records<MailRecord>(projectId, MAILS).deleteOne(eq("_id", id));
  assert.equal(await SEND_MAIL.run(services, projectId, job, stopped), null);
  assert.equal(await SEND_MAIL.run(services, "0123456789abcdef01234567", job, stopped), null);
  assert.ok(!(await services.engine.spaces()).includes("0123456789abcdef01234567"));
  assert.equal(smtp.mails.length, 0);
});

Deno.test("several processes that run due jobs at once send each mail once", async () => {
  await using store = await createTestStore(database);
  await using smtp = await startSmtpServer();
  const clock = fakeClock();
  const env = envOf(smtp);
  await using one = await openTestServices({ store, clock, env });
  await using other = await openTestServices({ store, clock, env });
  const { projectId } = await createProject(one.services, { name: "Blog", siteUrl: null });
  smtp.behave(() => ({ code: 451, message: "later" }));
  const ids: Id[] = [];
  for (let i = 0; i < 10; i++) ids.push(await write(one.services, projectId, NOTICE));
  await one.services.jobRunner.idle();
  smtp.behave(null);
  clock.advance(66_000);
  const both = [one, other, one, other].map(({ services }) => services.jobRunner.runDue());
  await Promise.all(both);
  assert.equal(smtp.mails.length, 10);
  assert.equal(new Set(smtp.mails.map(({ messageId }) => messageId)).size, 10);
});

Deno.test("mails go by the project's own server, and fail once it is removed", async () => {
  await using mail = await open();
  await using own = await startSmtpServer();
  const { services, smtp, projectId } = mail;
  await setMailSettings(services, projectId, { url: own.url, from: "blog@blog.example" });
  await write(services, projectId, CODE);
  assert.equal((await own.next(TO)).from, "blog@blog.example");
  assert.equal(await getMailsThisMonth(services, projectId), 0);
  own.behave(() => ({ code: 451, message: "later" }));
  const id = await write(services, projectId, NOTICE);
  await services.jobRunner.idle();
  await clearMailServer(services, projectId);
  await mail.later(1);
  const { state, answer } = await rowOf(services, projectId, id);
  assert.deepEqual([state, answer], ["failed", "The project has no mail server any more."]);
  assert.equal(smtp.mails.length, 0);
});

Deno.test("a project's own server in a private network is not connected to", async () => {
  await using own = await startSmtpServer();
  await using mail = await open({ env: { ALLOW_PRIVATE_ENDPOINTS: "false" } });
  const { services, projectId } = mail;
  const { url } = own;
  const from = "blog@blog.example";
  await assert.rejects(
    setMailSettings(services, projectId, { url, from }),
    /INVALID_INPUT|private network/,
  );
  let connections = 0;
  own.behave(() => (connections++, null));
  const named = url.replace("127.0.0.1", "localhost");
  await setMailSettings(services, projectId, { url: named, from });
  const id = await write(services, projectId, NOTICE);
  const { state, answer } = await rowOf(services, projectId, id);
  assert.equal(state, "queued");
  assert.match(answer!, /"localhost" is unknown or not a public address/);
  assert.equal(connections, 0);
});

Deno.test("a kept mail has its text and no job", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId } = await createProject(services, { name: "Blog", siteUrl: null });
  const options = { kinds: [CODE.kind], language: null };
  const context = (await findMailContext(services, projectId, options))!;
  const { engine } = services;
  const job = await engine.transaction(
    projectId,
    (tx) => enqueueMail(tx, services, context, CODE),
  );
  assert.equal(job, null);
  const [row] = await Array.fromAsync(
    engine.records<MailRecord>(projectId, MAILS).find({ filter: ALL }),
  );
  assert.deepEqual([row!.state, row!.provider], ["kept", null]);
  assert.match(row!.text!, /123456/);
  assert.equal(await jobsIn(services, projectId), 0);
});

Deno.test("requireMailContext throws without a mail server and for a deleted project", async () => {
  await using opened = await openTestServices({ env: { MAIL_URL: "" } });
  const { services } = opened;
  const { projectId } = await createProject(services, { name: "Blog", siteUrl: null });
  const options = { kinds: [], language: null };
  for (const space of [projectId, "control", "0123456789abcdef01234567"]) {
    assert.equal(await findMailContext(services, space, options), null);
    await assert.rejects(requireMailContext(services, space, options), {
      code: "MAIL_NOT_CONFIGURED",
    });
  }
});
