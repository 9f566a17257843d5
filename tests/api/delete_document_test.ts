import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { NOBODY, ok, openShelf, refused, tally, times } from "./shelf.ts";

const remove = (id: string, query = "") => ({ method: "DELETE", path: `/${id}${query}` });

Deno.test("a deleted document goes to the trash: hidden, and kept with the time", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const stored = await shelf.insertOne({ title: "one" });
  app.clock.advance(1000);
  const now = new Date(app.clock.now()).toISOString();
  assert.deepEqual(ok(await shelf.asSecret(remove(stored._id.toUpperCase()))), { id: stored._id });
  refused(await shelf.asSecret({ path: `/${stored._id}` }), 404, "DOCUMENT_NOT_FOUND");
  assert.equal(ok(await shelf.asSecret({})).total, 0);
  const expected = { ...stored, isDeleted: true, deletedAt: now, updatedAt: now };
  assert.deepEqual((await shelf.read(stored._id)).body.data, expected);
});

Deno.test("deleting a second time is 404 and does not renew the time in the trash", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const { _id: id } = await shelf.insertOne();
  await shelf.remove(id);
  await shelf.untouched(async () => {
    refused(await shelf.asSecret(remove(id)), 404, "DOCUMENT_NOT_FOUND");
    refused(await shelf.asSecret(remove(NOBODY)), 404, "DOCUMENT_NOT_FOUND");
  });
});

Deno.test("a document in the trash cannot be written", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const { _id: id } = await shelf.insertOne();
  await shelf.remove(id);
  await shelf.untouched(async () => {
    for (const method of ["PUT", "PATCH"]) {
      for (const headers of [{}, { "if-match": "*" }]) {
        const answer = await shelf.asSecret({ method, path: `/${id}`, body: { n: 1 }, headers });
        refused(answer, 404, "DOCUMENT_NOT_FOUND");
      }
    }
  });
});

Deno.test("permanent=true removes for good, from the trash too", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const [live, deleted] = await shelf.insert({}, {});
  await shelf.remove(deleted!._id);
  for (const { _id } of [live!, deleted!]) {
    assert.deepEqual(ok(await shelf.asSecret(remove(_id, "?permanent=true"))), { id: _id });
    assert.equal((await shelf.read(_id)).status, 404);
    refused(await shelf.asSecret(remove(_id, "?permanent=true")), 404, "DOCUMENT_NOT_FOUND");
  }
  assert.equal(ok(await shelf.asSecret({ path: "?include_deleted=true" })).total, 0);
});

Deno.test("permanent=false is an ordinary deletion", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const { _id: id } = await shelf.insertOne();
  ok(await shelf.asSecret(remove(id, "?permanent=false")));
  assert.equal((await shelf.read(id)).body.data.isDeleted, true);
});

Deno.test("only the secret key removes for good, and a refusal removes nothing", async () => {
  await using app = await openTestApp();
  for (const rls of [{ enabled: false }, { mode: "public-read" }, { mode: "private" }]) {
    const shelf = await openShelf(app, { rls });
    const ann = await shelf.project.user();
    const { _id: live } = await shelf.insertOne({ userId: ann.id });
    const { _id: deleted } = await shelf.insertOne({ userId: ann.id });
    await shelf.remove(deleted);
    await shelf.untouched(async () => {
      for (const id of [live, deleted]) {
        const call = remove(id, "?permanent=true");
        refused(await shelf.asPublic(call), 403, "SECRET_KEY_REQUIRED");
        refused(await shelf.asPublic(call, ann), 403, "SECRET_KEY_REQUIRED");
      }
    });
  }
});

Deno.test("users delete their own documents only", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, { rls: { mode: "private" } });
  const [ann, bob] = [await shelf.project.user(), await shelf.project.user()];
  const { _id: id } = await shelf.insertOne({ userId: ann.id });
  await shelf.untouched(async () => {
    refused(await shelf.asPublic(remove(id)), 401, "ACCESS_TOKEN_REQUIRED");
    refused(await shelf.asPublic(remove(id), bob), 404, "DOCUMENT_NOT_FOUND");
  });
  ok(await shelf.asPublic(remove(id), ann));
  const read = { path: `/${id}?include_deleted=true` };
  assert.equal(ok(await shelf.asPublic(read, ann)).isDeleted, true);
});

Deno.test("without row-level security a publishable key deletes nothing", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, { rls: { enabled: false } });
  const ann = await shelf.project.user();
  const { _id: id } = await shelf.insertOne({ userId: ann.id });
  await shelf.untouched(async () => {
    refused(await shelf.asPublic(remove(id)), 403, "RLS_REQUIRED");
    refused(await shelf.asPublic(remove(id), ann), 403, "RLS_REQUIRED");
  });
});

Deno.test("what a deletion does not take is 400 and named, and nothing is deleted", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const { _id: id } = await shelf.insertOne();
  await shelf.untouched(async () => {
    for (const query of ["?permanent=yes", "?permanent="]) {
      refused(await shelf.asSecret(remove(id, query)), 400, "INVALID_QUERY", '"permanent"');
    }
    for (const query of ["?permanent=false&permanent=true", "?permanent=true&permanent=true"]) {
      refused(await shelf.asSecret(remove(id, query)), 400, "INVALID_QUERY", '"permanent"');
    }
    refused(await shelf.asSecret(remove(id, "?force=true")), 400, "INVALID_QUERY", '"force"');
    refused(await shelf.asSecret(remove("x")), 400, "INVALID_ID");
    const elsewhere = { method: "DELETE", path: `/api/data/nothing/${id}` };
    refused(await shelf.project.asSecret(elsewhere), 404, "COLLECTION_NOT_FOUND");
  });
});

Deno.test("of 50 deletions at once exactly one takes effect", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const { _id: id } = await shelf.insertOne();
  const trashed = await Promise.all(times(50, () => shelf.asSecret(remove(id))));
  assert.deepEqual(tally(trashed), { 200: 1, 404: 49 });
  const gone = await Promise.all(
    times(50, () => shelf.asSecret(remove(id, "?permanent=true"))),
  );
  assert.deepEqual(tally(gone), { 200: 1, 404: 49 });
  assert.equal(ok(await shelf.asSecret({})).total, 0, "counted once");
});
