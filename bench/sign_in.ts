/** Sign-ins and sessions, compared with bare servers that write or hash once per request. */

import { NO_DEVICE } from "@/lib/auth/device.ts";
import { issueExchangeCode } from "@/lib/auth/exchange_codes.ts";
import { openSession } from "@/lib/auth/open_session.ts";
import { createUserRecord, type UserRecord, USERS } from "@/lib/auth/users.ts";
import { issueCode } from "@/lib/credentials/codes.ts";
import { canonicalEmail } from "@/lib/emails.ts";
import { ACCESS_TOKEN_SECONDS } from "@/lib/limits.ts";
import type { Services } from "@/lib/services.ts";
import { eq } from "@/lib/store/filter.ts";
import type { Id, Transaction } from "@/lib/store/port.ts";
import { load, type RequestParts, type Target } from "./load.ts";
import { ask, askData, median, medianRatio, memoizeBySubject, ratio } from "./measuring.ts";
import { startBare, startCorbel } from "./process.ts";
import { PUBLIC_URL } from "./question_rows.ts";
import type { Row } from "./report.ts";
import { openStore, type Setting, temporaryFolder } from "./seed.ts";

export const SIGN_IN_ROWS: readonly Row[] = [
  {
    name: "exchange_vs_write",
    description: "codes exchanged for refresh tokens, over a bare server that writes once for each",
    atLeast: 0.35,
    measure: (setting) => exchangesOverWrites(setting, "social/exchange", exchangeOf),
  },
  {
    name: "verify_cached_vs_open",
    description: "a private document by its id with an access token over an open one without",
    atLeast: 0.9,
    measure: verifiedOverOpen,
  },
];

const ROUND_COUNT = 5;
const SECONDS = 1;
/** Number of prepared requests, more than a round sends, because each can be used once. */
const BODIES = 12_000;
const BATCH = 500;

/** Prepares the body of a request that can be used once. */
type Prepare = (tx: Transaction, services: Services, user: User) => Promise<object>;
type User = Readonly<Record<"projectId" | "userId", Id>>;

const exchangeOf: Prepare = async (tx, services, { projectId, userId }) => {
  const { sessionId } = await openSession(tx, services, { userId, device: NO_DEVICE });
  const bearer = { userId, sessionId };
  const token = await services.tokens.issue(projectId, bearer, ACCESS_TOKEN_SECONDS);
  const rtCode = await issueExchangeCode(tx, services, { ...bearer, accessToken: token });
  return { token, rtCode };
};

async function exchangesOverWrites(
  setting: Setting,
  path: string,
  prepare: Prepare,
): Promise<number> {
  const { seeded: { projectId, publishableKey, users: [user] } } = setting;
  await using folder = await temporaryFolder();
  await using bare = await startBare("bare", "insert", folder.path);
  await using corbel = await startCorbel({ ...setting.settings, RATE_LIMITS: "off" });
  await using services = await openStore(setting.settings);
  const target: Target = {
    url: `${corbel.url}/api/userAuth/${path}`,
    method: "POST",
    headers: { "x-api-key": publishableKey, "content-type": "application/json" },
    isOnce: true,
  };
  const requests = () =>
    prepareInBatches(services, projectId, async (tx) => ({
      body: JSON.stringify(await prepare(tx, services, { projectId, userId: user!.userId })),
    }));
  const written = { ...target, url: bare.url, requests: await requests() };
  return await medianRatio(
    ROUND_COUNT,
    async () => await load({ ...target, requests: await requests() }, SECONDS),
    () => load(written, SECONDS),
  );
}

/** Prepares requests in the store, many in a transaction. */
async function prepareInBatches(
  { engine }: Services,
  space: Id,
  make: (tx: Transaction, at: number) => Promise<RequestParts>,
): Promise<RequestParts[]> {
  const requests: RequestParts[] = [];
  while (requests.length < BODIES) {
    await engine.transaction(space, async (tx) => {
      for (let i = 0; i < BATCH; i++) requests.push(await make(tx, requests.length));
    });
  }
  return requests;
}

/** More rounds, because a token adds only a twentieth of a request, which is close to the noise. */
const MORE_ROUNDS = { rounds: 40 };

async function verifiedOverOpen({ settings, seeded }: Setting): Promise<number> {
  await using corbel = await startCorbel({ ...settings, PUBLIC_URL });
  const open = { "x-api-key": seeded.publishableKey };
  const own = { ...open, authorization: `Bearer ${seeded.users[0]!.token}` };
  const listed = async (name: string, headers: Record<string, string>) => {
    const url = `${corbel.url}/api/data/${name}`;
    const { items } = await askData({ url: `${url}?limit=100`, headers });
    return (items as { _id: string }[]).map((item) => ({
      target: { url: `${url}/${item._id}`, headers },
      bytes: JSON.stringify(item).length,
    })).sort((a, b) => a.bytes - b.bytes);
  };
  const [first] = await listed("posts", own);
  const like = (await listed("small", open)).find(({ bytes }) => bytes >= first!.bytes - 10);
  if (like!.bytes > first!.bytes + 30) throw new Error("There are no two documents of a length");
  return await ratio(first!.target, like!.target, MORE_ROUNDS);
}

