import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, ok, refused, UNKNOWN_ID } from "./test_collection.ts";

Deno.test("getDocument returns the stored document for an id in lower or upper case", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const stored = await collection.insertOne({ title: "one", deep: { a: [1] } });
  for (const id of [stored._id, stored._id.toUpperCase()]) {
    const answer = await collection.asPublic({ path: `/${id}` });
    assert.deepEqual(ok(answer), stored);
    assert.equal(answer.body.message, "Document found");
  }
});

Deno.test("getDocument refuses an invalid id before any lookup", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id } = await collection.insertOne();
  for (
    const id of ["1", "bulk", _id.slice(1), `${_id}0`, `g${_id.slice(1)}`, "%20" + _id.slice(1)]
  ) {
    refused(await collection.asSecret({ path: `/${id}` }), 400, "INVALID_ID", "24 hexadecimal");
  }
});

Deno.test("getDocument returns one 404 for missing, deleted and foreign documents", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const elsewhere = await createTestCollection(app, { name: "notes" }, collection.project);
  const foreign = await createTestCollection(app);
  const { _id: deleted } = await collection.insertOne();
  await collection.remove(deleted);
  const ids = [
    UNKNOWN_ID,
    deleted,
    (await elsewhere.insertOne())._id,
    (await foreign.insertOne())._id,
  ];
  const texts = new Set<string>();
  for (const id of ids) {
    const answer = await collection.asSecret({ path: `/${id}` });
    refused(answer, 404, "DOCUMENT_NOT_FOUND");
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1);
});

Deno.test("getDocument returns 404 if the project has no collection of that exact name", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { name: "posts" });
  const foreign = await createTestCollection(app, { name: "notes" });
  const { _id: id } = await foreign.insertOne();
  for (const name of ["notes", "Posts", "POSTS", "nothing", "_users", "_collections", "counts"]) {
    for (const path of [`/api/data/${name}/${id}`, `/api/data/${name}`, `/api/schemas/${name}`]) {
      refused(await collection.project.asSecret({ path }), 404, "COLLECTION_NOT_FOUND");
    }
  }
});

Deno.test("getDocument applies row-level security", async () => {
  await using app = await openTestApp();
  for (const mode of ["private", "public-read"]) {
    const collection = await createTestCollection(app, { rls: { mode } });
    const [ann, bob] = [await collection.project.user(), await collection.project.user()];
    const { _id: id } = await collection.insertOne({ userId: ann.id });
    const path = `/${id}`;
    ok(await collection.asPublic({ path }, ann));
    if (mode === "private") {
      refused(await collection.asPublic({ path }), 401, "ACCESS_TOKEN_REQUIRED");
      refused(await collection.asPublic({ path }, bob), 404, "DOCUMENT_NOT_FOUND");
    } else {
      ok(await collection.asPublic({ path }));
      ok(await collection.asPublic({ path }, bob));
    }
    ok(await collection.asSecret({ path, headers: { authorization: "Bearer nonsense" } }));
  }
});

Deno.test("getDocument with include_deleted returns a user's own trash, and any to a secret key", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const [ann, bob] = [await collection.project.user(), await collection.project.user()];
  const { _id: id } = await collection.insertOne({ userId: ann.id });
  await collection.remove(id);
  const path = `/${id}?include_deleted=true`;
  assert.equal(ok(await collection.asSecret({ path })).isDeleted, true);
  assert.equal(typeof ok(await collection.asPublic({ path }, ann)).deletedAt, "string");
  refused(await collection.asPublic({ path }, bob), 404, "DOCUMENT_NOT_FOUND");
  refused(await collection.asPublic({ path }), 404, "DOCUMENT_NOT_FOUND");
  const withoutTrash = { path: `/${id}?include_deleted=false` };
  refused(await collection.asPublic(withoutTrash, ann), 404, "DOCUMENT_NOT_FOUND");
});

Deno.test("getDocument applies fields, meta and populate as listDocuments does", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "next", type: "Ref", ref: "posts" }],
  });
  const target = await collection.insertOne({ title: "target" });
  const { _id } = await collection.insertOne({ title: "one", a: { b: 1, c: 2 }, next: target._id });
  const read = async (query: string) => ok(await collection.asPublic({ path: `/${_id}?${query}` }));
  assert.deepEqual(await read("fields=title"), { _id, title: "one" });
  assert.deepEqual(await read("fields=a.b,missing"), { _id, a: { b: 1 } });
  const rest = { _id, title: "one", a: { b: 1 } };
  assert.deepEqual(await read("fields=-a.c,-next,-_id&meta=false"), rest);
  assert.deepEqual((await read("populate=next")).next, target);
  assert.deepEqual((await read("expand=next&fields=next")).next, target);
});

Deno.test("getDocument refuses an unsupported parameter and names it", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne({ title: "one" });
  for (
    const query of [
      "title=one",
      "page=1",
      "limit=1",
      "sort=title",
      "where={}",
      "count=true",
      "meta=maybe",
      "include_deleted=1",
      "fields=a,-b",
      "fields=$a",
      "fields=",
      "populate=title",
      "meta=true&meta=false",
    ]
  ) {
    const name = query.split("=")[0]!;
    refused(
      await collection.asSecret({ path: `/${id}?${query}` }),
      400,
      "INVALID_QUERY",
      `"${name}"`,
    );
  }
});
