import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { openTestApp } from "../support/test_app.ts";

const built = () => Deno.readTextFile(new URL("../../client/cli.js", import.meta.url));

Deno.test("the command line is served as it is built, with a tag", async () => {
  await using app = await openTestApp();
  const answer = await app.send({ path: "/cli.js" });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type")!, /^text\/javascript/);
  assert.equal(answer.text, await built());
  const headers = { "if-none-match": answer.headers.get("etag")! };
  assert.equal((await app.send({ path: "/cli.js", headers })).status, 304);
});

Deno.test("the command line is one module of at most 40 kB, without imports", async () => {
  const text = await built();
  assert.ok(gzipSync(text).length <= 40_000);
  // At the beginning of a statement; the word also stands in texts.
  assert.doesNotMatch(text, /(?:^|[;}\n])\s*import\b\s*(?:["'({*]|\w+\s+from)/);
  assert.doesNotMatch(text, /\bimport\(/);
});
