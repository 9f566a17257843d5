import { shown, textProblem } from "../documents/names.ts";
import { ALLOWED_ORIGINS_MAX, PROJECT_NAME_LENGTH_MAX } from "../limits.ts";
import { LOCAL_HOSTS } from "../local_hosts.ts";
import { Problem } from "../problems.ts";
import type { Json } from "../store/port.ts";
import { isObject } from "../store/shape.ts";

/** What a project's owner sets. */
export interface ProjectSettings {
  readonly name: string;
  /** An origin; null for none. */
  readonly siteUrl: string | null;
  /** Origins, each once. */
  readonly allowedOrigins: string[];
}

const NAMES = ["name", "siteUrl", "allowedOrigins"];

/** The settings of a body that has some of them. Throws `INVALID_BODY` and `INVALID_INPUT`. */
export function parseSettings(body: Json): Partial<ProjectSettings> {
  if (!isObject(body)) throw new Problem("INVALID_BODY", { message: "Send one JSON object." });
  const unknown = Object.keys(body).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    throw misshapen(`${shown(unknown)} is no setting: send ${NAMES.join(", ")}`);
  }
  const { name, siteUrl, allowedOrigins } = body;
  return {
    ...(name !== undefined && { name: checkedName(textOf("name", name)) }),
    ...(siteUrl !== undefined && { siteUrl: siteUrl === null ? null : siteUrlOf(siteUrl) }),
    ...(allowedOrigins !== undefined && { allowedOrigins: originsOf(allowedOrigins) }),
  };
}

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

/** The origin, https or local http. Throws `INVALID_INPUT`. */
export const checkedSiteUrl = (text: string): string => checkedOrigin("The Site URL", text);

function checkedOrigin(what: string, text: string): string {
  const url = text.length > ADDRESS_LENGTH_MAX ? null : URL.parse(text);
  const secure = url?.protocol === "https:" ||
    (url?.protocol === "http:" && LOCAL_HOSTS.includes(url.hostname));
  // A pattern would be taken for a host of that name.
  if (url !== null && secure && !url.hostname.includes("*")) return url.origin;
  throw new Problem("INVALID_INPUT", {
    message: `${what} must be https, or http on localhost, 127.0.0.1 or [::1].`,
  });
}

/** What browsers take for an address is hardly longer. */
const ADDRESS_LENGTH_MAX = 2048;

const siteUrlOf = (value: Json): string => checkedSiteUrl(textOf("siteUrl", value));

function originsOf(value: Json): string[] {
  if (!Array.isArray(value)) throw misshapen('"allowedOrigins" must be a list');
  if (value.length > ALLOWED_ORIGINS_MAX) {
    throw new Problem("INVALID_INPUT", {
      message: `A project lists at most ${ALLOWED_ORIGINS_MAX} allowed origins.`,
    });
  }
  return [
    ...new Set(
      value.map((one) => checkedOrigin("An allowed origin", textOf("allowedOrigins", one))),
    ),
  ];
}

function textOf(name: string, value: Json): string {
  if (typeof value === "string") return value;
  throw misshapen(`${shown(name)} must be text`);
}

const misshapen = (message: string) => new Problem("INVALID_BODY", { message: `${message}.` });