/** Rates per second for sizing a machine, and ratios to bare hashing with targets. */
export const USER_ROWS: readonly Row[] = [
  {
    name: "signup_per_s",
    description: "sign-ups per second, each with a mail that is written down",
    measure: async (setting) => (await measured(setting, SIGN_UPS)).perSecond,
  },
  {
    name: "signup_vs_hash",
    description: "the same over a bare server that hashes one password for each request",
    atLeast: 0.8,
    measure: async (setting) => (await measured(setting, SIGN_UPS)).overHashes,
  },
  {
    name: "login_per_s",
    description: "sign-ins by password per second",
    measure: async (setting) => (await measured(setting, SIGN_INS)).perSecond,
  },
  {
    name: "login_vs_hash",
    description: "the same over a bare server that hashes one password for each request",
    atLeast: 0.8,
    measure: async (setting) => (await measured(setting, SIGN_INS)).overHashes,
  },
  {
    name: "code_per_s",
    description: "sign-ins by code per second",
    measure: async (setting) => (await measured(setting, CODES)).perSecond,
  },
];

/** Number of connections: half of a network's allowed hashes, as earlier turns leave some. */
const CONNECTIONS = 4;
const password = "seven wet stones 41";

interface SignIn {
  readonly path: string;
  prepare(services: Services, target: Target, projectId: Id): Promise<RequestParts[]>;
}

const emailOf = (kind: string, at: number) => `${kind}${at}@bench.example`;
const sent = (email: string): RequestParts => ({ body: JSON.stringify({ email, password }) });
const sentBy = (kind: string, from: number): RequestParts[] =>
  Array.from({ length: BODIES }, (_, at) => sent(emailOf(kind, from + at)));

let signedUp = 0;

const SIGN_UPS: SignIn = {
  path: "signup",
  prepare() {
    signedUp += BODIES;
    return Promise.resolve(sentBy("new", signedUp));
  },
};

const SIGN_INS: SignIn = {
  path: "login",
  async prepare(services, target, projectId) {
    await fillUsers(services, target, projectId);
    return sentBy("known", 0);
  },
};

const CODES: SignIn = {
  path: "code/verify",
  async prepare(services, target, space) {
    await fillUsers(services, target, space);
    return await prepareInBatches(services, space, async (tx, at) => {
      const email = emailOf("known", at);
      const place = { space, purpose: "code", holder: canonicalEmail(email) } as const;
      const otp = await issueCode(tx, services, place, { email, subjectId: null });
      return { body: JSON.stringify({ email, otp }) };
    });
  },
};

/** Creates users who share a password that Corbel has hashed, unless they exist. */
async function fillUsers(services: Services, { url, headers = {} }: Target, projectId: Id) {
  const users = services.engine.records<UserRecord>(projectId, USERS);
  if (await users.findOne(eq("email", emailOf("known", 0))) !== null) return;
  const email = emailOf("first", 0);
  const signUp = new URL("/api/userAuth/signup", url).href;
  await ask({ url: signUp, method: "POST", headers, body: sent(email).body! });
  const { passwordHash } = (await users.findOne(eq("email", email)))!.value;
  await users.insertMany(Array.from({ length: BODIES }, (_, at) => {
    const known = { email: emailOf("known", at), emailVerified: true, passwordHash, fields: {} };
    return createUserRecord(services, known);
  }));
}

/** Measures each kind once for its two rows. */
const measured = memoizeBySubject(measure);

async function measure(setting: Setting, { path, prepare }: SignIn) {
  const { settings, seeded: { projectId, publishableKey } } = setting;
  // Corbel leaves one processor to the thread that answers; the bare server hashes as many at once.
  const atOnce = Math.max(1, navigator.hardwareConcurrency - 1);
  await using bare = await startBare("bare", "hash", String(atOnce));
  await using corbel = await startCorbel({
    ...settings,
    RATE_LIMITS: "off",
    MAIL_URL: "keep:",
    LOG_LEVEL: "warn",
  });
  await using services = await openStore(settings);
  const target: Target = {
    url: `${corbel.url}/api/userAuth/${path}`,
    method: "POST",
    headers: { "x-api-key": publishableKey, "content-type": "application/json" },
    isOnce: true,
    connections: CONNECTIONS,
  };
  const turns: number[] = [];
  const overHashes = await medianRatio(
    ROUND_COUNT,
    async () => {
      const requests = await prepare(services, target, projectId);
      turns.push(await load({ ...target, requests }));
      return turns.at(-1)!;
    },
    () => load({ url: bare.url, method: "POST", body: password, connections: CONNECTIONS }),
  );
  return { perSecond: Math.round(median(turns.slice(-ROUND_COUNT))), overHashes };
}
