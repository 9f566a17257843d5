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

/** Letters of ASCII in one case, with the two others that patterns take for one: U+212A is k so. */
const folded = (text: string): string => text.toLowerCase().replaceAll("\u017f", "s");

const ASCII = /^[\0-\x7f]*$/;
const SPACES = /[\0-\x20\x7f]/g;

/** Nothing of ASCII stands for a space in a table: there a space ends a word. */
const withoutSpaces = (text: string): string =>
  text.replaceAll(SPACES, (space) => String.fromCharCode(0x2400 + space.charCodeAt(0)));

/** What words of a table begin with that are pieces of a field's texts. */
const prefixOf = (place: number): string => SIGN + place.toString(36);

/** @param place Of the field among those that are searched; their number has one digit. */
export function gramsOf(place: number, texts: readonly string[]): Set<string> {
  const grams = new Set<string>();
  const prefix = prefixOf(place);
  for (const text of texts) {
    if (text.length > TEXT_LENGTH_MAX) {
      grams.add(longToken(place));
      continue;
    }
    const whole = folded(text);
    const isPlain = ASCII.test(whole);
    const written = withoutSpaces(whole);
    for (let at = 0; at + GRAM_LENGTH <= whole.length; at++) {
      if (!isPlain && !ASCII.test(whole.slice(at, at + GRAM_LENGTH))) continue;
      grams.add(prefix + written.slice(at, at + GRAM_LENGTH));
    }
  }
  return grams;
}

/** Of records with a text that is too long. */
export const longToken = prefixOf;

/** What texts have that hold this one; none where it is too short. */
export function soughtGrams(place: number, text: string): readonly string[] {
  const whole = withoutSpaces(folded(text));
  const last = whole.length - GRAM_LENGTH;
  if (last < 0) return [];
  const count = Math.min(last + 1, SOUGHT_GRAMS_MAX);
  const places = Array.from(
    { length: count },
    (_, i) => count === 1 ? 0 : Math.round(i * last / (count - 1)),
  );
  return [...new Set(places.map((at) => prefixOf(place) + whole.slice(at, at + GRAM_LENGTH)))];
}
