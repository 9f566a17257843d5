import { textProblem } from "../text/input_text.ts";
import { ALLOWED_ORIGINS_MAX, PROJECT_NAME_LENGTH_MAX } from "../limits.ts";
import type { GivenAuthSettings } from "./auth_settings.ts";
import type { GivenFileSettings } from "./file_settings.ts";
import { LOCAL_HOSTS } from "../local_hosts.ts";
import { Problem } from "../problems.ts";
import type { Json } from "../store/port.ts";

/** Some of what a project's owner sets, as it was sent. */
export interface GivenSettings {
  readonly name?: string | undefined;
  /** Null clears it. */
  readonly siteUrl?: string | null | undefined;
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly auth?: GivenAuthSettings | undefined;
  readonly files?: GivenFileSettings | undefined;
}

/** The settings in the form in which they are kept, by their paths. Throws `INVALID_INPUT`. */
export const checkedSettings = (
  { name, siteUrl, allowedOrigins, auth = {}, files = {} }: GivenSettings,
): { [path: string]: Json } => ({
  ...(name !== undefined && { name: checkedName(name) }),
  ...(siteUrl !== undefined && { siteUrl: siteUrl === null ? null : checkedSiteUrl(siteUrl) }),
  ...(allowedOrigins !== undefined && { allowedOrigins: checkedOrigins(allowedOrigins) }),
  ...byPaths("auth", auth),
  ...byPaths("files", files),
});

/** Each member by itself, so that those which are not given stay. */
const byPaths = (name: string, members: object): { [path: string]: Json } =>
  Object.fromEntries(
    Object.entries(members).flatMap(([member, value]) =>
      value === undefined ? [] : [[`${name}.${member}`, value]]
    ),
  );

/** Throws `INVALID_INPUT`. */
export function checkedName(text: string): string {
  const name = text.trim();
  const isFit = name !== "" && name.length <= PROJECT_NAME_LENGTH_MAX &&
    textProblem(name) === null && !CONTROL.test(name);
  if (isFit) return name;
  throw new Problem("INVALID_INPUT", {
    message: `A project's name must have 1 to ${PROJECT_NAME_LENGTH_MAX} characters.`,
  });
}

const CONTROL = /\p{Cc}/u;

/** The site's origin, https or local http, with nothing behind it. Throws `INVALID_INPUT`. */
export const checkedSiteUrl = (text: string): string => checkedOrigin("The Site URL", text);

function checkedOrigin(what: string, text: string): string {
  const url = text.length > ADDRESS_LENGTH_MAX ? null : URL.parse(text);
  const secure = url?.protocol === "https:" ||
    (url?.protocol === "http:" && LOCAL_HOSTS.includes(url.hostname));
  // A pattern would be taken for a host of that name.
  if (url === null || !secure || url.hostname.includes("*")) {
    throw new Problem("INVALID_INPUT", {
      message: `${what} must be https, or http on localhost, 127.0.0.1 or [::1].`,
    });
  }
  // To cut the rest off would lead users to another page than the address says.
  if (url.pathname === "/" && !/[?#@]/.test(text)) return url.origin;
  throw new Problem("INVALID_INPUT", {
    message: `${what} must be a scheme, a host and a port, without a path, query, hash, user or ` +
      `password: send "${url.origin}".`,
  });
}

/** What browsers take for an address is hardly longer. */
export const ADDRESS_LENGTH_MAX = 2048;

/** Each origin once. Throws `INVALID_INPUT`. */
export function checkedOrigins(origins: readonly string[]): string[] {
  if (origins.length > ALLOWED_ORIGINS_MAX) {
    throw new Problem("INVALID_INPUT", {
      message: `A project lists at most ${ALLOWED_ORIGINS_MAX} allowed origins.`,
    });
  }
  return [...new Set(origins.map((one) => checkedOrigin("An allowed origin", one)))];
}
