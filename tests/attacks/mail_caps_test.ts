import assert from "node:assert/strict";
import { issueToken } from "@/lib/auth/issue_token.ts";
import { FREE_MAILS, FREE_SIGN_IN_MAILS_PER_DAY } from "@/lib/limits.ts";
import { admitMail } from "@/lib/mail/admission.ts";
import { sendCode } from "@/lib/mail/code_mails.ts";
import { requireMailContext } from "@/lib/mail/outbox.ts";
import { countMails, getMailsThisMonth } from "@/lib/mail/usage.ts";
import { setTemplate } from "@/lib/mail/template_store.ts";
import { changeProject } from "@/lib/projects/change_project.ts";
import type { Id } from "@/lib/store/port.ts";
import { inviteCall } from "../api/invitations.ts";
import { mailEnv } from "../api/outbox_fixture.ts";
import { openTeam } from "../api/team.ts";
import { ok, times } from "../api/test_collection.ts";
import { ADA, CODE_REQUESTS, MINUTE_MS, PASSWORD, setAuth, userCall } from "../api/user_email.ts";
import { mailsOf } from "../support/mailbox.ts";
import { faults, testUnless } from "../support/server_faults.ts";
import { startSmtpServer, type TestSmtpServer } from "../support/smtp_server.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";

/** An owner with a free account who sends many mails with their own text through the platform. */

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const SCAM_TEXT = "Win at https://evil.example, call 0800 555 0199";

interface Platform extends AsyncDisposable {
  readonly app: TestApp;
  readonly server: TestSmtpServer;
}

