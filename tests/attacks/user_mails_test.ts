import assert from "node:assert/strict";
import { issueToken } from "@/lib/auth/issue_token.ts";
import type { AuthSettings } from "@/lib/projects/auth_settings.ts";
import { codeTo, mailsOf } from "../support/mailbox.ts";
import { faults, testUnless } from "../support/server_faults.ts";
import { openTestApp, type TestApp, type TestProject, type TestUser } from "../support/test_app.ts";
import { ok } from "../api/test_collection.ts";
import {
  ADA,
  CODE_REQUESTS,
  MINUTE_MS,
  PASSWORD,
  setAuth,
  signUp,
  storedUsers,
  userCall,
} from "../api/user_email.ts";

/** Somebody who has Corbel write to a third party: too often, in their own words, or to their page. */

const VICTIM = "victim@example.com";

/** Of an hour in which they ask and ask: what was not sent by then is asked for at its end, too. */
const MINUTES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 30, 59];

/** All that a stranger can have sent to an address, as often as they like, for an hour. */
async function bombard(
  app: TestApp,
  project: TestProject,
  { to, bearers }: { to: string; bearers: readonly TestUser[] },
): Promise<void> {
  const { clock, services: { jobRunner } } = app;
  const began = clock.now();
  /** One after the other: what is sent first counts for what is asked for next. */
  const ask = async (operation: string, body: unknown, bearer?: TestUser) => {
    const answer = await project.asPublic(userCall(operation, body), bearer);
    await jobRunner.idle();
    return answer;
  };
  for (const minute of MINUTES) {
    clock.advance(began + minute * MINUTE_MS - clock.now());
    for (const email of [to, to.toUpperCase()]) {
      for (const operation of CODE_REQUESTS) ok(await ask(operation, { email }));
      await ask("signup", { email, password: PASSWORD });
    }
    for (const bearer of bearers) {
      ok(await ask("change-email", { newEmail: to, password: PASSWORD }, bearer));
    }
    clock.advance(MINUTE_MS / 2);
    await ask("login", { email: to, password: PASSWORD });
  }
}

interface Bombed {
  readonly what: string;
  readonly auth: Partial<AuthSettings>;
  /** Whether the victim has an account, verified, before. */
  readonly isKnown: boolean;
  /** How many mails of each kind they get; signing up and verifying have one count. */
  readonly mails: Readonly<Record<string, number>>;
}

const BOMBED: readonly Bombed[] = [
  {
    what: "who has no account",
    auth: {},
    isKnown: false,
    mails: { code: 5, resetPassword: 5, verify: 5 },
  },
  {
    what: "who has an account",
    auth: {},
    isKnown: true,
    mails: { code: 5, resetPassword: 5 },
  },
  {
    what: "who has no account, with requireVerifiedEmail,",
    auth: { requireVerifiedEmail: true },
    isKnown: false,
    mails: { code: 5, resetPassword: 5, verify: 5 },
  },
  {
    what: "who has an account, with requireVerifiedEmail,",
    auth: { requireVerifiedEmail: true },
    isKnown: true,
    mails: { accountExists: 5, code: 5, resetPassword: 5 },
  },
  {
    what: "who has no account and can have none",
    auth: { signUp: "closed" },
    isKnown: false,
    mails: { emailChange: 5 },
  },
];

for (const { what, auth, isKnown, mails } of BOMBED) {
  Deno.test(`mail bomb: a third party ${what} gets five mails of a purpose an hour, then silence`, async () => {
    await using app = await openTestApp();
    const project = await app.project();
    const users = [await signUp(project), await signUp(project)];
    const bearers = await Promise.all(users.map(async ({ id }) => {
      const { projectId } = project;
      const token = await issueToken(app.services, projectId, { userId: id, seconds: 7_200 });
      return { id, token };
    }));
    if (isKnown) {
      const body = { email: VICTIM, emailVerified: true };
      ok(await project.asSecret({ path: "/api/userAuth/users", body }), 201);
    }
    await setAuth(app, project, auth);
    await bombard(app, project, { to: VICTIM, bearers });
    const sent = (await mailsOf(app.services, project.projectId))
      .filter(({ to }) => to.toLowerCase() === VICTIM);
    const kinds = Object.entries(Object.groupBy(sent, ({ kind }) => kind));
    assert.deepEqual(Object.fromEntries(kinds.map(([kind, some]) => [kind, some!.length])), mails);
  });
}

