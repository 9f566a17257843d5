import { encodeBase64Url } from "./base64.ts";

/** Returns `bytes` random bytes from the operating system, in base64url. */
export function randomToken(bytes = 32): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}
