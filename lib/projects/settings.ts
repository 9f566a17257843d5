import { textProblem } from "../text/input_text.ts";
import { ALLOWED_ORIGINS_MAX, PROJECT_NAME_LENGTH_MAX } from "../limits.ts";
import type { GivenAuthSettings } from "./auth_settings.ts";
import type { GivenFileSettings } from "./file_settings.ts";
import { LOCAL_HOSTS } from "../local_hosts.ts";
import { Problem } from "../problems.ts";
import type { Json } from "../store/port.ts";

/** Settings that a caller sent. Omitted settings keep their values. */
export interface GivenSettings {
  readonly name?: string | undefined;
  /** Null clears the Site URL. */
  readonly siteUrl?: string | null | undefined;
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly auth?: GivenAuthSettings | undefined;
  readonly files?: GivenFileSettings | undefined;
}

/** Returns values by path. Throws `INVALID_INPUT`. */
export const toStoredSettings = (
  { name, siteUrl, allowedOrigins, auth = {}, files = {} }: GivenSettings,
): { [path: string]: Json } => ({
  ...(name !== undefined && { name: parseProjectName(name) }),
  ...(siteUrl !== undefined && { siteUrl: siteUrl === null ? null : parseSiteUrl(siteUrl) }),
  ...(allowedOrigins !== undefined && { allowedOrigins: parseOrigins(allowedOrigins) }),
  ...prefixPaths("auth", auth),
  ...prefixPaths("files", files),
});

/** Returns one path per given field, so that an update leaves the omitted fields unchanged. */
const prefixPaths = (name: string, members: object): { [path: string]: Json } =>
  Object.fromEntries(
    Object.entries(members).flatMap(([member, value]) =>
      value === undefined ? [] : [[`${name}.${member}`, value]]
    ),
  );

/** Returns the trimmed name. Throws `INVALID_INPUT`. */
export function parseProjectName(text: string): string {
  const name = text.trim();
  const isFit = name !== "" && name.length <= PROJECT_NAME_LENGTH_MAX &&
    textProblem(name) === null && !CONTROL.test(name);
  if (isFit) return name;
  throw new Problem("INVALID_INPUT", {
    message: `A project's name must have 1 to ${PROJECT_NAME_LENGTH_MAX} characters.`,
  });
}

const CONTROL = /\p{Cc}/u;

/** Throws `INVALID_INPUT` unless `text` is an https or local http origin and nothing more. */
export const parseSiteUrl = (text: string): string => parseOrigin("The Site URL", text);

function parseOrigin(what: string, text: string): string {
  const url = text.length > ADDRESS_LENGTH_MAX ? null : URL.parse(text);
  const secure = url?.protocol === "https:" ||
    (url?.protocol === "http:" && LOCAL_HOSTS.includes(url.hostname));
  // Patterns are not supported; URL.parse() would accept "*" as a part of a host name.
  if (url === null || !secure || url.hostname.includes("*")) {
    throw new Problem("INVALID_INPUT", {
      message: `${what} must be https, or http on localhost, 127.0.0.1 or [::1].`,
    });
  }
  // Cutting off a path would send users to a page other than the one the address names.
  if (url.pathname === "/" && !/[?#@]/.test(text)) return url.origin;
  throw new Problem("INVALID_INPUT", {
    message: `${what} must be a scheme, a host and a port, without a path, query, hash, user or ` +
      `password: send "${url.origin}".`,
  });
}

/** Number of characters. Browsers accept hardly more. */
export const ADDRESS_LENGTH_MAX = 2048;

/** Removes duplicates. Throws `INVALID_INPUT`. */
export function parseOrigins(origins: readonly string[]): string[] {
  if (origins.length > ALLOWED_ORIGINS_MAX) {
    throw new Problem("INVALID_INPUT", {
      message: `A project lists at most ${ALLOWED_ORIGINS_MAX} allowed origins.`,
    });
  }
  return [...new Set(origins.map((one) => parseOrigin("An allowed origin", one)))];
}
