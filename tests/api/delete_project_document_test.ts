import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner, type TestOwner } from "./test_owner.ts";
import { createTestCollection, NOBODY, ok, refused } from "./test_collection.ts";

const remove = (owner: TestOwner, rest: string, headers: Record<string, string> = {}) =>
  owner.asOwner({ method: "DELETE", path: `/collections/posts/documents/${rest}`, headers });

Deno.test("a document goes to the trash, or away for good, whoever owns it", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { mode: "private" } });
  const owner = await createTestOwner(app, collection.project);
  const ann = await collection.project.user();
  const { _id } = ok(await collection.asPublic({ body: { n: 1 } }, ann), 201);
  assert.deepEqual(ok(await remove(owner, _id)), { id: _id });
  assert.equal(ok(await collection.read(_id)).isDeleted, true);
  refused(await remove(owner, _id), 404, "DOCUMENT_NOT_FOUND");
  ok(await remove(owner, `${_id}?permanent=true`));
  refused(await collection.read(_id), 404, "DOCUMENT_NOT_FOUND");
});

Deno.test("what cannot be deleted is refused, and stays as it is", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const owner = await createTestOwner(app, collection.project);
  const { _id } = await collection.insertOne({ n: 1 });
  await collection.untouched(async () => {
    refused(await remove(owner, "x"), 400, "INVALID_ID");
    refused(await remove(owner, NOBODY), 404, "DOCUMENT_NOT_FOUND");
    refused(await remove(owner, `${_id}?permanent=maybe`), 400, "INVALID_QUERY");
    refused(await remove(owner, _id, { "if-match": '"old"' }), 412, "PRECONDITION_FAILED");
    const call = { method: "DELETE", path: `/collections/posts/documents/${_id}` };
    await owner.isForAdmins(call);
    const elsewhere = { ...call, path: `/collections/none/documents/${_id}` };
    refused(await owner.asOwner(elsewhere), 404, "COLLECTION_NOT_FOUND");
  });
});
