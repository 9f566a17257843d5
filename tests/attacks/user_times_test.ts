import assert from "node:assert/strict";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { authProject, CODE_REQUESTS, setAuth, userCall } from "../api/user_email.ts";
import { ok } from "../api/test_collection.ts";
import {
  ADDRESS_REQUESTS,
  createPeople,
  KNOWN,
  rawSender,
  type SendRaw,
  TRIED_PASSWORD,
  UNKNOWN,
} from "./user_fixture.ts";

/** Attacks that find users by measuring response times. */

const TRIES = 200;
const WARM_UP = 20;

/** Maximum factor of the medians. A password hash multiplies the time by about twenty. */
const RATIO_MAX = 1.35;
/** Milliseconds of tolerance for short responses, because clock ticks matter. */
const SLACK_MS = 0.15;
/**
 * Maximum distance from one half of the share of rounds in which the known user took longer. For
 * equal requests the standard deviation is 0.035. Sending a mail would affect nearly every round.
 */
const DEVIATION_MAX = 0.22;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Sends the request of round `n`. */
type SendRequest = (n: number) => Promise<void>;

interface TimedRequests {
  readonly known: Readonly<Record<string, SendRequest>>;
  readonly unknown: SendRequest;
  /** Unmeasured first request of each round, which absorbs work that only the first one does. */
  readonly before: SendRequest;
}

/**
 * Asserts that response times do not distinguish known from unknown users. The kinds alternate, so
 * that other load affects them equally.
 */
async function assertSameTime(
  app: TestApp,
  { known, unknown, before }: TimedRequests,
): Promise<void> {
  const kinds = [unknown, ...Object.values(known)];
  const times: number[][] = kinds.map(() => []);
  const order = [...kinds.keys()];
  for (let n = 0; n < WARM_UP + TRIES; n++) {
    await before(n);
    for (const kind of order.reverse()) {
      // Waits for background work, so that it does not slow the next request.
      await app.services.jobRunner.idle();
      const began = performance.now();
      await kinds[kind]!(n);
      if (n >= WARM_UP) times[kind]!.push(performance.now() - began);
    }
    // Advances the clock past all limits, so that every request is measured.
    app.clock.advance(2 * 3_600_000);
  }
  const [ofUnknown, ...ofKnown] = times;
  for (const [i, who] of Object.keys(known).entries()) {
    const knownTimes = ofKnown[i]!;
    const [one, other] = [median(knownTimes), median(ofUnknown!)];
    const longer = knownTimes.filter((time, round) => time > ofUnknown![round]!).length / TRIES;
    const message = `${who} ${one.toFixed(2)} ms, unknown ${
      other.toFixed(2)
    } ms, longer in ${longer}`;
    assert.ok(Math.max(one, other) <= Math.min(one, other) * RATIO_MAX + SLACK_MS, message);
    assert.ok(Math.abs(longer - 0.5) <= DEVIATION_MAX, message);
  }
}

const requestWith =
  (knock: SendRaw, operation: keyof typeof ADDRESS_REQUESTS, email: string): SendRequest =>
  async () => {
    const { ask, status } = ADDRESS_REQUESTS[operation];
    assert.equal((await knock(ask(email))).status, status);
  };

/** Creates a project in which only the known address can be sent a code. */
async function projectOfOne(app: TestApp): Promise<TestProject> {
  const project = await authProject(app, { signUp: "closed" });
  const call = { path: "/api/userAuth/users", body: { email: KNOWN.unverified } };
  ok(await project.asSecret(call), 201);
  return project;
}

for (const operation of CODE_REQUESTS) {
  Deno.test(`enumeration by time: ${operation} takes equally long for known and unknown addresses`, async () => {
    await using app = await openTestApp();
    const knock = rawSender(app, await projectOfOne(app));
    await assertSameTime(app, {
      known: { unverified: requestWith(knock, operation, KNOWN.unverified) },
      unknown: requestWith(knock, operation, UNKNOWN),
      before: requestWith(knock, operation, "another@example.com"),
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
  Deno.test(`enumeration by time: ${operation} takes equally long with and without a sent code`, async () => {
    await using app = await openTestApp();
    const knock = rawSender(app, await projectOfOne(app));
    await assertSameTime(app, {
      known: { "with a code": requestWith(knock, operation, KNOWN.unverified) },
      unknown: requestWith(knock, operation, UNKNOWN),
      before: requestWith(knock, request, KNOWN.unverified),
    });
  });
}

Deno.test("enumeration by time: login takes equally long for all kinds of users and wrong passwords", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await createPeople(app, project);
  const knock = rawSender(app, project);
  const { unverified, disabled, "without a password": bare } = KNOWN;
  await assertSameTime(app, {
    known: {
      "with another password": requestWith(knock, "login", unverified),
      "disabled, with the right password": requestWith(knock, "login", disabled),
      "without a password": requestWith(knock, "login", bare),
    },
    unknown: requestWith(knock, "login", UNKNOWN),
    before: () => Promise.resolve(),
  });
});

Deno.test("enumeration by time: with requireVerifiedEmail sign-up takes equally long", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await createPeople(app, project);
  await setAuth(app, project, { requireVerifiedEmail: true });
  const knock = rawSender(app, project);
  const signUp = async (email: string) => {
    const call = userCall("signup", { email, password: TRIED_PASSWORD });
    assert.equal((await knock(call)).status, 201);
  };
  await assertSameTime(app, {
    known: { unverified: () => signUp(KNOWN.unverified) },
    unknown: (n) => signUp(`new${n}@example.com`),
    before: requestWith(knock, "code/request", "another@example.com"),
  });
});
