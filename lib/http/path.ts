/** The address of a request, in the one form that is routed and acted on. */
export interface Address {
  /** Decoded; no empty or dot segments, no encoded separators, no slash at its end. */
  readonly path: string;
  /** What follows the question mark, as sent. */
  readonly query: string;
  /** Whether the path could not be brought to that form. */
  readonly malformed: boolean;
}

const DATA = "/api/data/";

/** Where every path that begins with `/api/data/users` is routed, in any case or encoding. */
export const RESERVED_PATH = "/api/data/users";

/** Whether documents are read and written at this path. */
export const isDataPath = (path: string): boolean => path.startsWith(DATA);

const STORAGE = "/api/storage/";

/** Whether refusals at this path also carry `error`, as those of operations on files do. */
export const isStoragePath = (path: string): boolean => path.startsWith(STORAGE);

/** Where uploads are resumed by tus. */
export const RESUMABLE = `${STORAGE}resumable/`;

/** Whether answers at this path carry the headers of tus. */
export const isResumablePath = (path: string): boolean => path.startsWith(RESUMABLE);

const DASHBOARD = /^\/api\/(?:auth|user|projects|invitations)(?:\/|$)/;
const JWKS = /^\/api\/projects\/[^/]+\/jwks\.json$/;

const PAGES = /^\/dashboard(?:\/|$)/;

/** Whether people look at what is answered at this path, refusals too. */
export const isPagePath = (path: string): boolean => PAGES.test(path);

/** Whether only the dashboard's own pages may read what is answered at this path. */
export const isDashboardPath = (path: string): boolean =>
  isPagePath(path) || (DASHBOARD.test(path) && !JWKS.test(path));

const SIMPLE = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)*\/?$/;

/**
 * Reads `request.url`, which Deno hands over as it was sent, with the scheme and the host in front;
 * those may be the client's own, and without a path behind them it is the root.
 */
export function readAddress(url: string): Address {
  const start = authorityEnd(url);
  const hash = url.indexOf("#", start);
  const target = url.slice(start, hash < 0 ? url.length : hash);
  const mark = target.indexOf("?");
  const raw = (mark < 0 ? target : target.slice(0, mark)) || "/";
  const query = mark < 0 ? "" : target.slice(mark + 1);
  const simple = SIMPLE.test(raw);
  const path = simple ? raw : decoded(raw);
  if (leadsToUsers(raw) || (!simple && path !== null && leadsToUsers(path))) {
    return { path: RESERVED_PATH, query, malformed: false };
  }
  return { path: withoutLastSlash(path ?? raw), query, malformed: path === null };
}

const withoutLastSlash = (path: string): string =>
  path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;

/** Where the host ends: at the first slash, question mark or hash, whichever it is. */
function authorityEnd(url: string): number {
  for (let i = url.indexOf("://") + 3; i < url.length; i++) {
    const char = url[i];
    if (char === "/" || char === "?" || char === "#") return i;
  }
  return url.length;
}

const USERS = /^users/i;

/** Whether no collection can be called so, because users are not kept as documents. */
export const namesUsers = (collection: string): boolean => USERS.test(collection);

function leadsToUsers(raw: string): boolean {
  if (!isDataPath(raw)) return false;
  const end = raw.indexOf("/", DATA.length);
  const segment = raw.slice(DATA.length, end < 0 ? raw.length : end);
  return namesUsers(decodedSegment(segment) ?? segment);
}

/** Null if what is decoded could be taken for another path. */
function decoded(raw: string): string | null {
  const segments = raw.split("/").slice(1);
  const clean: string[] = [];
  for (const [i, segment] of segments.entries()) {
    const text = decodedSegment(segment);
    const isLast = i === segments.length - 1;
    if (text === null || (text === "" && !isLast) || text === "." || text === "..") return null;
    if (/[/\\%\p{Cc}]/u.test(text)) return null;
    clean.push(text);
  }
  return `/${clean.join("/")}`;
}

function decodedSegment(segment: string): string | null {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
