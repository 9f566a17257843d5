import type { RequestState } from "./request.ts";

const SOCIAL = "/api/userAuth/social/";

/** Whether a person reads the answer. Old HTTP clients accept `text/html` too, and expect JSON. */
export function isVisit({ path, raw }: Pick<RequestState, "path" | "raw">): boolean {
  const { method, headers } = raw;
  if (method !== "GET" && method !== "HEAD") return false;
  if (path.startsWith("/api/") && !path.startsWith(SOCIAL)) return false;
  const mode = headers.get("sec-fetch-mode");
  if (mode !== null && mode !== "navigate") return false;
  return /(?:^|,)\s*text\/html\s*(?:,|$)/i.test(headers.get("accept") ?? "");
}
