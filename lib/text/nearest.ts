import { quoted } from "./input_text.ts";

/** Words of fewer than nine letters may have fewer mistakes: one letter in three. */
const MISTAKES_MAX = 3;
/** Longer words are not compared, because the work grows with their number of characters. */
const LENGTH_MAX = 64;
const BEGINNING_MIN = 2;

/**
 * Returns the most similar word, ignoring letter case and the common outer path of dotted paths,
 * or else the shortest word that begins with the text, or null.
 */
export function nearestWord(text: string, words: Iterable<string>): string | null {
  if (text.length > LENGTH_MAX) return null;
  const typed = text.toLowerCase();
  const outer = typed.slice(0, typed.lastIndexOf(".") + 1);
  let [found, most, longer]: [string | null, number, string | null] = [null, MISTAKES_MAX, null];
  for (const word of words) {
    if (word.length > LENGTH_MAX) continue;
    const lower = word.toLowerCase();
    const from = lower.startsWith(outer) ? outer.length : 0;
    const [own, other] = [typed.slice(from), lower.slice(from)];
    const allowed = Math.min(most, mistakesMax(own));
    const mistakes = editDistance(own, other, allowed);
    if (mistakes <= allowed) [found, most] = [word, mistakes - 1];
    if (typed.length < BEGINNING_MIN || !lower.startsWith(typed)) continue;
    if (longer === null || word.length < longer.length) longer = word;
  }
  return found ?? longer;
}

/** Returns ` Did you mean "title"?` for the end of a message, or "" if no word is similar. */
export function didYouMean(text: string, words: Iterable<string>): string {
  const meant = nearestWord(text, words);
  return meant === null ? "" : ` Did you mean ${quoted(meant)}?`;
}

/** Returns ` (did you mean "title"?)` for use within a sentence, or "" if no word is similar. */
export function didYouMeanAside(text: string, words: Iterable<string>): string {
  const meant = nearestWord(text, words);
  return meant === null ? "" : ` (did you mean ${quoted(meant)}?)`;
}

/** A single letter must be correct, because any other letter would be similar. */
const mistakesMax = (text: string): number =>
  Math.min(MISTAKES_MAX, text.length - 1, Math.max(1, Math.floor(text.length / 3)));

/** Returns the restricted Damerau–Levenshtein distance, or more than `most` if it exceeds that. */
function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return Infinity;
  let [two, one]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row: number[] = Array(b.length + 1).fill(Infinity);
    row[0] = i;
    for (let j = Math.max(1, i - most); j <= Math.min(b.length, i + most); j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        one[j]! + 1,
        row[j - 1]! + 1,
        one[j - 1]! + (isSame ? 0 : 1),
        isExchanged ? two[j - 2]! + 1 : Infinity,
      );
    }
    [two, one] = [one, row];
  }
  return one[b.length]!;
}
