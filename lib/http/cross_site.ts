import { Problem } from "../problems.ts";

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses what a page of another site could make a browser send along with its cookies. A request
 * with neither header comes from no browser. Throws `CROSS_SITE_REQUEST`.
 */
export function refuseCrossSite({ method, headers }: Request, publicUrl: string): void {
  if (SAFE.has(method)) return;
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isOwn = site === null
    ? origin === null || origin === publicUrl
    : site === "same-origin" || site === "none";
  if (!isOwn) throw new Problem("CROSS_SITE_REQUEST");
}
