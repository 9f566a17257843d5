import { encodeBase64Url } from "./base64.ts";

/** `bytes` of randomness from the operating system, as base64url. */
export function randomToken(bytes = 32): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}
