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

/** Somebody who has the server hash more passwords than it can, so that nobody gets in. */

const OF_ONE = 10;
const OF_ALL = 100;

const ofNetwork = (n: number) => `203.0.${n}.7`;

/** The app with passwords that are looked at only once the crowd is there. */
function held({ services }: TestApp) {
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

/** Sends them at once. @param lined How many of them wait for another of them. */
async function crowd(
  test: TestApp,
  count: number,
  call: (n: number) => Parameters<typeof send>[1],
  lined = 0,
): Promise<Answer[]> {
  const { app, open, waiting } = held(test);
  let answered = 0;
  const answers = times(count, async (n) => {
    const answer = await send(app, call(n));
    answered++;
    return answer;
  });
  await until("each waits or is answered", () => answered + waiting() >= count - lined);
  open();
  return await Promise.all(answers);
}

const signIn = (n: number, network: number) => ({
  path: "/api/auth/login",
  peer: ofNetwork(network),
  body: { email: `${n}@example.com`, password: "another password" },
});

Deno.test("a network that tries many passwords at once waits in a queue of its own, and is then refused", async () => {
  await using app = await openTestApp();
  const answers = await crowd(app, 60, (n) => n < 50 ? signIn(n, 1) : signIn(n, 2 + n % 2));
  const [first, others] = [answers.slice(0, 50), answers.slice(50)];
  assert.deepEqual(tally(first), { 401: OF_ONE, 503: 50 - OF_ONE });
  assert.deepEqual(tally(others), { 401: 10 }, "a request from another network is let in");
  for (const answer of first.filter(({ status }) => status === 503)) {
    refused(answer, 503, "PASSWORDS_BUSY");
    assert.equal(answer.headers.get("retry-after"), "2");
  }
  for (const definition of [PASSWORD_TRIES, SIGN_IN_FAILURES]) {
    const records = app.services.engine.records("control", definition);
    assert.equal(await records.count(ALL), OF_ONE + 10, "a refusal counts no try");
  }
  const again = await crowd(app, 1, (n) => signIn(n, 1));
  assert.deepEqual(tally(again), { 401: 1 }, "the queue is empty again");
});

Deno.test("many networks together wait in a queue that has an end", async () => {
  await using app = await openTestApp();
  const answers = await crowd(app, 150, (n) => signIn(n, n % 30));
  assert.deepEqual(tally(answers), { 401: OF_ALL, 503: 150 - OF_ALL });
});

Deno.test("registering waits in the same queue, and a refusal makes no account", async () => {
  await using app = await openTestApp();
  const registered = await crowd(app, 25, (n) => ({
    path: "/api/auth/register",
    body: { email: `${n}@example.com`, password: "eight dry leaves 52" },
  }));
  assert.deepEqual(tally(registered), { 201: OF_ONE, 503: 15 });
  assert.equal(await app.services.engine.records("control", ACCOUNTS).count(ALL), OF_ONE);
});

Deno.test("so do the changes that ask for a password, also where they wait for each other", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const next = { currentPassword: "another password", newPassword: "eight dry leaves 52" };
  const changes = [
    { path: "/api/auth/change-password", body: next },
    { method: "DELETE", path: "/api/auth/account", body: { password: "another password" } },
  ];
  const { cookie } = account;
  const answers = await crowd(
    app,
    26,
    (n) => ({ ...changes[n % 2]!, headers: { cookie } }),
    OF_ONE - 1,
  );
  // Those of one session are let in one after the other: after five wrong ones it is locked.
  assert.deepEqual(tally(answers), { 403: 5, 429: 5, 503: 16 });
});
