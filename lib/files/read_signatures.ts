import { equalInConstantTime, mac } from "../crypto/hashes.ts";
import type { Clock } from "../clock.ts";
import type { ReadGrant } from "./blobs.ts";

/** Permission without the place, so that URLs stay valid when the visibility changes. */
export type PathReadGrant = Omit<ReadGrant, "place">;

export interface ReadSignatures {
  sign(reading: PathReadGrant): string;
  /** Whether the parameters were signed for the path and have not expired. */
  isValid(path: string, given: { readonly expires: string; readonly signature: string }): boolean;
}

/** Returns the signed text, whose prefix separates it from other uses of the key. */
const signedText = (path: string, expires: string): string => `GET a file.${path}.${expires}`;

/** @param keys The first key signs; all keys are tried to verify. */
export const createReadSignatures = (keys: readonly string[], clock: Clock): ReadSignatures => ({
  sign({ path, expiresAt }) {
    const expires = String(expiresAt);
    const signature = mac(keys[0]!, signedText(path, expires));
    return new URLSearchParams({ expires, signature }).toString();
  },
  isValid: (path, { expires, signature }) =>
    keys.some((key) => equalInConstantTime(signature, mac(key, signedText(path, expires)))) &&
    Number(expires) > clock.now(),
});
