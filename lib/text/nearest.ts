import { shown } from "./input_text.ts";

/** Letters of a word that may be missing, wrong, too many or exchanged: one in three, up to so many. */
const MISTAKES_MAX = 3;
/** Longer words are compared with nothing: the work grows with their length. */
const LENGTH_MAX = 64;
/** Whoever gives a word's beginning for the word gives so much of it at least. */
const BEGINNING_MIN = 2;

/**
 * The one of the words that a mistyped text most likely means, in any letter case, else the
 * shortest that begins with it; null where none is near. Of dotted paths with the same beginning only
 * what follows it is compared.
 */
export function nearest(text: string, words: Iterable<string>): string | null {
  if (text.length > LENGTH_MAX) return null;
  const typed = text.toLowerCase();
  const outer = typed.slice(0, typed.lastIndexOf(".") + 1);
  let [found, most, begun]: [string | null, number, string | null] = [null, MISTAKES_MAX, null];
  for (const word of words) {
    if (word.length > LENGTH_MAX) continue;
    const lower = word.toLowerCase();
    const from = lower.startsWith(outer) ? outer.length : 0;
    const [own, other] = [typed.slice(from), lower.slice(from)];
    const allowed = Math.min(most, mistakesMax(own));
    const mistakes = distance(own, other, allowed);
    if (mistakes <= allowed) [found, most] = [word, mistakes - 1];
    if (typed.length < BEGINNING_MIN || !lower.startsWith(typed)) continue;
    if (begun === null || word.length < begun.length) begun = word;
  }
  return found ?? begun;
}

/** For the end of a message: ` Did you mean "title"?`, or nothing where no word is near. */
export function didYouMean(text: string, words: Iterable<string>): string {
  const meant = nearest(text, words);
  return meant === null ? "" : ` Did you mean ${shown(meant)}?`;
}

/** The same within a sentence: ` (did you mean "title"?)`. */
export function meantAside(text: string, words: Iterable<string>): string {
  const meant = nearest(text, words);
  return meant === null ? "" : ` (did you mean ${shown(meant)}?)`;
}

/** A single letter may not be wrong: every other one would be near. */
const mistakesMax = (text: string): number =>
  Math.min(MISTAKES_MAX, text.length - 1, Math.max(1, Math.floor(text.length / 3)));

/**
 * The distance of Damerau and Levenshtein in its restricted form (no letters are moved twice), if it
 * is at most `most`; else more than that. Looks only at what lies so close to the diagonal.
 */
function distance(a: string, b: string, most: number): number {
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
