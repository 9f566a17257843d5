import assert from "node:assert/strict";
import { decodeBase64, decodeBase64Url, encodeBase64Url } from "./base64.ts";

const bytes = (...values: number[]) => new Uint8Array(values);

Deno.test("encodeBase64Url uses the URL alphabet without padding", () => {
  assert.equal(encodeBase64Url(bytes()), "");
  assert.equal(encodeBase64Url(bytes(0xfb, 0xff, 0xfe)), "-__-");
  assert.equal(encodeBase64Url(bytes(1)), "AQ");
  assert.equal(encodeBase64Url(bytes(1, 2)), "AQI");
});

Deno.test("decodeBase64Url reverses encodeBase64Url", () => {
  for (let length = 0; length < 20; length++) {
    const all = Uint8Array.from({ length }, (_, n) => n * 13 + 250);
    assert.deepEqual(decodeBase64Url(encodeBase64Url(all)), all);
  }
});

Deno.test("decodeBase64Url rejects every other encoding of the bytes", () => {
  for (const text of ["AQ==", "AR", "AQJ", " AQ", "AQ\n", "A", "+/+/", "AQ.", "%"]) {
    assert.throws(() => decodeBase64Url(text), SyntaxError, JSON.stringify(text));
  }
});

Deno.test("decodeBase64 accepts missing padding and white space", () => {
  for (const text of ["AQI=", "AQI", " AQ\nI= "]) {
    assert.deepEqual(decodeBase64(text), bytes(1, 2));
  }
  for (const text of ["A", "-_-_", "AQI=="]) assert.throws(() => decodeBase64(text), SyntaxError);
});
