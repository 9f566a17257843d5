import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { type Desk, openDesk } from "./desk.ts";
import { NOBODY, ok, openShelf, refused } from "./shelf.ts";

const remove = (desk: Desk, rest: string, headers: Record<string, string> = {}) =>
  desk.asOwner({ method: "DELETE", path: `/collections/posts/documents/${rest}`, headers });

Deno.test("a document goes to the trash, or away for good, whoever owns it", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, { rls: { mode: "private" } });
  const desk = await openDesk(app, shelf.project);
  const ann = await shelf.project.user();
  const { _id } = ok(await shelf.asPublic({ body: { n: 1 } }, ann), 201);
  assert.deepEqual(ok(await remove(desk, _id)), { id: _id });
  assert.equal(ok(await shelf.read(_id)).isDeleted, true);
  refused(await remove(desk, _id), 404, "DOCUMENT_NOT_FOUND");
  ok(await remove(desk, `${_id}?permanent=true`));
  refused(await shelf.read(_id), 404, "DOCUMENT_NOT_FOUND");
});

Deno.test("what cannot be deleted is refused, and stays as it is", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const desk = await openDesk(app, shelf.project);
  const { _id } = await shelf.insertOne({ n: 1 });
  await shelf.untouched(async () => {
    refused(await remove(desk, "x"), 400, "INVALID_ID");
    refused(await remove(desk, NOBODY), 404, "DOCUMENT_NOT_FOUND");
    refused(await remove(desk, `${_id}?permanent=maybe`), 400, "INVALID_QUERY");
    refused(await remove(desk, _id, { "if-match": '"old"' }), 412, "PRECONDITION_FAILED");
    const call = { method: "DELETE", path: `/collections/posts/documents/${_id}` };
    await desk.isForAdmins(call);
    const elsewhere = { ...call, path: `/collections/none/documents/${_id}` };
    refused(await desk.asOwner(elsewhere), 404, "COLLECTION_NOT_FOUND");
  });
});
