import assert from "node:assert/strict";
import { brotliDecompressSync } from "node:zlib";
import { createApp } from "@/routes/app.ts";
import { openTestApp } from "../support/test_app.ts";
import { refused } from "./test_collection.ts";

for (const file of ["init.js", "scalar.js"]) {
  Deno.test(`getReferenceScript serves ${file} as a script with an ETag`, async () => {
    await using app = await openTestApp();
    const answer = await app.send({ path: `/docs/${file}` });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-type")!, /^text\/javascript; charset=utf-8$/);
    assert.ok(answer.text.length > 100);
    const tag = answer.headers.get("etag")!;
    const headers = { "if-none-match": tag };
    const cached = await app.send({ path: `/docs/${file}`, headers });
    assert.equal(cached.status, 304);
    assert.equal(cached.text, "");
  });
}

Deno.test("getReferenceScript compresses with Brotli if accepted, with identical content", async () => {
  await using app = await openTestApp();
  const serve = createApp(app.services);
  const read = async (encoding: string) => {
    const request = new Request("http://localhost/docs/scalar.js", {
      headers: { "accept-encoding": encoding },
    });
    const response = await serve.fetch(request, { remoteAddr: { hostname: "127.0.0.1" } });
    return { headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
  };
  const [compressed, plain] = [await read("gzip, deflate, br"), await read("gzip")];
  assert.equal(compressed.headers.get("content-encoding"), "br");
  assert.equal(plain.headers.get("content-encoding"), null);
  assert.notEqual(compressed.headers.get("etag"), plain.headers.get("etag"));
  for (const { headers } of [compressed, plain]) {
    assert.match(headers.get("vary")!, /accept-encoding/i);
  }
  assert.ok(compressed.bytes.length < plain.bytes.length / 2);
  assert.deepEqual(Uint8Array.from(brotliDecompressSync(compressed.bytes)), plain.bytes);
});

Deno.test("getReferenceScript serves no other file", async () => {
  await using app = await openTestApp();
  for (const file of ["page.html", "scalar.js.br", "update.ts", "NOTICE.md", "x", "init.js.map"]) {
    refused(await app.send({ path: `/docs/${file}` }), 404, "ROUTE_NOT_FOUND");
  }
});
