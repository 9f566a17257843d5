import assert from "node:assert/strict";
import type { Answer, Call } from "../support/conforming_client.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { authProject, setAuth, signUp, userCall } from "../api/user_email.ts";
import { ok } from "../api/test_collection.ts";
import { knocker, tellingHeaders } from "./user_fixture.ts";

/** Somebody who wants to know who has an account: nothing that they can ask tells them. */

const KNOWN = "known@example.com";
const UNKNOWN = "nobody@example.com";
const PASSWORD = "an analytical engine 3";

/** What may be asked with an address, and nothing else known of it. */
const QUESTIONS: Readonly<Record<string, (email: string) => Call>> = {
  "login": (email) => userCall("login", { email, password: PASSWORD }),
  "code/request": (email) => userCall("code/request", { email }),
  "code/verify": (email) => userCall("code/verify", { email, otp: "123456" }),
  "request-password-reset": (email) => userCall("request-password-reset", { email }),
  "reset-password": (email) =>
    userCall("reset-password", { email, otp: "123456", newPassword: PASSWORD }),
  "resend-verification-otp": (email) => userCall("resend-verification-otp", { email }),
  "verify-email": (email) => userCall("verify-email", { email, otp: "123456" }),
};

/** Users of every kind, by their addresses. */
async function people(app: TestApp, project: TestProject): Promise<string[]> {
  const create = async (body: Record<string, unknown>) =>
    void ok(await project.asSecret({ path: "/api/userAuth/users", body }), 201);
  await signUp(project, { email: KNOWN });
  await create({ email: "verified@example.com", emailVerified: true });
  await create({ email: "disabled@example.com", disabled: true });
  await create({ email: "bare@example.com" });
  app.clock.advance(120_000);
  return [KNOWN, "verified@example.com", "disabled@example.com", "bare@example.com"];
}

const seen = ({ status, headers, text }: Answer) =>
  JSON.stringify([status, tellingHeaders(headers), text]);

for (const [operation, question] of Object.entries(QUESTIONS)) {
  Deno.test(`enumeration: ${operation} answers known and unknown addresses alike, headers too`, async () => {
    await using app = await openTestApp({ env: { RATE_LIMITS: "off" } });
    const project = await app.project();
    const known = await people(app, project);
    const answers = new Set<string>();
    for (const email of [UNKNOWN, ...known, UNKNOWN, KNOWN]) {
      answers.add(seen(await project.asPublic(question(email))));
    }
    assert.equal(answers.size, 1, [...answers].join("\n"));
  });
}

Deno.test("enumeration: with requireVerifiedEmail sign-up answers known and unknown alike, headers too", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: "https://app.example.com" });
  const known = await people(app, project);
  await setAuth(app, project, { requireVerifiedEmail: true });
  const answers = new Set<string>();
  for (const email of [UNKNOWN, ...known, UNKNOWN, KNOWN]) {
    const headers = { origin: "https://app.example.com" };
    const call = userCall("signup", { email, password: PASSWORD }, headers);
    answers.add(seen(await project.asPublic(call)));
  }
  assert.equal(answers.size, 1, [...answers].join("\n"));
});

Deno.test("enumeration: with requireVerifiedEmail a refusal of sign-up does not depend on the address", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { requireVerifiedEmail: true });
  await signUpUnverified(project, KNOWN);
  await signUpUnverified(project, "namesake@example.com", { username: "taken" });
  for (const more of [{ username: "TAKEN" }, { password: "short" }, { company: "x" }]) {
    const answers = new Set<string>();
    for (const email of [KNOWN, UNKNOWN]) {
      const body = { email, password: PASSWORD, ...more };
      answers.add(seen(await project.asPublic(userCall("signup", body))));
    }
    assert.equal(answers.size, 1, [...answers].join("\n"));
  }
});

const signUpUnverified = async (project: TestProject, email: string, more = {}) =>
  void ok(await project.asPublic(userCall("signup", { email, password: PASSWORD, ...more })), 201);

Deno.test("enumeration: change-email answers the same for an address that somebody has", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await people(app, project);
  const user = await signUp(project);
  const answers = new Set<string>();
  for (const newEmail of [KNOWN, UNKNOWN, "disabled@example.com"]) {
    const body = { newEmail, password: "seven wet stones 41" };
    answers.add(seen(await project.asPublic(userCall("change-email", body), user)));
  }
  assert.equal(answers.size, 1, [...answers].join("\n"));
});

/** Tries of each kind. */
const TRIES = 200;

/**
 * How much longer the slower kind may take in the middle of all tries: without the hash of a
 * password an answer takes a twentieth of what it takes with one.
 */
