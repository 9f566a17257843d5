/** Signing in and staying so, beside a bare server that writes once for each request. */

import { NO_DEVICE } from "@/lib/auth/device.ts";
import { issueExchangeCode } from "@/lib/auth/exchange_codes.ts";
import { openSession } from "@/lib/auth/open_session.ts";
import { issueRefreshToken } from "@/lib/auth/refresh_tokens.ts";
import { ACCESS_TOKEN_SECONDS, SESSION_MS_MAX } from "@/lib/limits.ts";
import { loadConfig } from "@/lib/runtime/config.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { openServices, type Services } from "@/lib/services.ts";
import type { Id, Transaction } from "@/lib/store/port.ts";
import { load, type Target } from "./load.ts";
import { ask, median, ratio } from "./measuring.ts";
import { startBare, startCorbel } from "./process.ts";
import { PUBLIC_URL } from "./question_rows.ts";
import type { Row } from "./row.ts";
import type { Setting } from "./seed.ts";

export const SIGN_IN_ROWS: readonly Row[] = [
  {
    name: "exchange_vs_write",
    what: "codes exchanged for refresh tokens, over a bare server that writes once for each",
    target: 0.35,
    atLeast: true,
    measure: (setting) => besideWrites(setting, "social/exchange", exchangeOf),
  },
  {
    name: "refresh_vs_write",
    what: "refresh tokens traded for their successors, over the same",
    target: 0.35,
    atLeast: true,
    measure: (setting) => besideWrites(setting, "refresh-token", refreshOf),
  },
  {
    name: "verify_cached_vs_open",
    what: "a private document by its id with an access token over an open one without",
    target: 0.9,
    atLeast: true,
    measure: verifiedOverOpen,
  },
];

const ROUNDS = 5;
const SECONDS = 1;
/** More than are sent in a round: each is good once. */
const BODIES = 12_000;
const BATCH = 500;

interface User {
  readonly projectId: Id;
  readonly userId: Id;
}

/** The body of a request that is good once. */
type Prepare = (tx: Transaction, services: Services, user: User) => Promise<string>;

const exchangeOf: Prepare = async (tx, services, { projectId, userId }) => {
  const { sessionId } = await openSession(tx, services, { userId, device: NO_DEVICE });
  const bearer = { userId, sessionId };
  const token = await services.tokens.issue(projectId, bearer, ACCESS_TOKEN_SECONDS);
  const rtCode = await issueExchangeCode(tx, services, { ...bearer, accessToken: token });
  return JSON.stringify({ token, rtCode });
};

const refreshOf: Prepare = async (tx, services, { userId }) => {
  const { sessionId } = await openSession(tx, services, { userId, device: NO_DEVICE });
  const sessionEndsAt = new Date(services.clock.now() + SESSION_MS_MAX).toISOString();
  const refreshToken = await issueRefreshToken(tx, services, { sessionId, sessionEndsAt });
  return JSON.stringify({ refreshToken });
};

async function besideWrites(setting: Setting, path: string, prepare: Prepare): Promise<number> {
  const { seeded: { projectId, publishableKey, users } } = setting;
  const user = { projectId, userId: users[0]!.userId };
  const folder = await Deno.makeTempDir();
  try {
    await using bare = await startBare("bare", "insert", folder);
    await using corbel = await startCorbel(setting.folder, { RATE_LIMITS: "off" });
    // A second process on the store that Corbel serves.
    await using services = await openServices(
      loadConfig({ DATABASE_URL: `sqlite:${setting.folder}` }),
      { log: createLog("error", (text) => console.error(text)) },
    );
    const ratios: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const target: Target = {
        url: `${corbel.url}/api/userAuth/${path}`,
        method: "POST",
        headers: { "x-api-key": publishableKey, "content-type": "application/json" },
        requests: await prepared(services, user, prepare),
        isOnce: true,
      };
      const perSecond = await load(target, { seconds: SECONDS });
      const writes = await load({ ...target, url: bare.url }, { seconds: SECONDS });
      if (round > 0) ratios.push(perSecond / writes); // Before that both warm up.
    }
    return Math.round(median(ratios) * 100) / 100;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function prepared(
  services: Services,
  user: User,
  prepare: Prepare,
): Promise<{ body: string }[]> {
  const requests: { body: string }[] = [];
  while (requests.length < BODIES) {
    await services.engine.transaction(user.projectId, async (tx) => {
      for (let i = 0; i < BATCH; i++) requests.push({ body: await prepare(tx, services, user) });
    });
  }
  return requests;
}

/** What a token adds is a twentieth of a request: more rounds tell it from the noise. */
const STEADIER = { pinned: true, rounds: 40 };

async function verifiedOverOpen({ folder, seeded }: Setting): Promise<number> {
  await using corbel = await startCorbel(folder, { PUBLIC_URL });
  const open = { "x-api-key": seeded.publishableKey };
  const own = { ...open, authorization: `Bearer ${seeded.users[0]!.token}` };
  const listed = async (name: string, headers: Record<string, string>) => {
    const url = `${corbel.url}/api/data/${name}`;
    const { body } = await ask({ url: `${url}?limit=100`, headers });
    const items = JSON.parse(body).data.items as { _id: string }[];
    return items.map((item) => ({
      target: { url: `${url}/${item._id}`, headers },
      bytes: JSON.stringify(item).length,
    })).sort((a, b) => a.bytes - b.bytes);
  };
  const [first] = await listed("posts", own);
  const like = (await listed("small", open)).find(({ bytes }) => bytes >= first!.bytes - 10);
  if (like!.bytes > first!.bytes + 30) throw new Error("There are no two documents of a length");
  return await ratio(first!.target, like!.target, STEADIER);
}
