import assert from "node:assert/strict";
import { decodeUtf8, NotUtf8 } from "./utf8.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function utf16(text: string, { isBig = false, mark = true } = {}): Uint8Array {
  const units = [...(mark ? "\ufeff" : "") + text];
  return Uint8Array.from(units.flatMap((unit) => {
    const code = unit.charCodeAt(0);
    return isBig ? [code >> 8, code & 0xff] : [code & 0xff, code >> 8];
  }));
}

Deno.test("decodeUtf8 decodes UTF-8 and removes a byte order mark", () => {
  for (const text of ["", "a", "Müller\n\u{1F600}", "\ufffd"]) {
    assert.equal(decodeUtf8(bytes(text)), text);
    assert.equal(decodeUtf8(bytes(`\ufeff${text}`)), text);
  }
});

Deno.test("decodeUtf8 reports UTF-16, with and without a byte order mark", () => {
  for (const isBig of [false, true]) {
    for (const mark of [false, true]) {
      const given = utf16('{"a":1}', { isBig, mark });
      assert.throws(() => decodeUtf8(given), { name: "NotUtf8", message: "is UTF-16, not UTF-8" });
    }
  }
});

Deno.test("decodeUtf8 rejects another encoding with the number of the faulty line", () => {
  const latin = Uint8Array.from([..."name\nM\u00fcller\nx"].map((one) => one.charCodeAt(0)));
  const cases: [Uint8Array, number][] = [
    [latin, 2],
    [Uint8Array.of(0xfc), 1],
    [Uint8Array.of(0x61, 0x0a, 0x0a, 0x62, 0xc3), 3],
    [Uint8Array.of(0x61, 0x0a, 0xc3, 0x0a, 0x61), 2],
    [Uint8Array.of(0x61, 0xed, 0xa0, 0x80), 1],
  ];
  for (const [given, line] of cases) {
    assert.throws(() => decodeUtf8(given), (error) => {
      assert.ok(error instanceof NotUtf8);
      assert.equal(error.message, `is not UTF-8, but perhaps Windows-1252 (line ${line})`);
      return true;
    });
  }
});
