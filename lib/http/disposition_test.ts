import assert from "node:assert/strict";
import fc from "fast-check";
import { contentDisposition } from "./disposition.ts";

Deno.test("contentDisposition adds an encoded name to one that is not ASCII", () => {
  assert.equal(contentDisposition("inline", "a b.png"), 'inline; filename="a b.png"');
  assert.equal(
    contentDisposition("attachment", "naïve 日本.txt"),
    "attachment; filename=\"na_ve __.txt\"; filename*=UTF-8''na%C3%AFve%20%E6%97%A5%E6%9C%AC.txt",
  );
});

Deno.test("contentDisposition replaces direction marks, controls and path separators", () => {
  for (
    const mark of ["\u202e", "\u200f", "\u2066", "\u0000", "\r", "\n", "\t", "/", "\\", "\u2028"]
  ) {
    assert.equal(contentDisposition("inline", `a${mark}b`), 'inline; filename="a_b"');
  }
});

Deno.test("contentDisposition returns a valid ASCII header for any text", () => {
  const character = fc.oneof(fc.nat({ max: 0x10ffff }), fc.nat({ max: 0xff }));
  const text = fc.array(character).map((codes) => String.fromCodePoint(...codes));
  fc.assert(fc.property(text, (name) => {
    const text = contentDisposition("inline", name);
    assert.match(text, /^inline; filename="[ -~]*"(?:; filename\*=UTF-8''[A-Za-z0-9%!._~-]*)?$/);
    const [, plain] = /filename="([^;]*)"/.exec(`${text.split("; filename*")[0]}`) ?? [];
    assert.ok(plain === undefined || !/["\\%]/.test(plain));
    new Headers({ "content-disposition": text });
  }));
});

Deno.test("contentDisposition replaces a lone surrogate", () => {
  assert.equal(
    contentDisposition("inline", "a\ud83d"),
    "inline; filename=\"a_\"; filename*=UTF-8''a%EF%BF%BD",
  );
});
