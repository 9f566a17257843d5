import assert from "node:assert/strict";
import { randomToken } from "./random.ts";

Deno.test("randomToken returns 32 bytes in base64url by default", () => {
  assert.match(randomToken(), /^[A-Za-z0-9_-]{43}$/);
  assert.match(randomToken(16), /^[A-Za-z0-9_-]{22}$/);
});

Deno.test("randomToken returns 10,000 different tokens", () => {
  const tokens = Array.from({ length: 10_000 }, () => randomToken());
  assert.equal(new Set(tokens).size, 10_000);
});

Deno.test("randomToken varies every character", () => {
  const tokens = Array.from({ length: 2000 }, () => randomToken());
  for (let index = 0; index < 42; index++) {
    assert.ok(new Set(tokens.map((token) => token[index])).size > 48, `index ${index}`);
  }
});
