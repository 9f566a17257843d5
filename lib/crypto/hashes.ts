import { hash } from "node:crypto";

/**
 * SHA-256 in base64url. Enough for look-up of secrets of 32 random bytes, which cannot be guessed;
 * never for passwords. WebCrypto's promise would take many times as long.
 */
export function sha256(text: string): string {
  return hash("sha256", text, "base64url");
}

/** 24 hexadecimal digits that follow from a text, of which they tell nothing: a record's id. */
export const hashedId = (text: string): string => hash("sha256", text, "hex").slice(0, 24);

/** Base64url characters of a {@linkcode mac}: 132 bits. */
export const MAC_LENGTH = 22;

/**
 * Authenticates `text` under a `key` of fixed length. Half of the hash is kept back, so nobody can
 * go on hashing from where it ended, which is what HMAC's second pass is for.
 */
export function mac(key: string, text: string): string {
  return hash("sha256", key + text, "base64url").slice(0, MAC_LENGTH);
}

/** Compares without telling by its duration where two texts differ; their lengths are no secret. */
export function equalInConstantTime(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
