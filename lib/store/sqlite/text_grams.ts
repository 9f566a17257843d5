/**
 * Pieces of three characters of short texts, by which those that hold a text of ASCII are found. They
 * stand among the words of a record, and begin with a sign that no word begins with. They only narrow
 * down: whether a text holds another one is asked of it.
 */

const SIGN = "=";
const GRAM_LENGTH = 3;
/** A title's. Longer texts, whose pieces would make inserts dear, are marked and looked into. */
const TEXT_LENGTH_MAX = 100;
/** As many of a text's pieces suffice. */
const SOUGHT_GRAMS_MAX = 8;

/** Letters of ASCII are in one case, and so are the two others that patterns take for k and s. */
const folded = (text: string): string =>
  text.toLowerCase().replaceAll("\u212a", "k").replaceAll("\u017f", "s");

const ASCII = /^[\0-\x7f]*$/;
const SPACES = /[\0-\x20\x7f]/g;

/** As one word of a table: nothing of ASCII stands for a space. */
const tokenOf = (place: number, gram: string): string =>
  SIGN + place.toString(36) +
  (SPACES.test(gram)
    ? gram.replaceAll(SPACES, (space) => String.fromCharCode(0x2400 + space.charCodeAt(0)))
    : gram);

/** @param place Of the field among those that are searched; their number has one digit. */
export function gramsOf(place: number, texts: readonly string[]): Set<string> {
  const grams = new Set<string>();
  for (const text of texts) {
    if (text.length > TEXT_LENGTH_MAX) {
      grams.add(longToken(place));
      continue;
    }
    const whole = folded(text);
    for (let at = 0; at + GRAM_LENGTH <= whole.length; at++) {
      const gram = whole.slice(at, at + GRAM_LENGTH);
      if (ASCII.test(gram)) grams.add(tokenOf(place, gram));
    }
  }
  return grams;
}

/** Of records with a text that is too long. */
export const longToken = (place: number): string => tokenOf(place, "");

/** What texts have that hold this one; none where it is too short. */
export function soughtGrams(place: number, text: string): readonly string[] {
  const whole = folded(text);
  const last = whole.length - GRAM_LENGTH;
  if (last < 0) return [];
  const count = Math.min(last + 1, SOUGHT_GRAMS_MAX);
  const places = Array.from(
    { length: count },
    (_, i) => count === 1 ? 0 : Math.round(i * last / (count - 1)),
  );
  return [...new Set(places.map((at) => tokenOf(place, whole.slice(at, at + GRAM_LENGTH))))];
}
