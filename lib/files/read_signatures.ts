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

interface CheckedAddress {
  readonly path: string;
  readonly expires: string;
  readonly signature: string;
}

/** Checked addresses that are remembered: one takes the slot of another whose signature begins alike. */
const SLOTS = 1_024;

const slotOf = (signature: string): number =>
  (signature.charCodeAt(0) << 6 ^ signature.charCodeAt(1)) % SLOTS;

/** @param keys The key to sign with first; all are tried when reading. */
export function createReadSignatures(keys: readonly string[], clock: Clock): ReadSignatures {
  // A signature is checked once while its address comes again and again, as a video's does for each
  // part: that saves a tenth of such a request. Its end is looked at on every use.
  const checked = new Array<CheckedAddress | undefined>(SLOTS);

  function isSigned(path: string, expires: string, signature: string): boolean {
    const slot = slotOf(signature);
    const known = checked[slot];
    const isKnown = known?.path === path && known.expires === expires &&
      equalInConstantTime(known.signature, signature);
    if (isKnown) return true;
    const text = textOf(path, expires);
    if (!keys.some((key) => equalInConstantTime(signature, mac(key, text)))) return false;
    checked[slot] = { path, expires, signature };
    return true;
  }

  return {
    write({ path, expiresAt }) {
      const expires = String(expiresAt);
      const signature = mac(keys[0]!, textOf(path, expires));
      return new URLSearchParams({ expires, signature }).toString();
    },
    holds: (path, { expires, signature }) =>
      Number(expires) > clock.now() && isSigned(path, expires, signature),
  };
}
