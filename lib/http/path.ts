/** The normalized address of a request, by which it is routed. */
export interface Address {
  /** The decoded path, without empty or dot segments, encoded separators or a final slash. */
  readonly path: string;
  /** The query as it was sent, without the question mark. */
  readonly query: string;
  /** Whether the path could not be normalized. */
  readonly malformed: boolean;
}

const DATA = "/api/data/";

/** The path to which every path that begins with `/api/data/users` is routed, in any encoding. */
export const RESERVED_PATH = "/api/data/users";

export const isDataPath = (path: string): boolean => path.startsWith(DATA);

const STORAGE = "/api/storage/";

/** Whether a path belongs to operations on files, whose problems also have the member `error`. */
export const isStoragePath = (path: string): boolean => path.startsWith(STORAGE);

/** Path prefix of resumable uploads with the tus protocol. */
export const RESUMABLE = `${STORAGE}resumable/`;

/** Whether answers at a path have the headers of the tus protocol. */
export const isResumablePath = (path: string): boolean => path.startsWith(RESUMABLE);

const DASHBOARD = /^\/api\/(?:auth|user|projects|invitations)(?:\/|$)/;
const JWKS = /^\/api\/projects\/[^/]+\/jwks\.json$/;

const PAGES = /^\/dashboard(?:\/|$)/;

/** Whether a path is answered with pages for people, also if the request is refused. */
export const isPagePath = (path: string): boolean => PAGES.test(path);

/** Whether only the dashboard's own pages may read the answers at a path. */
export const isDashboardPath = (path: string): boolean =>
  isPagePath(path) || (DASHBOARD.test(path) && !JWKS.test(path));

const SIMPLE = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)*\/?$/;

/** Reads `request.url` as the client sent it, with any scheme and host. No path is the root. */
export function readAddress(url: string): Address {
  const start = authorityEnd(url);
  const hash = url.indexOf("#", start);
  const target = url.slice(start, hash < 0 ? url.length : hash);
  const mark = target.indexOf("?");
  const raw = (mark < 0 ? target : target.slice(0, mark)) || "/";
  const query = mark < 0 ? "" : target.slice(mark + 1);
  const simple = SIMPLE.test(raw);
  const path = simple ? raw : decodePath(raw);
  if (isReservedPath(raw) || (!simple && path !== null && isReservedPath(path))) {
    return { path: RESERVED_PATH, query, malformed: false };
  }
  return { path: trimLastSlash(path ?? raw), query, malformed: path === null };
}

const trimLastSlash = (path: string): string =>
  path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;

/** Returns the index at which the host ends: the first slash, question mark or hash. */
function authorityEnd(url: string): number {
  for (let i = url.indexOf("://") + 3; i < url.length; i++) {
    const char = url[i];
    if (char === "/" || char === "?" || char === "#") return i;
  }
  return url.length;
}

const USERS = /^users/i;

/** Whether a name is reserved for users, who are not stored as documents. */
export const namesUsers = (collection: string): boolean => USERS.test(collection);

function isReservedPath(raw: string): boolean {
  if (!isDataPath(raw)) return false;
  const end = raw.indexOf("/", DATA.length);
  const segment = raw.slice(DATA.length, end < 0 ? raw.length : end);
  return namesUsers(decodeSegment(segment) ?? segment);
}

/** Returns null if the decoded path would be ambiguous. */
function decodePath(raw: string): string | null {
  const segments = raw.split("/").slice(1);
  const clean: string[] = [];
  for (const [i, segment] of segments.entries()) {
    const text = decodeSegment(segment);
    const isLast = i === segments.length - 1;
    if (text === null || (text === "" && !isLast) || text === "." || text === "..") return null;
    if (/[/\\%\p{Cc}]/u.test(text)) return null;
    clean.push(text);
  }
  return `/${clean.join("/")}`;
}

function decodeSegment(segment: string): string | null {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
