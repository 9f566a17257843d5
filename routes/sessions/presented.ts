import type { ApiKeyPrincipal } from "@/lib/auth/api_keys.ts";
import { maySetCookie, readRefreshCookie, refreshCookie } from "@/lib/auth/refresh_cookie.ts";
import { asMembers } from "@/lib/documents/document.ts";
import { Problem } from "@/lib/problems.ts";
import { own } from "@/lib/store/shape.ts";
import type { Call } from "../call.ts";

/** A refresh token as a request brought it. */
export interface Presented {
  readonly token: string | null;
  /** Whether the client holds it itself, and not its browser. */
  readonly byClient: boolean;
}

const FETCH_METADATA = ["site", "mode", "dest", "user", "storage-access"]
  .map((name) => `sec-fetch-${name}`);

/**
 * Looks for a refresh token in the header, then the body, then the cookie. Where `isLenient`, a body
 * that cannot be read holds none.
 */
export async function presentedToken(
  call: Call<unknown>,
  holder: ApiKeyPrincipal,
  { isLenient = false } = {},
): Promise<Presented> {
  const inBody = () =>
    tokenOfBody(call).catch((error) => {
      if (isLenient && error instanceof Problem && error.status < 500) return null;
      throw error;
    });
  const token = call.header("x-refresh-token") || await inBody();
  if (token !== null) return { token, byClient: true };
  const sent = {
    origin: call.header("origin"),
    cookie: call.header("cookie"),
    fromBrowser: FETCH_METADATA.some((name) => call.header(name) !== null),
  };
  const kept = readRefreshCookie(call.services.cookies, holder, sent);
  return { token: kept, byClient: false };
}

async function tokenOfBody({ optionalBody }: Call<unknown>): Promise<string | null> {
  const body = await optionalBody();
  if (body === undefined) return null;
  const token = own(asMembers(body), "refreshToken") ?? null;
  if (token === null || typeof token === "string") return token || null;
  throw new Problem("INVALID_BODY", { message: '"refreshToken" must be text.' });
}

/** Whether the client wants nothing to do with the cookie. */
export const isHeaderMode = ({ header }: Call<unknown>): boolean =>
  header("x-refresh-token-mode")?.toLowerCase() === "header";

/** The cookie for an answer with a fresh token, or without one to remove it. */
export function cookieHeaders(
  call: Call<unknown>,
  holder: ApiKeyPrincipal,
  token: string | null,
): readonly (readonly [string, string])[] {
  const unwanted = token !== null && isHeaderMode(call);
  if (unwanted || !maySetCookie(holder, call.header("origin"))) return [];
  return [refreshCookie(call.services.cookies, holder, token)];
}
