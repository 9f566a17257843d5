import { SEARCHED_LENGTH_MAX, SEARCHED_WORDS_MAX, WORD_LENGTH_MAX } from "./limits.ts";

/** Of whichever language: its rules find words of all of them. */
const SEGMENTER = new Intl.Segmenter("en", { granularity: "word" });

/** No language's words depend on what is not ASCII here, so a pattern finds them, ten times as fast. */
const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORD = /[a-z0-9_]+(?:(?:(?<=[a-z])'(?=[a-z])|(?<=[0-9])[.,;'](?=[0-9]))[a-z0-9_]+)*/g;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/**
 * The words of a text in their order, as often as they stand in it: Unicode's, without marks, in one
 * letter case. Two texts have the same word where people take it for the same.
 */
export function wordsIn(text: string): string[] {
  if (ASCII.test(text)) {
    const found = text.toLowerCase().match(ASCII_WORD) ?? [];
    return found.filter((word) => !word.startsWith("_") || isWord(word)).map(cut);
  }
  const words: string[] = [];
  // What is composed is told apart better, in languages whose words are looked up in a dictionary.
  for (const { segment, isWordLike } of SEGMENTER.segment(text.normalize("NFKC"))) {
    if (!isWordLike) continue;
    const word = folded(segment);
    if (isWord(word)) words.push(cut(word));
  }
  return words;
}

/** Lines and the like are none. */
const isWord = (text: string): boolean => LETTER_OR_DIGIT.test(text);

/** The different words of these texts together, as far as they are read. */
export function distinctWords(texts: Iterable<string>): string[] {
  const words = new Set<string>();
  let left = SEARCHED_LENGTH_MAX;
  for (const text of texts) {
    for (const word of wordsIn(text.slice(0, left))) {
      words.add(word);
      if (words.size === SEARCHED_WORDS_MAX) return [...words];
    }
    left -= text.length;
    if (left <= 0) break;
  }
  return [...words];
}

/** Marks, and characters that are not seen, such as a soft hyphen. */
const UNSEEN = /[\p{M}\p{Cf}]/gu;

/** In capitals first: some letters have two small forms, and some small letters are two capitals. */
const folded = (word: string): string =>
  word.normalize("NFKD").replaceAll(UNSEEN, "").toUpperCase().toLowerCase()
    .replaceAll("ς", "σ").replaceAll("’", "'");

/** No half of a surrogate pair is left at the end. */
const cut = (word: string): string =>
  word.length <= WORD_LENGTH_MAX
    ? word
    : word.slice(0, WORD_LENGTH_MAX).replace(/[\ud800-\udbff]$/, "");
