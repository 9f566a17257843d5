import assert from "node:assert/strict";
import { FREE_MAILS } from "@/lib/limits.ts";
import { JOBS } from "@/lib/jobs/jobs.ts";
import { MAILS } from "@/lib/mail/mails.ts";
import { sendMails } from "@/lib/mail/send.ts";
import { MAIL_SETTINGS, setMailSettings } from "@/lib/mail/settings.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { ALL } from "@/lib/store/filter.ts";
import { startSmtpServer } from "../support/smtp_server.ts";
import { afterPause, CODE, MINUTE_MS, NOTE, openOutbox, TO } from "./outbox_fixture.ts";
import { times } from "./test_collection.ts";

const PAUSES = [1, 5, 15, 60, 240];

const PUT_OFF = { code: 451, message: "4.3.0 come back" };

Deno.test("a mail whose connection ended after it was taken is resent under the same Message-ID", async () => {
  await using outbox = await openOutbox();
  const { app: { clock }, server } = outbox;
  server.behave((step) => step === "data" ? "lost" : null);
  await outbox.send(NOTE);
  assert.partialDeepStrictEqual(await outbox.stored(), {
    state: "queued",
    answer: "The connection broke off.",
  });
  server.behave(null);
  clock.advance(afterPause(1));
  const { state, messageId } = await outbox.pass();
  assert.equal(state, "sent");
  assert.deepEqual(server.mails.map((mail) => mail.messageId), [messageId, messageId]);
});

const WITHOUT_CODE = { subject: "(had a code)", text: null, html: null };

Deno.test("a code stays in the stored mail only until it is sent or has failed", async () => {
  for (const ending of ["sent", "failed"] as const) {
    await using outbox = await openOutbox();
    const { app: { clock }, server, project } = outbox;
    server.behave((step) => step === "data" ? PUT_OFF : null);
    await outbox.send(CODE);
    const waiting = await outbox.stored();
    assert.match(waiting.subject, /314159/);
    assert.match(waiting.text!, /314159/);
    assert.match(waiting.html!, /314159/);
    server.behave((step) =>
      step === "data" && ending === "failed" ? { code: 554, message: "spam" } : null
    );
    clock.advance(afterPause(1));
    const ended = await outbox.pass();
    assert.partialDeepStrictEqual(ended, { state: ending, to: TO, hasCode: true, ...WITHOUT_CODE });
    assert.doesNotMatch(JSON.stringify(ended), /314159/);
    const { body } = await project.asSecret({ path: "/api/mail/logs" });
    assert.equal(body.data.items.length, 1);
    assert.doesNotMatch(JSON.stringify(body), /314159/);
  }
});

Deno.test("a code that is not sent within ten minutes fails and is not counted", async () => {
  for (const late of [false, true]) {
    await using outbox = await openOutbox();
    const { app: { clock }, server } = outbox;
    await outbox.write(CODE);
    clock.advance(10 * MINUTE_MS - (late ? 0 : 1));
    const mail = await outbox.pass();
    assert.partialDeepStrictEqual(
      mail,
      late
        ? { state: "failed", answer: "It was too late to be of use.", ...WITHOUT_CODE }
        : { state: "sent", ...WITHOUT_CODE },
    );
    assert.equal(server.offered.length, late ? 0 : 1);
    assert.equal(await outbox.counted(), late ? 0 : 1);
    assert.equal(await outbox.jobs(), 0);
  }
});

Deno.test("a sign-in mail counts once, however often it is tried, and is uncounted when it fails", async () => {
  await using outbox = await openOutbox();
  const { app: { clock }, server } = outbox;
  assert.equal(await outbox.counted(), 0);
  server.behave((step) => step === "data" ? PUT_OFF : null);
  await outbox.send(NOTE, CODE);
  assert.equal(await outbox.counted(), 2);
  clock.advance(afterPause(1));
  await outbox.pass();
  assert.equal(await outbox.counted(), 2);
  server.behave(() => ({ code: 550, message: "no" }));
  clock.advance(afterPause(5));
  await outbox.pass();
  assert.equal(await outbox.counted(), 0);
});

Deno.test("a mail that fails in the next month is uncounted in the month that counted it", async () => {
  await using outbox = await openOutbox();
  const { app: { clock }, server } = outbox;
  const hours = 11.5 * 60 * MINUTE_MS;
  clock.advance(hours); // On the last of January, half an hour before midnight in UTC.
  server.behave((step) => step === "data" ? PUT_OFF : null);
  await outbox.send(NOTE, NOTE);
  assert.equal(await outbox.counted(), 2);
  for (const minutes of PAUSES.slice(0, 4)) {
    clock.advance(afterPause(minutes));
    await outbox.pass();
  }
  assert.equal(new Date(clock.now()).getUTCMonth(), 1);
  assert.equal(await outbox.counted(), 0, "the count of February");
  server.behave(() => ({ code: 550, message: "no" }));
  clock.advance(afterPause(240));
  await outbox.pass();
  assert.equal(await outbox.counted(), 0, "the count of February");
  clock.setBack(24 * 60 * MINUTE_MS);
  assert.equal(new Date(clock.now()).getUTCMonth(), 0);
  assert.equal(await outbox.counted(), 0, "the count of January");
});

