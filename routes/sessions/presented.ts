import type { ApiKeyPrincipal } from "@/lib/projects/api_keys.ts";
import { maySetCookie, readRefreshCookie, refreshCookie } from "@/lib/auth/refresh_cookie.ts";
import type { RefreshInput } from "@/openapi/schemas/session.ts";
import type { z } from "zod";
import type { OperationContext } from "../handler.ts";

/** A refresh token as a request brought it. */
export interface Presented {
  readonly token: string | null;
  /** Whether the client holds it itself, and not its browser. */
  readonly byClient: boolean;
}

const FETCH_METADATA = ["site", "mode", "dest", "user", "storage-access"]
  .map((name) => `sec-fetch-${name}`);

type RefreshContext = OperationContext<unknown, {
  json: z.infer<typeof RefreshInput>;
  header: { readonly "x-refresh-token": string | null };
}>;

/** Looks for a refresh token in the header, then the body, then the cookie. */
export function presentedToken(c: RefreshContext, holder: ApiKeyPrincipal): Presented {
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

/** The cookie for an answer with a fresh token, or without one to remove it. */
export function cookieHeaders(
  c: OperationContext<unknown>,
  holder: ApiKeyPrincipal,
  token: string | null,
): readonly (readonly [string, string])[] {
  if (!maySetCookie(holder, c.req.header("origin") ?? null)) return [];
  return [refreshCookie(c.var.services.cookies, holder, token)];
}
