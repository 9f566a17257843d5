import assert from "node:assert/strict";
import { equalInConstantTime, mac, sha256 } from "./hashes.ts";

Deno.test("sha256 gives the published digests, in base64url without padding", () => {
  assert.equal(sha256(""), "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
  assert.equal(sha256("abc"), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
});

Deno.test("sha256 is taken of the text's UTF-8 bytes", () => {
  assert.equal(sha256("é"), "SplVfkAzw1Od4utlRyAXytX5VX96BiWgnxw_biumnEw");
});

Deno.test("mac is the first half of a hash over key and text, so keys must be of one length", () => {
  assert.equal(mac("ab", "c"), "ungWv48Bz-pBQUDeXa4iI7");
  assert.equal(mac("", "abc"), "ungWv48Bz-pBQUDeXa4iI7");
});

Deno.test("mac differs with the key and with the text, and keeps half of the hash back", () => {
  const macs = [
    mac("k".repeat(43), "text"),
    mac("l".repeat(43), "text"),
    mac("k".repeat(43), "texts"),
    mac("k".repeat(43), "Text"),
    mac("k".repeat(43), ""),
  ];
  assert.equal(new Set(macs).size, 5);
  for (const one of macs) assert.match(one, /^[A-Za-z0-9_-]{22}$/);
});

Deno.test("texts are equal in constant time only if every byte is", () => {
  const text = "s3cret-ÄÖÜ-😀";
  assert.equal(equalInConstantTime(text, "s3cret-ÄÖÜ-😀"), true);
  assert.equal(equalInConstantTime("", ""), true);
  const others = ["", "s3cret-ÄÖÜ-", "s3cret-ÄÖÜ-😀 ", "S3cret-ÄÖÜ-😀", "s3cret-ÄÖÜ-😁"];
  for (const other of others) {
    assert.equal(equalInConstantTime(text, other), false, other);
    assert.equal(equalInConstantTime(other, text), false, other);
  }
});

Deno.test("texts of as many characters but other bytes are not equal, and do not throw", () => {
  assert.equal(equalInConstantTime("é", "e"), false);
  assert.equal(equalInConstantTime("ab", "é"), false);
});
