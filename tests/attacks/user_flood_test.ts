import assert from "node:assert/strict";
import { type Answer, createCollection, createProject, send } from "../acceptance/project.ts";
import { peakOf } from "../acceptance/memory.ts";
import { type Server, startServer } from "../acceptance/server.ts";
import { times } from "../api/test_collection.ts";
import { startSmtpServer, type TestSmtpServer } from "../support/smtp_server.ts";

/** Somebody who has a project's users hash passwords by the hundred, so that others' requests wait. */

const PASSWORD = "seven wet stones 41";
const NEXT_PASSWORD = "eight dry leaves 52";
/** Users whose passwords the crowd is about, each in a network of their own. */
const PEOPLE = 40;
/** So many sign up at once before. */
const SIGNING_UP = 10;
/** Requests from one network, beyond the 60 that it may sign in with in a minute. */
const FROM_ONE = 100;
const READS_ALONE = 300;

const MiB = 1_048_576;
/** Each hash takes 19 MiB, and there are no more at once than cores. */
const MEMORY_MAX = 150 * MiB + navigator.hardwareConcurrency * 20 * MiB;
/**
 * How much longer than alone reads may take, at the middle and at the ninth of ten, and how long they
 * may take in any case: on a machine with other work to do. Where passwords are hashed by the thread
 * that answers, or all at once, the middle is 40 ms or more, and the ninth of ten 400 ms.
 */
const FACTOR_MAX = 4;
const MIDDLE_MS = 25;
const NINTH_MS = 120;

interface Person {
  readonly n: number;
  readonly email: string;
  readonly token: string;
  /** To reset the password with. */
  readonly otp: string;
}

/** Sends an operation of users from a network. */
type Act = (
  operation: string,
  body: unknown,
  from: { network: string; token?: string; method?: string },
) => Promise<Answer>;

const networkOf = (n: number) => `198.51.100.${n}`;

async function signUp(act: Act, mails: TestSmtpServer, n: number): Promise<Person> {
  const [email, network] = [`person${n}@example.com`, networkOf(n)];
  const { status, body, text } = await act("signup", { email, password: PASSWORD }, { network });
  assert.equal(status, 201, text);
  await mails.next(email); // To verify the address with.
  assert.equal((await act("request-password-reset", { email }, { network })).status, 200);
  const [otp] = /\b\d{6}\b/.exec((await mails.next(email)).text)!;
  return { n, email, token: body.data.accessToken, otp };
}

/** What each of them does at once. */
const crowdOf = (act: Act, people: readonly Person[]): Promise<Answer>[] =>
  people.flatMap(({ n, email, token, otp }) => {
    const network = networkOf(n);
    const change = { currentPassword: PASSWORD, newPassword: NEXT_PASSWORD };
    return [
      act("login", { email, password: n % 2 === 0 ? PASSWORD : NEXT_PASSWORD }, { network }),
      act("signup", { email: `new.${email}`, password: PASSWORD }, { network }),
      act("reset-password", { email, otp, newPassword: NEXT_PASSWORD }, { network }),
      act("change-password", change, { network, token, method: "PUT" }),
    ];
  });

/** Of one network alone, which a limit of its own holds up. */
const crowdOfOne = (act: Act): Promise<Answer>[] =>
  times(FROM_ONE, (n) => {
    const credentials = { email: `${n}@example.com`, password: PASSWORD };
    return act("login", credentials, { network: "203.0.113.7" });
  });

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!;

Deno.test("floods of log-ins, sign-ups, resets and changes of passwords hold up no reads of another project", async () => {
  await using mails = await startSmtpServer();
  const settings = { MAIL_URL: mails.url, MAIL_FROM: "corbel@example.com", TRUST_PROXY: "1" };
  await using server = await startServer({ settings });
  const flooded = await createProject(server.settings);
  const act: Act = (operation, body, { network, token, method = "POST" }) =>
    send(server, {
      method,
      path: `/api/userAuth/${operation}`,
      key: flooded.publishableKey,
      ...(token !== undefined && { token }),
      headers: { "x-forwarded-for": network },
      body,
    });
  const read = await readerOf(server);
  // One alone: on MongoDB collections are made for the first, and whoever comes meanwhile waits.
  const people = [await signUp(act, mails, 0)];
  while (people.length < PEOPLE) {
    const next = times(
      Math.min(SIGNING_UP, PEOPLE - people.length),
      (n) => signUp(act, mails, people.length + n),
    );
    people.push(...await Promise.all(next));
  }
  const alone: number[] = [];
  while (alone.length < READS_ALONE) alone.push(await read());
  const before = await peakOf(server);

  let isOver = false;
  const crowd = Promise.all([...crowdOf(act, people), ...crowdOfOne(act)])
    .finally(() => isOver = true);
  const beside: number[] = [];
  while (!isOver) beside.push(await read());

  const answers = await crowd;
  assertSurplusRefused(answers);
  for (const [share, enoughMs] of [[0.5, MIDDLE_MS], [0.9, NINTH_MS]] as const) {
    const [one, other] = [alone, beside].map((reads) => percentile(reads, share));
    const told = `${share} of reads take ${other} ms, and alone ${one} ms`;
    assert.ok(other! <= Math.max(one! * FACTOR_MAX, enoughMs), told);
  }
  const more = await peakOf(server) - before;
  assert.ok(more < MEMORY_MAX, `the process took ${Math.round(more / MiB)} MiB more`);
  const { email } = answers.find(({ status }) => status === 201)!.body.data.user;
  const again = await act("login", { email, password: PASSWORD }, { network: networkOf(0) });
  assert.equal(again.status, 200, "afterwards all is as before");
});

/** Some of the crowd have what they want; who has not, is told when to come again. */
function assertSurplusRefused(answers: readonly Answer[]): void {
  const { refused = [], served = [] } = Object.groupBy(
    answers,
    ({ status }) => [429, 503].includes(status) ? "refused" : "served",
  );
  for (const { status, headers, text } of refused) {
    assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/, `${status} ${text}`);
  }
  for (const status of [429, 503]) {
    assert.ok(refused.some((answer) => answer.status === status), `none is answered ${status}`);
  }
  for (const { status, text } of served) {
    assert.ok([200, 201, 400, 401].includes(status), `${status} ${text}`);
  }
  for (const status of [200, 201]) {
    assert.ok(served.some((answer) => answer.status === status), `none is answered ${status}`);
  }
}

/** Reads a document of a project of its own. Resolves to how long that took. */
async function readerOf(server: Server): Promise<() => Promise<number>> {
  const { settings } = server;
  const project = await createProject(settings);
  await createCollection(settings, project, { name: "things", fields: [], strict: false });
  const key = project.secretKey;
  const made = await send(server, { path: "/api/data/things", key, body: { n: 1 } });
  const path = `/api/data/things/${made.body.data._id}`;
  return async () => {
    const began = performance.now();
    const { status, text } = await send(server, { path, key });
    assert.equal(status, 200, text);
    return performance.now() - began;
  };
}
