import assert from "node:assert/strict";
import { faults, testUnless } from "../support/server_faults.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner, type TestOwner } from "./test_owner.ts";
import { createTestCollection, NOBODY, ok, refused } from "./test_collection.ts";

const recover = (owner: TestOwner, id: string, name = "posts") =>
  owner.asOwner({ method: "PATCH", path: `/collections/${name}/documents/${id}/recover` });

Deno.test("a document comes out of the trash; one that is not in it stays unchanged", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const owner = await createTestOwner(app, collection.project);
  const { _id } = await collection.insertOne({ n: 1 });
  await collection.remove(_id);
  const first = ok(await recover(owner, _id));
  assert.deepEqual([first.isDeleted, first.deletedAt, first.n], [false, null, 1]);
  app.clock.advance(1000);
  assert.deepEqual(ok(await recover(owner, _id)), first);
});

Deno.test("what cannot be recovered is refused, and stays as it is", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const owner = await createTestOwner(app, collection.project);
  const { _id } = await collection.insertOne({ n: 1 });
  await collection.remove(_id);
  await collection.untouched(async () => {
    refused(await recover(owner, "x"), 400, "INVALID_ID");
    refused(await recover(owner, NOBODY), 404, "DOCUMENT_NOT_FOUND");
    refused(await recover(owner, _id, "none"), 404, "COLLECTION_NOT_FOUND");
    const path = `/collections/posts/documents/${_id}/recover`;
    await owner.isForAdmins({ method: "PATCH", path });
  });
});

testUnless(
  faults.staysTaken,
  "a value that somebody took meanwhile keeps the document in the trash",
  async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app, {
      fields: [{ key: "slug", type: "String", unique: true }],
    });
    const owner = await createTestOwner(app, collection.project);
    const { _id } = await collection.insertOne({ slug: "a" });
    await collection.remove(_id);
    await collection.insertOne({ slug: "a" });
    await collection.untouched(async () => {
      refused(await recover(owner, _id), 409, "DUPLICATE_VALUE");
    });
  },
);
