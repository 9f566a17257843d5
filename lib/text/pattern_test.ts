import assert from "node:assert/strict";
import { RE2JS } from "re2js";
import { patternProblem } from "./pattern.ts";

const passes = (patterns: readonly string[]) => {
  for (const pattern of patterns) {
    assert.equal(patternProblem(pattern), null, pattern);
    assert.ok(RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE));
  }
};

function refused(why: RegExp, patterns: readonly string[]): void {
  for (const pattern of patterns) assert.match(patternProblem(pattern) ?? "passed", why, pattern);
}

Deno.test("plain patterns are accepted and compile", () => {
  passes([
    "a",
    "^draft$",
    "a.c",
    "a|b|",
    "colou?r",
    "ab*c+d?",
    "a*?b+?c??",
    "größe",
    "名前",
    "😀+",
    " ",
    "'\"%_",
    "a-b",
    "]",
    "}",
  ]);
});

Deno.test("a pattern has 1 to 128 characters", () => {
  refused(/^is empty$/, [""]);
  passes(["x".repeat(128)]);
  refused(/^is longer than 128 characters$/, ["x".repeat(129), "x".repeat(100_000)]);
});

Deno.test("a quantifier on a group is rejected, for all groups and quantifiers", () => {
  refused(/^repeats a group: repeat single characters/, [
    "(a+)+$",
    "(a)*",
    "(a)?",
    "(a){2}",
    "(a){2,}",
    "(?:a)*",
    "(?:a|b)+c",
    "((a))+",
    "(a(b)*)",
    "()*",
    "(\\))+",
    "([)])+",
    "(a)*?",
  ]);
});

Deno.test("groups without a quantifier are accepted", () => {
  passes(["(a)", "(a|b)", "(?:a|b)c", "((a)(b))", "(a) +", "(a)\\+", "(a)[*]", "(a)|(b)", "()"]);
});

Deno.test("a literal closing parenthesis can be repeated", () => {
  passes(["\\)+", "[)]+", "[(]*", "\\(\\)?", "[a)]{3}", "[^)]*"]);
});

Deno.test("only plain and non-capturing groups are accepted", () => {
  refused(/^has a group that begins with \(\?/, [
    "(?i)a",
    "(?=a)",
    "(?!a)",
    "(?<=a)b",
    "(?<!a)b",
    "(?<name>a)",
    "(?P<name>a)",
    "(?>a)",
    "(?#comment)",
    "(?",
    "(?i:a)",
  ]);
});

Deno.test("escapes that both engines support are accepted", () => {
  passes(["\\d\\D\\w\\W\\s\\S", "\\ba\\B", "\\t\\n\\r\\f", "\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|"]);
  passes(["\\^\\$\\\\", "\\/\\-\\_\\@\\#", "[\\d\\s]+", "[\\]\\[\\-\\\\]"]);
});

Deno.test("other escapes are rejected, also inside a class", () => {
  const escapes = ["\\1", "\\0", "\\p{L}", "\\x41", "\\u0041", "\\Qa\\E", "\\A", "\\z", "\\k<a>"];
  refused(/^has the escape \\.?, which is not supported$/, [
    ...escapes,
    "\\v",
    "\\a",
    "\\R",
    "a\\",
    "\\ ",
    "[\\p{L}]",
    "[\\1]",
    "[\\",
  ]);
});

Deno.test("the message of an invalid pattern quotes it as it was sent", () => {
  const table: readonly (readonly [pattern: string, message: string])[] = [
    ["a(", 'missing closing ) in "a("'],
    ["a)", 'unexpected ) in "a)"'],
    ["(?:x", 'missing closing ) in "(?:x"'],
    ["x|(a", 'missing closing ) in "x|(a"'],
    ["[b-a]", 'invalid character class range in "b-a"'],
    ["*a", 'missing argument to repetition operator in "*"'],
    ["[a", 'missing closing ] in "[a"'],
    ["\\é", 'invalid escape sequence in "\\\\é"'],
  ];
  for (const [pattern, message] of table) {
    assert.equal(patternProblem(pattern), `does not compile: ${message}`);
  }
});

Deno.test("escaped characters that RE2 does not support are rejected", () => {
  refused(/^does not compile: /, ["\\é", "\\😀"]);
});

Deno.test("nested classes and a leading bracket in a class are rejected", () => {
  passes(["[a-z0-9_]", "[^a-z]", "[.*+?{}()|^$]", "[-a]", "[a-]", "[a^]", "[\\]]"]);
  refused(/^has a \[ within \[ \]/, ["[[:alpha:]]", "[a[b]", "[^[]"]);
  refused(/^has a \] as the first character/, ["[]", "[]a]", "[^]a]", "[^]"]);
});

Deno.test("counted repeats are limited to 100", () => {
  passes(["a{0}", "a{1}", "a{2,}", "a{0,100}", "a{100}", "[ab]{3,5}", "a{2}?", "\\d{4}"]);
  refused(/^repeats more than 100 times$/, ["a{101}", "a{1,101}", "a{101,}", "a{99999999999}"]);
});

Deno.test("a brace that does not start a repeat must be escaped", () => {
  passes(["\\{", "\\{a\\}", "[{]", "[{]a"]);
  refused(/^has a \{ that is not a repeat: write \\\{$/, [
    "{",
    "a{",
    "a{}",
    "a{,3}",
    "a{x}",
    "a{1",
  ]);
});

Deno.test("repeats of repeats are rejected, possessive repeats with their own message", () => {
  refused(/^has a possessive repeat/, ["a*+", "a++", "a?+", "[ab]*+", "\\d++"]);
  refused(/^does not compile: /, [
    "a**",
    "a{2}{3}",
    "a*{2}",
    "a{2}+",
    "a???",
    "*a",
    "+",
    "?",
    "|*",
  ]);
});

Deno.test("a pattern that does not compile is rejected with the reason", () => {
  refused(/^does not compile: ./, ["(", "(a", "a)", "[a", "[b-a]", "a{3,2}", "(*ACCEPT)"]);
});

Deno.test("a pattern with characters that texts cannot have is rejected", () => {
  refused(/^contains a character no text can have$/, ["a\0b", "\ud800", "a\udc00", "[\ud83d]"]);
});

Deno.test("a range of more than 70,000 letters is rejected before it is compiled", () => {
  passes([
    "[一-龥]",
    "[ -\uffff]",
    "[ -\u{10ffff}]",
    "[^A-\u{1e943}]",
    "[a-zA-Z0-9_-]",
    "[\\[-\\]]",
  ]);
  refused(/^has ranges of more than 70000 characters/, [
    "[a-\u{10ffff}]",
    "[^a-\u{10ffff}]",
    "[a-\u{10ffff}]".repeat(9),
    "[a-\uffffB-\uffff]",
    "[a-\uffff][b-\uffff]",
    "x\\\\[a-\u{10ffff}]",
    "[\\]a-\u{10ffff}]",
    "[\\.-\u{1e900}a-\u{1e900}]",
  ]);
});
