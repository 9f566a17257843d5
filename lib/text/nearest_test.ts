import assert from "node:assert/strict";
import { didYouMean, nearest } from "./nearest.ts";

const WORDS = ["project create", "project delete", "account list", "key rotate"];

Deno.test("a mistyped word is told from others by one letter in three at most", () => {
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
  for (const [typed, meant] of cases) assert.equal(nearest(typed, WORDS), meant, typed);
  assert.equal(nearest("ab", ["cd"]), null);
  assert.equal(nearest("project create", []), null);
});

Deno.test("the nearest of several is meant, the first of equals, and a beginning where none is", () => {
  assert.equal(nearest("stauts", ["state", "status"]), "status");
  assert.equal(nearest("tile", ["tilt", "title"]), "tilt");
  assert.equal(nearest("status", ["Status"]), "Status");
  assert.equal(nearest("publ", ["title", "publishedAt", "public"]), "public");
  assert.equal(nearest("pub", ["title", "publishedAt", "public"]), "public");
  assert.equal(nearest("a", ["b", "about"]), null);
});

Deno.test("a long word is near another of three mistakes, and of no more", () => {
  const word = "abcdefghijklmnopqrstuvwxyz";
  assert.equal(nearest(word.replace("def", "123"), [word]), word);
  assert.equal(nearest(word.replace("defg", "1234"), [word]), null);
  assert.equal(nearest(word.slice(3), [word]), word);
  assert.equal(nearest(`${word}123`, [word]), word);
});

Deno.test("of dotted paths the part that differs is compared", () => {
  assert.equal(nearest("place.ctiy", ["place", "place.city", "place.geo.lat"]), "place.city");
  assert.equal(nearest("place.zip", ["place", "place.city"]), null);
  assert.equal(nearest("plaec.city", ["place", "place.city"]), "place.city");
});

Deno.test("the end of a message names the word that was meant, or is empty", () => {
  assert.equal(didYouMean("veiws", ["views"]), ' Did you mean "views"?');
  assert.equal(didYouMean("colour", ["views"]), "");
});

Deno.test("what is far too long is compared with nothing", () => {
  assert.equal(nearest("a".repeat(1_000_000), ["a".repeat(1_000_000)]), null);
});
