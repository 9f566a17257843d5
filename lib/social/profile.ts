import { isPlainEmail } from "../emails.ts";
import { AVATAR_URL_LENGTH_MAX } from "../limits.ts";

/** Converts a value to a line of text without control characters; null for an empty one. */
export function toLine(value: unknown, lengthMax: number): string | null {
  if (typeof value !== "string") return null;
  const line = value.toWellFormed().replaceAll(/\p{Cc}+/gu, " ").trim().slice(0, lengthMax);
  // Removes half of a surrogate pair that was cut.
  return line.replace(/[\ud800-\udbff]$/, "").trim() || null;
}

/** Converts a value to an https address of an image; null if it is invalid. */
export function toPictureUrl(value: unknown): string | null {
  if (typeof value !== "string" || value.length > AVATAR_URL_LENGTH_MAX) return null;
  const url = URL.parse(value);
  // The normalized address may be longer.
  const isShown = url?.protocol === "https:" && url.href.length <= AVATAR_URL_LENGTH_MAX;
  return isShown ? url.href : null;
}

/** Returns a value if it is one plain e-mail address; null otherwise. */
export function toEmail(value: unknown): string | null {
  return typeof value === "string" && isPlainEmail(value) ? value : null;
}