const FACTOR_MAX = 1.35;
/** For answers so short that ticks of the machine weigh in. */
const SLACK_MS = 0.15;
/**
 * How far the share of pairs in which the known one took longer may be from a half. Between things
 * that take equally long it strays by 0.035 (one standard deviation); what one mail costs shows in
 * nearly every pair.
 */
const STRAY_MAX = 0.22;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/**
 * Fails when it can be told by their times which of two was asked. They are asked in turns, so that
 * what burdens the machine burdens both.
 */
async function assertSameTime(
  app: TestApp,
  { known, unknown, before = async () => {} }: {
    known: (i: number) => Promise<unknown>;
    unknown: (i: number) => Promise<unknown>;
    /** Each time, and not measured. */
    before?: () => Promise<void>;
  },
): Promise<void> {
  const times: [number[], number[]] = [[], []];
  for (let i = -20; i < TRIES; i++) {
    await before();
    for (const kind of i % 2 === 0 ? [0, 1] : [1, 0]) {
      // What is done behind the answer of the one is no burden of the other.
      await app.services.jobRunner.idle();
      const began = performance.now();
      await (kind === 0 ? known : unknown)(i);
      if (i >= 0) times[kind]!.push(performance.now() - began);
    }
    // Of whoever is asked for again and again all is let through, so that all is measured.
    app.clock.advance(2 * 3_600_000);
  }
  const [one, two] = [median(times[0]), median(times[1])];
  const [less, more] = [Math.min(one, two), Math.max(one, two)];
  const longer = times[0].filter((time, i) => time > times[1][i]!).length / TRIES;
  const told = `known ${one.toFixed(2)} ms, unknown ${two.toFixed(2)} ms, longer in ${longer}`;
  assert.ok(more <= less * FACTOR_MAX + SLACK_MS, told);
  assert.ok(Math.abs(longer - 0.5) <= STRAY_MAX, told);
}

for (const operation of ["code/request", "request-password-reset", "resend-verification-otp"]) {
  Deno.test(`enumeration by time: ${operation} takes as long for a known address as for an unknown one`, async () => {
    await using app = await openTestApp();
    // Nobody new gets a code, so that only the known address has one sent.
    const project = await authProject(app, { signUp: "closed" });
    const call = { path: "/api/userAuth/users", body: { email: KNOWN } };
    ok(await project.asSecret(call), 201);
    const knock = knocker(app, project);
    const ask = (email: string) => async () => {
      assert.equal((await knock(QUESTIONS[operation]!(email))).status, 200);
    };
    await assertSameTime(app, { known: ask(KNOWN), unknown: ask(UNKNOWN) });
  });
}

for (
  const [operation, asking] of [
    ["code/verify", "code/request"],
    ["reset-password", "request-password-reset"],
    ["verify-email", "resend-verification-otp"],
  ] as const
) {
  Deno.test(`enumeration by time: ${operation} takes as long for who was sent a code as for who was not`, async () => {
    await using app = await openTestApp();
    const project = await authProject(app, { signUp: "closed" });
    const call = { path: "/api/userAuth/users", body: { email: KNOWN } };
    ok(await project.asSecret(call), 201);
    const knock = knocker(app, project);
    const ask = (email: string) => async () => {
      assert.equal((await knock(QUESTIONS[operation]!(email))).status, 400);
    };
    const before = async () => void await knock(QUESTIONS[asking]!(KNOWN));
    await assertSameTime(app, { known: ask(KNOWN), unknown: ask(UNKNOWN), before });
  });
}

Deno.test("enumeration by time: login takes as long for a wrong password as for an unknown or a disabled user", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await people(app, project);
  const knock = knocker(app, project);
  const ask = (email: string) => async () => {
    const call = userCall("login", { email, password: PASSWORD });
    assert.equal((await knock(call)).status, 401);
  };
  await assertSameTime(app, { known: ask(KNOWN), unknown: ask(UNKNOWN) });
});

Deno.test("enumeration by time: with requireVerifiedEmail sign-up takes as long for a known address as for an unknown one", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await people(app, project);
  await setAuth(app, project, { requireVerifiedEmail: true });
  const knock = knocker(app, project);
  const ask = (email: (i: number) => string) => async (i: number) => {
    const call = userCall("signup", { email: email(i), password: PASSWORD });
    assert.equal((await knock(call)).status, 201);
  };
  await assertSameTime(app, {
    known: ask(() => KNOWN),
    unknown: ask((i) => `new${i + 20}@example.com`),
  });
});
