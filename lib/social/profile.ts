import { EMAIL } from "../auth/create_user.ts";

/** Reads what providers say of their users: none of it is trusted to have a certain shape. */

const TEXT_LENGTH_MAX = 200;
const ADDRESS_LENGTH_MAX = 2048;

/** A line of text without control characters; null for anything else, and for nothing. */
export function lineOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const line = value.toWellFormed().replaceAll(/\p{Cc}+/gu, " ").trim();
  return [...line].slice(0, TEXT_LENGTH_MAX).join("") || null;
}

/** An address that a page may show as an image; null for anything else. */
export function pictureOf(value: unknown): string | null {
  if (typeof value !== "string" || value.length > ADDRESS_LENGTH_MAX) return null;
  const url = URL.parse(value);
  return url !== null && ["https:", "http:"].includes(url.protocol) ? url.href : null;
}

/** One plain e-mail address; null for anything else. */
export function emailOf(value: unknown): string | null {
  const plain = typeof value === "string" && EMAIL.test(value) && value.isWellFormed() &&
    !/\p{Cc}/u.test(value);
  return plain ? value : null;
}
