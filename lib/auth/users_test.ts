import assert from "node:assert/strict";
import { lowerEmail } from "./users.ts";

Deno.test("e-mail addresses are the same in any case of the letters from A to Z", () => {
  assert.equal(lowerEmail("Ann.X@Example.COM"), "ann.x@example.com");
});

Deno.test("no other letter becomes one from A to Z, as some do in lower case", () => {
  for (let point = 0x80; point <= 0x10ffff; point++) {
    const letter = String.fromCodePoint(point);
    if (lowerEmail(letter) !== letter) assert.fail(`U+${point.toString(16)}`);
  }
  assert.equal("\u212A".toLowerCase(), "k");
});
