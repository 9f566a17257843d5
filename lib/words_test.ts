import assert from "node:assert/strict";
import { SEARCHED_LENGTH_MAX, SEARCHED_WORDS_MAX, WORD_LENGTH_MAX } from "./limits.ts";
import { distinctWords, wordsIn } from "./words.ts";

Deno.test("wordsIn returns Unicode words without marks and in one letter case", () => {
  const cases: [text: string, words: string[]][] = [
    ["", []],
    ["?! … — 😀", []],
    ["Fast stores, CORBEL's way", ["fast", "stores", "corbel's", "way"]],
    ["don't don’t", ["don't", "don't"]],
    ["3.14 and 1,000 at example.com", ["3.14", "and", "1,000", "at", "example", "com"]],
    ["snake_case ___ _9", ["snake_case", "_9"]],
    ["__ é __", ["e"]],
    ["Crème Brûlée naïve Ångström", ["creme", "brulee", "naive", "angstrom"]],
    ["Straße STRASSE", ["strasse", "strasse"]],
    ["ΟΔΟΣ οδος οδόσημα", ["οδοσ", "οδοσ", "οδοσημα"]],
    ["İstanbul ISTANBUL ıstanbul", ["istanbul", "istanbul", "istanbul"]],
    ["ﬁne ｆｕｌｌ", ["fine", "full"]],
    ["so\u00adft", ["soft"]],
    ["e\u0301te\u0301", ["ete"]],
    ["Привет, мир! ёлка", ["привет", "мир", "елка"]],
    ["我爱北京天安门", ["我", "爱", "北京", "天安门"]],
    ["東京大学に行く", ["東京", "大学", "に", "行く"]],
    ["שלום עולם", ["שלום", "עולם"]],
  ];
  for (const [text, words] of cases) assert.deepEqual(wordsIn(text), words, text);
});

Deno.test("wordsIn finds Korean prefixes while a word is typed", () => {
  const [word] = wordsIn("대한민국");
  for (const typed of ["ㄷ", "대", "대한", "대하"].slice(1)) {
    assert.ok(word!.startsWith(wordsIn(typed)[0]!), typed);
  }
});

Deno.test("wordsIn finds the words of the segmenter in ASCII texts", () => {
  const segmenter = new Intl.Segmenter("en", { granularity: "word" });
  const characters = [..."aB9_.,;:'\"-@ \n()"];
  for (let n = 0; n < 20_000; n++) {
    const text = Array.from(
      { length: 1 + Math.floor(Math.random() * 12) },
      () => characters[Math.floor(Math.random() * characters.length)]!,
    ).join("");
    const expected = [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike)
      .map(({ segment }) => segment.toLowerCase()).filter((word) => /[a-z0-9]/.test(word));
    assert.deepEqual(wordsIn(text), expected, JSON.stringify(text));
  }
  const all = Array.from(
    { length: 128 },
    (_, code) => `a${String.fromCharCode(code)}b 1${String.fromCharCode(code)}2 `,
  ).join("");
  const expected = [...segmenter.segment(all)].filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment.toLowerCase()).filter((word) => /[a-z0-9]/.test(word));
  assert.deepEqual(wordsIn(all), expected);
});

Deno.test("wordsIn cuts long words at complete characters", () => {
  const [word] = wordsIn("x".repeat(WORD_LENGTH_MAX + 50));
  assert.equal(word, "x".repeat(WORD_LENGTH_MAX));
  const [rare] = wordsIn("a" + "𐐨".repeat(WORD_LENGTH_MAX));
  assert.ok(rare!.isWellFormed() && rare!.length <= WORD_LENGTH_MAX);
});

Deno.test("distinctWords limits the characters and words of a document", () => {
  assert.deepEqual(distinctWords(["b a", "A c"]), ["b", "a", "c"]);
  const many = Array.from({ length: SEARCHED_WORDS_MAX + 10 }, (_, n) => `w${n}`);
  assert.equal(distinctWords([many.join(" ")]).length, SEARCHED_WORDS_MAX);
  const far = "a ".repeat(SEARCHED_LENGTH_MAX / 2);
  assert.deepEqual(distinctWords([far + "b", "c"]), ["a"]);
  assert.deepEqual(distinctWords(["x ", far + "b"]), ["x", "a"]);
});
