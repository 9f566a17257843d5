import assert from "node:assert/strict";
import { DOCUMENT_BYTES_MAX } from "@/lib/limits.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { createTestCollection, ok, refused } from "./test_collection.ts";

const PATH = "/collections/posts/documents";
const FIELDS = [{ key: "slug", type: "String", unique: true, required: true }];

Deno.test("a document is created with any owner or none, and applications see it", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { mode: "private" } });
  const owner = await createTestOwner(app, collection.project);
  const ann = await collection.project.user();
  const answer = await owner.asOwner({ path: PATH, body: { n: 1, userId: ann.id } });
  const { _id, createdAt } = ok(answer, 201);
  assert.equal(createdAt, new Date(app.clock.now()).toISOString());
  assert.ok(answer.headers.get("etag"));
  assert.equal(ok(await collection.asPublic({ path: `/${_id}` }, ann)).n, 1);
  assert.equal("userId" in ok(await owner.asOwner({ path: PATH, body: {} }), 201), false);
});

Deno.test("what does not fit is refused, and nothing is stored", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  const owner = await createTestOwner(app, collection.project);
  await collection.insertOne({ slug: "taken" });
  const create = (body: unknown, path = PATH) => owner.asOwner({ path, body });
  await collection.untouched(async () => {
    refused(await create({}), 400, "INVALID_DOCUMENT", "slug");
    refused(await create({ slug: "a", _id: "x" }), 400, "FIELD_READ_ONLY");
    refused(await create({ slug: "taken" }), 409, "DUPLICATE_VALUE");
    const text = "x".repeat(DOCUMENT_BYTES_MAX);
    refused(await create({ slug: "a", text }), 413, "DOCUMENT_TOO_LARGE");
    const elsewhere = await create({ slug: "a" }, "/collections/none/documents");
    refused(elsewhere, 404, "COLLECTION_NOT_FOUND");
    await owner.isForAdmins({ path: PATH, body: { slug: "a" } });
  });
});
