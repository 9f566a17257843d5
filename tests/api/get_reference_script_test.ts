import assert from "node:assert/strict";
import { brotliDecompressSync } from "node:zlib";
import { createApp } from "@/routes/app.ts";
import { openTestApp } from "../support/test_app.ts";
import { refused } from "./test_collection.ts";

for (const file of ["init.js", "scalar.js"]) {
  Deno.test(`${file} is served as a script with a tag`, async () => {
    await using app = await openTestApp();
    const answer = await app.send({ path: `/docs/${file}` });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-type")!, /^text\/javascript; charset=utf-8$/);
    assert.ok(answer.text.length > 100);
    const tag = answer.headers.get("etag")!;
    const headers = { "if-none-match": tag };
    const held = await app.send({ path: `/docs/${file}`, headers });
    assert.equal(held.status, 304);
    assert.equal(held.text, "");
  });
}

Deno.test("the script comes packed to whoever takes that, and is the same either way", async () => {
  await using app = await openTestApp();
  const serve = createApp(app.services);
  const read = async (encoding: string) => {
    const request = new Request("http://localhost/docs/scalar.js", {
      headers: { "accept-encoding": encoding },
    });
    const response = await serve.fetch(request, { remoteAddr: { hostname: "127.0.0.1" } });
    return { headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
  };
  const [packed, plain] = [await read("gzip, deflate, br"), await read("gzip")];
  assert.equal(packed.headers.get("content-encoding"), "br");
  assert.equal(plain.headers.get("content-encoding"), null);
  assert.notEqual(packed.headers.get("etag"), plain.headers.get("etag"));
  for (const { headers } of [packed, plain]) {
    assert.match(headers.get("vary")!, /accept-encoding/i);
  }
  assert.ok(packed.bytes.length < plain.bytes.length / 2);
  assert.deepEqual(Uint8Array.from(brotliDecompressSync(packed.bytes)), plain.bytes);
});

Deno.test("no other file is served", async () => {
  await using app = await openTestApp();
  for (const file of ["page.html", "scalar.js.br", "update.ts", "NOTICE.md", "x", "init.js.map"]) {
    refused(await app.send({ path: `/docs/${file}` }), 404, "ROUTE_NOT_FOUND");
  }
});
