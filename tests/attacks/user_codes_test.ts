import assert from "node:assert/strict";
import { SESSIONS } from "@/lib/auth/sessions.ts";
import { type CodePurpose, CODES } from "@/lib/credentials/codes.ts";
import type { Call } from "../support/conforming_client.ts";
import { codeTo } from "../support/mailbox.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { isSignedIn, refresh } from "../api/signed_in.ts";
import { ok, refused, tally, times } from "../api/test_collection.ts";
import {
  ADA,
  assertTraceless,
  countOf,
  type EmailUser,
  logIn,
  MINUTE_MS,
  NEXT_PASSWORD,
  PASSWORD,
  requestCode,
  sentMails,
  signUp,
  storedUser,
  userCall,
  userOf,
  wrongCode,
} from "../api/user_email.ts";

/** Attacks on codes by callers without the mailbox. */

const USES: Readonly<Record<CodePurpose, (entered: { email: string; otp: string }) => Call>> = {
  verify: (entered) => userCall("verify-email", entered),
  resetPassword: (entered) =>
    userCall("reset-password", { ...entered, newPassword: NEXT_PASSWORD }),
  code: (entered) => userCall("code/verify", entered),
  emailChange: ({ otp }) => userCall("confirm-email-change", { otp }),
};

const adas = (purpose: CodePurpose) => (otp: string): Call => USES[purpose]({ email: ADA, otp });

const PURPOSES = [
  ["code/request", adas("code")],
  ["resend-verification-otp", adas("verify")],
  ["request-password-reset", adas("resetPassword")],
] as const;

/** Sends each call from a different address, to avoid limits per network. */
const from = (call: Call, i: number): Call => ({
  ...call,
  peer: `198.${51 + Math.floor(i / 250)}.${i % 250}.7`,
});

for (const [operation, use] of PURPOSES) {
  Deno.test(`guessing: 100 concurrent wrong codes of ${operation} use five attempts and void the code`, async () => {
    await using app = await openTestApp({ env: { RATE_LIMITS: "on" } });
    const project = await app.project();
    const user = await signUp(project, { email: ADA });
    const otp = await requestCode(app, project, operation, ADA);
    const before = await storedUser(app, project, user.id);
    const guesses = times(100, (i) => {
      const guess = String((Number(otp) + 1 + i) % 1_000_000).padStart(6, "0");
      return project.asPublic(from(use(guess), i));
    });
    assert.deepEqual(tally(await Promise.all(guesses)), { 400: 100 });
    refused(await project.asPublic(from(use(otp), 201)), 400, "INVALID_CODE");
    assert.deepEqual(await storedUser(app, project, user.id), before);
  });

  Deno.test(`guessing: new codes of ${operation} allow at most 25 attempts an hour`, async () => {
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
    assert.equal((await sentMails(app, project)).length, 5);
    assert.ok(codes <= 5);
  });

  Deno.test(`replay: of 50 concurrent uses of a code of ${operation} one succeeds, and none later`, async () => {
    await using app = await openTestApp();
    const project = await app.project();
    await signUp(project, { email: ADA });
    const otp = await requestCode(app, project, operation, ADA);
    const sessions = await countOf(app, project, SESSIONS);
    const uses = times(50, (i) => project.asPublic(from(use(otp), i)));
    assert.deepEqual(tally(await Promise.all(uses)), { 200: 1, 400: 49 });
    refused(await project.asPublic(use(otp)), 400, "INVALID_CODE");
    const opened = await countOf(app, project, SESSIONS) - sessions;
    assert.equal(opened, operation === "code/request" ? 1 : 0);
  });
}

