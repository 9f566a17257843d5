import { hash } from "node:crypto";

/**
 * Returns the SHA-256 hash in base64url. It is strong enough to look up secrets of 32 random bytes,
 * which cannot be guessed, but not for passwords. It is synchronous, because WebCrypto is much
 * slower.
 */
export function sha256(text: string): string {
  return hash("sha256", text, "base64url");
}

/** Returns a record id, 24 hexadecimal digits, that is derived from a text and hides it. */
export const hashedId = (text: string): string => hash("sha256", text, "hex").slice(0, 24);

/** Length of a {@linkcode mac}: 22 base64url characters, which are 132 bits. */
export const MAC_LENGTH = 22;

/**
 * Returns a message authentication code of `text` under a `key` of fixed length. It is half of a
 * hash, which prevents length extension attacks, as the second pass of HMAC does.
 */
export function mac(key: string, text: string): string {
  return hash("sha256", key + text, "base64url").slice(0, MAC_LENGTH);
}

/** Compares two texts in a time that depends only on their lengths, which are not secret. */
export function equalInConstantTime(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
