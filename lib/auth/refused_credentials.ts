import { decodeJwt } from "jose";
import type { Credentials } from "../http/request.ts";
import { isApiKey } from "../projects/api_keys.ts";
import type { Id } from "../store/port.ts";

/** Explanations depend only on the credentials, so they reveal nothing about stored data. */

const KEY_ADVICE = "send a key of the project as the header x-api-key";

export function explainRefusedKey(
  { apiKey, authorization }: Pick<Credentials, "apiKey"> & Partial<Credentials>,
): string {
  if (apiKey !== null && apiKey !== "") {
    return isApiKey(apiKey)
      ? "No project here has this API key: it was rotated or deleted, or is another server's."
      : "This is not an API key, which is pk_live_ or sk_live_ and 43 characters. Copy all of " +
        "it, without quotes or spaces.";
  }
  return containsKey(authorization ?? null)
    ? "The API key was sent in Authorization, which is for a user's access token: send it as the " +
      "header x-api-key instead."
    : `The API key is missing: ${KEY_ADVICE}.`;
}

const KEY_PREFIX = /^(?:Bearer\s+)?[ps]k_live_/i;

const containsKey = (authorization: string | null): boolean =>
  authorization !== null && KEY_PREFIX.test(authorization);

export const explainRefusedHeader = (authorization: string): string =>
  containsKey(authorization) ? KEY_AS_TOKEN : 'The access token must follow "Bearer ": send ' +
    "Authorization: Bearer <accessToken>.";

const KEY_AS_TOKEN = "Authorization holds an API key, and is for a user's access token: leave it " +
  "out, or send the token of a signed-in user.";

/** Explains why a token is invalid. Its claims may be forged, because no signature is verified. */
export function explainRefusedToken(
  token: string,
  { projectId, now }: { readonly projectId: Id; readonly now: number },
): string {
  if (containsKey(token)) return KEY_AS_TOKEN;
  const claims = decodeClaims(token);
  if (claims === null) {
    return "This is not an access token: send the complete accessToken of a sign-in.";
  }
  if (typeof claims.aud === "string" && claims.aud !== projectId) {
    return "The access token is for another project than the API key: sign in with this " +
      "project's key.";
  }
  return typeof claims.exp === "number" && claims.exp * 1000 <= now
    ? "The access token has expired: renew it, or sign in again."
    : "The access token is not valid, or its session has ended: renew it, or sign in again.";
}

function decodeClaims(token: string): { readonly aud?: unknown; readonly exp?: unknown } | null {
  try {
    return decodeJwt(token);
  } catch {
    return null;
  }
}
