import assert from "node:assert/strict";
import { randomToken } from "./random.ts";

Deno.test("a token is 32 bytes in base64url", () => {
  assert.match(randomToken(), /^[A-Za-z0-9_-]{43}$/);
  assert.match(randomToken(16), /^[A-Za-z0-9_-]{22}$/);
});

Deno.test("10,000 tokens are all different", () => {
  const tokens = Array.from({ length: 10_000 }, () => randomToken());
  assert.equal(new Set(tokens).size, 10_000);
});

Deno.test("every place of a token takes many values", () => {
  const tokens = Array.from({ length: 2000 }, () => randomToken());
  for (let place = 0; place < 42; place++) {
    assert.ok(new Set(tokens.map((token) => token[place])).size > 48, `place ${place}`);
  }
});
