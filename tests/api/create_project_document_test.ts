import assert from "node:assert/strict";
import { DOCUMENT_BYTES_MAX } from "@/lib/limits.ts";
import { openTestApp } from "../support/test_app.ts";
import { openDesk } from "./desk.ts";
import { ok, openShelf, refused } from "./shelf.ts";

const PATH = "/collections/posts/documents";
const FIELDS = [{ key: "slug", type: "String", unique: true, required: true }];

Deno.test("a document is created with any owner or none, and applications see it", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, { rls: { mode: "private" } });
  const desk = await openDesk(app, shelf.project);
  const ann = await shelf.project.user();
  const answer = await desk.asOwner({ path: PATH, body: { n: 1, userId: ann.id } });
  const { _id, createdAt } = ok(answer, 201);
  assert.equal(createdAt, new Date(app.clock.now()).toISOString());
  assert.ok(answer.headers.get("etag"));
  assert.equal(ok(await shelf.asPublic({ path: `/${_id}` }, ann)).n, 1);
  assert.equal("userId" in ok(await desk.asOwner({ path: PATH, body: {} }), 201), false);
});

Deno.test("what does not fit is refused, and nothing is stored", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, { fields: FIELDS });
  const desk = await openDesk(app, shelf.project);
  await shelf.insertOne({ slug: "taken" });
  const create = (body: unknown, path = PATH) => desk.asOwner({ path, body });
  await shelf.untouched(async () => {
    refused(await create({}), 400, "INVALID_DOCUMENT", "slug");
    refused(await create({ slug: "a", _id: "x" }), 400, "FIELD_READ_ONLY");
    refused(await create({ slug: "taken" }), 409, "DUPLICATE_VALUE");
    const text = "x".repeat(DOCUMENT_BYTES_MAX);
    refused(await create({ slug: "a", text }), 413, "DOCUMENT_TOO_LARGE");
    const elsewhere = await create({ slug: "a" }, "/collections/none/documents");
    refused(elsewhere, 404, "COLLECTION_NOT_FOUND");
    await desk.isForAdmins({ path: PATH, body: { slug: "a" } });
  });
});
