import { decodeJwt } from "jose";
import type { Credentials } from "../http/request.ts";
import { isApiKey } from "../projects/api_keys.ts";
import type { Id } from "../store/port.ts";

/**
 * Why credentials are refused, by what they say themselves: nothing here is looked up, so nothing is
 * told of any project, key or session.
 */

const AS_HEADER = "send a key of the project as the header x-api-key";

/** Why there is no project behind a key. */
export function whyKeyIsRefused(
  { apiKey, authorization }: Pick<Credentials, "apiKey"> & Partial<Credentials>,
): string {
  if (apiKey !== null && apiKey !== "") {
    return isApiKey(apiKey)
      ? "No project here has this API key: it was rotated or deleted, or is another server's."
      : "This is no API key: one is pk_live_ or sk_live_ and 43 characters behind it. Copy it " +
        "whole, without quotes or spaces.";
  }
  return holdsKey(authorization ?? null)
    ? "The API key was sent in Authorization, which is for a user's access token: send it as the " +
      "header x-api-key instead."
    : `The API key is missing: ${AS_HEADER}.`;
}

const KEY_PREFIX = /^(?:Bearer\s+)?[ps]k_live_/i;

const holdsKey = (authorization: string | null): boolean =>
  authorization !== null && KEY_PREFIX.test(authorization);

/** Why an `Authorization` header without an access token is refused. */
export const whyHeaderIsRefused = (authorization: string): string =>
  holdsKey(authorization) ? KEY_AS_TOKEN : 'The access token must stand behind "Bearer ": send ' +
    "Authorization: Bearer <accessToken>.";

const KEY_AS_TOKEN = "Authorization holds an API key, and is for a user's access token: leave it " +
  "out, or send the token of a signed-in user.";

/** Why a token is refused. Its signature is not looked at, so what it says may be made up. */
export function whyTokenIsRefused(
  token: string,
  { projectId, now }: { readonly projectId: Id; readonly now: number },
): string {
  if (holdsKey(token)) return KEY_AS_TOKEN;
  const claims = claimsIn(token);
  if (claims === null) return "This is no access token: send the accessToken of a sign-in, whole.";
  if (typeof claims.aud === "string" && claims.aud !== projectId) {
    return "The access token is for another project than the API key: sign in with this " +
      "project's key.";
  }
  return typeof claims.exp === "number" && claims.exp * 1000 <= now
    ? "The access token has expired: renew it, or sign in again."
    : "The access token is not valid, or its session has ended: renew it, or sign in again.";
}

function claimsIn(token: string): { readonly aud?: unknown; readonly exp?: unknown } | null {
  try {
    return decodeJwt(token);
  } catch {
    return null;
  }
}
