/** Users who sign up and in by e-mail, beside a bare server that hashes one password for each. */

import { newUser, type UserRecord, USERS } from "@/lib/auth/users.ts";
import { canonicalEmail } from "@/lib/emails.ts";
import { issueCode } from "@/lib/credentials/codes.ts";
import { loadConfig } from "@/lib/runtime/config.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { openServices, type Services } from "@/lib/services.ts";
import { eq } from "@/lib/store/filter.ts";
import type { Id } from "@/lib/store/port.ts";
import { type Sent, type Target, underLoad } from "./load.ts";
import { median } from "./measuring.ts";
import { startBare, startCorbel } from "./process.ts";
import type { Row } from "./row.ts";
import type { Setting } from "./seed.ts";

export const USER_ROWS: readonly Row[] = [
  {
    name: "signup_per_s",
    what: "sign-ups per second, each with a mail that is written down",
    target: null,
    atLeast: true,
    measure: async (setting) => (await measured(setting, signUps)).perSecond,
  },
  {
    name: "signup_vs_hash",
    what: "the same over a bare server that hashes one password for each request",
    target: 0.8,
    atLeast: true,
    measure: async (setting) => (await measured(setting, signUps)).overHashes,
  },
  {
    name: "login_per_s",
    what: "sign-ins by password per second",
    target: null,
    atLeast: true,
    measure: async (setting) => (await measured(setting, signIns)).perSecond,
  },
  {
    name: "login_vs_hash",
    what: "the same over a bare server that hashes one password for each request",
    target: 0.8,
    atLeast: true,
    measure: async (setting) => (await measured(setting, signIns)).overHashes,
  },
  {
    name: "code_per_s",
    what: "sign-ins by code per second",
    target: null,
    atLeast: true,
    measure: async (setting) => (await measured(setting, codes)).perSecond,
  },
];

const ROUNDS = 5;
const SECONDS = 3;
/** More than are sent in a round; each is good once. */
const BODIES = 8_000;
const BATCH = 500;
/** One network may have so many requests wait for a password to be hashed. */
const CONNECTIONS = 8;
const PASSWORD = "seven wet stones 41";

/** What is measured: where requests go, and what they hold. */
interface Kind {
  readonly path: string;
  prepare(services: Services, target: Target, projectId: Id): Promise<Sent[]>;
}

const emailOf = (kind: string, at: number) => `${kind}${at}@bench.example`;

let madeUp = 0;

const signUps: Kind = {
  path: "signup",
  prepare: () =>
    Promise.resolve(Array.from({ length: BODIES }, () => {
      const email = emailOf("new", madeUp++);
      return { body: JSON.stringify({ email, password: PASSWORD }) };
    })),
};

const signIns: Kind = {
  path: "login",
  async prepare(services, target, projectId) {
    await fillUsers(services, target, projectId);
    return Array.from({ length: BODIES }, (_, at) => ({
      body: JSON.stringify({ email: emailOf("known", at), password: PASSWORD }),
    }));
  },
};

const codes: Kind = {
  path: "code/verify",
  async prepare(services, target, space) {
    await fillUsers(services, target, space);
    const requests: Sent[] = [];
    while (requests.length < BODIES) {
      await services.engine.transaction(space, async (tx) => {
        for (let i = 0; i < BATCH; i++) {
          const email = emailOf("known", requests.length);
          const place = { space, purpose: "code", holder: canonicalEmail(email) } as const;
          const otp = await issueCode(tx, services, place, { email, subjectId: null });
          requests.push({ body: JSON.stringify({ email, otp }) });
        }
      });
    }
    return requests;
  },
};

/**
 * Users who all have one password, if they are not there yet. Corbel hashes it: this process may
 * load no native code.
 */
async function fillUsers(services: Services, { url, headers }: Target, projectId: Id) {
  const users = services.engine.records<UserRecord>(projectId, USERS);
  if (await users.findOne(eq("email", emailOf("known", 0))) !== null) return;
  const email = emailOf("first", 0);
  const body = JSON.stringify({ email, password: PASSWORD });
  const answer = await fetch(new URL("/api/userAuth/signup", url), {
    method: "POST",
    headers: { ...headers },
    body,
  });
  await answer.body?.cancel();
  const { passwordHash } = (await users.findOne(eq("email", email)))!.value;
  for (let at = 0; at < BODIES;) {
    const batch = Array.from({ length: BATCH }, () => {
      const email = emailOf("known", at++);
      return newUser(services, { email, emailVerified: true, passwordHash, fields: {} });
    });
    await users.insertMany(batch);
  }
}

interface Measured {
  readonly perSecond: number;
  readonly overHashes: number;
}

async function measured(setting: Setting, { path, prepare }: Kind): Promise<Measured> {
  const { folder, seeded: { projectId, publishableKey }, isShort } = setting;
  const options = { connections: CONNECTIONS, seconds: isShort ? 1 : SECONDS };
  const env = { RATE_LIMITS: "off", MAIL_URL: "keep:", LOG_LEVEL: "warn" };
  // Corbel leaves one processor to the thread that answers; the bare server hashes as many at once.
  const atOnce = Math.max(1, navigator.hardwareConcurrency - 1);
  await using bare = await startBare("bare", "hash", String(atOnce));
  await using corbel = await startCorbel(folder, env);
  // A second process on the store that Corbel serves.
  await using services = await openServices(
    loadConfig({ DATABASE_URL: `sqlite:${folder}` }),
    { log: createLog("error", (text) => console.error(text)) },
  );
  const target: Target = {
    url: `${corbel.url}/api/userAuth/${path}`,
    method: "POST",
    headers: { "x-api-key": publishableKey, "content-type": "application/json" },
    isOnce: true,
  };
  const hashing: Target = { url: bare.url, method: "POST", body: PASSWORD };
  const rounds: Measured[] = [];
  for (let round = 0; round <= (isShort ? 1 : ROUNDS); round++) {
    const requests = await prepare(services, target, projectId);
    const { perSecond } = await underLoad({ ...target, requests }, options);
    const hashes = await underLoad(hashing, options);
    // Before that both warm up.
    if (round > 0) rounds.push({ perSecond, overHashes: perSecond / hashes.perSecond });
  }
  return {
    perSecond: Math.round(median(rounds.map(({ perSecond }) => perSecond))),
    overHashes: Math.round(median(rounds.map(({ overHashes }) => overHashes)) * 100) / 100,
  };
}