testUnless(
  faults.staysTaken,
  "mail bomb: whoever signs up with an address and gives it up, again and again, has it told nothing",
  async () => {
    await using app = await openTestApp();
    const project = await app.project();
    for (let i = 0; i < 8; i++) {
      const user = await signUp(project, { email: VICTIM });
      const newEmail = `eve${i}@example.com`;
      const change = { newEmail, password: PASSWORD };
      ok(await project.asPublic(userCall("change-email", change), user));
      const otp = await codeTo(app.services, project.projectId, newEmail);
      ok(await project.asPublic(userCall("confirm-email-change", { otp }), user));
      await app.services.jobRunner.idle();
      app.clock.advance(MINUTE_MS);
    }
    const mails = await mailsOf(app.services, project.projectId, VICTIM);
    assert.deepEqual(mails.map(({ kind }) => kind), Array(5).fill("verify"));
  },
);

Deno.test("mail bomb: nothing that a stranger chooses stands in what a third party is sent", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: "https://app.example.com" });
  const lure = "Win at https://evil.example";
  await signUp(project, { email: VICTIM, name: lure, username: "win.at.evil" });
  await setAuth(app, project, { requireVerifiedEmail: true });
  await app.services.jobRunner.idle();
  app.clock.advance(MINUTE_MS);
  const again = { email: VICTIM, password: PASSWORD, name: lure };
  ok(await project.asPublic(userCall("signup", again)), 201);
  const mails = await mailsOf(app.services, project.projectId, VICTIM);
  assert.deepEqual(mails.map(({ kind }) => kind), ["verify", "accountExists"]);
  for (const { subject, text, html } of mails) {
    assert.ok(!/evil|win/i.test(`${subject}${text}${html}`));
  }
});

Deno.test("links: their origin is the project's Site URL, whatever Host, Origin or forwarded headers say", async () => {
  await using app = await openTestApp({ env: { TRUST_PROXY: "1" } });
  const project = await app.project({ siteUrl: "https://app.example.com" });
  const headers = {
    host: "evil.example",
    origin: "https://evil.example",
    referer: "https://evil.example/",
    forwarded: "host=evil.example;proto=http",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "http",
  };
  await project.asPublic(userCall("signup", { email: ADA, password: PASSWORD }, headers));
  for (const operation of CODE_REQUESTS) {
    await app.services.jobRunner.idle();
    app.clock.advance(MINUTE_MS);
    ok(await project.asPublic(userCall(operation, { email: ADA }, headers)));
  }
  const mails = await mailsOf(app.services, project.projectId, ADA);
  assert.equal(mails.length, 4);
  for (const { text, html } of mails) {
    const links = `${text} ${html}`.match(/https?:\/\/[^\s"<]+/g)!;
    assert.ok(links.length >= 2);
    for (const link of links) {
      assert.equal(new URL(link.replaceAll("&amp;", "&")).origin, "https://app.example.com");
    }
    assert.ok(!`${text}${html}`.includes("evil"));
  }
});

Deno.test("links: an address with signs of its own changes neither their purpose nor their code", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: "https://app.example.com" });
  const email = "a&purpose=code#code=000000/../x?y=%23@example.com";
  ok(await project.asPublic(userCall("code/request", { email })));
  const otp = await codeTo(app.services, project.projectId, email);
  const [mail] = await mailsOf(app.services, project.projectId, email);
  const link = new URL(/https:\/\/app\.example\.com\S+/.exec(mail!.text!)![0]);
  assert.equal(link.pathname, "/auth/verify");
  assert.deepEqual([...link.searchParams], [["purpose", "code"], ["email", email]]);
  assert.equal(link.hash, `#code=${otp}`);
});

Deno.test("links: without a Site URL there is none, and the code is in the mail", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  ok(await project.asPublic(userCall("code/request", { email: ADA })));
  const [mail] = await mailsOf(app.services, project.projectId, ADA);
  assert.ok(!/https?:\/\//.test(`${mail!.text}${mail!.html}`));
  assert.match(mail!.text!, /\b\d{6}\b/);
  assert.deepEqual(await storedUsers(app, project), []);
});
