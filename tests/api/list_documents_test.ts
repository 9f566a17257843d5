import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";

Deno.test("a list shows what was stored, newest first", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await project.collection({ name: "posts", fields: [], rls: { mode: "public-read" } });
  for (const n of [1, 2, 3]) {
    app.clock.advance(1000);
    const created = await project.asSecret({ path: "/api/data/posts", body: { n } });
    assert.equal(created.status, 201);
  }
  const { status, body } = await project.asPublic({ path: "/api/data/posts" });
  assert.equal(status, 200);
  assert.deepEqual(body.data.items.map((item: { n: number }) => item.n), [3, 2, 1]);
});