Deno.test("at the monthly limit sign-in mails are sent and application mails are refused", async () => {
  await using outbox = await openOutbox();
  const { services, project: { projectId }, server } = outbox;
  const custom = { subject: "News", text: "News\n" };
  const to = times(FREE_MAILS, (i) => `user${i}@example.com`);
  await sendMails(services, projectId, { ...custom, quota: undefined, to });
  await services.jobRunner.idle();
  assert.equal(await outbox.counted(), FREE_MAILS);
  assert.equal(server.mails.length, FREE_MAILS);
  const error = await sendMails(services, projectId, { ...custom, quota: undefined, to: [TO] })
    .catch((e) => e);
  assert.equal(error.code, "MAIL_QUOTA_EXCEEDED");
  await outbox.send(CODE);
  assert.equal((await server.next(TO)).text.includes("314159"), true);
  assert.equal(await outbox.counted(), FREE_MAILS + 1);
});

Deno.test("mails for a platform server that is no longer configured stay queued", async () => {
  await using outbox = await openOutbox();
  const { app: { clock }, server, services } = outbox;
  await outbox.write(NOTE);
  const without = { ...services, mailTransports: { ...services.mailTransports, platform: null } };
  const { SEND_MAIL } = await import("@/lib/mail/send_mail.ts");
  const { _id } = await outbox.stored();
  const job = { subject: _id } as Parameters<typeof SEND_MAIL.run>[2];
  const { projectId } = outbox.project;
  const next = await SEND_MAIL.run(without, projectId, job, () => false);
  assert.ok(next! >= clock.now() + MINUTE_MS && next! <= clock.now() + afterPause(1));
  assert.equal((await outbox.stored()).answer, "This server has no mail server at present.");
  assert.equal((await outbox.pass()).state, "sent");
  assert.equal(server.mails.length, 1);
});

Deno.test("the log says which mails are postponed, which failed, and why", async () => {
  const lines: string[] = [];
  const log = createLog("warn", (text) => void lines.push(...text.trim().split("\n")));
  await using outbox = await openOutbox({ log });
  const { app: { clock }, server } = outbox;
  server.behave((step) => step === "data" ? PUT_OFF : null);
  await outbox.send(NOTE);
  server.behave((step) => step === "data" ? { code: 554, message: "spam" } : null);
  clock.advance(afterPause(1));
  const { _id: mail } = await outbox.pass();
  log.flush();
  const { projectId: space } = outbox.project;
  const common = { level: "warn", space, mail, kind: "accountExists", provider: "default" };
  assert.partialDeepStrictEqual(lines.map((line) => JSON.parse(line)), [
    { ...common, message: "A mail is tried again later", tries: 1, answer: "451 4.3.0 come back" },
    { ...common, message: "A mail has failed", tries: 2, answer: "554 spam" },
  ]);
});

const PASSWORD = "p:/ä s ecret";

Deno.test("the log and the store contain no server password, and the log contains no code", async () => {
  const lines: string[] = [];
  const log = createLog("debug", (text) => void lines.push(text));
  await using outbox = await openOutbox({ log, env: { ALLOW_PRIVATE_ENDPOINTS: "true" } });
  const { services, project: { projectId }, app: { clock } } = outbox;
  const server = await startSmtpServer({ user: { name: "someone", password: PASSWORD } });
  const urlWith = (password: string) =>
    `smtp://someone:${encodeURIComponent(password)}@127.0.0.1:${server.port}`;
  const from = "Shop <shop@example.com>";
  await setMailSettings(services, projectId, { url: urlWith(PASSWORD), from });
  for (const answer of [PUT_OFF, "cut", { code: 550, message: "no" }] as const) {
    server.behave((step) => step === "data" ? answer : null);
    await outbox.send(CODE);
    clock.advance(afterPause(1));
    await outbox.pass();
  }
  const wrong = `${PASSWORD}, but another`;
  await setMailSettings(services, projectId, { url: urlWith(wrong), from });
  await outbox.send(CODE);
  assert.partialDeepStrictEqual(await outbox.stored(), {
    state: "failed",
    answer: "535 5.7.8 Wrong password",
  });
  await server[Symbol.asyncDispose]();
  await outbox.send(CODE);
  assert.match((await outbox.stored()).answer!, /ECONNREFUSED/);
  log.flush();
  const logged = lines.join("\n");
  assert.match(logged, /ECONNREFUSED/);
  assert.ok(!logged.includes("314159"));
  const spellings = [PASSWORD, encodeURIComponent(PASSWORD), toBase64(`\0someone\0${PASSWORD}`)];
  const records = [MAILS, MAIL_SETTINGS, JOBS].map((kind) =>
    Array.fromAsync(services.engine.records(projectId, kind).find({ filter: ALL }))
  );
  const stored = JSON.stringify(await Promise.all(records));
  assert.match(stored, /"host":"127\.0\.0\.1"/);
  for (const spelling of spellings) {
    assert.ok(!logged.includes(spelling) && !stored.includes(spelling), spelling);
  }
});

const toBase64 = (text: string): string => new TextEncoder().encode(text).toBase64();
