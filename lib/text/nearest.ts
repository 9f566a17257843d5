/** How many letters may be missing, wrong, too many or exchanged: one in three, but one at least. */
const mistakesMax = (text: string): number => Math.max(1, Math.floor(text.length / 3));

/** Longer words are compared with nothing: the work grows with the product of two lengths. */
const LENGTH_MAX = 64;

/** The one of the words that a mistyped text most likely means; null where none is near. */
export function nearest(text: string, words: Iterable<string>): string | null {
  if (text.length > LENGTH_MAX) return null;
  const typed = text.toLowerCase();
  let [found, least]: [string | null, number] = [null, mistakesMax(text) + 1];
  for (const word of words) {
    const mistakes = distance(typed, word.toLowerCase());
    if (mistakes < least) [found, least] = [word, mistakes];
  }
  return found;
}

/** The distance of Damerau and Levenshtein in its restricted form: no letters are moved twice. */
function distance(a: string, b: string): number {
  let [two, one]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
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
