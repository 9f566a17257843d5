import type { RequestState } from "@/lib/http/request.ts";

const SIGN_IN = "/dashboard/sign-in";
const PROJECTS = "/dashboard";

/** Nothing but a path below the dashboard, of plain characters: it leads to no other site. */
const OURS = /^\/dashboard(?:[/?][!-[\]-~]*)?$/;

/** Where sign-in leads back to; a stranger's idea of it leads to the projects. */
export const nextPath = (text: string | null): string =>
  text !== null && OURS.test(text) && isPlain(text) ? text : PROJECTS;

/** The token of the invitation that a path leads to; null for another path. */
export const invitationIn = (next: string): string | null =>
  /^\/dashboard\/invitations\/([\w-]+)$/.exec(next)?.[1] ?? null;

/** Whether the browser goes where the path says: dot segments lead out of the dashboard. */
const isPlain = (text: string): boolean =>
  URL.parse(text, "http://localhost")?.pathname === text.split("?", 1)[0];

/** Whether a page is looked at, and not one of its parts, its events or what its form is sent to. */
export const isNavigation = ({ raw: { method, headers } }: Pick<RequestState, "raw">): boolean =>
  (method === "GET" || method === "HEAD") && !isHtmxPartial(headers) &&
  headers.get("accept") !== "text/event-stream";

/** Whether a script asks for a part of a page that is there already. */
export const isHtmxPartial = (headers: Headers): boolean =>
  headers.get("hx-request-type") === "partial";

/**
 * Where to sign in for what was asked, with the way back. Of a form, and of a part, it is the page
 * that sent it.
 */
export function signInPath(state: RequestState): string {
  const { raw, path, query } = state;
  const asked = isNavigation(state)
    ? encodeURI(path) + (query === "" ? "" : `?${query}`)
    : refererPath(raw.headers.get("referer"));
  const next = nextPath(asked);
  return next === PROJECTS ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ next })}`;
}

/** The path above: pages have what their forms are sent to below them. */
export const pathAbove = (path: string): string => encodeURI(path.slice(0, path.lastIndexOf("/")));

/** Of the page that sent a request; null where that is not told. */
export function refererPath(referer: string | null): string | null {
  const url = referer === null ? null : URL.parse(referer);
  return url && url.pathname + url.search;
}
