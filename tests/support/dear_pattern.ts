/** A pattern that takes long, and texts in which it does: no two places of them are alike to it. */

export const DEAR_PATTERN = "a[ab]{90}c";

const LENGTH = 2_000;

/** Some ten milliseconds of processor time with {@linkcode DEAR_PATTERN}; nothing matches. */
export function dearText(n: number): string {
  let [text, seed] = ["", n + 1];
  while (text.length < LENGTH) {
    seed = seed * 48_271 % 2_147_483_647;
    text += "ab"[(seed >> 8) % 2];
  }
  return text;
}
