import assert from "node:assert/strict";
import { PATTERN_SIZE_MAX } from "../../limits.ts";
import { patternProblem } from "../../text/pattern.ts";
import { matchCost, re2 } from "./re2.ts";

Deno.test("re2 matches anywhere, ignoring case, and an invalid pattern matches nothing", () => {
  assert.equal(re2("b.d", "aBCDe"), 1);
  assert.equal(re2("^b", "abc"), 0);
  assert.equal(re2("(", "("), 0);
  assert.equal(re2("a", null), 0);
});

Deno.test("matchCost is instructions times characters, and characters for a literal", () => {
  assert.equal(matchCost("abc def", "x".repeat(1000)), 1000);
  assert.ok(matchCost("a{50}b", "x".repeat(1000)) > 50_000);
  assert.equal(matchCost("(", "x"), 0);
  assert.equal(matchCost("a.", null), 0);
});

/**
 * Returns a text without repetitions, which defeats the state cache of patterns with long memory.
 */
const scattered = (length: number, letters: string): string => {
  let [text, seed] = ["", 1];
  while (text.length < length) {
    seed = seed * 48_271 % 2_147_483_647;
    text += letters[seed % letters.length];
  }
  return text;
};

Deno.test("the most expensive allowed patterns take seconds at most within the cost limit", () => {
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
    // Ten times the duration on an idle machine, because other tests run concurrently.
    assert.ok(performance.now() - began < 20_000, `${pattern} in ${length} characters`);
  }
});

Deno.test("patternProblem rejects a pattern with too many instructions", () => {
  assert.equal(patternProblem(".{100}.{100}.{90}"), null);
  assert.match(patternProblem(".{100}.{100}.{100}")!, /is too complex/);
  assert.ok(PATTERN_SIZE_MAX === 300);
});
