import assert from "node:assert/strict";
import { emailOf, lineOf, pictureOf } from "./profile.ts";

Deno.test("a name is one line of well-formed text of at most 200 characters", () => {
  assert.equal(lineOf("  Ann O'Hara ✨ "), "Ann O'Hara ✨");
  assert.equal(lineOf("Ann\r\n\tO'Hara\u0000"), "Ann O'Hara");
  assert.equal(lineOf("a\ud800b"), "a\ufffdb");
  assert.equal([...lineOf("✨".repeat(300))!].length, 200);
  assert.ok(lineOf("😀".repeat(300))!.isWellFormed(), "no character is cut in half");
  for (const nothing of ["", "  ", "\u0000", null, undefined, 7, true, ["Ann"], { name: "Ann" }]) {
    assert.equal(lineOf(nothing), null);
  }
});

Deno.test("a picture is an http address and nothing that a page would run", () => {
  assert.equal(pictureOf("https://a.example/x.png?s=1"), "https://a.example/x.png?s=1");
  assert.equal(pictureOf("http://ghe.internal/a"), "http://ghe.internal/a");
  const wrong = [
    "javascript:alert(1)",
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
