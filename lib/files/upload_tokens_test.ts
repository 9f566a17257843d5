import assert from "node:assert/strict";
import { createUploadTokens } from "./upload_tokens.ts";

const [OLD, NEW] = ["k".repeat(43), "l".repeat(43)];

const UPLOAD = {
  path: "0123456789abcdef01234567/0f8fad5b-d9cb-469f-a165-70867728950e_photo.png",
  bytes: 48_213,
  contentType: 'image/png; x="a.b"',
  expiresAt: 1_800_000_000_000,
};

Deno.test("a token says all of an upload, and nothing but letters that addresses keep", () => {
  const tokens = createUploadTokens([NEW]);
  const token = tokens.write(UPLOAD);
  assert.match(token, /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{22}$/);
  assert.deepEqual(tokens.read(token), UPLOAD);
});

Deno.test("a token by an older key of the ring is good as long as the key is in it", () => {
  const token = createUploadTokens([OLD]).write(UPLOAD);
  assert.deepEqual(createUploadTokens([NEW, OLD]).read(token), UPLOAD);
  assert.equal(createUploadTokens([NEW]).read(token), null);
});

Deno.test("what was altered in any place is no token", () => {
  const tokens = createUploadTokens([NEW]);
  const token = tokens.write(UPLOAD);
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === "x" ? "y" : "x";
    assert.equal(tokens.read(token.slice(0, at) + other + token.slice(at + 1)), null, `${at}`);
  }
  for (const text of ["", ".", "x", token.slice(1), token.slice(0, -1), `${token}=`]) {
    assert.equal(tokens.read(text), null, text);
  }
});
