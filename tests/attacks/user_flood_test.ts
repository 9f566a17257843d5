import assert from "node:assert/strict";
import { type Answer, createCollection, createProject, send } from "../acceptance/project.ts";
import { peakMemoryOf } from "../acceptance/memory.ts";
import { type Server, startServer } from "../acceptance/server.ts";
import { times } from "../api/test_collection.ts";
import { startSmtpServer, type TestSmtpServer } from "../support/smtp_server.ts";

/** Floods of password hashing that try to delay other requests. */

const PASSWORD = "seven wet stones 41";
const NEXT_PASSWORD = "eight dry leaves 52";
/** Number of users whose passwords are hashed, each in a separate network. */
const PEOPLE_COUNT = 40;
/** Number of users who sign up at once before the measurement. */
const SIGNING_UP = 10;
/** Number of requests from one network, above its limit of 60 sign-ins a minute. */
const REQUESTS_OF_ONE_NETWORK = 100;
const READS_ALONE = 300;

const MiB = 1_048_576;
/** Bytes of growth. Each hash takes 19 MiB, and at most one per core runs at once. */
const MEMORY_MAX = 150 * MiB + navigator.hardwareConcurrency * 20 * MiB;
/**
 * Maximum factor by which the median and the 90th percentile of reads may grow. A server that
 * hashes on the event loop, or all at once, exceeds it.
 */
const FACTOR_MAX = 4;
const MEDIAN_MS = 25;
const P90_MS = 120;

interface Person {
  readonly n: number;
  readonly email: string;
  readonly token: string;
  readonly otp: string;
}

type SendAs = (
  operation: string,
  body: unknown,
  from: { network: string; token?: string; method?: string },
) => Promise<Answer>;

const networkOf = (n: number) => `198.51.100.${n}`;

async function signUp(act: SendAs, mails: TestSmtpServer, n: number): Promise<Person> {
  const [email, network] = [`person${n}@example.com`, networkOf(n)];
  const { status, body, text } = await act("signup", { email, password: PASSWORD }, { network });
  assert.equal(status, 201, text);
  await mails.next(email);
  assert.equal((await act("request-password-reset", { email }, { network })).status, 200);
  const [otp] = /\b\d{6}\b/.exec((await mails.next(email)).text)!;
  return { n, email, token: body.data.accessToken, otp };
}

const crowdOf = (act: SendAs, people: readonly Person[]): Promise<Answer>[] =>
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

/** Sends requests from one network, which its limit refuses. */
const crowdOfOne = (act: SendAs): Promise<Answer>[] =>
  times(REQUESTS_OF_ONE_NETWORK, (n) => {
    const credentials = { email: `${n}@example.com`, password: PASSWORD };
    return act("login", credentials, { network: "203.0.113.7" });
  });

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!;

Deno.test("floods of log-ins, sign-ups, resets and password changes delay no other project's reads", async () => {
  await using mails = await startSmtpServer();
  const settings = { MAIL_URL: mails.url, MAIL_FROM: "corbel@example.com", TRUST_PROXY: "1" };
  await using server = await startServer({ settings });
  const flooded = await createProject(server.settings);
  const act: SendAs = (operation, body, { network, token, method = "POST" }) =>
    send(server, {
      method,
      path: `/api/userAuth/${operation}`,
      key: flooded.publishableKey,
      ...(token !== undefined && { token }),
      headers: { "x-forwarded-for": network },
      body,
    });
  const read = await readerOf(server);
  // Signs up one user first, because on MongoDB collections are created at the first write.
  const people = [await signUp(act, mails, 0)];
  while (people.length < PEOPLE_COUNT) {
    const next = times(
      Math.min(SIGNING_UP, PEOPLE_COUNT - people.length),
      (n) => signUp(act, mails, people.length + n),
    );
    people.push(...await Promise.all(next));
  }
  const alone: number[] = [];
  while (alone.length < READS_ALONE) alone.push(await read());
  const before = await peakMemoryOf(server);

  let isOver = false;
  const crowd = Promise.all([...crowdOf(act, people), ...crowdOfOne(act)])
    .finally(() => isOver = true);
  const attacked: number[] = [];
  while (!isOver) attacked.push(await read());

  const answers = await crowd;
  assertSurplusRefused(answers);
  for (const [share, enoughMs] of [[0.5, MEDIAN_MS], [0.9, P90_MS]] as const) {
    const [one, other] = [alone, attacked].map((reads) => percentile(reads, share));
    const message = `${share} of reads take ${other} ms, and alone ${one} ms`;
    assert.ok(other! <= Math.max(one! * FACTOR_MAX, enoughMs), message);
  }
  const more = await peakMemoryOf(server) - before;
  assert.ok(more < MEMORY_MAX, `memory grew by ${Math.round(more / MiB)} MiB`);
  const { email } = answers.find(({ status }) => status === 201)!.body.data.user;
  const again = await act("login", { email, password: PASSWORD }, { network: networkOf(0) });
  assert.equal(again.status, 200, "sign-in works again afterwards");
});

/** Asserts that some requests succeed and that refusals have a Retry-After. */
function assertSurplusRefused(answers: readonly Answer[]): void {
  const { refused = [], served = [] } = Object.groupBy(
    answers,
    ({ status }) => [429, 503].includes(status) ? "refused" : "served",
  );
  for (const { status, headers, text } of refused) {
    assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/, `${status} ${text}`);
  }
  for (const status of [429, 503]) {
    assert.ok(
      refused.some((answer) => answer.status === status),
      `no response has the status ${status}`,
    );
  }
  for (const { status, text } of served) {
    assert.ok([200, 201, 400, 401].includes(status), `${status} ${text}`);
  }
  for (const status of [200, 201]) {
    assert.ok(
      served.some((answer) => answer.status === status),
      `no response has the status ${status}`,
    );
  }
}

/** Creates a project with a document, and returns a function that measures a read of it. */
async function readerOf(server: Server): Promise<() => Promise<number>> {
  const { settings } = server;
  const project = await createProject(settings);
  await createCollection(settings, project, { name: "things", fields: [], strict: false });
  const key = project.secretKey;
  const created = await send(server, { path: "/api/data/things", key, body: { n: 1 } });
  const path = `/api/data/things/${created.body.data._id}`;
  return async () => {
    const began = performance.now();
    const { status, text } = await send(server, { path, key });
    assert.equal(status, 200, text);
    return performance.now() - began;
  };
}
