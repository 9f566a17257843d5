/**
 * Trigrams of short texts, by which texts that contain an ASCII text are found. They are stored
 * among the words of a record, with a first character that no word begins with. They only preselect
 * records: the texts themselves are tested afterwards.
 */

const SIGN = "=";
const GRAM_CHARACTERS = 3;
/**
 * Maximum number of characters of a text that is split into trigrams, such as a title. Longer
 * texts, whose trigrams would slow inserts down, are marked and always tested.
 */
const TEXT_CHARACTERS_MAX = 100;
/** Maximum number of trigrams of a searched text that are looked up. */
const SEARCH_GRAMS_MAX = 8;

/** Returns a text in lower case. U+017F becomes s, as in patterns. */
const foldCase = (text: string): string => text.toLowerCase().replaceAll("\u017f", "s");

const ASCII = /^[\0-\x7f]*$/;
const SPACES = /[\0-\x20\x7f]/g;

/** Replaces ASCII spaces and control characters, because spaces separate words in the table. */
const replaceSpaces = (text: string): string =>
  text.replaceAll(SPACES, (space) => String.fromCharCode(0x2400 + space.charCodeAt(0)));

const prefixOf = (fieldIndex: number): string => SIGN + fieldIndex.toString(36);

/**
 * Returns the trigrams of a field's texts.
 *
 * @param fieldIndex Index of the field among the search fields, in one base-36 digit.
 */
export function gramsOf(fieldIndex: number, texts: readonly string[]): Set<string> {
  const grams = new Set<string>();
  const prefix = prefixOf(fieldIndex);
  for (const text of texts) {
    if (text.length > TEXT_CHARACTERS_MAX) {
      grams.add(longToken(fieldIndex));
      continue;
    }
    const lower = foldCase(text);
    const isPlain = ASCII.test(lower);
    const written = replaceSpaces(lower);
    for (let at = 0; at + GRAM_CHARACTERS <= lower.length; at++) {
      if (!isPlain && !ASCII.test(lower.slice(at, at + GRAM_CHARACTERS))) continue;
      grams.add(prefix + written.slice(at, at + GRAM_CHARACTERS));
    }
  }
  return grams;
}

/** Returns the token of records with a long text in a field. */
export const longToken = prefixOf;

/** Returns trigrams that every text containing `text` has; none if it is too short. */
export function searchGrams(fieldIndex: number, text: string): readonly string[] {
  const lower = replaceSpaces(foldCase(text));
  const last = lower.length - GRAM_CHARACTERS;
  if (last < 0) return [];
  const count = Math.min(last + 1, SEARCH_GRAMS_MAX);
  const offsets = Array.from(
    { length: count },
    (_, i) => count === 1 ? 0 : Math.round(i * last / (count - 1)),
  );
  return [
    ...new Set(offsets.map((at) => prefixOf(fieldIndex) + lower.slice(at, at + GRAM_CHARACTERS))),
  ];
}
