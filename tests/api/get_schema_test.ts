import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, ok, refused } from "./test_collection.ts";

Deno.test("getSchema returns the definition with every default, and its fields as model", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await project.collection({ name: "tags" });
  await project.collection({
    name: "posts",
    fields: [
      { key: "title", type: "String", required: true, unique: true },
      { key: "status", type: "String", default: "draft", index: true },
      { key: "tag", type: "Ref", ref: "tags" },
      { key: "words", type: "Array", items: { type: "String" } },
      { key: "meta", type: "Object", fields: [{ key: "lang", type: "String" }] },
    ],
    rls: { mode: "public-read" },
    strict: true,
  });
  const plain = { required: false, unique: false, index: false, search: false };
  const fields = [
    { ...plain, key: "title", type: "String", required: true, unique: true },
    { ...plain, key: "status", type: "String", default: "draft", index: true },
    { ...plain, key: "tag", type: "Ref", ref: "tags" },
    { ...plain, key: "words", type: "Array", items: { type: "String" } },
    { ...plain, key: "meta", type: "Object", fields: [{ ...plain, key: "lang", type: "String" }] },
    { ...plain, key: "userId", type: "String" },
  ];
  const answer = await project.asPublic({ path: "/api/schemas/posts" });
  assert.deepEqual(ok(answer), {
    collection: {
      name: "posts",
      fields,
      rls: { enabled: true, mode: "public-read", ownerField: "userId" },
      strict: true,
      indexes: [],
      events: true,
      model: fields,
    },
  });
  assert.equal(answer.body.message, "Collection found");
});

Deno.test("getSchema returns private mode and userId for omitted row-level security settings", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const inputs: Record<string, unknown> = {
    a: undefined,
    b: {},
    c: { mode: "public-read" },
    d: { enabled: false },
    e: { ownerField: "author" },
  };
  const stored: Record<string, unknown> = {
    a: { enabled: true, mode: "private", ownerField: "userId" },
    b: { enabled: true, mode: "private", ownerField: "userId" },
    c: { enabled: true, mode: "public-read", ownerField: "userId" },
    d: { enabled: false, mode: "private", ownerField: "userId" },
    e: { enabled: true, mode: "private", ownerField: "author" },
  };
  for (const [name, rls] of Object.entries(inputs)) {
    await project.collection(rls === undefined ? { name } : { name, rls });
    const { collection } = ok(await project.asSecret({ path: `/api/schemas/${name}` }));
    assert.deepEqual(collection.rls, stored[name], name);
  }
});

Deno.test("getSchema accepts any key of the project, and no other project's", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { mode: "private" } });
  const other = await app.project();
  const ann = await collection.project.user();
  const path = "/api/schemas/posts";
  ok(await collection.project.asPublic({ path }));
  ok(await collection.project.asPublic({ path }, ann));
  ok(await collection.project.asSecret({ path }));
  refused(await other.asSecret({ path }), 404, "COLLECTION_NOT_FOUND");
  for (const name of ["nothing", "Posts", "users", "_users", "_collections"]) {
    const answer = await collection.project.asSecret({ path: `/api/schemas/${name}` });
    refused(answer, 404, "COLLECTION_NOT_FOUND");
  }
});
