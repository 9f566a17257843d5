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
import { failedReturn, type SignInLog } from "./return.ts";
import { isReturnPath } from "./return_path.ts";
import { keepState, newState } from "./states.ts";

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
  /** May hold `return_to`, a path on the project's site, and `state`, the application's own. */
  readonly query: URLSearchParams;
  /** The `Cookie` header. */
  readonly cookies: string | null;
  /**
   * A path of our own: a member tries the sign-in, which ends there instead of on the project's
   * site, without a session. It is the caller's, never a request's.
   */
  readonly trialPath?: string;
}

/** A project, and where its users come back to. */
export interface Site {
  readonly projectId: Id;
  readonly siteUrl: string | null;
}

/** Where the browser is sent. */
export interface Departure {
  readonly location: string;
  /** A `Set-Cookie` header. */
  readonly cookie: readonly [string, string] | null;
}

/** What a project has with a provider; null for nothing. Throws `PROVIDER_UNKNOWN`. */
export async function providerSettings(
  services: ProviderStore & { providers: Providers },
  projectId: Id,
  provider: string,
): Promise<ProviderSettings | null> {
  const { chooser } = services.providers.find(provider);
  return chooser?.settings ?? await findProvider(services, projectId, provider);
}

/**
 * Begins a sign-in: sends the browser to the provider, or with an `error` back to the project's
 * site where the provider cannot be found. Throws `PROVIDER_UNKNOWN`, `PROVIDER_NOT_CONFIGURED`,
 * `SITE_URL_MISSING`, `INVALID_RETURN_TO` and `INVALID_QUERY`, all before anything is stored.
 */
export async function startSignIn(
  services: SignInServices,
  site: Site,
  input: StartInput,
): Promise<Departure> {
  const { config, providers, browsers } = services;
  const { projectId } = site;
  const { provider, query, trialPath = null } = input;
  const { scope, idTokens, server: find } = providers.find(provider);
  const ready = await readyToSignIn(services, site, provider);
  const returnTo = returnToOf(query, ready.siteUrl);
  const applicationState = applicationStateOf(query);
  const challenge = {
    state: newState(projectId),
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
    return { location: failedReturn(services, back, error), cookie: null };
  }
  const { browserHash, cookie } = browsers.recognise(input.cookies);
  await keepState(services, projectId, {
    provider,
    browserHash,
    challenge,
    returnTo,
    applicationState,
    trialPath,
  });
  return { location: location.href, cookie };
}

/**
 * What a sign-in begins with. Throws `PROVIDER_UNKNOWN`, `PROVIDER_NOT_CONFIGURED` and
 * `SITE_URL_MISSING`.
 */
export async function readyToSignIn(
  services: ProviderStore & { providers: Providers },
  { projectId, siteUrl }: Site,
  provider: string,
): Promise<{ readonly clientId: string; readonly siteUrl: string }> {
  const settings = await providerSettings(services, projectId, provider);
  if (!settings?.enabled || settings.clientSecret === null) {
    throw new Problem("PROVIDER_NOT_CONFIGURED");
  }
  if (siteUrl === null) throw new Problem("SITE_URL_MISSING");
  return { clientId: settings.clientId, siteUrl };
}

function returnToOf(query: URLSearchParams, siteUrl: string): string | null {
  const [path = null, ...more] = query.getAll("return_to");
  if (path === null) return null;
  if (more.length === 0 && isReturnPath(path, siteUrl)) return path;
  throw new Problem("INVALID_RETURN_TO");
}

function applicationStateOf(query: URLSearchParams): string | null {
  const [state = null, ...more] = query.getAll("state");
  if (state === null || (more.length === 0 && state.length <= STATE_LENGTH_MAX)) return state;
  throw new Problem("INVALID_QUERY", {
    message: `state may stand there once, with at most ${STATE_LENGTH_MAX} characters.`,
  });
}
