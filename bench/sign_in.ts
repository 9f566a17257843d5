/** Signing in and staying so, beside bare servers that write once, or hash one password, for each request. */

import { NO_DEVICE } from "@/lib/auth/device.ts";
import { issueExchangeCode } from "@/lib/auth/exchange_codes.ts";
import { openSession } from "@/lib/auth/open_session.ts";
import { newUser, type UserRecord, USERS } from "@/lib/auth/users.ts";
import { issueCode } from "@/lib/credentials/codes.ts";
import { canonicalEmail } from "@/lib/emails.ts";
import { ACCESS_TOKEN_SECONDS } from "@/lib/limits.ts";
import type { Services } from "@/lib/services.ts";
import { eq } from "@/lib/store/filter.ts";
import type { Id, Transaction } from "@/lib/store/port.ts";
import { load, type Sent, type Target } from "./load.ts";
import { ask, askData, median, medianRatio, once, ratio } from "./measuring.ts";
import { startBare, startCorbel } from "./process.ts";
import { PUBLIC_URL } from "./question_rows.ts";
import type { Row } from "./report.ts";
import { openStore, type Setting, temporaryFolder } from "./seed.ts";

export const SIGN_IN_ROWS: readonly Row[] = [
  {
    name: "exchange_vs_write",
    what: "codes exchanged for refresh tokens, over a bare server that writes once for each",
    atLeast: 0.35,
    measure: (setting) => besideWrites(setting, "social/exchange", exchangeOf),
  },
  {
    name: "verify_cached_vs_open",
    what: "a private document by its id with an access token over an open one without",
    atLeast: 0.9,
    measure: verifiedOverOpen,
  },
];

const ROUNDS = 5;
const SECONDS = 1;
/** More than are sent in a round: each is good once. */
const BODIES = 12_000;
const BATCH = 500;

/** What is sent in a request that is good once. */
type Prepare = (tx: Transaction, services: Services, user: User) => Promise<object>;
type User = Readonly<Record<"projectId" | "userId", Id>>;

const exchangeOf: Prepare = async (tx, services, { projectId, userId }) => {
  const { sessionId } = await openSession(tx, services, { userId, device: NO_DEVICE });
  const bearer = { userId, sessionId };
  const token = await services.tokens.issue(projectId, bearer, ACCESS_TOKEN_SECONDS);
  const rtCode = await issueExchangeCode(tx, services, { ...bearer, accessToken: token });
  return { token, rtCode };
};

async function besideWrites(setting: Setting, path: string, prepare: Prepare): Promise<number> {
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
    inBatches(services, projectId, async (tx) => ({
      body: JSON.stringify(await prepare(tx, services, { projectId, userId: user!.userId })),
    }));
  const written = { ...target, url: bare.url, requests: await requests() };
  return await medianRatio(
    ROUNDS,
    async () => await load({ ...target, requests: await requests() }, SECONDS),
    () => load(written, SECONDS),
  );
}

/** What each request is made of in the store, many in a transaction. */
async function inBatches(
  { engine }: Services,
  space: Id,
  make: (tx: Transaction, at: number) => Promise<Sent>,
): Promise<Sent[]> {
  const requests: Sent[] = [];
  while (requests.length < BODIES) {
    await engine.transaction(space, async (tx) => {
      for (let i = 0; i < BATCH; i++) requests.push(await make(tx, requests.length));
    });
  }
  return requests;
}

/** What a token adds is a twentieth of a request: more rounds tell it from the noise. */
const STEADIER = { rounds: 40 };

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
  return await ratio(first!.target, like!.target, STEADIER);
}

/** How many a second each is told for sizing a machine; what they are to hold is their share of hashing. */
export const USER_ROWS: readonly Row[] = [
  {
    name: "signup_per_s",
    what: "sign-ups per second, each with a mail that is written down",
    measure: async (setting) => (await measured(setting, SIGN_UPS)).perSecond,
  },
  {
    name: "signup_vs_hash",
    what: "the same over a bare server that hashes one password for each request",
    atLeast: 0.8,
    measure: async (setting) => (await measured(setting, SIGN_UPS)).overHashes,
  },
  {
    name: "login_per_s",
    what: "sign-ins by password per second",
    measure: async (setting) => (await measured(setting, SIGN_INS)).perSecond,
  },
  {
    name: "login_vs_hash",
    what: "the same over a bare server that hashes one password for each request",
    atLeast: 0.8,
    measure: async (setting) => (await measured(setting, SIGN_INS)).overHashes,
  },
  {
    name: "code_per_s",
    what: "sign-ins by code per second",
    measure: async (setting) => (await measured(setting, CODES)).perSecond,
  },
];

/** One network may have twice as many wait for a password to be hashed: some of a turn that has ended do. */
const CONNECTIONS = 4;
const password = "seven wet stones 41";

/** What is measured: where requests go, and what they hold. */
interface SignIn {
  readonly path: string;
  prepare(services: Services, target: Target, projectId: Id): Promise<Sent[]>;
}

const emailOf = (kind: string, at: number) => `${kind}${at}@bench.example`;
const sent = (email: string): Sent => ({ body: JSON.stringify({ email, password }) });
const sentBy = (kind: string, from: number): Sent[] =>
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
    return await inBatches(services, space, async (tx, at) => {
      const email = emailOf("known", at);
      const place = { space, purpose: "code", holder: canonicalEmail(email) } as const;
      const otp = await issueCode(tx, services, place, { email, subjectId: null });
      return { body: JSON.stringify({ email, otp }) };
    });
  },
};

/** Users who all have one password, which Corbel hashes, if they are not there yet. */
async function fillUsers(services: Services, { url, headers = {} }: Target, projectId: Id) {
  const users = services.engine.records<UserRecord>(projectId, USERS);
  if (await users.findOne(eq("email", emailOf("known", 0))) !== null) return;
  const email = emailOf("first", 0);
  const signUp = new URL("/api/userAuth/signup", url).href;
  await ask({ url: signUp, method: "POST", headers, body: sent(email).body! });
  const { passwordHash } = (await users.findOne(eq("email", email)))!.value;
  await users.insertMany(Array.from({ length: BODIES }, (_, at) => {
    const known = { email: emailOf("known", at), emailVerified: true, passwordHash, fields: {} };
    return newUser(services, known);
  }));
}

/** Each is measured once, for its two rows. */
const measured = once(measure);

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
    ROUNDS,
    async () => {
      const requests = await prepare(services, target, projectId);
      turns.push(await load({ ...target, requests }));
      return turns.at(-1)!;
    },
    () => load({ url: bare.url, method: "POST", body: password, connections: CONNECTIONS }),
  );
  return { perSecond: Math.round(median(turns.slice(-ROUNDS))), overHashes };
}