Deno.test("replay: a right code among wrong ones is used at most once", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  for (let round = 0; round < 5; round++) {
    const email = `${round}@example.com`;
    const otp = await requestCode(app, project, "code/request", email);
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

Deno.test("codes: anything but a text of six digits is refused, on any store", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  await requestCode(app, project, "code/request", ADA);
  for (const otp of ["%", "______", ".*", "null", "", "0", "1e5", "٠٠٠٠٠٠", "000000\u0000"]) {
    const { status } = await project.asPublic(userCall("code/verify", { email: ADA, otp }));
    assert.equal(status, 400, otp);
  }
  for (const otp of [{ $ne: null }, { $regex: "." }, [], 123456, true, null]) {
    const answer = await project.asPublic(userCall("code/verify", { email: ADA, otp }));
    refused(answer, 400, "INVALID_BODY");
  }
});

async function codesOf(
  app: TestApp,
  project: TestProject,
  user: EmailUser,
): Promise<Record<CodePurpose, string>> {
  const { email } = user;
  const newEmail = `next.${email}`;
  ok(await project.asPublic(userCall("change-email", { newEmail, password: PASSWORD }), user));
  return {
    emailChange: await codeTo(app.services, project.projectId, newEmail),
    verify: await requestCode(app, project, "resend-verification-otp", email),
    resetPassword: await requestCode(app, project, "request-password-reset", email),
    code: await requestCode(app, project, "code/request", email),
  };
}

const ALL_PURPOSES = Object.keys(USES) as CodePurpose[];

for (const purpose of ALL_PURPOSES) {
  Deno.test(`codes: one for ${purpose} is refused for any other purpose, user or project`, async () => {
    await using app = await openTestApp();
    const [project, other] = [await app.project(), await app.project()];
    const ada = await signUp(project, { email: ADA });
    const eve = await signUp(project, { email: "eve@example.com" });
    const namesake = await signUp(other, { email: ADA });
    await codesOf(app, project, eve);
    await codesOf(app, other, namesake);
    const { [purpose]: otp } = await codesOf(app, project, ada);
    const use = (as: CodePurpose, email = ADA) => USES[as]({ email, otp });
    const misuses: [TestProject, EmailUser, Call][] = [
      ...ALL_PURPOSES.filter((one) => one !== purpose)
        .map((as): [TestProject, EmailUser, Call] => [project, ada, use(as)]),
      [project, eve, use(purpose, eve.email)],
      [project, eve, use(purpose, "ada+1@example.com")],
      [other, namesake, use(purpose)],
    ];
    await assertTraceless(app, project, async () => {
      for (const [where, user, call] of misuses) {
        refused(await where.asPublic(call, user), 400, "INVALID_CODE");
      }
    }, [CODES]);
    ok(await project.asPublic(use(purpose), ada));
  });
}

Deno.test("reset: it ends every session and every outstanding code, including the thief's", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const owner = await signUp(project, { email: ADA });
  const thief = userOf(await logIn(project, ADA));
  const stolen = [
    userCall("verify-email", {
      email: ADA,
      otp: await codeTo(app.services, project.projectId, ADA),
    }),
    userCall("code/verify", {
      email: ADA,
      otp: await requestCode(app, project, "code/request", ADA),
    }),
  ];
  const otp = await requestCode(app, project, "request-password-reset", ADA);
  ok(await project.asPublic(adas("resetPassword")(otp)));
  for (const one of [owner, thief]) {
    assert.equal(await isSignedIn(project, one), false);
    refused(await refresh(project, one.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  }
  for (const call of stolen) refused(await project.asPublic(call), 400, "INVALID_CODE");
  refused(await logIn(project, ADA, PASSWORD), 401, "INVALID_CREDENTIALS");
  ok(await logIn(project, ADA, NEXT_PASSWORD));
});

Deno.test("reset: concurrent log-ins with the old password are ended", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  const otp = await requestCode(app, project, "request-password-reset", ADA);
  const [reset, ...answers] = await Promise.all([
    project.asPublic(adas("resetPassword")(otp)),
    ...times(8, () => logIn(project, ADA)),
  ]);
  ok(reset!);
  for (const answer of answers) {
    if (answer.status === 200) assert.equal(await isSignedIn(project, userOf(answer)), false);
    else refused(answer, 401, "INVALID_CREDENTIALS");
  }
});
