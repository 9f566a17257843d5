import type { Clock } from "../clock.ts";
import type { KeyRing } from "../crypto/key_ring.ts";
import { randomToken } from "../crypto/random.ts";
import type { NewId } from "../ids.ts";
import { STATE_LENGTH_MAX } from "../limits.ts";
import { findProvider, type ProviderSettings, type ProviderStore } from "../projects/providers.ts";
import { Problem } from "../problems.ts";
import type { Engine, Id } from "../store/port.ts";
import type { Browsers } from "./browser.ts";
import { callbackUrl } from "./callback_url.ts";
import { authorizationUrl } from "./oauth.ts";
import { withinTimeLimit } from "./provider_http.ts";
import type { Providers } from "./providers.ts";
import { failureAddress, type SignInLog } from "./return_address.ts";
import { isReturnPath } from "./return_path.ts";
import { generateState, storeState } from "./states.ts";

export interface SignInServices extends SignInLog {
  readonly config: { readonly publicUrl: string };
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly keyRing: KeyRing;
  readonly providers: Providers;
  readonly browsers: Browsers;
}

export interface StartInput {
  readonly provider: string;
  /** `return_to` is a path on the project's site, `state` the application's. Each is optional. */
  readonly query: URLSearchParams;
  readonly cookies: string | null;
  /** Dashboard path where a trial ends, without a session. Must not come from the request. */
  readonly trialPath?: string;
}

export interface Site {
  readonly projectId: Id;
  readonly siteUrl: string | null;
}

export interface SignInRedirect {
  readonly location: string;
  readonly cookie: readonly [string, string] | null;
}

/** Returns the settings of a provider, or null without any. Throws `PROVIDER_UNKNOWN`. */
export async function findProviderSettings(
  services: ProviderStore & { providers: Providers },
  projectId: Id,
  provider: string,
): Promise<ProviderSettings | null> {
  const { chooser } = services.providers.find(provider);
  return chooser?.settings ?? await findProvider(services, projectId, provider);
}

/**
 * Starts a sign-in. Redirects the browser to the provider, or with an `error` to the project's site
 * if the provider is unavailable. Throws `PROVIDER_UNKNOWN`, `PROVIDER_NOT_CONFIGURED`,
 * `SITE_URL_MISSING`, `INVALID_RETURN_TO` and `INVALID_QUERY` before anything is stored.
 */
export async function startSignIn(
  services: SignInServices,
  site: Site,
  input: StartInput,
): Promise<SignInRedirect> {
  const { config, providers, browsers } = services;
  const { projectId } = site;
  const { provider, query, trialPath = null } = input;
  const { scope, idTokens, server: find } = providers.find(provider);
  const ready = await requireReadyProvider(services, site, provider);
  const returnTo = parseReturnTo(query, ready.siteUrl);
  const applicationState = parseApplicationState(query);
  const challenge = {
    state: generateState(projectId),
    verifier: randomToken(),
    nonce: idTokens === null ? null : randomToken(),
  };
  const application = {
    clientId: ready.clientId,
    callbackUrl: callbackUrl(config.publicUrl, provider),
  };
  let location: URL;
  try {
    const server = await withinTimeLimit(find);
    location = await authorizationUrl(server, application, { ...challenge, scope });
  } catch (error) {
    const trialUrl = trialPath && config.publicUrl + trialPath;
    const back = {
      projectId,
      siteUrl: ready.siteUrl,
      provider,
      returnTo,
      applicationState,
      trialUrl,
    };
    return { location: failureAddress(services, back, error), cookie: null };
  }
  const { browserHash, cookie } = browsers.identify(input.cookies);
  await storeState(services, projectId, {
    provider,
    browserHash,
    challenge,
    returnTo,
    applicationState,
    trialPath,
  });
  return { location: location.href, cookie };
}

/** Throws `PROVIDER_UNKNOWN`, `PROVIDER_NOT_CONFIGURED` and `SITE_URL_MISSING`. */
export async function requireReadyProvider(
  services: ProviderStore & { providers: Providers },
  { projectId, siteUrl }: Site,
  provider: string,
): Promise<{ readonly clientId: string; readonly siteUrl: string }> {
  const settings = await findProviderSettings(services, projectId, provider);
  if (!settings?.enabled || settings.clientSecret === null) {
    throw new Problem("PROVIDER_NOT_CONFIGURED");
  }
  if (siteUrl === null) throw new Problem("SITE_URL_MISSING");
  return { clientId: settings.clientId, siteUrl };
}

function parseReturnTo(query: URLSearchParams, siteUrl: string): string | null {
  const [path = null, ...more] = query.getAll("return_to");
  if (path === null) return null;
  if (more.length === 0 && isReturnPath(path, siteUrl)) return path;
  throw new Problem("INVALID_RETURN_TO");
}

function parseApplicationState(query: URLSearchParams): string | null {
  const [state = null, ...more] = query.getAll("state");
  if (state === null || (more.length === 0 && state.length <= STATE_LENGTH_MAX)) return state;
  throw new Problem("INVALID_QUERY", {
    message: `state may occur once, with at most ${STATE_LENGTH_MAX} characters.`,
  });
}
