import type { ApiKeyPrincipal } from "@/lib/projects/api_keys.ts";
import { maySetCookie, readRefreshCookie, refreshCookie } from "@/lib/auth/refresh_cookie.ts";
import type { RefreshInput } from "@/openapi/schemas/session.ts";
import type { z } from "zod";
import type { Call } from "../call.ts";

/** A refresh token as a request brought it. */
export interface Presented {
  readonly token: string | null;
  /** Whether the client holds it itself, and not its browser. */
  readonly byClient: boolean;
}

const FETCH_METADATA = ["site", "mode", "dest", "user", "storage-access"]
  .map((name) => `sec-fetch-${name}`);

interface RefreshCall extends Call<unknown> {
  readonly input: z.infer<typeof RefreshInput>;
}

/** Looks for a refresh token in the header, then the body, then the cookie. */
export function presentedToken(call: RefreshCall, holder: ApiKeyPrincipal): Presented {
  const token = call.header("x-refresh-token") || call.input?.refreshToken;
  if (token) return { token, byClient: true };
  const sent = {
    origin: call.header("origin"),
    cookie: call.header("cookie"),
    fromBrowser: FETCH_METADATA.some((name) => call.header(name) !== null),
  };
  const kept = readRefreshCookie(call.services.cookies, holder, sent);
  return { token: kept, byClient: false };
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
