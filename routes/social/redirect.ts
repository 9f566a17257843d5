import type { Reply } from "@/lib/http/respond.ts";

/** Redirects a browser. The address may hold a secret: it is not cached or sent as referrer. */
export const redirect = (
  location: string,
  ...headers: readonly (readonly [string, string])[]
): Reply => ({
  status: 302,
  body: null,
  headers: [
    ["location", location],
    ["cache-control", "no-store"],
    ["referrer-policy", "no-referrer"],
    ...headers,
  ],
});
