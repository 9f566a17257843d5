import { equalInConstantTime, mac, MAC_LENGTH } from "./hashes.ts";

/** Signs a text for one purpose, with a key for {@linkcode mac}. */
export const signed = (key: string, purpose: string, value: string): string =>
  `${value}.${mac(key, `${purpose}.${value}`)}`;

/** The text under a signature by any of the keys; null for everything else. */
export function unsigned(keys: readonly string[], purpose: string, text: string): string | null {
  const value = text.slice(0, -MAC_LENGTH - 1);
  const genuine = keys.some((key) => equalInConstantTime(text, signed(key, purpose, value)));
  return genuine ? value : null;
}
