import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { CONTRACTS } from "@/openapi/document.ts";

Deno.test("the document is served as it is committed, with every operation", async () => {
  await using app = await openTestApp();
  const answer = await app.send({ path: "/openapi.json" });
  assert.equal(answer.status, 200);
  const committed = await Deno.readTextFile(
    new URL("../../openapi/openapi.json", import.meta.url),
  );
  assert.deepEqual(answer.body, JSON.parse(committed));
  assert.match(answer.body.openapi, /^3\.1\./);
  const ids = Object.values(answer.body.paths as Record<string, Record<string, unknown>>)
    .flatMap((operations) => Object.values(operations) as { operationId: string }[])
    .map(({ operationId }) => operationId);
  assert.deepEqual(ids.sort(), CONTRACTS.map(({ operationId }) => operationId).sort());
});

Deno.test("the document has a tag: 304 to whoever holds it, the same bytes at every asking", async () => {
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
