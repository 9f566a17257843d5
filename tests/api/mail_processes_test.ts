import assert from "node:assert/strict";
import { type JobRecord, JOBS } from "@/lib/jobs/jobs.ts";
import { SEND_MAIL } from "@/lib/mail/send_mail.ts";
import { clearMailServer, setMailSettings } from "@/lib/mail/settings.ts";
import { removeExpiredTrash, restoreProject } from "@/lib/operations/project_trash.ts";
import { PROJECT_TRASH_MS } from "@/lib/limits.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import { requestCode } from "@/lib/users/send_code.ts";
import { mailsOf } from "../support/mailbox.ts";
import { muteQueue } from "../support/mute_queue.ts";
import { startSmtpServer, type TestSmtpServer } from "../support/smtp_server.ts";
import { openTestServices } from "../support/test_services.ts";
import {
  afterPause,
  CODE,
  mailEnv,
  MINUTE_MS,
  NOTE,
  openOutbox,
  type Outbox,
  TO,
} from "./outbox_fixture.ts";
import { deleteCall } from "./team.ts";
import { ok, times } from "./test_collection.ts";

const openSecondProcess = ({ app: { store, clock }, server }: Outbox) =>
  openTestServices({ store, clock, env: mailEnv(server) });

Deno.test("of several processes that look for mails at once, one sends each mail", async () => {
  await using outbox = await openOutbox();
  const { services, server } = outbox;
  await using second = await openSecondProcess(outbox);
  await using third = await openSecondProcess(outbox);
  const to = times(20, (i) => `user${i}@example.com`);
  await outbox.write(...to.map((to) => ({ ...NOTE, to })));
  const runners = [services, second.services, third.services].map(({ jobRunner }) => jobRunner);
  await Promise.all(times(3, () => runners.map((runner) => runner.startDue())).flat());
  await Promise.all(runners.map((runner) => runner.idle()));
  assert.deepEqual(server.mails.map((mail) => mail.to).toSorted(), to.toSorted());
  assert.equal(new Set(server.mails.map(({ messageId }) => messageId)).size, to.length);
  assert.equal(await outbox.jobs(), 0);
  assert.equal(await outbox.counted(), to.length);
});

Deno.test("a mail that two processes try to send at the same moment is sent once", async () => {
  await using outbox = await openOutbox();
  const { services, project: { projectId }, server } = outbox;
  await using second = await openSecondProcess(outbox);
  for (let round = 0; round < 10; round++) {
    await outbox.write(NOTE);
    const [job] = await Array.fromAsync(
      services.engine.records<JobRecord>(projectId, JOBS).find({ filter: ALL }),
    );
    const done = await Promise.all(
      [services, second.services, services, second.services].map((one) =>
        one.jobRunner.runNow(one, SEND_MAIL, { space: projectId, which: eq("_id", job!._id) })
      ),
    );
    assert.deepEqual(done.toSorted(), [0, 0, 0, 1]);
    assert.partialDeepStrictEqual(await outbox.stored(), { state: "sent", tries: 1 });
    assert.equal(server.offered.length, round + 1);
  }
});

Deno.test("a process that lost a mail to another leaves its final state alone", async () => {
  await using outbox = await openOutbox();
  const { app: { clock }, services, project: { projectId }, server } = outbox;
  await using second = await openSecondProcess(outbox);
  await outbox.write(NOTE);
  const { _id: subject } = await outbox.stored();
  const job = { subject } as JobRecord;
  let before = 0;
  const slow = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const late = {
    ...services,
    mailTransports: {
      ...services.mailTransports,
      platform: {
        async send() {
          before++;
          taken.resolve();
          await slow.promise;
          const { MailRefused } = await import("@/lib/mail/transport.ts");
          throw new MailRefused("550 no");
        },
      },
    },
  };
  const first = SEND_MAIL.run(late, projectId, job, () => false);
  await taken.promise;
  clock.advance(MINUTE_MS);
  assert.equal(await SEND_MAIL.run(second.services, projectId, job, () => false), null);
  slow.resolve();
  assert.equal(await first, null);
  assert.equal(before, 1);
  assert.partialDeepStrictEqual(await outbox.stored(), { state: "sent", tries: 2 });
  assert.equal(await outbox.counted(), 1, "the mail stays counted");
  assert.equal(server.mails.length, 1);
});

Deno.test("a mail whose process ended after the commit is sent by another process", async () => {
  await using outbox = await openOutbox();
  const { project: { projectId }, server } = outbox;
  await using second = await openSecondProcess(outbox);
  const { services } = second;
  await outbox.write(CODE);
  const { messageId } = await outbox.stored();
  assert.equal(await services.jobRunner.runDue(), 1);
  assert.deepEqual(server.mails.map((mail) => mail.messageId), [messageId]);
  assert.partialDeepStrictEqual(await mailsOf(services, projectId), [{
    state: "sent",
    text: null,
  }]);
  assert.equal(await outbox.jobs(), 0);
});

Deno.test("a code whose process ended after the request is sent by another process", async () => {
  await using outbox = await openOutbox();
  const { services, project, server } = outbox;
  await using second = await openSecondProcess(outbox);
  const silent = muteQueue(services.jobRunner);
  const asked = { purpose: "code", email: TO, language: null } as const;
  await requestCode({ ...services, jobRunner: silent }, project.projectId, asked);
  assert.equal(await outbox.jobs(), 1);
  await second.services.jobRunner.runDue();
  await second.services.jobRunner.idle();
  const { text } = await server.next(TO);
  const [otp] = /\b\d{6}\b/.exec(text)!;
  const body = { email: TO, otp };
  const path = "/api/userAuth/code/verify";
  const { status } = await project.asPublic({ method: "POST", path, body });
  assert.equal(status, 200, "the requesting process accepts the code");
  assert.equal(server.mails.length, 1);
});

