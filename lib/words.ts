import { SEARCHED_LENGTH_MAX, SEARCHED_WORDS_MAX, WORD_LENGTH_MAX } from "./limits.ts";

/** Segments words of all languages; "en" has no special rules. */
const SEGMENTER = new Intl.Segmenter("en", { granularity: "word" });

/** Words of ASCII texts are found by a pattern, which gives the same result and is faster. */
const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORD = /[a-z0-9_]+(?:(?:(?<=[a-z])'(?=[a-z])|(?<=[0-9])[.,;'](?=[0-9]))[a-z0-9_]+)*/g;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Returns words in order, with repeats, by Unicode's rules, without marks and in one case. */
export function wordsIn(text: string): string[] {
  if (ASCII.test(text)) {
    const found = text.toLowerCase().match(ASCII_WORD) ?? [];
    return found.filter((word) => !word.startsWith("_") || isWord(word)).map(truncateWord);
  }
  const words: string[] = [];
  // In composed form, words of languages that need a dictionary are segmented better.
  for (const { segment, isWordLike } of SEGMENTER.segment(text.normalize("NFKC"))) {
    if (!isWordLike) continue;
    const word = foldCase(segment);
    if (isWord(word)) words.push(truncateWord(word));
  }
  return words;
}

/** Whether a segment has a letter or digit, which underscores do not. */
const isWord = (text: string): boolean => LETTER_OR_DIGIT.test(text);

/** Returns the different words of several texts, up to the limits of search. */
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

/** Marks and invisible characters, such as a soft hyphen. */
const UNSEEN = /[\p{M}\p{Cf}]/gu;

/** Goes through upper case: letters may have two lower-case forms or become two capitals. */
const foldCase = (word: string): string =>
  word.normalize("NFKD").replaceAll(UNSEEN, "").toUpperCase().toLowerCase()
    .replaceAll("ς", "σ").replaceAll("’", "'");

/** Cuts a word at the length limit, without leaving half of a surrogate pair. */
const truncateWord = (word: string): string =>
  word.length <= WORD_LENGTH_MAX
    ? word
    : word.slice(0, WORD_LENGTH_MAX).replace(/[\ud800-\udbff]$/, "");
