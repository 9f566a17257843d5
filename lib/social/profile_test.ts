import assert from "node:assert/strict";
import { toEmail, toLine, toPictureUrl } from "./profile.ts";

Deno.test("toLine returns one line of well-formed text of limited length", () => {
  assert.equal(toLine("  Ann O'Hara ✨ ", 64), "Ann O'Hara ✨");
  assert.equal(toLine("Ann\r\n\tO'Hara\u0000", 64), "Ann O'Hara");
  assert.equal(toLine("a\ud800b", 64), "a\ufffdb");
  assert.equal(toLine("abc  def", 4), "abc");
  assert.equal(toLine("😀😀😀", 5), "😀😀", "no character is cut in half");
  for (const nothing of ["", "  ", "\u0000", null, undefined, 7, true, ["Ann"], { name: "Ann" }]) {
    assert.equal(toLine(nothing, 64), null);
  }
});

Deno.test("toPictureUrl accepts only https addresses", () => {
  assert.equal(toPictureUrl("https://a.example/x.png?s=1"), "https://a.example/x.png?s=1");
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
  for (const value of wrong) assert.equal(toPictureUrl(value), null);
});

Deno.test("toEmail accepts only one plain address", () => {
  for (const email of ["Ann@Example.com", "o'hara+news@sub.example.co.uk", "jürgen@köln.de"]) {
    assert.equal(toEmail(email), email);
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
  for (const value of wrong) assert.equal(toEmail(value), null);
});
