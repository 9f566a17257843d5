/** A regular expression that is slow to match, and texts for it without repetitions. */

export const SLOW_PATTERN = "a[ab]{90}c";

/** Length of a text in characters. */
const TEXT_CHARACTERS = 2_000;

/** Returns a text that takes about 10 ms of {@linkcode SLOW_PATTERN}, without a match. */
export function slowText(n: number): string {
  let [text, seed] = ["", n + 1];
  while (text.length < TEXT_CHARACTERS) {
    seed = seed * 48_271 % 2_147_483_647;
    text += "ab"[(seed >> 8) % 2];
  }
  return text;
}
