import assert from "node:assert/strict";
import { nearest } from "./nearest.ts";

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

Deno.test("what is far too long is compared with nothing", () => {
  assert.equal(nearest("a".repeat(1_000_000), ["a".repeat(1_000_000)]), null);
});
