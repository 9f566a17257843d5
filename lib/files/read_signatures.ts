import { equalInConstantTime, mac } from "../crypto/hashes.ts";
import type { Clock } from "../clock.ts";
import type { SignedReading } from "./blobs.ts";

/** Wherever the file lies: an address stays good when its owner moves it. */
export type Reading = Omit<SignedReading, "place">;

/** Signs addresses of files that we serve, and knows them again. */
export interface ReadSignatures {
  /** What stands behind `?` in the address. */
  write(reading: Reading): string;
  /** Whether these were written for the path, and hold still. */
  holds(path: string, given: { readonly expires: string; readonly signature: string }): boolean;
}

/** What the signature is good for, beside keys that sign nothing else. */
const textOf = (path: string, expires: string): string => `GET a file.${path}.${expires}`;

/** @param keys The key to sign with first; all are tried when reading. */
export const createReadSignatures = (keys: readonly string[], clock: Clock): ReadSignatures => ({
  write({ path, expiresAt }) {
    const expires = String(expiresAt);
    const signature = mac(keys[0]!, textOf(path, expires));
    return new URLSearchParams({ expires, signature }).toString();
  },
  holds: (path, { expires, signature }) =>
    keys.some((key) => equalInConstantTime(signature, mac(key, textOf(path, expires)))) &&
    Number(expires) > clock.now(),
});
