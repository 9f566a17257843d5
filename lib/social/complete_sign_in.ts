import type { AccessTokens } from "../auth/access_tokens.ts";
import { logOut } from "../auth/end_sessions.ts";
import { exchangeCode } from "../auth/exchange_code.ts";
import type { Device, SessionDirectory } from "../auth/sessions.ts";
import type { SigningKeys } from "../projects/signing_keys.ts";
import { authSettingsOf } from "../projects/auth_settings.ts";
import { isTrashed, type ProjectRecord, PROJECTS } from "../projects/records.ts";
import { Problem } from "../problems.ts";
import type { Id } from "../store/port.ts";
import type { UserFields } from "../users/user_fields.ts";
import { callbackUrl } from "./callback_url.ts";
import { SignInFailed } from "./failures.ts";
import { redeemCode } from "./oauth.ts";
import { withinTimeLimit } from "./provider_http.ts";
import { failureAddress, returnAddress, type ReturnTarget } from "./return_address.ts";
import { type SignedIn, signIn } from "./sign_in.ts";
import { findProviderSettings, type SignInServices } from "./start_sign_in.ts";
import type { Plans } from "../projects/plans.ts";
import { projectOfState, type StartedSignIn, takeState } from "./states.ts";

export interface CallbackServices extends SignInServices {
  readonly signingKeys: SigningKeys;
  readonly sessions: SessionDirectory;
  readonly tokens: AccessTokens;
  readonly userFields: UserFields;
  readonly plans: Plans;
}

export interface CallbackInput {
  readonly provider: string;
  /** The query with which the provider sent the browser back. */
  readonly query: URLSearchParams;
  readonly cookies: string | null;
  /** Whether a person sees the response. Then an expired state redirects to the site. */
  readonly isVisit: boolean;
  readonly device: Device;
}

/**
 * Completes a sign-in. Returns the address on the project's site, with a session or an `error`; for
 * a trial, one of the dashboard. A person who comes back with a used state is redirected with an
 * `error`. Throws `PROVIDER_UNKNOWN`, `INVALID_STATE` and `SITE_URL_MISSING` before the state is
 * used up.
 */
export async function completeSignIn(
  services: CallbackServices,
  input: CallbackInput,
): Promise<string> {
  const { provider, query, cookies } = input;
  services.providers.find(provider); // Throws if this process does not have the provider.
  const state = singleValue(query, "state");
  const projectId = state === null ? null : projectOfState(state);
  const browserHashes = services.browsers.hashesOf(cookies);
  // A browser that has not started a sign-in is refused without a read of the store.
  if (state === null || projectId === null || browserHashes.length === 0) {
    throw new Problem("INVALID_STATE");
  }
  const project = await services.engine.records<ProjectRecord>("control", PROJECTS).get(projectId);
  if (project === null || isTrashed(project.value)) throw new Problem("INVALID_STATE");
  const { siteUrl } = project.value;
  const canCreateUser = authSettingsOf(project.value).signUp === "open";
  if (siteUrl === null) throw new Problem("SITE_URL_MISSING");
  const started = await takeState(services, projectId, { state, provider, browserHashes });
  if (started === null) {
    if (!input.isVisit) throw new Problem("INVALID_STATE");
    return failureAddress(
      services,
      { projectId, siteUrl, provider, returnTo: null, applicationState: null, trialUrl: null },
      new SignInFailed("over"),
    );
  }
  const { returnTo, applicationState, trialPath } = started;
  const trialUrl = trialPath && services.config.publicUrl + trialPath;
  const target: ReturnTarget = {
    projectId,
    siteUrl,
    provider,
    returnTo,
    applicationState,
    trialUrl,
  };
  try {
    const signedIn = await finishSignIn(services, target, { ...input, ...started, canCreateUser });
    const { userId, isNewUser, linkedByEmail, accessToken, rtCode } = signedIn;
    const parameters = {
      provider,
      userId,
      projectId,
      isNewUser: String(isNewUser),
      linkedByEmail: String(linkedByEmail),
    };
    if (trialUrl === null) {
      return returnAddress(target, { rtCode, ...parameters }, `token=${accessToken}`);
    }
    await endTrial(services, projectId, signedIn);
    return returnAddress(target, parameters);
  } catch (error) {
    return failureAddress(services, target, error);
  }
}

async function finishSignIn(
  services: CallbackServices,
  { projectId, provider: name }: ReturnTarget,
  { query, device, challenge, canCreateUser }: CallbackInput & StartedSignIn & {
    readonly canCreateUser: boolean;
  },
) {
  const { config, clock, providers } = services;
  const settings = await findProviderSettings(services, projectId, name);
  // The provider may have been disabled since the start.
  if (!settings?.enabled || settings.clientSecret === null) throw new SignInFailed("off");
  const { clientId, clientSecret, linking } = settings;
  const application = {
    clientId,
    clientSecret: clientSecret.reveal(),
    callbackUrl: callbackUrl(config.publicUrl, name),
  };
  const { server: find, idTokens, profile: read, chooser } = providers.find(name);
  const profile = await withinTimeLimit(async (http) => {
    const server = await find(http);
    const protocol = { clock, http, idTokens };
    const tokens = await redeemCode(protocol, server, application, { query, challenge });
    return await read(tokens, http);
  }, chooser?.answer);
  return await signIn(services, projectId, {
    provider: name,
    profile,
    linking,
    canCreateUser,
    device,
  });
}

/** Exchanges the code like an application would, and ends the session. */
async function endTrial(
  services: CallbackServices,
  projectId: Id,
  { rtCode: code, accessToken }: SignedIn,
): Promise<void> {
  const refreshToken = await exchangeCode(services, projectId, { code, accessToken });
  await logOut(services, projectId, { refreshToken, authorization: null });
}

/** Returns the value of a parameter that occurs exactly once, or null. */
function singleValue(query: URLSearchParams, name: string): string | null {
  const values = query.getAll(name);
  return values.length === 1 ? values[0]! : null;
}
