import assert from "node:assert/strict";
import { issueToken } from "@/lib/auth/issue_token.ts";
import { SESSIONS } from "@/lib/auth/sessions.ts";
import type { Call } from "../support/conforming_client.ts";
import { codeTo, mailsOf } from "../support/mailbox.ts";
import { openTestApp, type TestApp, type TestProject, type TestUser } from "../support/test_app.ts";
import { isSignedIn, refresh } from "../api/signed_in.ts";
import { ok, refused, tally, times } from "../api/test_collection.ts";
import {
  ADA,
  codeFor,
  countOf,
  logIn,
  mailed,
  MINUTE_MS,
  NEXT_PASSWORD,
  PASSWORD,
  setAuth,
  signUp,
  storedUser,
  storedUsers,
  userCall,
  userOf,
  wrongCode,
} from "../api/user_email.ts";

/** Somebody without the mailbox who wants its code to be good for them, or its owner troubled. */

const PURPOSES = [
  ["code/request", (otp: string) => userCall("code/verify", { email: ADA, otp })],
  ["resend-verification-otp", (otp: string) => userCall("verify-email", { email: ADA, otp })],
  [
    "request-password-reset",
    (otp: string) => userCall("reset-password", { email: ADA, otp, newPassword: NEXT_PASSWORD }),
  ],
] as const;

/** From an address of its own each, so that no limit of one place holds them up. */
const from = (call: Call, i: number): Call => ({
  ...call,
  peer: `198.${51 + Math.floor(i / 250)}.${i % 250}.7`,
});

for (const [operation, use] of PURPOSES) {
  Deno.test(`guessing: 100 wrong codes of ${operation} at once from many addresses are five tries, and kill it`, async () => {
    await using app = await openTestApp({ env: { RATE_LIMITS: "on" } });
    const project = await app.project();
    const user = await signUp(project, { email: ADA });
    const otp = await codeFor(app, project, operation, ADA);
    const before = await storedUser(app, project, user.id);
    const guesses = times(100, (i) => {
      const guess = String((Number(otp) + 1 + i) % 1_000_000).padStart(6, "0");
      return project.asPublic(from(use(guess), i));
    });
    assert.deepEqual(tally(await Promise.all(guesses)), { 400: 100 });
    refused(await project.asPublic(from(use(otp), 201)), 400, "INVALID_CODE");
    assert.deepEqual(await storedUser(app, project, user.id), before);
  });

  Deno.test(`guessing: new codes of ${operation} give no more than 25 tries an hour`, async () => {
    await using app = await openTestApp();
    const project = await app.project();
    ok(await project.asSecret({ path: "/api/userAuth/users", body: { email: ADA } }), 201);
    let codes = 0;
    let last = "";
    for (let i = 0; i < 12; i++) {
      ok(await project.asPublic(userCall(operation, { email: ADA })));
      const otp = await codeTo(app.services, project.projectId, ADA);
      if (otp !== last) codes++;
      last = otp;
      for (let n = 0; n < 6; n++) {
        refused(await project.asPublic(use(wrongCode(otp))), 400, "INVALID_CODE");
      }
      refused(await project.asPublic(use(otp)), 400, "INVALID_CODE");
      await app.services.jobRunner.idle();
      app.clock.advance(MINUTE_MS);
    }
    assert.equal((await mailed(app, project)).length, 5);
    assert.ok(codes <= 5);
  });

  Deno.test(`replay: of 50 uses of one code of ${operation} at once one counts, and none later`, async () => {
    await using app = await openTestApp();
    const project = await app.project();
    await signUp(project, { email: ADA });
    const otp = await codeFor(app, project, operation, ADA);
    const sessions = await countOf(app, project, SESSIONS);
    const uses = times(50, (i) => project.asPublic(from(use(otp), i)));
    assert.deepEqual(tally(await Promise.all(uses)), { 200: 1, 400: 49 });
    refused(await project.asPublic(use(otp)), 400, "INVALID_CODE");
    const opened = await countOf(app, project, SESSIONS) - sessions;
    assert.equal(opened, operation === "code/request" ? 1 : 0);
  });
}

Deno.test("replay: a right code beside wrong ones is used once, or killed", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  for (let round = 0; round < 5; round++) {
    const email = `${round}@example.com`;
    const otp = await codeFor(app, project, "code/request", email);
    const calls = times(20, (i) => {
      const guess = i % 3 === 0 ? otp : wrongCode(otp);
      return project.asPublic(from(userCall("code/verify", { email, otp: guess }), i));
    });
    const { 200: won = 0 } = tally(await Promise.all(calls));
    assert.ok(won <= 1);
    refused(
      await project.asPublic(userCall("code/verify", { email, otp })),
      400,
      "INVALID_CODE",
    );
  }
});

Deno.test("codes: what is no text of six digits is never one, whatever the store makes of it", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  await codeFor(app, project, "code/request", ADA);
  for (const otp of ["%", "______", ".*", "null", "", "0", "1e5", "٠٠٠٠٠٠", "000000\u0000"]) {
    const { status } = await project.asPublic(userCall("code/verify", { email: ADA, otp }));
    assert.equal(status, 400, otp);
  }
  for (const otp of [{ $ne: null }, { $regex: "." }, [], 123456, true, null]) {
    const answer = await project.asPublic(userCall("code/verify", { email: ADA, otp }));
    refused(answer, 400, "INVALID_BODY");
  }
});

