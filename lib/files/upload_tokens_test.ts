import assert from "node:assert/strict";
import { createUploadTokens } from "./upload_tokens.ts";

const [OLD, NEW] = ["k".repeat(43), "l".repeat(43)];

const UPLOAD = {
  path: "0123456789abcdef01234567/0f8fad5b-d9cb-469f-a165-70867728950e_photo.png",
  bytes: 48_213,
  contentType: 'image/png; x="a.b"',
  expiresAt: 1_800_000_000_000,
};

Deno.test("write returns a URL-safe token that contains the complete upload", () => {
  const tokens = createUploadTokens([NEW]);
  const token = tokens.write(UPLOAD);
  assert.match(token, /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{22}$/);
  assert.deepEqual(tokens.read(token), UPLOAD);
});

Deno.test("read accepts a token of an older key until the key is removed", () => {
  const token = createUploadTokens([OLD]).write(UPLOAD);
  assert.deepEqual(createUploadTokens([NEW, OLD]).read(token), UPLOAD);
  assert.equal(createUploadTokens([NEW]).read(token), null);
});

Deno.test("read rejects a token that was altered at any position", () => {
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
