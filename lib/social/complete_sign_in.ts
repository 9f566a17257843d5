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
import { redeem } from "./oauth.ts";
import { withinTimeLimit } from "./provider_http.ts";
import { failedReturn, returnAddress, type WayBack } from "./return.ts";
import { type SignedIn, signIn } from "./sign_in.ts";
import { providerSettings, type SignInServices } from "./start_sign_in.ts";
import type { Plans } from "../projects/plans.ts";
import { type BegunSignIn, projectOf, takeState } from "./states.ts";

export interface CallbackServices extends SignInServices {
  readonly signingKeys: SigningKeys;
  readonly sessions: SessionDirectory;
  readonly tokens: AccessTokens;
  readonly userFields: UserFields;
  readonly plans: Plans;
}

export interface CallbackInput {
  readonly provider: string;
  /** What the provider sent the browser back with. */
  readonly query: URLSearchParams;
  /** The `Cookie` header. */
  readonly cookies: string | null;
  /** Whether a person sees the answer: a state that is over then leads back to the site. */
  readonly isVisit: boolean;
  readonly device: Device;
}

/**
 * Ends a sign-in: the address on the project's site that the browser is sent to, with a session
 * or, once it is known whose sign-in it is, with an `error`. That of a trial is our own, and has
 * nothing that leads to a session. A person who comes a second time, by the back button, is sent to the
 * site of the project that the state names, with an `error`. Throws `PROVIDER_UNKNOWN`, `INVALID_STATE` and
 * `SITE_URL_MISSING`, before the state is taken.
 */
export async function completeSignIn(
  services: CallbackServices,
  input: CallbackInput,
): Promise<string> {
  const { provider, query, cookies } = input;
  services.providers.find(provider); // Which not every process has.
  const state = onlyOne(query, "state");
  const projectId = state === null ? null : projectOf(state);
  const browserHashes = services.browsers.hashesOf(cookies);
  // Whoever never began a sign-in does not cost a look into the store.
  if (state === null || projectId === null || browserHashes.length === 0) {
    throw new Problem("INVALID_STATE");
  }
  const project = await services.engine.records<ProjectRecord>("control", PROJECTS).get(projectId);
  if (project === null || isTrashed(project.value)) throw new Problem("INVALID_STATE");
  const { siteUrl } = project.value;
  const mayCreate = authSettingsOf(project.value).signUp === "open";
  if (siteUrl === null) throw new Problem("SITE_URL_MISSING");
  const begun = await takeState(services, projectId, { state, provider, browserHashes });
  if (begun === null) {
    if (!input.isVisit) throw new Problem("INVALID_STATE");
    return failedReturn(
      services,
      { projectId, siteUrl, provider, returnTo: null, applicationState: null, trialUrl: null },
      new SignInFailed("over"),
    );
  }
  const { returnTo, applicationState, trialPath } = begun;
  const trialUrl = trialPath && services.config.publicUrl + trialPath;
  const way: WayBack = { projectId, siteUrl, provider, returnTo, applicationState, trialUrl };
  try {
    const signedIn = await finish(services, way, { ...input, ...begun, mayCreate });
    const { userId, isNewUser, linkedByEmail, accessToken, rtCode } = signedIn;
    const parameters = {
      provider,
      userId,
      projectId,
      isNewUser: String(isNewUser),
      linkedByEmail: String(linkedByEmail),
    };
    if (trialUrl === null) {
      return returnAddress(way, { rtCode, ...parameters }, `token=${accessToken}`);
    }
    await endTrial(services, projectId, signedIn);
    return returnAddress(way, parameters);
  } catch (error) {
    return failedReturn(services, way, error);
  }
}

async function finish(
  services: CallbackServices,
  { projectId, provider: name }: WayBack,
  { query, device, challenge, mayCreate }: CallbackInput & BegunSignIn & {
    readonly mayCreate: boolean;
  },
) {
  const { config, clock, providers } = services;
  const settings = await providerSettings(services, projectId, name);
  // It may have been switched off meanwhile.
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
    const tokens = await redeem(protocol, server, application, { query, challenge });
    return await read(tokens, http);
  }, chooser?.answer);
  return await signIn(services, projectId, { provider: name, profile, linking, mayCreate, device });
}

/** Does what the application's page would do next, and ends the session that it gets. */
async function endTrial(
  services: CallbackServices,
  projectId: Id,
  { rtCode: code, accessToken }: SignedIn,
): Promise<void> {
  const refreshToken = await exchangeCode(services, projectId, { code, accessToken });
  await logOut(services, projectId, { refreshToken, authorization: null });
}

/** The value of a parameter that may stand there once. */
function onlyOne(query: URLSearchParams, name: string): string | null {
  const values = query.getAll(name);
  return values.length === 1 ? values[0]! : null;
}
