import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { createTestCollection, NOBODY, ok, refused } from "./test_collection.ts";

const PATH = "/collections/posts/documents";

Deno.test("a member reads any document, whoever owns it; one they hold is 304", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { mode: "private" } });
  const owner = await createTestOwner(app, collection.project);
  const ann = await collection.project.user();
  const { _id } = ok(await collection.asPublic({ body: { n: 1 } }, ann), 201);
  const answer = await owner.as("viewer", { path: `${PATH}/${_id}` });
  assert.equal(ok(answer).n, 1);
  assert.deepEqual(ok(await owner.asOwner({ path: `${PATH}/${_id}?fields=n&meta=false` })), {
    _id,
    n: 1,
  });
  const held = { "if-none-match": answer.headers.get("etag")! };
  assert.equal((await owner.asOwner({ path: `${PATH}/${_id}`, headers: held })).status, 304);
});

Deno.test("what is not there is 404, what is no id or no query 400", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const owner = await createTestOwner(app, collection.project);
  const { _id } = await collection.insertOne();
  const foreign = await (await createTestCollection(app)).insertOne();
  const get = (rest: string) => owner.asOwner({ path: `${PATH}/${rest}` });
  for (const id of [NOBODY, foreign._id]) refused(await get(id), 404, "DOCUMENT_NOT_FOUND");
  refused(await get("x"), 400, "INVALID_ID");
  refused(await get(`${_id}?what=1`), 400, "INVALID_QUERY");
  const elsewhere = await owner.asOwner({ path: `/collections/none/documents/${_id}` });
  refused(elsewhere, 404, "COLLECTION_NOT_FOUND");
});
