import { equalInConstantTime, mac, MAC_LENGTH } from "./hashes.ts";

/** Appends a signature to a text, with a key for {@linkcode mac} and for one purpose. */
export const sign = (key: string, purpose: string, value: string): string =>
  `${value}.${mac(key, `${purpose}.${value}`)}`;

/** Returns the text without its signature; null unless a key has signed it for the purpose. */
export function unsign(keys: readonly string[], purpose: string, text: string): string | null {
  const value = text.slice(0, -MAC_LENGTH - 1);
  const isGenuine = keys.some((key) => equalInConstantTime(text, sign(key, purpose, value)));
  return isGenuine ? value : null;
}
