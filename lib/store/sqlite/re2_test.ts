import assert from "node:assert/strict";
import { PATTERN_SIZE_MAX } from "../../limits.ts";
import { patternProblem } from "../../text/pattern.ts";
import { matchCost, re2 } from "./re2.ts";

Deno.test("a pattern is found anywhere, in any letter case, and a broken one nowhere", () => {
  assert.equal(re2("b.d", "aBCDe"), 1);
  assert.equal(re2("^b", "abc"), 0);
  assert.equal(re2("(", "("), 0);
  assert.equal(re2("a", null), 0);
});

Deno.test("what a match can cost is instructions times characters; a literal is looked for as it is", () => {
  assert.equal(matchCost("abc def", "x".repeat(1000)), 1000);
  assert.ok(matchCost("a{50}b", "x".repeat(1000)) > 50_000);
  assert.equal(matchCost("(", "x"), 0);
  assert.equal(matchCost("a.", null), 0);
});

/** Texts that no two places of are alike to a pattern that looks far back. */
const scattered = (length: number, letters: string): string => {
  let [text, seed] = ["", 1];
  while (text.length < length) {
    seed = seed * 48_271 % 2_147_483_647;
    text += letters[seed % letters.length];
  }
  return text;
};

Deno.test("the dearest patterns that are let in take few seconds at most for what a thread lets them look at", () => {
  for (
    const [pattern, letters] of [
      ["a[ab]{90}c", "ab"],
      ["[ab]*a[ab]{30}c", "ab"],
      ["a?b?c?d?.{90}a.{90}b.{90}Q", "abcd"],
      ["\\ba.{60}\\bQ", "ab "],
      ["\\S{100}Z", "a\u{10348}"],
      ["[^a]{100}b", "bcdé"],
    ] as const
  ) {
    assert.equal(patternProblem(pattern), null, pattern);
    const length = Math.floor(10_000_000 / (matchCost(pattern, "x") || 1));
    const began = performance.now();
    re2(pattern, scattered(length, letters));
    // Ten times as much as alone on a machine, because other tests share it.
    assert.ok(performance.now() - began < 20_000, `${pattern} in ${length} characters`);
  }
});

Deno.test("a pattern of more instructions is refused", () => {
  assert.equal(patternProblem(".{100}.{100}.{90}"), null);
  assert.match(patternProblem(".{100}.{100}.{100}")!, /asks for too much/);
  assert.ok(PATTERN_SIZE_MAX === 300);
});
