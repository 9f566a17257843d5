import type { Cookies } from "../http/cookies.ts";
import { SESSION_MS } from "../limits.ts";
import type { Id } from "../store/port.ts";
import type { ApiKeyPrincipal } from "../projects/api_keys.ts";

/** The cookie that holds a browser's refresh token, for pages that keep none themselves. */

const nameOf = (projectId: Id): string => `corbel_rt_${projectId}`;

const SECONDS = SESSION_MS / 1000;

/**
 * Whether a page of this origin may use the cookie: only the project's own. Any other page could
 * read a signed-in user's token by it.
 */
const isOwnOrigin = (
  { siteUrl, allowedOrigins }: ApiKeyPrincipal,
  origin: string | null,
): boolean => origin !== null && (origin === siteUrl || allowedOrigins.includes(origin));

/**
 * Whether an answer may set or remove it. A page of another origin could plant a session of its
 * own, or sign the user out; a request without an origin comes from no page.
 */
export const maySetCookie = (holder: ApiKeyPrincipal, origin: string | null): boolean =>
  origin === null || isOwnOrigin(holder, origin);

export interface CookieRequest {
  readonly origin: string | null;
  /** The `Cookie` header. */
  readonly cookie: string | null;
  /** Whether a browser sent it: it says so in `Sec-Fetch-` headers, which no page can leave out. */
  readonly fromBrowser: boolean;
}

/**
 * The token in the cookie; null also where the cookie does not count. Without an origin it counts
 * for what is no browser, such as an application on a phone, whose cookies no page can use.
 */
export function readRefreshCookie(
  cookies: Cookies,
  holder: ApiKeyPrincipal,
  { origin, cookie, fromBrowser }: CookieRequest,
): string | null {
  const counts = origin === null ? !fromBrowser : isOwnOrigin(holder, origin);
  return counts ? cookies.read(cookie, nameOf(holder.projectId)) : null;
}

/** @param token Null removes the cookie. */
export const refreshCookie = (
  cookies: Cookies,
  { projectId }: ApiKeyPrincipal,
  token: string | null,
): readonly [string, string] =>
  cookies.write(nameOf(projectId), token ?? "", {
    maxAge: token === null ? 0 : SECONDS,
    // Pages of another site need None, which browsers take only together with Secure.
    ...(cookies.isSecure
      ? { sameSite: "None", partitioned: true } as const
      : { sameSite: "Lax" } as const),
  });
