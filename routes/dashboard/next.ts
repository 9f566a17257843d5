import type { RequestState } from "@/lib/http/request.ts";

const SIGN_IN = "/dashboard/sign-in";
const PROJECTS = "/dashboard";

/** A path below the dashboard in plain characters, which cannot lead to another site. */
const DASHBOARD_PATH = /^\/dashboard(?:[/?][!-[\]-~]*)?$/;

/** Returns `text` if it is a page of the dashboard, else the path of the projects. */
export const nextPath = (text: string | null): string =>
  text !== null && DASHBOARD_PATH.test(text) && hasNoDotSegments(text) ? text : PROJECTS;

/** Returns the token of an invitation's path, or null for another path. */
export const invitationTokenIn = (next: string): string | null =>
  /^\/dashboard\/invitations\/([\w-]+)$/.exec(next)?.[1] ?? null;

/** Whether a path is without dot segments, which could lead out of the dashboard. */
const hasNoDotSegments = (text: string): boolean =>
  URL.parse(text, "http://localhost")?.pathname === text.split("?", 1)[0];

/** Whether the request navigates to a page, as opposed to a form, a part or events. */
export const isNavigation = ({ raw: { method, headers } }: Pick<RequestState, "raw">): boolean =>
  (method === "GET" || method === "HEAD") && !isHtmxPartial(headers) &&
  headers.get("accept") !== "text/event-stream";

export const isHtmxPartial = (headers: Headers): boolean =>
  headers.get("hx-request-type") === "partial";

/** Returns the sign-in page with the page to return to: the requested or the sending one. */
export function signInPath(state: RequestState): string {
  const { raw, path, query } = state;
  const asked = isNavigation(state)
    ? encodeURI(path) + (query === "" ? "" : `?${query}`)
    : refererPath(raw.headers.get("referer"));
  const next = nextPath(asked);
  return next === PROJECTS ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ next })}`;
}

/** Returns the parent path, which for the address of a form is the form's page. */
export const pathAbove = (path: string): string => encodeURI(path.slice(0, path.lastIndexOf("/")));

/** Returns the path of the page that sent a request, or null if `Referer` is missing. */
export function refererPath(referer: string | null): string | null {
  const url = referer === null ? null : URL.parse(referer);
  return url && url.pathname + url.search;
}