Deno.test("codes: one of an address is no good for another spelling of nobody, purpose, user or project", async () => {
  await using app = await openTestApp();
  const [project, other] = [await app.project(), await app.project()];
  for (const one of [project, other]) await signUp(one, { email: ADA });
  await signUp(project, { email: "eve@example.com" });
  const otp = await codeFor(app, project, "request-password-reset", ADA);
  const misuses: [TestProject, Call][] = [
    [project, userCall("code/verify", { email: ADA, otp })],
    [
      project,
      userCall("reset-password", { email: "eve@example.com", otp, newPassword: NEXT_PASSWORD }),
    ],
    [
      project,
      userCall("reset-password", { email: "ada+1@example.com", otp, newPassword: NEXT_PASSWORD }),
    ],
    [other, userCall("reset-password", { email: ADA, otp, newPassword: NEXT_PASSWORD })],
  ];
  for (const [where, call] of misuses) {
    refused(await where.asPublic(call), 400, "INVALID_CODE");
  }
  ok(await project.asPublic(PURPOSES[2][1](otp)));
});

Deno.test("reset: it ends every session and every outstanding code, and the thief's with them", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const owner = await signUp(project, { email: ADA });
  const thief = userOf(await logIn(project, ADA));
  const stolen = [
    userCall("verify-email", {
      email: ADA,
      otp: await codeTo(app.services, project.projectId, ADA),
    }),
    userCall("code/verify", { email: ADA, otp: await codeFor(app, project, "code/request", ADA) }),
  ];
  const otp = await codeFor(app, project, "request-password-reset", ADA);
  ok(await project.asPublic(PURPOSES[2][1](otp)));
  for (const one of [owner, thief]) {
    assert.equal(await isSignedIn(project, one), false);
    refused(await refresh(project, one.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  }
  for (const call of stolen) refused(await project.asPublic(call), 400, "INVALID_CODE");
  refused(await logIn(project, ADA, PASSWORD), 401, "INVALID_CREDENTIALS");
  ok(await logIn(project, ADA, NEXT_PASSWORD));
});

Deno.test("reset: of log-ins beside it with the old password none is left standing", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  const otp = await codeFor(app, project, "request-password-reset", ADA);
  const [reset, ...answers] = await Promise.all([
    project.asPublic(PURPOSES[2][1](otp)),
    ...times(8, () => logIn(project, ADA)),
  ]);
  ok(reset!);
  for (const answer of answers) {
    if (answer.status === 200) assert.equal(await isSignedIn(project, userOf(answer)), false);
    else refused(answer, 401, "INVALID_CREDENTIALS");
  }
});

/** All that a stranger can have sent to an address, as often as they like, for an hour. */
async function bombard(
  app: TestApp,
  project: TestProject,
  { to, bearers }: { to: string; bearers: readonly TestUser[] },
): Promise<void> {
  const change = { newEmail: to, password: PASSWORD };
  for (let minute = 0; minute < 60; minute++) {
    for (const spelling of [to, to.toUpperCase()]) {
      for (const [operation] of PURPOSES) {
        ok(await project.asPublic(userCall(operation, { email: spelling })));
      }
      await project.asPublic(userCall("signup", { email: spelling, password: PASSWORD }));
    }
    for (const bearer of bearers) {
      ok(await project.asPublic(userCall("change-email", change), bearer));
    }
    await app.services.jobRunner.idle();
    app.clock.advance(MINUTE_MS / 2);
    await logIn(project, to);
    await app.services.jobRunner.idle();
    app.clock.advance(MINUTE_MS / 2);
  }
}

const VICTIM = "victim@example.com";

for (const requireVerifiedEmail of [false, true]) {
  for (const isKnown of [false, true]) {
    const who = isKnown ? "who has an account" : "who has none";
    const how = requireVerifiedEmail ? " with requireVerifiedEmail" : "";
    Deno.test(`mail bomb: a third party ${who} gets five mails of a purpose an hour${how}, then silence`, async () => {
      await using app = await openTestApp();
      const project = await app.project();
      const users = [await signUp(project), await signUp(project)];
      const bearers = await Promise.all(users.map(async ({ id }) => {
        const token = await issueToken(app.services, project.projectId, {
          userId: id,
          seconds: 7_200,
        });
        return { id, token };
      }));
      if (isKnown) {
        const body = { email: VICTIM, emailVerified: true };
        ok(await project.asSecret({ path: "/api/userAuth/users", body }), 201);
      }
      await setAuth(app, project, { requireVerifiedEmail });
      await bombard(app, project, { to: VICTIM, bearers });
      const mails = (await mailsOf(app.services, project.projectId))
        .filter(({ to }) => to.toLowerCase() === VICTIM);
      const kinds = Object.groupBy(mails, ({ kind }) => kind);
      const { verify = [], accountExists = [] } = kinds;
      assert.ok(verify.length + accountExists.length <= 5, "signing up has one count");
      for (const [kind, some] of Object.entries(kinds)) {
        assert.ok(some!.length <= 5, `${some!.length} mails of ${kind}`);
      }
    });
  }
}

Deno.test("mail bomb: whoever signs up with an address and gives it up, again and again, has it told nothing", async () => {
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
});

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
  for (const [operation] of PURPOSES) {
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
