/** What holds of PUT and of PATCH of an owner alike. */
import assert from "node:assert/strict";
import { DOCUMENT_BYTES_MAX } from "@/lib/limits.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner, type TestOwner } from "./test_owner.ts";
import { createTestCollection, NOBODY, ok, refused } from "./test_collection.ts";

const FIELDS = [{ key: "slug", type: "String", unique: true }];

/** @param done What is done to a document, for the tests' names. */
export function testOwnerWrites(method: "PUT" | "PATCH", done: string): void {
  const write = (
    owner: TestOwner,
    id: string,
    body: unknown,
    headers: Record<string, string> = {},
  ) => owner.asOwner({ method, path: `/collections/posts/documents/${id}`, body, headers });

  Deno.test(`a document is ${done}, whoever owns it, and its owner with it`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app, { rls: { mode: "private" } });
    const owner = await createTestOwner(app, collection.project);
    const ann = await collection.project.user();
    const { _id, userId } = ok(await collection.asPublic({ body: { n: 1 } }, ann), 201);
    assert.equal(userId, ann.id);
    const answer = await write(owner, _id, { n: 2 });
    assert.deepEqual([ok(answer).n, ok(answer).userId], [2, ann.id]);
    const tag = { "if-match": answer.headers.get("etag")! };
    assert.equal(ok(await write(owner, _id, { n: 3, userId: "other" }, tag)).userId, "other");
    refused(await write(owner, _id, { n: 4 }, tag), 412, "PRECONDITION_FAILED");
  });

  Deno.test(`what cannot be ${done} is refused, and stays as it is`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app, { fields: FIELDS });
    const owner = await createTestOwner(app, collection.project);
    const { _id } = await collection.insertOne({ slug: "a" });
    await collection.insertOne({ slug: "b" });
    await collection.untouched(async () => {
      refused(await write(owner, _id, { slug: 1 }), 400, "INVALID_DOCUMENT");
      refused(await write(owner, _id, { _id: NOBODY }), 400, "FIELD_READ_ONLY");
      refused(await write(owner, "x", {}), 400, "INVALID_ID");
      refused(await write(owner, NOBODY, { slug: "c" }), 404, "DOCUMENT_NOT_FOUND");
      refused(await write(owner, _id, { slug: "b" }), 409, "DUPLICATE_VALUE");
      const text = "x".repeat(DOCUMENT_BYTES_MAX);
      refused(await write(owner, _id, { text }), 413, "DOCUMENT_TOO_LARGE");
      const call = { method, path: `/collections/posts/documents/${_id}`, body: {} };
      await owner.isForAdmins(call);
      const elsewhere = { ...call, path: `/collections/none/documents/${_id}` };
      refused(await owner.asOwner(elsewhere), 404, "COLLECTION_NOT_FOUND");
    });
  });
}