async function openPlatform(): Promise<Platform> {
  await using opening = new AsyncDisposableStack();
  const server = opening.use(await startSmtpServer());
  const app = opening.use(await openTestApp({ env: mailEnv(server) }));
  const opened = opening.move();
  return { app, server, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Requests a sign-in code, and resolves to the mail that the server received. */
async function askForCode({ app, server }: Platform, projectId: Id, email: string) {
  const before = server.mails.length;
  const target = { purpose: "code", email, subjectId: null, language: null } as const;
  assert.equal(await sendCode(app.services, projectId, target), true);
  await app.services.jobRunner.idle();
  return server.mails.slice(before);
}

const useUp = async ({ app }: Platform, projectId: Id, left = 0) =>
  void await countMails(app.services, projectId, { count: FREE_MAILS - left, limit: FREE_MAILS });

Deno.test("own words: a template is used within the month's mails, then the built-in text", async () => {
  await using platform = await openPlatform();
  const { app } = platform;
  const { projectId } = await app.project({ siteUrl: "https://evil.example" });
  const template = {
    name: "code",
    language: "en",
    subject: SCAM_TEXT,
    text: `${SCAM_TEXT} {{code}}`,
  };
  await setTemplate(app.services, projectId, template);
  await useUp(platform, projectId, 1);
  const [own] = await askForCode(platform, projectId, "first@example.com");
  assert.equal(own!.subject, SCAM_TEXT);
  for (const email of ["second@example.com", "third@example.com"]) {
    const [mail, ...more] = await askForCode(platform, projectId, email);
    assert.deepEqual(more, []);
    assert.match(mail!.subject, /^\d{6} signs you in to Test$/);
    assert.ok(!/evil|Win|https?:/.test(`${mail!.subject}${mail!.text}${mail!.html}`));
  }
  assert.equal(await getMailsThisMonth(app.services, projectId), FREE_MAILS + 2);
});

Deno.test("own words: concurrent codes use no more templates than the month has left", async () => {
  await using platform = await openPlatform();
  const { app, server } = platform;
  const { projectId } = await app.project();
  await setTemplate(app.services, projectId, {
    name: "code",
    language: "en",
    subject: "Mine",
    text: "{{code}}",
  });
  await useUp(platform, projectId, 3);
  await Promise.all(times(20, (i) => askForCode(platform, projectId, `${i}@example.com`)));
  await app.services.jobRunner.idle();
  const own = server.mails.filter(({ subject }) => subject === "Mine");
  assert.deepEqual([server.mails.length, own.length], [20, 3]);
});

Deno.test("own words: an invitation uses them within the month's mails only, and counts", async () => {
  await using platform = await openPlatform();
  const { app, server } = platform;
  const team = await openTeam(app);
  const { projectId } = team;
  await setTemplate(app.services, projectId, {
    name: "invitation",
    language: "en",
    subject: SCAM_TEXT,
    text: "{{url}}",
  });
  await useUp(platform, projectId, 1);
  for (const email of ["first@example.com", "second@example.com"]) {
    assert.equal(ok(await team.owner.send(inviteCall(team, email)), 201).mailed, true);
    await app.services.jobRunner.idle();
  }
  const invitations = server.mails.filter(({ subject }) => !subject.includes("verifies"));
  assert.deepEqual(invitations.map(({ subject }) => subject), [
    SCAM_TEXT,
    "You are invited to work on a project",
  ]);
  assert.equal(await getMailsThisMonth(app.services, projectId), FREE_MAILS + 1);
});

Deno.test("names: a project's name adds no address, number or message to platform mails", async () => {
  await using platform = await openPlatform();
  const { app, server } = platform;
  const project = await app.project();
  await changeProject(app.services, project.projectId, { name: SCAM_TEXT });
  await setAuth(app, project, { requireVerifiedEmail: true });
  ok(await project.asPublic(userCall("signup", { email: ADA, password: PASSWORD })), 201);
  for (const operation of CODE_REQUESTS) {
    await app.services.jobRunner.idle();
    app.clock.advance(MINUTE_MS);
    ok(await project.asPublic(userCall(operation, { email: ADA })));
  }
  await app.services.jobRunner.idle();
  app.clock.advance(MINUTE_MS);
  ok(await project.asPublic(userCall("signup", { email: ADA, password: PASSWORD })), 201);
  await app.services.jobRunner.idle();
  assert.equal(server.mails.length, 5);
  for (const { subject, text, html } of server.mails) {
    assert.match(subject, /Win at https evil example/);
    assert.ok(!/evil\.example|https:|0800|555|0199/.test(`${subject}${text}${html}`), subject);
  }
});

async function countAdmitted({ app }: Platform, projectId: Id, addresses: readonly string[]) {
  const context = await requireMailContext(app.services, projectId, {
    kinds: ["code"],
    language: null,
  });
  const answers = await Promise.all(
    addresses.map((to) => admitMail(app.services, context, { projectId, purpose: "code", to })),
  );
  return answers.filter((answer) => answer !== null).length;
}

Deno.test("caps: a project sends a limited number of sign-in mails a day and notifies its owner once", async () => {
  await using platform = await openPlatform();
  const { app, server } = platform;
  const project = await app.project();
  const { projectId } = project;
  const owner = await project.owner();
  const addresses = (name: string) =>
    times(FREE_SIGN_IN_MAILS_PER_DAY / 2 + 10, (i) => `${name}${i}@example.com`);
  const first = await countAdmitted(platform, projectId, addresses("a"));
  const second = await countAdmitted(platform, projectId, addresses("b"));
  assert.deepEqual([first, second], [110, 90]);
  // The response is unchanged, and no mail is sent.
  ok(await project.asPublic(userCall("code/request", { email: ADA })));
  assert.deepEqual(await mailsOf(app.services, projectId), []);
  const notices = server.mails.filter(({ subject }) => subject.includes("reached a limit"));
  assert.deepEqual(notices.map(({ to }) => to), [owner.email]);
  assert.ok(notices[0]!.text.includes(`/dashboard/projects/${projectId}/mail`));
  const { projectId: another } = await app.project();
  assert.equal(await countAdmitted(platform, another, [ADA]), 1);
  app.clock.advance(DAY_MS);
  assert.equal(await countAdmitted(platform, projectId, [ADA]), 1);
});

Deno.test("caps: a mailbox gets 20 mails a day of a project and 100 of all, with any tags", async () => {
  await using platform = await openPlatform();
  const { app } = platform;
  const tagged = times(30, (i) => `victim+${i}@example.com`);
  const counts = [];
  for (let project = 0; project < 6; project++) {
    const { projectId } = await app.project();
    counts.push(await countAdmitted(platform, projectId, [...tagged, "Victim@example.com"]));
  }
  assert.deepEqual(counts, [20, 20, 20, 20, 20, 0]);
  const { projectId } = await app.project();
  assert.equal(await countAdmitted(platform, projectId, ["other@example.com"]), 1);
  app.clock.advance(DAY_MS);
  assert.equal(await countAdmitted(platform, projectId, tagged), 20);
});

Deno.test("caps: invitations of all projects count, and the response says that no mail was sent", async () => {
  await using platform = await openPlatform();
  const { app, server } = platform;
  const team = await openTeam(app);
  const mailed: boolean[] = [];
  for (let i = 0; i < 21; i++) {
    mailed.push(ok(await team.owner.send(inviteCall(team, `ada+${i}@example.com`)), 201).mailed);
    await app.services.jobRunner.idle();
  }
  assert.deepEqual(mailed, [...times(20, () => true), false]);
  assert.equal(server.mails.filter(({ to }) => to.startsWith("ada+")).length, 20);
});

Deno.test("caps: mails of projects to an address do not count against its own account's mails", async () => {
  await using platform = await openPlatform();
  const { app, server } = platform;
  for (let project = 0; project < 5; project++) {
    const { projectId } = await app.project();
    await countAdmitted(platform, projectId, times(20, (i) => `ada+${i}@example.com`));
  }
  const body = { email: ADA, password: PASSWORD };
  const headers = { "sec-fetch-site": "same-origin" };
  ok(await app.send({ method: "POST", path: "/api/auth/register", body, headers }), 201);
  await app.services.jobRunner.idle();
  assert.deepEqual(server.mails.map(({ to }) => to), [ADA]);
});

testUnless(
  faults.staysTaken,
  "caps: users created with another person's address cause at most 20 notices a day",
  async () => {
    await using platform = await openPlatform();
    const { app, server } = platform;
    const project = await app.project();
    const changeTo = async (i: number) => {
      const body = { email: ADA, emailVerified: true };
      const { _id } = ok(await project.asSecret({ path: "/api/userAuth/users", body }), 201);
      const token = await issueToken(app.services, project.projectId, {
        userId: _id,
        seconds: 3_600,
      });
      const user = { id: _id, token };
      ok(await project.asPublic(userCall("change-email", { newEmail: `${i}@example.com` }), user));
      await app.services.jobRunner.idle();
      const otp = /\d{6}/.exec(server.mails.at(-1)!.subject)![0];
      ok(await project.asPublic(userCall("confirm-email-change", { otp }), user));
      await app.services.jobRunner.idle();
    };
    for (let i = 0; i < 22; i++) await changeTo(i);
    const notices = server.mails.filter(({ to }) => to === ADA);
    assert.equal(notices.length, 20);
  },
);
