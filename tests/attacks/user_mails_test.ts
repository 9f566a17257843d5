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

/** Attacks that send mails to third parties: too many, with chosen text, or with chosen links. */

const VICTIM = "victim@example.com";

/** Minutes of an hour at which mails are requested, including a retry at its end. */
const MINUTES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 30, 59];

/** Requests every mail that a stranger can send to an address, repeatedly, for an hour. */
async function bombard(
  app: TestApp,
  project: TestProject,
  { to, bearers }: { to: string; bearers: readonly TestUser[] },
): Promise<void> {
  const { clock, services: { jobRunner } } = app;
  const began = clock.now();
  /** Sends requests in turn, because earlier mails count against later ones. */
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

interface MailBombCase {
  readonly what: string;
  readonly auth: Partial<AuthSettings>;
  readonly isKnown: boolean;
  /** Expected mails of each kind. Sign-up and verification share one count. */
  readonly mails: Readonly<Record<string, number>>;
}

const MAIL_BOMB_CASES: readonly MailBombCase[] = [
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

for (const { what, auth, isKnown, mails } of MAIL_BOMB_CASES) {
  Deno.test(`mail bomb: a third party ${what} gets at most five mails of a purpose an hour`, async () => {
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
  "mail bomb: repeated sign-ups and address changes send at most five mails",
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

Deno.test("mail bomb: mails to a third party contain no text that a stranger chose", async () => {
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

Deno.test("links: their origin is the Site URL, with any Host, Origin or forwarded headers", async () => {
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

Deno.test("links: special characters in an address change neither their purpose nor their code", async () => {
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

Deno.test("links: without a Site URL a mail has only the code", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  ok(await project.asPublic(userCall("code/request", { email: ADA })));
  const [mail] = await mailsOf(app.services, project.projectId, ADA);
  assert.ok(!/https?:\/\//.test(`${mail!.text}${mail!.html}`));
  assert.match(mail!.text!, /\b\d{6}\b/);
  assert.deepEqual(await storedUsers(app, project), []);
});
