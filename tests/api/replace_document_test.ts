import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, ok, refused, UNKNOWN_ID } from "./test_collection.ts";

const put = (id: string, body: unknown) => ({ method: "PUT", path: `/${id}`, body });

Deno.test("PUT replaces all members except the owner and those that the server sets", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const stored = await collection.insertOne({
    title: "one",
    gone: 1,
    deep: { a: 1 },
    userId: "me",
  });
  app.clock.advance(1000);
  const answer = await collection.asSecret(put(stored._id, { title: "two", deep: { b: 2 } }));
  const now = new Date(app.clock.now()).toISOString();
  const expected = {
    _id: stored._id,
    title: "two",
    deep: { b: 2 },
    userId: "me",
    createdAt: stored.createdAt,
    updatedAt: now,
    isDeleted: false,
    deletedAt: null,
  };
  assert.deepEqual(ok(answer), expected);
  assert.equal(answer.body.message, "Document replaced");
  assert.deepEqual((await collection.read(stored._id)).body.data, expected);
});

Deno.test("PUT of an unknown id is 404 and creates nothing", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await collection.untouched(async () => {
    refused(await collection.asSecret(put(UNKNOWN_ID, { n: 1 })), 404, "DOCUMENT_NOT_FOUND");
    refused(await collection.asSecret(put("new", { n: 1 })), 400, "INVALID_ID");
    const elsewhere = { ...put(UNKNOWN_ID, {}), path: `/api/data/nothing/${UNKNOWN_ID}` };
    refused(await collection.project.asSecret(elsewhere), 404, "COLLECTION_NOT_FOUND");
  });
});

Deno.test("PUT does not treat a dotted name as a path", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne({ a: { b: 1 } });
  await collection.untouched(async () => {
    refused(await collection.asSecret(put(id, { "a.b": 2 })), 400, "INVALID_DOCUMENT", "dot");
  });
});

Deno.test("a body that is not a JSON object is refused and changes nothing", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne({ n: 1 });
  await collection.untouched(async () => {
    for (const body of ["{", "", "undefined"]) {
      refused(await collection.asSecret(put(id, body)), 400, "INVALID_JSON");
    }
    for (const body of ["[]", "null", "2"]) {
      refused(await collection.asSecret(put(id, body)), 400, "INVALID_BODY");
    }
    const form = {
      ...put(id, "n=2"),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    };
    refused(await collection.asSecret(form), 415, "UNSUPPORTED_MEDIA_TYPE");
  });
});

Deno.test("row-level security decides who may PUT, and a refusal changes nothing", async () => {
  await using app = await openTestApp();
  for (const rls of [{ enabled: false }, { mode: "public-read" }, { mode: "private" }]) {
    const collection = await createTestCollection(app, { rls });
    const [ann, bob] = [await collection.project.user(), await collection.project.user()];
    const { _id: id } = await collection.insertOne({ userId: ann.id });
    const call = put(id, { n: 1 });
    await collection.untouched(async () => {
      if ("enabled" in rls) {
        refused(await collection.asPublic(call), 403, "RLS_REQUIRED");
        refused(await collection.asPublic(call, ann), 403, "RLS_REQUIRED");
        return;
      }
      refused(await collection.asPublic(call), 401, "ACCESS_TOKEN_REQUIRED");
      if (rls.mode === "private") {
        refused(await collection.asPublic(call, bob), 404, "DOCUMENT_NOT_FOUND");
      } else refused(await collection.asPublic(call, bob), 403, "OWNER_MISMATCH");
      refused(await collection.asPublic(put(id, { userId: bob.id }), ann), 403, "OWNER_IMMUTABLE");
    });
    if (!("enabled" in rls)) assert.equal(ok(await collection.asPublic(call, ann)).userId, ann.id);
    ok(await collection.asSecret(call));
  }
});

Deno.test("a PUT that does not fit the definition changes nothing", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [
      { key: "title", type: "String" },
      { key: "slug", type: "String", unique: true },
    ],
  });
  await collection.insertOne({ slug: "taken" });
  const stored = await collection.insertOne({ title: "one" });
  const id = stored._id;
  app.clock.advance(1000);
  await collection.untouched(async () => {
    refused(await collection.asSecret(put(id, { title: 1 })), 400, "INVALID_DOCUMENT", "title");
    refused(await collection.asSecret(put(id, { _id: null })), 400, "FIELD_READ_ONLY");
    refused(await collection.asSecret(put(id, { slug: "taken" })), 409, "DUPLICATE_VALUE", "slug");
    refused(
      await collection.asSecret(put(id, { x: "x".repeat(1_048_576) })),
      413,
      "DOCUMENT_TOO_LARGE",
    );
    const stale = { ...put(id, { n: 1 }), headers: { "if-match": '"x"' } };
    refused(await collection.asSecret(stale), 412, "PRECONDITION_FAILED");
  });
});
