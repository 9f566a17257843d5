import type { RequestState } from "./request.ts";

const SOCIAL = "/api/userAuth/social/";

/**
 * Returns whether a browser navigates to the address, so that a person reads the answer in its
 * window. Under `/api` a browser navigates only to the addresses of social sign-in: old HTTP clients
 * name `text/html` in `Accept` as well, and expect JSON there.
 */
export function isVisit({ path, raw }: Pick<RequestState, "path" | "raw">): boolean {
  const { method, headers } = raw;
  if (method !== "GET" && method !== "HEAD") return false;
  if (path.startsWith("/api/") && !path.startsWith(SOCIAL)) return false;
  const mode = headers.get("sec-fetch-mode");
  if (mode !== null && mode !== "navigate") return false;
  return /(?:^|,)\s*text\/html\s*(?:,|$)/i.test(headers.get("accept") ?? "");
}
