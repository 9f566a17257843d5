/** Signing in and staying so, beside a bare server that writes once for each request. */

import { issueExchangeCode } from "@/lib/auth/exchange_codes.ts";
import { NO_DEVICE } from "@/lib/auth/device.ts";
import { openSession } from "@/lib/auth/open_session.ts";
import { issueRefreshToken } from "@/lib/auth/refresh_tokens.ts";
import { loadConfig } from "@/lib/runtime/config.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { ACCESS_TOKEN_SECONDS, SESSION_MS_MAX } from "@/lib/limits.ts";
import { saveProvider } from "@/lib/projects/providers.ts";
import { openServices, type Services } from "@/lib/services.ts";
import type { Transaction } from "@/lib/store/port.ts";
import { startGithubFake } from "@/tests/support/github_fake.ts";
import { load, type Target } from "./load.ts";
import { median } from "./measuring.ts";
import { startBare, startCorbel } from "./process.ts";
import type { Setting } from "./seed.ts";

export interface BesideWrites {
  readonly perSecond: number;
  /** Over the writes per second of the bare server. */
  readonly ratio: number;
}

const ROUNDS = 5;
const SECONDS = 1;
/** More than are sent in a round: each is good once. */
const BODIES = 12_000;
const BATCH = 500;

/** Each is measured once, and told in two rows. */
const once = (measure: (setting: Setting) => Promise<BesideWrites>) => {
  let measured: Promise<BesideWrites> | undefined;
  return (setting: Setting) => measured ??= measure(setting);
};

/** Codes exchanged for refresh tokens. */
export const exchanges = once((setting) =>
  besideWrites(setting, "social/exchange", async (tx, services, user) => {
    const { projectId, userId } = user;
    const sessionId = await openSession(tx, services, { userId, device: NO_DEVICE });
    const bearer = { userId, sessionId };
    const token = await services.tokens.issue(projectId, bearer, ACCESS_TOKEN_SECONDS);
    const rtCode = await issueExchangeCode(tx, services, { ...bearer, accessToken: token });
    return JSON.stringify({ token, rtCode });
  })
);

/** Refresh tokens traded for their successors. */
export const refreshes = once((setting) =>
  besideWrites(setting, "refresh-token", async (tx, services, { userId }) => {
    const sessionId = await openSession(tx, services, { userId, device: NO_DEVICE });
    const sessionEndsAt = new Date(services.clock.now() + SESSION_MS_MAX).toISOString();
    const refreshToken = await issueRefreshToken(tx, services, { sessionId, sessionEndsAt });
    return JSON.stringify({ refreshToken });
  })
);

type User = Pick<Setting["seeded"], "projectId" | "userId">;

