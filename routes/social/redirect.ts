import type { Reply } from "@/lib/http/respond.ts";

/** Sends a browser on. The address may hold a token or a code: nobody keeps it or passes it on. */
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
