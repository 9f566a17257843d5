import assert from "node:assert/strict";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { authProject, CODE_REQUESTS, setAuth, userCall } from "../api/user_email.ts";
import { ok } from "../api/test_collection.ts";
import {
  type Knock,
  knocker,
  KNOWN,
  people,
  QUESTIONS,
  TRIED_PASSWORD,
  UNKNOWN,
} from "./user_fixture.ts";

/** Somebody who wants to know who has an account, and has a clock. */

/** Tries of each kind. */
const TRIES = 200;
const WARM_UP = 20;

/**
 * How much longer the slower kind may take in the middle of all tries: without the hash of a
 * password an answer takes a twentieth of what it takes with one.
 */
const FACTOR_MAX = 1.35;
/** For answers so short that ticks of the machine weigh in. */
const SLACK_MS = 0.15;
/**
 * How far the share of rounds in which the known one took longer may be from a half. Between things
 * that take equally long it strays by 0.035 (one standard deviation); what one mail costs shows in
 * nearly every round.
 */
const STRAY_MAX = 0.22;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Asks about somebody. @param n The number of the round. */
type Ask = (n: number) => Promise<void>;

interface Asked {
  /** By who is asked about. */
  readonly known: Readonly<Record<string, Ask>>;
  readonly unknown: Ask;
  /** Begins each round and is not measured: what is done for the first alone of all who ask. */
  readonly before: Ask;
}

/**
 * Fails when it can be told by the times of its answers whether somebody known was asked about. They
 * are asked about in turns, so that what burdens the machine burdens all.
 */
async function assertSameTime(app: TestApp, { known, unknown, before }: Asked): Promise<void> {
  const kinds = [unknown, ...Object.values(known)];
  const times: number[][] = kinds.map(() => []);
  const order = [...kinds.keys()];
  for (let n = 0; n < WARM_UP + TRIES; n++) {
    await before(n);
    for (const kind of order.reverse()) {
      // What is done behind the answer of the one is no burden of the other.
      await app.services.jobRunner.idle();
      const began = performance.now();
      await kinds[kind]!(n);
      if (n >= WARM_UP) times[kind]!.push(performance.now() - began);
    }
    // Of whoever is asked for again and again all is let through, so that all is measured.
    app.clock.advance(2 * 3_600_000);
  }
  const [ofUnknown, ...ofKnown] = times;
  for (const [i, who] of Object.keys(known).entries()) {
    const its = ofKnown[i]!;
    const [one, other] = [median(its), median(ofUnknown!)];
    const longer = its.filter((time, round) => time > ofUnknown![round]!).length / TRIES;
    const told = `${who} ${one.toFixed(2)} ms, unknown ${other.toFixed(2)} ms, longer in ${longer}`;
    assert.ok(Math.max(one, other) <= Math.min(one, other) * FACTOR_MAX + SLACK_MS, told);
    assert.ok(Math.abs(longer - 0.5) <= STRAY_MAX, told);
  }
}

const asking =
  (knock: Knock, operation: keyof typeof QUESTIONS, email: string): Ask => async () => {
    const { ask, status } = QUESTIONS[operation];
    assert.equal((await knock(ask(email))).status, status);
  };

/** A project in which nobody new gets a code, so that only the known address has one sent. */
async function projectOfOne(app: TestApp): Promise<TestProject> {
  const project = await authProject(app, { signUp: "closed" });
  const call = { path: "/api/userAuth/users", body: { email: KNOWN.unverified } };
  ok(await project.asSecret(call), 201);
  return project;
}

for (const operation of CODE_REQUESTS) {
  Deno.test(`enumeration by time: ${operation} takes as long for a known address as for an unknown one`, async () => {
    await using app = await openTestApp();
    const knock = knocker(app, await projectOfOne(app));
    await assertSameTime(app, {
      known: { unverified: asking(knock, operation, KNOWN.unverified) },
      unknown: asking(knock, operation, UNKNOWN),
      before: asking(knock, operation, "another@example.com"),
    });
  });
}

for (
  const [operation, request] of [
    ["code/verify", "code/request"],
    ["reset-password", "request-password-reset"],
    ["verify-email", "resend-verification-otp"],
  ] as const
) {
  Deno.test(`enumeration by time: ${operation} takes as long for who was sent a code as for who was not`, async () => {
    await using app = await openTestApp();
    const knock = knocker(app, await projectOfOne(app));
    await assertSameTime(app, {
      known: { "with a code": asking(knock, operation, KNOWN.unverified) },
      unknown: asking(knock, operation, UNKNOWN),
      before: asking(knock, request, KNOWN.unverified),
    });
  });
}

Deno.test("enumeration by time: login takes as long for an unknown user as for a wrong password, for one who is disabled, and for one who has no password", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await people(app, project);
  const knock = knocker(app, project);
  const { unverified, disabled, "without a password": bare } = KNOWN;
  await assertSameTime(app, {
    known: {
      "with another password": asking(knock, "login", unverified),
      "disabled, with the right password": asking(knock, "login", disabled),
      "without a password": asking(knock, "login", bare),
    },
    unknown: asking(knock, "login", UNKNOWN),
    before: () => Promise.resolve(),
  });
});

Deno.test("enumeration by time: with requireVerifiedEmail sign-up takes as long for a known address as for an unknown one", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await people(app, project);
  await setAuth(app, project, { requireVerifiedEmail: true });
  const knock = knocker(app, project);
  const signUp = async (email: string) => {
    const call = userCall("signup", { email, password: TRIED_PASSWORD });
    assert.equal((await knock(call)).status, 201);
  };
  await assertSameTime(app, {
    known: { unverified: () => signUp(KNOWN.unverified) },
    unknown: (n) => signUp(`new${n}@example.com`),
    before: asking(knock, "code/request", "another@example.com"),
  });
});