async function besideWrites(
  setting: Setting,
  path: string,
  prepare: (tx: Transaction, services: Services, user: User) => Promise<string>,
): Promise<BesideWrites> {
  const folder = await Deno.makeTempDir();
  try {
    await using bare = await startBare(["insert", folder]);
    await using corbel = await startCorbel(setting.folder, { RATE_LIMITS: "off" });
    await using services = await beside(setting);
    const headers = {
      "x-api-key": setting.seeded.publishableKey,
      "content-type": "application/json",
    };
    const target: Target = { url: `${corbel.url}/api/userAuth/${path}`, method: "POST", headers };
    const own: number[] = [];
    const ratios: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const bodies = await prepared(services, setting.seeded, prepare);
      const perSecond = await load({ ...target, bodies }, { seconds: SECONDS });
      const writes = await load({ ...target, url: bare.url, bodies }, { seconds: SECONDS });
      if (round === 0) continue; // Both warm up.
      own.push(perSecond);
      ratios.push(perSecond / writes);
    }
    return summary(own, ratios);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A second process on the store that Corbel serves. */
const beside = (setting: Setting): Promise<Services> =>
  openServices(loadConfig({ DATABASE_URL: `sqlite:${setting.folder}` }), {
    log: createLog("error", (text) => console.error(text)),
  });

async function prepared(
  services: Services,
  user: User,
  prepare: (tx: Transaction, services: Services, user: User) => Promise<string>,
): Promise<string[]> {
  const bodies: string[] = [];
  while (bodies.length < BODIES) {
    await services.engine.transaction(user.projectId, async (tx) => {
      for (let i = 0; i < BATCH; i++) bodies.push(await prepare(tx, services, user));
    });
  }
  return bodies;
}

const summary = (own: readonly number[], ratios: readonly number[]): BesideWrites => ({
  perSecond: Math.round(median(own)),
  ratio: Math.round(median(ratios) * 100) / 100,
});

/** What the provider knows Corbel by; the port is chosen later. */
const PUBLIC_URL = "http://127.0.0.1:8000";
const BROWSERS = 32;
const SIGN_IN_MS = 3_000;
const WRITE = { method: "POST", body: JSON.stringify({ n: 1 }) } as const;

/** Sign-ins of new users, the browsers and the provider in this process. */
export const signIns = once(async (setting) => {
  const folder = await Deno.makeTempDir();
  try {
    await using github = startGithubFake();
    await using bare = await startBare(["insert", folder]);
    await using corbel = await startCorbel(setting.folder, {
      RATE_LIMITS: "off",
      GITHUB_URL: github.url,
      GITHUB_API_URL: github.apiUrl,
      PUBLIC_URL,
    });
    const { projectId, publishableKey } = setting.seeded;
    const clientId = "bench";
    const clientSecret = crypto.randomUUID();
    {
      await using services = await beside(setting);
      const input = { enabled: true, clientId, clientSecret, linking: null };
      await saveProvider(services, projectId, "github", input);
    }
    const callbackUrl = `${PUBLIC_URL}/api/userAuth/social/github/callback`;
    github.register({ clientId, clientSecret, callbackUrl });
    const own: number[] = [];
    const ratios: number[] = [];
    let people = 0;
    for (let round = 0; round <= ROUNDS; round++) {
      const perSecond = await repeated(async () => {
        const login = `person${++people}`;
        github.join({ login, id: people });
        await signIn(corbel.url, publishableKey, (address) => github.approve(address, login));
      });
      const writes = await load({ url: bare.url, ...WRITE }, { seconds: SECONDS });
      if (round === 0) continue;
      own.push(perSecond);
      ratios.push(perSecond / writes);
    }
    return summary(own, ratios);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** One whole sign-in, as a browser and the application's page make it. */
async function signIn(
  corbel: string,
  key: string,
  approve: (address: URL) => Promise<URL>,
): Promise<void> {
  const social = `${corbel}/api/userAuth/social`;
  const start = await fetch(`${social}/github/start?x-api-key=${key}`, { redirect: "manual" });
  const cookie = start.headers.getSetCookie()[0]!.split(";")[0]!;
  const callback = await approve(locationOf(start));
  callback.port = new URL(corbel).port;
  const back = locationOf(await fetch(callback, { headers: { cookie }, redirect: "manual" }));
  const rtCode = back.searchParams.get("rtCode");
  const token = new URLSearchParams(back.hash.slice(1)).get("token");
  const exchange = await fetch(`${social}/exchange`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ token, rtCode }),
  });
  const text = await exchange.text();
  if (!exchange.ok) throw new Error(`The exchange answered ${exchange.status}: ${text}`);
}

function locationOf(answer: Response): URL {
  const location = answer.headers.get("location");
  if (location === null) throw new Error(`No redirect, but ${answer.status}`);
  return new URL(location);
}

/** How often `work` is done in a second by several at once. */
async function repeated(work: () => Promise<void>): Promise<number> {
  const until = performance.now() + SIGN_IN_MS;
  let done = 0;
  await Promise.all(Array.from({ length: BROWSERS }, async () => {
    while (performance.now() < until) {
      await work();
      done++;
    }
  }));
  return done / SIGN_IN_MS * 1000;
}
