import * as oauth from "oauth4webapi";
import { type Clock, systemClock } from "../clock.ts";
import { SignInFailed } from "./failures.ts";
import { oauthOptions } from "./oauth.ts";
import type { IdTokens, Provider } from "./provider.ts";
import { jsonOf, type ProviderHttp, withinTimeLimit } from "./provider_http.ts";

const DOCUMENT_KEPT_MS = 3_600_000;
/** A key that the issuer has withdrawn is believed no longer than this. */
const KEYS_KEPT_MS = 300_000;
/** Keys that nobody knows cause at most one request in this time. */
const RENEWAL_EVERY_MS = 60_000;

type Server = oauth.AuthorizationServer;

type DiscoveryRead<T> = (http: ProviderHttp) => Promise<T>;

interface KeySet {
  readonly keys: { keys: oauth.JWK[] };
  readonly readAt: number;
}

/**
 * An OpenID provider by its issuer: its discovery document, and its keys by their ids. Both are
 * asked for once and kept for a while, whoever signs in. A token of an unknown key has the keys
 * read anew, once; however many such tokens come, they cause no request of their own.
 */
export function openIdServer(
  issuer: string,
  clock: Clock,
): Pick<Provider, "server"> & Pick<IdTokens, "checkSignature"> {
  const document = kept(clock, DOCUMENT_KEPT_MS, (http) => discover(issuer, http));
  let set: KeySet | null = null;
  let renewedAt = -Infinity;
  const renewal = sharedReading<KeySet>();

  const renew = (server: Server) => async (http: ProviderHttp): Promise<KeySet> =>
    set = { keys: await readKeys(server, http), readAt: clock.elapsed() };

  async function current(server: Server, http: ProviderHttp): Promise<KeySet> {
    if (set !== null && clock.elapsed() - set.readAt < KEYS_KEPT_MS) return set;
    return await renewal.inOwnTime(http, renew(server));
  }

  /** Keys that were read after `old`; null if it is too early to ask for them. */
  async function newer(old: KeySet, server: Server, http: ProviderHttp): Promise<KeySet | null> {
    if (!renewal.isUnderWay()) {
      if (set !== old) return set;
      if (clock.elapsed() - renewedAt < RENEWAL_EVERY_MS) return null;
      renewedAt = clock.elapsed();
    }
    return await http.wait(() => renewal.join(renew(server)));
  }

  return {
    server: (http) => document(http),
    async checkSignature(server, answer, http) {
      const known = await current(server, http);
      try {
        await checkWith(known, server, answer);
      } catch (error) {
        if (!isUnknownKey(error)) throw error;
        const fresh = await newer(known, server, http);
        if (fresh === null) throw error;
        await checkWith(fresh, server, answer);
      }
    },
  };
}

/** The library keeps keys by the server's object: given a fresh one it takes those it is handed. */
async function checkWith({ keys }: KeySet, server: Server, answer: Response): Promise<void> {
  const uat = Math.floor(systemClock.now() / 1000);
  await oauth.validateApplicationLevelSignature({ ...server }, answer, {
    [oauth.jwksCache]: { jwks: keys, uat },
    [oauth.customFetch]: () => Promise.reject(new Error("The keys are at hand")),
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
  return { keys: keys as oauth.JWK[] }; // Each is looked at when it is used.
}

/** Keeps what was read; a failure is not kept. */
function kept<T>(clock: Clock, keptMs: number, read: DiscoveryRead<T>): DiscoveryRead<T> {
  let last: { readonly value: T; readonly readAt: number } | null = null;
  const reading = sharedReading<T>();
  return async (http) => {
    if (last !== null && clock.elapsed() - last.readAt < keptMs) return last.value;
    return await reading.inOwnTime(http, async (own) => {
      const readAt = clock.elapsed();
      const value = await read(own);
      last = { value, readAt };
      return value;
    });
  };
}

interface SharedReading<T> {
  isUnderWay(): boolean;
  /** What is being read already, or else what `read` reads now, in a time limit of its own. */
  join(read: DiscoveryRead<T>): Promise<T>;
  /**
   * The same for one sign-in. The time of what it joined may end before its own, for somebody
   * began that earlier: then it reads once more.
   */
  inOwnTime(http: ProviderHttp, read: DiscoveryRead<T>): Promise<T>;
}

/** Reads once for all who ask meanwhile. */
function sharedReading<T>(): SharedReading<T> {
  let reading: Promise<T> | null = null;
  const join = (read: DiscoveryRead<T>): Promise<T> =>
    reading ??= withinTimeLimit(read).finally(() => reading = null);
  return {
    isUnderWay: () => reading !== null,
    join,
    async inOwnTime(http, read) {
      const isAnothers = reading !== null;
      try {
        return await http.wait(() => join(read));
      } catch (error) {
        const isLate = error instanceof SignInFailed && error.reason === "slow";
        if (!isAnothers || !isLate) throw error;
        return await http.wait(() => join(read));
      }
    },
  };
}
