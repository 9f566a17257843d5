import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, ok, refused, tally, times, UNKNOWN_ID } from "./test_collection.ts";

const remove = (id: string, query = "") => ({ method: "DELETE", path: `/${id}${query}` });

Deno.test("deleteDocument moves the document to the trash with the time", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const stored = await collection.insertOne({ title: "one" });
  app.clock.advance(1000);
  const now = new Date(app.clock.now()).toISOString();
  assert.deepEqual(ok(await collection.asSecret(remove(stored._id.toUpperCase()))), {
    id: stored._id,
  });
  refused(await collection.asSecret({ path: `/${stored._id}` }), 404, "DOCUMENT_NOT_FOUND");
  assert.equal(ok(await collection.asSecret({})).total, 0);
  const expected = { ...stored, isDeleted: true, deletedAt: now, updatedAt: now };
  assert.deepEqual((await collection.read(stored._id)).body.data, expected);
});

Deno.test("deleteDocument a second time is 404 and does not renew the time in the trash", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne();
  await collection.remove(id);
  await collection.untouched(async () => {
    refused(await collection.asSecret(remove(id)), 404, "DOCUMENT_NOT_FOUND");
    refused(await collection.asSecret(remove(UNKNOWN_ID)), 404, "DOCUMENT_NOT_FOUND");
  });
});

Deno.test("documents in the trash cannot be written", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne();
  await collection.remove(id);
  await collection.untouched(async () => {
    for (const method of ["PUT", "PATCH"]) {
      for (const headers of [{}, { "if-match": "*" }]) {
        const answer = await collection.asSecret({
          method,
          path: `/${id}`,
          body: { n: 1 },
          headers,
        });
        refused(answer, 404, "DOCUMENT_NOT_FOUND");
      }
    }
  });
});

Deno.test("deleteDocument with permanent=true deletes permanently, from the trash too", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const [live, deleted] = await collection.insert({}, {});
  await collection.remove(deleted!._id);
  for (const { _id } of [live!, deleted!]) {
    assert.deepEqual(ok(await collection.asSecret(remove(_id, "?permanent=true"))), { id: _id });
    assert.equal((await collection.read(_id)).status, 404);
    refused(await collection.asSecret(remove(_id, "?permanent=true")), 404, "DOCUMENT_NOT_FOUND");
  }
  assert.equal(ok(await collection.asSecret({ path: "?include_deleted=true" })).total, 0);
});

Deno.test("deleteDocument with permanent=false moves the document to the trash", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne();
  ok(await collection.asSecret(remove(id, "?permanent=false")));
  assert.equal((await collection.read(id)).body.data.isDeleted, true);
});

Deno.test("deleteDocument deletes permanently for the secret key only", async () => {
  await using app = await openTestApp();
  for (const rls of [{ enabled: false }, { mode: "public-read" }, { mode: "private" }]) {
    const collection = await createTestCollection(app, { rls });
    const ann = await collection.project.user();
    const { _id: live } = await collection.insertOne({ userId: ann.id });
    const { _id: deleted } = await collection.insertOne({ userId: ann.id });
    await collection.remove(deleted);
    await collection.untouched(async () => {
      for (const id of [live, deleted]) {
        const call = remove(id, "?permanent=true");
        refused(await collection.asPublic(call), 403, "SECRET_KEY_REQUIRED");
        refused(await collection.asPublic(call, ann), 403, "SECRET_KEY_REQUIRED");
      }
    });
  }
});

Deno.test("deleteDocument lets users delete their own documents only", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { mode: "private" } });
  const [ann, bob] = [await collection.project.user(), await collection.project.user()];
  const { _id: id } = await collection.insertOne({ userId: ann.id });
  await collection.untouched(async () => {
    refused(await collection.asPublic(remove(id)), 401, "ACCESS_TOKEN_REQUIRED");
    refused(await collection.asPublic(remove(id), bob), 404, "DOCUMENT_NOT_FOUND");
  });
  ok(await collection.asPublic(remove(id), ann));
  const read = { path: `/${id}?include_deleted=true` };
  assert.equal(ok(await collection.asPublic(read, ann)).isDeleted, true);
});

Deno.test("deleteDocument refuses publishable keys without row-level security", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { enabled: false } });
  const ann = await collection.project.user();
  const { _id: id } = await collection.insertOne({ userId: ann.id });
  await collection.untouched(async () => {
    refused(await collection.asPublic(remove(id)), 403, "RLS_REQUIRED");
    refused(await collection.asPublic(remove(id), ann), 403, "RLS_REQUIRED");
  });
});

Deno.test("deleteDocument refuses invalid parameters by name and deletes nothing", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne();
  await collection.untouched(async () => {
    for (const query of ["?permanent=yes", "?permanent="]) {
      refused(await collection.asSecret(remove(id, query)), 400, "INVALID_QUERY", '"permanent"');
    }
    for (const query of ["?permanent=false&permanent=true", "?permanent=true&permanent=true"]) {
      refused(await collection.asSecret(remove(id, query)), 400, "INVALID_QUERY", '"permanent"');
    }
    refused(await collection.asSecret(remove(id, "?force=true")), 400, "INVALID_QUERY", '"force"');
    refused(await collection.asSecret(remove("x")), 400, "INVALID_ID");
    const elsewhere = { method: "DELETE", path: `/api/data/nothing/${id}` };
    refused(await collection.project.asSecret(elsewhere), 404, "COLLECTION_NOT_FOUND");
  });
});

Deno.test("exactly one of 50 concurrent deleteDocument requests succeeds", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne();
  const trashed = await Promise.all(times(50, () => collection.asSecret(remove(id))));
  assert.deepEqual(tally(trashed), { 200: 1, 404: 49 });
  const erased = await Promise.all(
    times(50, () => collection.asSecret(remove(id, "?permanent=true"))),
  );
  assert.deepEqual(tally(erased), { 200: 1, 404: 49 });
  assert.equal(ok(await collection.asSecret({})).total, 0, "counted once");
});
