import * as oauth from "oauth4webapi";
import { type Clock, systemClock } from "../clock.ts";
import { SignInFailed } from "./failures.ts";
import { oauthOptions } from "./oauth.ts";
import type { IdTokens, Provider } from "./provider.ts";
import { jsonOf, type ProviderHttp, withinTimeLimit } from "./provider_http.ts";

/** Milliseconds that a discovery document is cached. */
const DOCUMENT_CACHE_MS = 3_600_000;
/** Milliseconds that keys are cached. A withdrawn key is accepted for at most this time. */
const KEYS_CACHE_MS = 300_000;
/** Minimum milliseconds between requests that tokens with unknown keys cause. */
const RENEWAL_INTERVAL_MS = 60_000;

type Server = oauth.AuthorizationServer;

type DiscoveryRead<T> = (http: ProviderHttp) => Promise<T>;

interface KeySet {
  readonly keys: { keys: oauth.JWK[] };
  readonly readAt: number;
}

/** Caches the document and keys. An unknown key causes a new read, at most once per interval. */
export function openIdServer(
  issuer: string,
  clock: Clock,
): Pick<Provider, "server"> & Pick<IdTokens, "checkSignature"> {
  const document = cached(clock, DOCUMENT_CACHE_MS, (http) => discover(issuer, http));
  let set: KeySet | null = null;
  let renewedAt = -Infinity;
  const renewal = createSharedRead<KeySet>();

  const renew = (server: Server) => async (http: ProviderHttp): Promise<KeySet> =>
    set = { keys: await readKeys(server, http), readAt: clock.elapsed() };

  async function readCurrent(server: Server, http: ProviderHttp): Promise<KeySet> {
    if (set !== null && clock.elapsed() - set.readAt < KEYS_CACHE_MS) return set;
    return await renewal.joinFor(http, renew(server));
  }

  /** Returns keys that were read after `old`, or null if it is too early to read them again. */
  async function readNewer(
    old: KeySet,
    server: Server,
    http: ProviderHttp,
  ): Promise<KeySet | null> {
    if (!renewal.isRunning()) {
      if (set !== old) return set;
      if (clock.elapsed() - renewedAt < RENEWAL_INTERVAL_MS) return null;
      renewedAt = clock.elapsed();
    }
    return await http.wait(() => renewal.join(renew(server)));
  }

  return {
    server: (http) => document(http),
    async checkSignature(server, answer, http) {
      const keySet = await readCurrent(server, http);
      try {
        await verifyWith(keySet, server, answer);
      } catch (error) {
        if (!isUnknownKey(error)) throw error;
        const fresh = await readNewer(keySet, server, http);
        if (fresh === null) throw error;
        await verifyWith(fresh, server, answer);
      }
    },
  };
}

/** Verifies a signature. A new server object makes the library use the given keys. */
async function verifyWith({ keys }: KeySet, server: Server, answer: Response): Promise<void> {
  const uat = Math.floor(systemClock.now() / 1000);
  await oauth.validateApplicationLevelSignature({ ...server }, answer, {
    [oauth.jwksCache]: { jwks: keys, uat },
    [oauth.customFetch]: () => Promise.reject(new Error("The keys are given")),
  });
}

const isUnknownKey = (error: unknown): boolean =>
  error instanceof oauth.OperationProcessingError && error.code === oauth.KEY_SELECTION;

async function discover(issuer: string, http: ProviderHttp): Promise<Server> {
  const address = new URL(issuer);
  const answer = await oauth.discoveryRequest(address, oauthOptions(issuer, http));
  return await oauth.processDiscoveryResponse(address, answer);
}

async function readKeys(server: Server, http: ProviderHttp): Promise<KeySet["keys"]> {
  const url = URL.parse(server.jwks_uri ?? "");
  const isSafe = url?.protocol === "https:" || server.issuer.startsWith("http:");
  if (url === null || !isSafe) throw new SignInFailed("unavailable", "no jwks_uri over https");
  const headers = { accept: "application/jwk-set+json, application/json" };
  const body = await jsonOf(await http.fetch(url.href, { headers }));
  const keys = typeof body === "object" && body !== null && !Array.isArray(body) ? body.keys : null;
  const isList = Array.isArray(keys) &&
    keys.every((key) => typeof key === "object" && key !== null && !Array.isArray(key));
  if (!isList) throw new SignInFailed("unavailable", "no key set");
  return { keys: keys as oauth.JWK[] }; // The library validates a key when it is used.
}

/** Caches the result of `read`. Failures are not cached. */
function cached<T>(clock: Clock, cacheMs: number, read: DiscoveryRead<T>): DiscoveryRead<T> {
  let last: { readonly value: T; readonly readAt: number } | null = null;
  const reading = createSharedRead<T>();
  return async (http) => {
    if (last !== null && clock.elapsed() - last.readAt < cacheMs) return last.value;
    return await reading.joinFor(http, async (own) => {
      const readAt = clock.elapsed();
      const value = await read(own);
      last = { value, readAt };
      return value;
    });
  };
}

interface SharedRead<T> {
  isRunning(): boolean;
  /** Joins the running read, or starts `read` with its own time limit. */
  join(read: DiscoveryRead<T>): Promise<T>;
  /** Starts a new read if the joined one, started earlier, runs out of time. */
  joinFor(http: ProviderHttp, read: DiscoveryRead<T>): Promise<T>;
}

/** Shares one read between concurrent callers. */
function createSharedRead<T>(): SharedRead<T> {
  let reading: Promise<T> | null = null;
  const join = (read: DiscoveryRead<T>): Promise<T> =>
    reading ??= withinTimeLimit(read).finally(() => reading = null);
  return {
    isRunning: () => reading !== null,
    join,
    async joinFor(http, read) {
      const isJoined = reading !== null;
      try {
        return await http.wait(() => join(read));
      } catch (error) {
        const isLate = error instanceof SignInFailed && error.reason === "slow";
        if (!isJoined || !isLate) throw error;
        return await http.wait(() => join(read));
      }
    },
  };
}
