import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { createApp } from "@/routes/app.ts";
import { openTestApp } from "../support/test_app.ts";
import { CONTRACTS } from "@/openapi/document.ts";

Deno.test("getOpenApi serves the committed document with every operation", async () => {
  await using app = await openTestApp();
  const answer = await app.send({ path: "/openapi.json" });
  assert.equal(answer.status, 200);
  const committed = await Deno.readTextFile(
    new URL("../../openapi/openapi.json", import.meta.url),
  );
  const servers = [{ url: app.services.config.publicUrl, description: "This server" }];
  // Links are absolute, because the document is also read outside this server.
  const served = committed.replaceAll("](/docs", `](${app.services.config.publicUrl}/docs`);
  assert.deepEqual(answer.body, { ...JSON.parse(served), servers });
  assert.match(answer.body.openapi, /^3\.1\./);
  const ids = Object.values(answer.body.paths as Record<string, Record<string, unknown>>)
    .flatMap((operations) => Object.values(operations) as { operationId: string }[])
    .map(({ operationId }) => operationId);
  assert.deepEqual(ids.sort(), CONTRACTS.map(({ operationId }) => operationId).sort());
});

Deno.test("getOpenApi compresses the document if the client accepts gzip", async () => {
  await using app = await openTestApp();
  const served = createApp(app.services);
  const ask = (encoding: string) => {
    const headers = { "accept-encoding": encoding };
    const request = new Request("http://localhost:8000/openapi.json", { headers });
    return served.fetch(request, { remoteAddr: { hostname: "127.0.0.1" } });
  };
  const [plain, compressed] = [await ask("gzip;q=0"), await ask("br, gzip")];
  assert.equal(plain.headers.get("content-encoding"), null);
  assert.equal(compressed.headers.get("content-encoding"), "gzip");
  for (const { headers } of [plain, compressed]) {
    assert.match(headers.get("vary")!, /accept-encoding/i);
  }
  assert.notEqual(plain.headers.get("etag"), compressed.headers.get("etag"));
  const bytes = new Uint8Array(await compressed.arrayBuffer());
  const text = await plain.text();
  assert.equal(new TextDecoder().decode(gunzipSync(bytes)), text);
  assert.ok(bytes.length < text.length / 5, `${bytes.length} of ${text.length} bytes`);
});

Deno.test("getOpenApi returns 304 for a matching ETag, and the document otherwise", async () => {
  await using app = await openTestApp();
  const first = await app.send({ path: "/openapi.json" });
  const tag = first.headers.get("etag")!;
  assert.match(tag, /^"[^"]+"$/);
  for (const header of [tag, `W/${tag}`, "*", `"x", ${tag}`]) {
    const answer = await app.send({ path: "/openapi.json", headers: { "if-none-match": header } });
    assert.equal(answer.status, 304);
    assert.equal(answer.text, "");
    assert.equal(answer.headers.get("etag"), tag);
  }
  const again = await app.send({ path: "/openapi.json", headers: { "if-none-match": '"x"' } });
  assert.equal(again.text, first.text);
});
