import type { ApiKeyPrincipal } from "@/lib/projects/api_keys.ts";
import { canSetCookie, readRefreshCookie, refreshCookie } from "@/lib/auth/refresh_cookie.ts";
import type { RefreshInput } from "@/openapi/schemas/session.ts";
import type { z } from "zod";
import type { OperationContext } from "../handler.ts";

export interface PresentedToken {
  readonly token: string | null;
  /** Whether the client sent the token itself, not the browser as a cookie. */
  readonly byClient: boolean;
}

const FETCH_METADATA = ["site", "mode", "dest", "user", "storage-access"]
  .map((name) => `sec-fetch-${name}`);

type RefreshContext = OperationContext<unknown, {
  json: z.infer<typeof RefreshInput>;
  header: { readonly "x-refresh-token": string | null };
}>;

/** Reads the refresh token from the header, else from the body, else from the cookie. */
export function presentedToken(c: RefreshContext, holder: ApiKeyPrincipal): PresentedToken {
  const token = c.req.valid("header")["x-refresh-token"] || c.req.valid("json")?.refreshToken;
  if (token) return { token, byClient: true };
  const sent = {
    origin: c.req.header("origin") ?? null,
    cookie: c.req.header("cookie") ?? null,
    fromBrowser: FETCH_METADATA.some((name) => c.req.header(name) !== undefined),
  };
  const kept = readRefreshCookie(c.var.services.cookies, holder, sent);
  return { token: kept, byClient: false };
}

/** Returns the `Set-Cookie` header that stores a refresh token, or removes it for null. */
export function cookieHeaders(
  c: OperationContext<unknown>,
  holder: ApiKeyPrincipal,
  token: string | null,
): readonly (readonly [string, string])[] {
  if (!canSetCookie(holder, c.req.header("origin") ?? null)) return [];
  return [refreshCookie(c.var.services.cookies, holder, token)];
}
