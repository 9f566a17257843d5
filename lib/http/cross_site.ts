import { isLocalName } from "../local_hosts.ts";
import { Problem } from "../problems.ts";

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses what a page of another site could make a browser send along with its cookies. A request
 * with neither header comes from no browser. A browser that takes another name for this server, as
 * after DNS rebinding, calls its requests `same-origin`: so a foreign `Origin` is refused all the
 * same. Throws `CROSS_SITE_REQUEST`.
 */
export function refuseCrossSite({ method, headers }: Request, publicUrl: string): void {
  if (SAFE.has(method)) return;
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isOwn = site === null
    ? origin === null || origin === publicUrl
    : (site === "same-origin" || site === "none") && !isForeign(origin, publicUrl);
  if (!isOwn) throw new Problem("CROSS_SITE_REQUEST");
}

/**
 * Refuses requests to another host name than `dev` answers at: a page can have its own host name
 * lead to this machine, and would then read a server without passwords as its own. Throws
 * `HOST_NOT_ALLOWED`.
 */
export function refuseOtherHosts({ url }: Request, devHosts: readonly string[] | null): void {
  if (devHosts === null) return;
  const host = URL.parse(url)?.hostname ?? "";
  if (!isLocalName(host) && !devHosts.includes(host)) throw new Problem("HOST_NOT_ALLOWED");
}

/**
 * Whether an origin names another site than this server. A browser sends `null` for a page of ours
 * that tells no referrer. A server on this machine has several names.
 */
function isForeign(origin: string | null, publicUrl: string): boolean {
  if (origin === null || origin === "null" || origin === publicUrl) return false;
  const [sent, own] = [URL.parse(origin), new URL(publicUrl)];
  return sent === null || !isLocalName(sent.hostname) || !isLocalName(own.hostname) ||
    sent.protocol !== own.protocol || sent.port !== own.port;
}
