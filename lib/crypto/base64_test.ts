import assert from "node:assert/strict";
import { decodeBase64, decodeBase64Url, encodeBase64Url } from "./base64.ts";

const bytes = (...values: number[]) => new Uint8Array(values);

Deno.test("base64url is written without padding, in its own alphabet", () => {
  assert.equal(encodeBase64Url(bytes()), "");
  assert.equal(encodeBase64Url(bytes(0xfb, 0xff, 0xfe)), "-__-");
  assert.equal(encodeBase64Url(bytes(1)), "AQ");
  assert.equal(encodeBase64Url(bytes(1, 2)), "AQI");
});

Deno.test("what was written is read back", () => {
  for (let length = 0; length < 20; length++) {
    const all = Uint8Array.from({ length }, (_, n) => n * 13 + 250);
    assert.deepEqual(decodeBase64Url(encodeBase64Url(all)), all);
  }
});

Deno.test("bytes have one spelling in base64url", () => {
  for (const text of ["AQ==", "AR", "AQJ", " AQ", "AQ\n", "A", "+/+/", "AQ.", "%"]) {
    assert.throws(() => decodeBase64Url(text), SyntaxError, JSON.stringify(text));
  }
});

Deno.test("base64 is read as people paste it", () => {
  for (const text of ["AQI=", "AQI", " AQ\nI= "]) {
    assert.deepEqual(decodeBase64(text), bytes(1, 2));
  }
  for (const text of ["A", "-_-_", "AQI=="]) assert.throws(() => decodeBase64(text), SyntaxError);
});
