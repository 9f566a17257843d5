import assert from "node:assert/strict";
import { faults, testUnless } from "../support/server_faults.ts";
import { openTestApp } from "../support/test_app.ts";
import { type Desk, openDesk } from "./desk.ts";
import { NOBODY, ok, openShelf, refused } from "./shelf.ts";

const recover = (desk: Desk, id: string, name = "posts") =>
  desk.asOwner({ method: "PATCH", path: `/collections/${name}/documents/${id}/recover` });

Deno.test("a document comes out of the trash; one that is not in it stays unchanged", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const desk = await openDesk(app, shelf.project);
  const { _id } = await shelf.insertOne({ n: 1 });
  await shelf.remove(_id);
  const first = ok(await recover(desk, _id));
  assert.deepEqual([first.isDeleted, first.deletedAt, first.n], [false, null, 1]);
  app.clock.advance(1000);
  assert.deepEqual(ok(await recover(desk, _id)), first);
});

Deno.test("what cannot be recovered is refused, and stays as it is", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const desk = await openDesk(app, shelf.project);
  const { _id } = await shelf.insertOne({ n: 1 });
  await shelf.remove(_id);
  await shelf.untouched(async () => {
    refused(await recover(desk, "x"), 400, "INVALID_ID");
    refused(await recover(desk, NOBODY), 404, "DOCUMENT_NOT_FOUND");
    refused(await recover(desk, _id, "none"), 404, "COLLECTION_NOT_FOUND");
    const path = `/collections/posts/documents/${_id}/recover`;
    await desk.isForAdmins({ method: "PATCH", path });
  });
});

testUnless(
  faults.staysTaken,
  "a value that somebody took meanwhile keeps the document in the trash",
  async () => {
    await using app = await openTestApp();
    const shelf = await openShelf(app, { fields: [{ key: "slug", type: "String", unique: true }] });
    const desk = await openDesk(app, shelf.project);
    const { _id } = await shelf.insertOne({ slug: "a" });
    await shelf.remove(_id);
    await shelf.insertOne({ slug: "a" });
    await shelf.untouched(async () => {
      refused(await recover(desk, _id), 409, "DUPLICATE_VALUE");
    });
  },
);
