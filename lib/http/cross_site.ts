import { isLocalName } from "../local_hosts.ts";
import { Problem } from "../problems.ts";

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Allows a request with neither `Sec-Fetch-Site` nor `Origin`, which is not from a browser. A
 * foreign `Origin` counts even with `same-origin`, as after DNS rebinding. Throws
 * `CROSS_SITE_REQUEST`.
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

/** Prevents pages that resolve to this machine from reading `dev`. Throws `HOST_NOT_ALLOWED`. */
export function refuseOtherHosts({ url }: Request, devHosts: readonly string[] | null): void {
  if (devHosts === null) return;
  const host = URL.parse(url)?.hostname ?? "";
  if (!isLocalName(host) && !devHosts.includes(host)) throw new Problem("HOST_NOT_ALLOWED");
}

/**
 * Whether an origin is another site than this server. Browsers send `null` for pages without a
 * referrer, which includes Corbel's own. A server on this machine has several local names.
 */
function isForeign(origin: string | null, publicUrl: string): boolean {
  if (origin === null || origin === "null" || origin === publicUrl) return false;
  const [sent, own] = [URL.parse(origin), new URL(publicUrl)];
  return sent === null || !isLocalName(sent.hostname) || !isLocalName(own.hostname) ||
    sent.protocol !== own.protocol || sent.port !== own.port;
}
