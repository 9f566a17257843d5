import * as oauth from "oauth4webapi";
import { type Clock, systemClock } from "../clock.ts";
import { jsonText, parseJson } from "../store/json_text.ts";
import type { Json } from "../store/port.ts";
import { SignInFailed } from "./failures.ts";
import type { IdTokens, Tokens } from "./provider.ts";
import type { ProviderHttp } from "./provider_http.ts";

/** The application that a project has registered at a provider. */
export interface Application {
  readonly clientId: string;
  readonly callbackUrl: string;
}

/** Secrets of a sign-in between its start and its callback. */
export interface Challenge {
  readonly state: string;
  readonly verifier: string;
  /** The nonce; null for a provider without ID tokens. */
  readonly nonce: string | null;
}

/** Seconds by which the provider's clock may differ. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** Returns the address where the browser signs in. Always uses PKCE with S256. */
export async function authorizationUrl(
  server: oauth.AuthorizationServer,
  { clientId, callbackUrl }: Application,
  { state, verifier, nonce, scope }: Challenge & { readonly scope: string },
): Promise<URL> {
  const url = URL.parse(server.authorization_endpoint ?? "");
  if (url === null) throw new SignInFailed("unavailable", "no authorization_endpoint");
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: callbackUrl,
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...(nonce !== null && { nonce }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/** Verifies an ID token, including nonce and algorithm. Throws {@linkcode SignInFailed}. */
export async function redeemCode(
  services: { clock: Clock; http: ProviderHttp; idTokens: IdTokens | null },
  server: oauth.AuthorizationServer,
  application: Application & { readonly clientSecret: string },
  { query, challenge }: { query: URLSearchParams; challenge: Challenge },
): Promise<Tokens> {
  const { clock, http, idTokens } = services;
  const { clientId, clientSecret, callbackUrl } = application;
  const client: oauth.Client = {
    client_id: clientId,
    [oauth.clockSkew]: Math.round((clock.now() - systemClock.now()) / 1000),
    [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
    ...(idTokens !== null && { id_token_signed_response_alg: idTokens.algorithm }),
  };
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.ClientSecretPost(clientSecret),
    oauth.validateAuthResponse(server, client, query, challenge.state),
    callbackUrl,
    challenge.verifier,
    oauthOptions(server.issuer, http, toConformingResponse),
  );
  if (idTokens === null) {
    const { access_token } = await oauth.processAuthorizationCodeResponse(server, client, answer);
    return { accessToken: access_token, claims: undefined };
  }
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
    expectedNonce: challenge.nonce!,
    requireIdToken: true,
  });
  await idTokens.checkSignature(server, answer, http);
  const claims = oauth.getValidatedIdTokenClaims(tokens)!;
  // The library checks only the expiry.
  if (claims.iat > clock.now() / 1000 + CLOCK_TOLERANCE_SECONDS) {
    throw new SignInFailed("unverified", "iat is in the future");
  }
  return { accessToken: tokens.access_token, claims };
}

/** Returns options for the library. Plain http is allowed for configured local issuers only. */
export const oauthOptions = (
  issuer: string,
  http: ProviderHttp,
  normalise: (answer: Response) => Response | Promise<Response> = (answer) => answer,
) => ({
  [oauth.allowInsecureRequests]: issuer.startsWith("http:"),
  [oauth.customFetch]: async (
    url: string,
    { method, headers, body }: oauth.CustomFetchOptions<string, URLSearchParams | undefined>,
  ) => normalise(await http.fetch(url, { method, headers, ...(body && { body }) })),
});

/** Some providers use form encoding, or send an error with status 200. */
async function toConformingResponse(answer: Response): Promise<Response> {
  const type = answer.headers.get("content-type") ?? "";
  const text = await answer.text();
  let body: Json;
  try {
    body = type.startsWith("application/x-www-form-urlencoded")
      ? Object.fromEntries(new URLSearchParams(text))
      : parseJson(text);
  } catch {
    throw new SignInFailed("unavailable", `no JSON, status ${answer.status}`);
  }
  const isError = typeof body === "object" && body !== null && "error" in body;
  const status = answer.ok && isError ? 400 : answer.status;
  return new Response(jsonText(body), { status, headers: { "content-type": "application/json" } });
}

const MALFORMED: readonly string[] = [
  oauth.RESPONSE_IS_NOT_CONFORM,
  oauth.RESPONSE_IS_NOT_JSON,
  oauth.PARSE_ERROR,
  oauth.MISSING_SERVER_METADATA,
  oauth.INVALID_SERVER_METADATA,
  oauth.HTTP_REQUEST_FORBIDDEN,
  oauth.REQUEST_PROTOCOL_FORBIDDEN,
];

/** Converts errors of the library. Drops causes, because they contain tokens and claims. */
export function toSignInFailure(error: unknown): unknown {
  if (error instanceof oauth.AuthorizationResponseError) {
    return new SignInFailed(
      error.error === "access_denied" ? "cancelled" : "refused",
      errorCodeOf(error),
    );
  }
  if (error instanceof oauth.ResponseBodyError) {
    return new SignInFailed("refused", errorCodeOf(error));
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) return new SignInFailed("refused");
  if (error instanceof oauth.OperationProcessingError) {
    const reason = MALFORMED.includes(error.code ?? "") ? "unavailable" : "unverified";
    return new SignInFailed(reason, error.code ?? null);
  }
  if (error instanceof oauth.UnsupportedOperationError) {
    return new SignInFailed("unverified", error.code);
  }
  return error;
}

/** Returns the error code of a provider, or null if it does not look like a code. */
const errorCodeOf = ({ error }: { error: string }): string | null =>
  /^[\w.-]{1,64}$/.test(error) ? error : null;
