import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { openTestApp } from "../support/test_app.ts";

const readBuilt = () => Deno.readTextFile(new URL("../../client/cli.js", import.meta.url));

Deno.test("getCommandLine serves the built command line with an ETag", async () => {
  await using app = await openTestApp();
  const answer = await app.send({ path: "/cli.js" });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type")!, /^text\/javascript/);
  assert.equal(answer.text, await readBuilt());
  const headers = { "if-none-match": answer.headers.get("etag")! };
  assert.equal((await app.send({ path: "/cli.js", headers })).status, 304);
});

Deno.test("the built command line is one module of at most 40 kB without imports", async () => {
  const text = await readBuilt();
  assert.ok(gzipSync(text).length <= 40_000);
  // Only at the beginning of a statement, because strings contain the word too.
  assert.doesNotMatch(text, /(?:^|[;}\n])\s*import\b\s*(?:["'({*]|\w+\s+from)/);
  assert.doesNotMatch(text, /\bimport\(/);
});