Deno.test("a disposed process finishes its current mails and leaves the rest to others", async () => {
  const server = await startSmtpServer();
  await using outbox = await openOutbox();
  const { app: { store, clock }, project: { projectId } } = outbox;
  const ending = await openTestServices({ store, clock, env: mailEnv(server) });
  const to = times(30, (i) => `user${i}@example.com`);
  {
    const { services } = ending;
    const { sendMails } = await import("@/lib/mail/send.ts");
    await sendMails(services, projectId, { subject: "News", text: "News\n", to, quota: undefined });
    await ending[Symbol.asyncDispose]();
  }
  const sent = server.mails.length;
  assert.ok(sent < to.length, "waiting mails were not started");
  const states = (await mailsOf(outbox.services, projectId)).map(({ state }) => state);
  assert.equal(states.filter((state) => state === "sent").length, sent);
  await server[Symbol.asyncDispose]();
  await outbox.pass();
  const arrived = [...server.mails, ...outbox.server.mails].map((mail) => mail.to);
  assert.deepEqual(arrived.toSorted(), to.toSorted(), "each mail arrives once");
});

async function trash({ project }: Outbox): Promise<void> {
  const owner = await project.owner();
  ok(await owner.send(deleteCall(`/api/projects/${project.projectId}`, { name: "Test" })));
}

/** Counts the mails offered to `TO`. The owner gets mails, too. */
const countOffered = ({ offered }: TestSmtpServer): number =>
  offered.filter(({ to }) => to === TO).length;

Deno.test("mails of a project in the trash are dropped without being sent", async () => {
  await using outbox = await openOutbox();
  const { services, project: { projectId }, server } = outbox;
  await outbox.write(NOTE, CODE);
  await trash(outbox);
  await services.jobRunner.runDue();
  assert.equal(countOffered(server), 0);
  assert.equal(await outbox.jobs(), 0);
  await restoreProject(services, projectId);
  await services.jobRunner.runDue();
  assert.equal(countOffered(server), 0);
});

Deno.test("a pass after a project is permanently deleted does not recreate its tables", async () => {
  await using outbox = await openOutbox();
  const { app: { clock }, services, project: { projectId }, server } = outbox;
  await outbox.write(NOTE);
  await trash(outbox);
  clock.advance(PROJECT_TRASH_MS);
  assert.equal(await removeExpiredTrash(services), 1);
  await services.jobRunner.runDue();
  assert.equal(countOffered(server), 0);
  assert.deepEqual(await services.engine.kinds(projectId), []);
});

const FROM = "Shop <shop@example.com>";
const USER = { name: "shop", password: "p:/ä s" };
const PRIVATE = { ALLOW_PRIVATE_ENDPOINTS: "true" };

Deno.test("a project's own server sends mails with its own sender, and none is counted", async () => {
  await using own = await startSmtpServer({ user: USER });
  await using outbox = await openOutbox({ env: PRIVATE });
  const { services, project: { projectId }, server } = outbox;
  const settings = { url: own.url, from: FROM, replyTo: "help@example.com" };
  await setMailSettings(services, projectId, settings);
  await outbox.send(CODE);
  const mail = await own.next(TO);
  assert.equal(mail.user, USER.name);
  assert.equal(mail.from, "shop@example.com");
  assert.equal(mail.headers.get("from"), "From: Shop <shop@example.com>");
  assert.equal(mail.headers.get("reply-to"), "Reply-To: help@example.com");
  assert.match(mail.messageId, /@example\.com>$/);
  assert.match(mail.text, /314159/);
  assert.partialDeepStrictEqual(await outbox.stored(), { state: "sent", provider: "byok" });
  assert.equal(server.offered.length, 0);
  assert.equal(await outbox.counted(), 0);
});

Deno.test("a mail is sent with the project server's current settings, and fails if there are none", async () => {
  await using first = await startSmtpServer();
  await using second = await startSmtpServer();
  await using outbox = await openOutbox({ env: PRIVATE });
  const { app: { clock }, services, project: { projectId }, server } = outbox;
  await setMailSettings(services, projectId, { url: first.url, from: FROM });
  first.behave(() => ({ code: 451, message: "later" }));
  await outbox.send(NOTE, NOTE);
  await setMailSettings(services, projectId, { url: second.url });
  second.behave((step) => step === "data" && second.offered.length > 1 ? "cut" : null);
  clock.advance(afterPause(1));
  await outbox.pass();
  assert.equal(second.mails.length, 1);
  await clearMailServer(services, projectId);
  clock.advance(afterPause(5));
  await outbox.pass();
  const states = (await mailsOf(services, projectId)).map(({ state, answer }) => [state, answer]);
  assert.deepEqual(states.find(([state]) => state === "failed"), [
    "failed",
    "The project has no mail server any more.",
  ]);
  assert.equal(states.filter(([state]) => state === "sent").length, 1);
  assert.equal(server.offered.length, 0, "the platform's server sends nothing");
  assert.equal(await outbox.jobs(), 0);
});
