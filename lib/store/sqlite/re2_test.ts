import assert from "node:assert/strict";
import { re2 } from "./re2.ts";

Deno.test("a pattern matches anywhere in a text, in any letter case", () => {
  assert.equal(re2("raf", "Draft"), 1);
  assert.equal(re2("^DRAFT$", "draft"), 1);
  assert.equal(re2("größe", "DIE GRÖSSE"), 0);
  assert.equal(re2("GRÖßE", "die größe"), 1);
  assert.equal(re2("^raf", "Draft"), 0);
  assert.equal(re2("a.c", "a\nc"), 0);
  assert.equal(re2("", "anything"), 1);
  assert.equal(re2("😀.", "x😀y"), 1);
});

Deno.test("what is no text matches no pattern", () => {
  for (const value of [null, undefined, 5, 1n, true, new Uint8Array([97])]) {
    assert.equal(re2(".*", value), 0);
    assert.equal(re2(value, "text"), 0);
  }
});

Deno.test("the answer is the same the second time, and for more patterns than are kept", () => {
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 600; n++) {
      assert.equal(re2(`^x${n}$`, `X${n}`), 1);
      assert.equal(re2(`^x${n}$`, `x${n}0`), 0);
    }
  }
});

Deno.test("a pattern that does not compile matches nothing, each time: an exception would hang SQLite", () => {
  for (let n = 0; n < 2; n++) assert.equal(re2("(", "text"), 0);
});

Deno.test("a pattern that would explode elsewhere is answered in passing", () => {
  assert.equal(re2("(a+)+$", "a".repeat(50_000) + "b"), 0);
});
