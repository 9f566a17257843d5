import type { Cookies } from "../http/cookies.ts";
import { SESSION_MS } from "../limits.ts";
import type { Id } from "../store/port.ts";
import type { ApiKeyPrincipal } from "../projects/api_keys.ts";

/** The cookie with a browser's refresh token, for pages that do not store the token. */

const cookieName = (projectId: Id): string => `corbel_rt_${projectId}`;

const COOKIE_SECONDS = SESSION_MS / 1000;

/** Whether a page may use the cookie. Other origins could obtain a user's token with it. */
const isOwnOrigin = (
  { siteUrl, allowedOrigins }: ApiKeyPrincipal,
  origin: string | null,
): boolean => origin !== null && (origin === siteUrl || allowedOrigins.includes(origin));

/** Whether the origin is the project's own or missing. Pages of others could set a session. */
export const canSetCookie = (holder: ApiKeyPrincipal, origin: string | null): boolean =>
  origin === null || isOwnOrigin(holder, origin);

export interface CookieRequest {
  readonly origin: string | null;
  readonly cookie: string | null;
  /** Whether a browser sent the request, by its `Sec-Fetch-` headers, which pages cannot omit. */
  readonly fromBrowser: boolean;
}

/** Accepts the cookie without an origin only from clients other than browsers, such as apps. */
export function readRefreshCookie(
  cookies: Cookies,
  holder: ApiKeyPrincipal,
  { origin, cookie, fromBrowser }: CookieRequest,
): string | null {
  const isAccepted = origin === null ? !fromBrowser : isOwnOrigin(holder, origin);
  return isAccepted ? cookies.read(cookie, cookieName(holder.projectId)) : null;
}

/** Returns a `Set-Cookie` header. @param token Null removes the cookie. */
export const refreshCookie = (
  cookies: Cookies,
  { projectId }: ApiKeyPrincipal,
  token: string | null,
): readonly [string, string] =>
  cookies.write(cookieName(projectId), token ?? "", {
    maxAge: token === null ? 0 : COOKIE_SECONDS,
    // Pages of another site need None, which browsers accept only with Secure.
    ...(cookies.isSecure
      ? { sameSite: "None", partitioned: true } as const
      : { sameSite: "Lax" } as const),
  });
