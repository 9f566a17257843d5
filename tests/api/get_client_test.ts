import assert from "node:assert/strict";
import { brotliCompressSync, gunzipSync } from "node:zlib";
import { createApp } from "@/routes/app.ts";
import { openTestApp } from "../support/test_app.ts";

const read = (name: string) => Deno.readTextFile(new URL(`../../client/${name}`, import.meta.url));

Deno.test("getClient serves the built client to pages of any origin", async () => {
  await using app = await openTestApp();
  const headers = { origin: "https://app.example" };
  const answer = await app.send({ path: "/client.js", headers });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type")!, /^text\/javascript/);
  assert.equal(answer.headers.get("access-control-allow-origin"), "https://app.example");
  assert.equal(answer.text, await read("client.js"));
});

Deno.test("the built client is one module of at most 10 kB without imports", async () => {
  const text = await read("client.js");
  assert.ok(brotliCompressSync(text).length <= 10_000);
  assert.doesNotMatch(text, /\bimport\b\s*(?:["'({*]|\w+\s+from)/);
  assert.match(text, /export\s*\{[^}]*\bcreateClient\b/);
});

Deno.test("getClient compresses if the client accepts gzip, and returns an ETag", async () => {
  await using app = await openTestApp();
  const served = createApp(app.services);
  const ask = (headers: Record<string, string>) =>
    served.fetch(new Request("http://localhost:8000/client.js", { headers }), {
      remoteAddr: { hostname: "127.0.0.1" },
    });
  const compressed = await ask({ "accept-encoding": "gzip" });
  const bytes = gunzipSync(new Uint8Array(await compressed.arrayBuffer()));
  assert.equal(new TextDecoder().decode(bytes), await read("client.js"));
  const tag = compressed.headers.get("etag")!;
  const cached = await ask({ "accept-encoding": "gzip", "if-none-match": tag });
  assert.equal(cached.status, 304);
});
