import assert from "node:assert/strict";
import { DOCUMENT_BYTES_MAX } from "@/lib/limits.ts";
import { openTestApp } from "../support/test_app.ts";
import { type Desk, openDesk } from "./desk.ts";
import { NOBODY, ok, openShelf, refused } from "./shelf.ts";

const FIELDS = [{ key: "slug", type: "String", unique: true }];

const write = (desk: Desk, id: string, body: unknown, headers: Record<string, string> = {}) =>
  desk.asOwner({ method: "PATCH", path: `/collections/posts/documents/${id}`, body, headers });

Deno.test("a document is changed, whoever owns it, and its owner with it", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, { rls: { mode: "private" } });
  const desk = await openDesk(app, shelf.project);
  const ann = await shelf.project.user();
  const { _id, userId } = ok(await shelf.asPublic({ body: { n: 1 } }, ann), 201);
  assert.equal(userId, ann.id);
  const answer = await write(desk, _id, { n: 2 });
  assert.deepEqual([ok(answer).n, ok(answer).userId], [2, ann.id]);
  const tag = { "if-match": answer.headers.get("etag")! };
  assert.equal(ok(await write(desk, _id, { n: 3, userId: "other" }, tag)).userId, "other");
  refused(await write(desk, _id, { n: 4 }, tag), 412, "PRECONDITION_FAILED");
});

Deno.test("what cannot be changed is refused, and stays as it is", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, { fields: FIELDS });
  const desk = await openDesk(app, shelf.project);
  const { _id } = await shelf.insertOne({ slug: "a" });
  await shelf.insertOne({ slug: "b" });
  await shelf.untouched(async () => {
    refused(await write(desk, _id, { slug: 1 }), 400, "INVALID_DOCUMENT");
    refused(await write(desk, _id, { _id: NOBODY }), 400, "FIELD_READ_ONLY");
    refused(await write(desk, "x", {}), 400, "INVALID_ID");
    refused(await write(desk, NOBODY, { slug: "c" }), 404, "DOCUMENT_NOT_FOUND");
    refused(await write(desk, _id, { slug: "b" }), 409, "DUPLICATE_VALUE");
    const text = "x".repeat(DOCUMENT_BYTES_MAX);
    refused(await write(desk, _id, { text }), 413, "DOCUMENT_TOO_LARGE");
    const call = { method: "PATCH", path: `/collections/posts/documents/${_id}`, body: {} };
    await desk.isForAdmins(call);
    const elsewhere = { ...call, path: `/collections/none/documents/${_id}` };
    refused(await desk.asOwner(elsewhere), 404, "COLLECTION_NOT_FOUND");
  });
});
