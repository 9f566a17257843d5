import type { RequestState } from "@/lib/http/request.ts";

const SIGN_IN = "/dashboard/sign-in";
const PROJECTS = "/dashboard";

/** Nothing but a path below the dashboard, of plain characters: it leads to no other site. */
const OURS = /^\/dashboard(?:[/?][!-[\]-~]*)?$/;

/** Where sign-in leads back to; a stranger's idea of it leads to the projects. */
export const nextPath = (text: string | null): string =>
  text !== null && OURS.test(text) ? text : PROJECTS;

/** Where to sign in for what was asked, with the way back. Of a form it is the page that sent it. */
export function signInPath({ raw, path, query }: RequestState): string {
  const asked = raw.method === "GET" || raw.method === "HEAD"
    ? encodeURI(path) + (query === "" ? "" : `?${query}`)
    : refererPath(raw.headers.get("referer"));
  const next = nextPath(asked);
  return next === PROJECTS ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ next })}`;
}

function refererPath(referer: string | null): string | null {
  const url = referer === null ? null : URL.parse(referer);
  return url && url.pathname + url.search;
}
