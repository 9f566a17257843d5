import { isPlainEmail } from "../emails.ts";
import { AVATAR_URL_LENGTH_MAX } from "../limits.ts";

/** Reads what providers say of their users: none of it is trusted to have a certain shape. */

/** A line of text without control characters; null for anything else, and for nothing. */
export function lineOf(value: unknown, lengthMax: number): string | null {
  if (typeof value !== "string") return null;
  const line = value.toWellFormed().replaceAll(/\p{Cc}+/gu, " ").trim().slice(0, lengthMax);
  // A character that is cut in half goes whole.
  return line.replace(/[\ud800-\udbff]$/, "").trim() || null;
}

/** An address that a page may show as an image; null for anything else. */
export function pictureOf(value: unknown): string | null {
  if (typeof value !== "string" || value.length > AVATAR_URL_LENGTH_MAX) return null;
  const url = URL.parse(value);
  // What is written out in it may be longer than it was.
  const isShown = url?.protocol === "https:" && url.href.length <= AVATAR_URL_LENGTH_MAX;
  return isShown ? url.href : null;
}

/** One plain e-mail address; null for anything else. */
export function emailOf(value: unknown): string | null {
  return typeof value === "string" && isPlainEmail(value) ? value : null;
}
