/** Attacks that make the server hash more passwords than it can, to block sign-ins. */

import assert from "node:assert/strict";
import { PASSWORD_TRIES, SIGN_IN_FAILURES } from "@/lib/credentials/sign_in_attempts.ts";
import { ACCOUNTS } from "@/lib/projects/account_records.ts";
import { ALL } from "@/lib/store/filter.ts";
import { createApp } from "@/routes/app.ts";
import { refused, tally, times } from "../api/test_collection.ts";
import { until } from "../acceptance/until.ts";
import { type Answer, send } from "../support/conforming_client.ts";
import { openAccount } from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";

/** Number of password checks of one network that run or are queued at once. */
const NETWORK_QUEUE = 10;
const TOTAL_QUEUE = 100;

const ofNetwork = (n: number) => `203.0.${n}.7`;

/** Holds password checks until all requests have arrived. */
function holdPasswords({ services }: TestApp) {
  const opened = Promise.withResolvers<void>();
  let waiting = 0;
  const wait = async () => {
    waiting++;
    await opened.promise;
  };
  const app = createApp({
    ...services,
    passwords: {
      ...services.passwords,
      hash: (...words) => wait().then(() => services.passwords.hash(...words)),
      verify: () => wait().then(() => false),
    },
  });
  return { app, open: opened.resolve, waiting: () => waiting };
}

/** Sends requests at once. @param queued Number of requests that wait for another of these. */
async function sendCrowd(
  test: TestApp,
  count: number,
  call: (n: number) => Parameters<typeof send>[1],
  queued = 0,
): Promise<Answer[]> {
  const { app, open, waiting } = holdPasswords(test);
  let answered = 0;
  const answers = times(count, async (n) => {
    const answer = await send(app, call(n));
    answered++;
    return answer;
  });
  await until("each request waits or has a response", () => answered + waiting() >= count - queued);
  open();
  return await Promise.all(answers);
}

const signIn = (n: number, network: number) => ({
  path: "/api/auth/login",
  peer: ofNetwork(network),
  body: { email: `${n}@example.com`, password: "another password" },
});

Deno.test("a network that tries many passwords at once has its own queue, which is bounded", async () => {
  await using app = await openTestApp();
  const answers = await sendCrowd(app, 60, (n) => n < 50 ? signIn(n, 1) : signIn(n, 2 + n % 2));
  const [first, others] = [answers.slice(0, 50), answers.slice(50)];
  assert.deepEqual(tally(first), { 401: NETWORK_QUEUE, 503: 50 - NETWORK_QUEUE });
  assert.deepEqual(tally(others), { 401: 10 }, "a request from another network is admitted");
  for (const answer of first.filter(({ status }) => status === 503)) {
    refused(answer, 503, "PASSWORDS_BUSY");
    assert.equal(answer.headers.get("retry-after"), "2");
  }
  for (const definition of [PASSWORD_TRIES, SIGN_IN_FAILURES]) {
    const records = app.services.engine.records("control", definition);
    assert.equal(await records.count(ALL), NETWORK_QUEUE + 10, "a refusal counts no attempt");
  }
  const again = await sendCrowd(app, 1, (n) => signIn(n, 1));
  assert.deepEqual(tally(again), { 401: 1 }, "the queue is empty again");
});

Deno.test("many networks share a bounded queue", async () => {
  await using app = await openTestApp();
  const answers = await sendCrowd(app, 150, (n) => signIn(n, n % 30));
  assert.deepEqual(tally(answers), { 401: TOTAL_QUEUE, 503: 150 - TOTAL_QUEUE });
});

Deno.test("registering uses the same queue, and a refusal creates no account", async () => {
  await using app = await openTestApp();
  const registered = await sendCrowd(app, 25, (n) => ({
    path: "/api/auth/register",
    body: { email: `${n}@example.com`, password: "eight dry leaves 52" },
  }));
  assert.deepEqual(tally(registered), { 201: NETWORK_QUEUE, 503: 15 });
  assert.equal(await app.services.engine.records("control", ACCOUNTS).count(ALL), NETWORK_QUEUE);
});

Deno.test("changes that require a password use the queue, also if they wait for each other", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const next = { currentPassword: "another password", newPassword: "eight dry leaves 52" };
  const changes = [
    { path: "/api/auth/change-password", body: next },
    { method: "DELETE", path: "/api/auth/account", body: { password: "another password" } },
  ];
  const { cookie } = account;
  const answers = await sendCrowd(
    app,
    26,
    (n) => ({ ...changes[n % 2]!, headers: { cookie } }),
    NETWORK_QUEUE - 1,
  );
  // Requests of one session run in turn, and five wrong passwords lock it.
  assert.deepEqual(tally(answers), { 403: 5, 429: 5, 503: 16 });
});
