import assert from "node:assert/strict";
import { emailOf, lineOf, pictureOf } from "./profile.ts";

Deno.test("a name is one line of well-formed text, cut to its length", () => {
  assert.equal(lineOf("  Ann O'Hara ✨ ", 64), "Ann O'Hara ✨");
  assert.equal(lineOf("Ann\r\n\tO'Hara\u0000", 64), "Ann O'Hara");
  assert.equal(lineOf("a\ud800b", 64), "a\ufffdb");
  assert.equal(lineOf("abc  def", 4), "abc");
  assert.equal(lineOf("😀😀😀", 5), "😀😀", "no character is cut in half");
  for (const nothing of ["", "  ", "\u0000", null, undefined, 7, true, ["Ann"], { name: "Ann" }]) {
    assert.equal(lineOf(nothing, 64), null);
  }
});

Deno.test("a picture is an https address and nothing that a page would run", () => {
  assert.equal(pictureOf("https://a.example/x.png?s=1"), "https://a.example/x.png?s=1");
  const wrong = [
    "javascript:alert(1)",
    "http://a.example/x.png",
    "data:text/html,<script>",
    "//a.example/x",
    "x.png",
    "",
    `https://a.example/${"x".repeat(2048)}`,
    null,
    7,
    ["https://a.example"],
  ];
  for (const value of wrong) assert.equal(pictureOf(value), null);
});

Deno.test("an e-mail is one plain address as it was given", () => {
  for (const email of ["Ann@Example.com", "o'hara+news@sub.example.co.uk", "jürgen@köln.de"]) {
    assert.equal(emailOf(email), email);
  }
  const wrong = [
    "",
    "ann",
    "ann@example.com, eve@example.com",
    "Ann <ann@example.com>",
    "ann@example.com\n",
    "ann\u0000@example.com",
    "ann@exam\ud800ple.com",
    `${"a".repeat(65)}@example.com`,
    null,
    undefined,
    7,
    ["ann@example.com"],
    { $ne: null },
  ];
  for (const value of wrong) assert.equal(emailOf(value), null);
});
