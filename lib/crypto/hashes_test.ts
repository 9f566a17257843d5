import assert from "node:assert/strict";
import { equalInConstantTime, mac, sha256 } from "./hashes.ts";

Deno.test("sha256 returns the published digests in base64url without padding", () => {
  assert.equal(sha256(""), "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
  assert.equal(sha256("abc"), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
});

Deno.test("sha256 hashes the UTF-8 bytes of the text", () => {
  assert.equal(sha256("é"), "SplVfkAzw1Od4utlRyAXytX5VX96BiWgnxw_biumnEw");
});

Deno.test("mac is the first half of a hash of key and text, so keys must have one length", () => {
  assert.equal(mac("ab", "c"), "ungWv48Bz-pBQUDeXa4iI7");
  assert.equal(mac("", "abc"), "ungWv48Bz-pBQUDeXa4iI7");
});

Deno.test("mac differs by key and text and has half the length of a hash", () => {
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

Deno.test("equalInConstantTime requires all characters to be equal", () => {
  const text = "s3cret-ÄÖÜ-😀";
  assert.equal(equalInConstantTime(text, "s3cret-ÄÖÜ-😀"), true);
  assert.equal(equalInConstantTime("", ""), true);
  const others = ["", "s3cret-ÄÖÜ-", "s3cret-ÄÖÜ-😀 ", "S3cret-ÄÖÜ-😀", "s3cret-ÄÖÜ-😁"];
  for (const other of others) {
    assert.equal(equalInConstantTime(text, other), false, other);
    assert.equal(equalInConstantTime(other, text), false, other);
  }
});

Deno.test("equalInConstantTime rejects texts of one length with other bytes", () => {
  assert.equal(equalInConstantTime("é", "e"), false);
  assert.equal(equalInConstantTime("ab", "é"), false);
});
