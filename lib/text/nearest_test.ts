import assert from "node:assert/strict";
import { didYouMean, nearestWord } from "./nearest.ts";

const WORDS = ["project create", "project delete", "account list", "key rotate"];

Deno.test("nearest accepts at most one wrong letter in three", () => {
  const cases: [string, string | null][] = [
    ["project craete", "project create"],
    ["Project Create", "project create"],
    ["projectcreate", "project create"],
    ["project delte", "project delete"],
    ["acount lists", "account list"],
    ["key rotate", "key rotate"],
    ["kye rotate", "key rotate"],
    ["frobnicate", null],
    ["", null],
  ];
  for (const [typed, meant] of cases) assert.equal(nearestWord(typed, WORDS), meant, typed);
  assert.equal(nearestWord("ab", ["cd"]), null);
  assert.equal(nearestWord("project create", []), null);
});

Deno.test("nearest prefers the fewest errors, then the first word, then a longer word", () => {
  assert.equal(nearestWord("stauts", ["state", "status"]), "status");
  assert.equal(nearestWord("tile", ["tilt", "title"]), "tilt");
  assert.equal(nearestWord("status", ["Status"]), "Status");
  assert.equal(nearestWord("publ", ["title", "publishedAt", "public"]), "public");
  assert.equal(nearestWord("pub", ["title", "publishedAt", "public"]), "public");
  assert.equal(nearestWord("a", ["b", "about"]), null);
});

Deno.test("nearest accepts up to three errors in a long word", () => {
  const word = "abcdefghijklmnopqrstuvwxyz";
  assert.equal(nearestWord(word.replace("def", "123"), [word]), word);
  assert.equal(nearestWord(word.replace("defg", "1234"), [word]), null);
  assert.equal(nearestWord(word.slice(3), [word]), word);
  assert.equal(nearestWord(`${word}123`, [word]), word);
});

Deno.test("nearest compares only the differing part of dotted paths", () => {
  assert.equal(nearestWord("place.ctiy", ["place", "place.city", "place.geo.lat"]), "place.city");
  assert.equal(nearestWord("place.zip", ["place", "place.city"]), null);
  assert.equal(nearestWord("plaec.city", ["place", "place.city"]), "place.city");
});

Deno.test("didYouMean returns a suggestion, or an empty text", () => {
  assert.equal(didYouMean("veiws", ["views"]), ' Did you mean "views"?');
  assert.equal(didYouMean("colour", ["views"]), "");
});

Deno.test("nearest does not compare very long texts", () => {
  assert.equal(nearestWord("a".repeat(1_000_000), ["a".repeat(1_000_000)]), null);
});
