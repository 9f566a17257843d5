import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, ok, refused, times } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";

const PATH = "/collections/posts/documents.json";
const FIELDS = [{ key: "title", type: "String" }, { key: "views", type: "Number" }];

Deno.test("exportDocumentsAsJson returns the documents of a list for members only", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS, rls: { mode: "private" } });
  const owner = await createTestOwner(app, collection.project);
  const documents = times(250, (views) => ({ title: `T${views}`, views }));
  for (const at of [0, 100, 200]) {
    ok(await collection.asSecret({ path: "/bulk", body: documents.slice(at, at + 100) }), 201);
  }
  const query = "views_gte=20&sort=-views&fields=title";
  const answer = await owner.as("viewer", { path: `${PATH}?${query}` });
  assert.equal(answer.headers.get("content-disposition"), 'attachment; filename="posts.json"');
  const { items } = ok(await collection.asSecret({ path: `?${query}&limit=1000` }));
  assert.equal(items.length, 230);
  assert.deepEqual(answer.body, items);
  assert.deepEqual((await owner.asOwner({ path: `${PATH}?views=-1` })).body, []);
  assert.equal((await owner.asOwner({ path: PATH, method: "HEAD" })).text, "");

  const stranger = await createTestOwner(app);
  const foreignPath = `/api/projects/${owner.projectId}${PATH}`;
  refused(await stranger.account.send({ path: foreignPath }), 404, "PROJECT_NOT_FOUND");
  refused(await owner.asOwner({ path: `${PATH}?populate=title` }), 400, "INVALID_QUERY");
  refused(await owner.asOwner({ path: `${PATH}?search=x` }), 400, "SEARCH_NOT_DECLARED");
});
