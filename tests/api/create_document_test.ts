import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, ok, refused, tally, times } from "./test_collection.ts";

Deno.test("createDocument returns the stored document with 201", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const answer = await collection.asSecret({ body: { title: "one", deep: { a: [null, 1] } } });
  const document = ok(answer, 201);
  assert.equal(answer.body.message, "Document created");
  assert.deepEqual(Object.keys(document).slice(0, 3), ["_id", "title", "deep"]);
  assert.deepEqual((await collection.read(document._id)).body.data, document);
});

Deno.test("createDocument accepts an empty object", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  ok(await collection.asSecret({ body: {} }), 201);
});

Deno.test("createDocument refuses a body that is not a JSON object in UTF-8", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await collection.untouched(async () => {
    for (
      const body of ["{", "{a:1}", '{"a":1', "{'a':1}", '{"a":01}', '{"a":NaN}', "", " ", "\ufeff"]
    ) {
      refused(await collection.asSecret({ body }), 400, "INVALID_JSON");
    }
    const broken = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    refused(await collection.asSecret({ body: broken }), 400, "INVALID_JSON");
    for (const body of ["[]", '[{"a":1}]', "null", "1", '"a"']) {
      refused(await collection.asSecret({ body }), 400, "INVALID_BODY");
    }
    const list = await collection.asSecret({ body: "[{}]" });
    refused(list, 400, "INVALID_BODY", /A list of documents goes to \/bulk\.$/);
    const twice = await collection.asSecret({ body: JSON.stringify("{}") });
    refused(twice, 400, "INVALID_BODY", /This is a text: JSON that was encoded twice/);
    refused(await collection.asSecret({ method: "POST" }), 415, "UNSUPPORTED_MEDIA_TYPE");
  });
});

Deno.test("createDocument follows row-level security, and a refusal stores nothing", async () => {
  await using app = await openTestApp();
  for (const rls of [{ enabled: false }, { mode: "public-read" }, { mode: "private" }]) {
    const collection = await createTestCollection(app, { rls });
    const ann = await collection.project.user();
    await collection.untouched(async () => {
      const keyOnly = await collection.asPublic({ body: {} });
      if ("enabled" in rls) {
        refused(keyOnly, 403, "RLS_REQUIRED");
        refused(await collection.asPublic({ body: {} }, ann), 403, "RLS_REQUIRED");
      } else refused(keyOnly, 401, "ACCESS_TOKEN_REQUIRED");
    });
    if (!("enabled" in rls)) ok(await collection.asPublic({ body: {} }, ann), 201);
    ok(await collection.asSecret({ body: {} }), 201);
  }
});

Deno.test("createDocument refuses a caller without write access before it reads the body", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { enabled: false } });
  await collection.untouched(async () => {
    for (const body of ["{", "[]", '{"_id":1}', '{"$a":1}']) {
      refused(await collection.asPublic({ body }), 403, "RLS_REQUIRED");
      const missing = { path: "/api/data/nothing", body };
      refused(await collection.project.asSecret(missing), 404, "COLLECTION_NOT_FOUND");
    }
  });
});

Deno.test("createDocument does not find a collection of another project", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { name: "notes" });
  const other = await app.project();
  await collection.untouched(async () => {
    const answer = await other.asSecret({ path: "/api/data/notes", body: {} });
    refused(answer, 404, "COLLECTION_NOT_FOUND");
  });
});

Deno.test("createDocument keeps the last of duplicate members", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  assert.equal(ok(await collection.asSecret({ body: '{"a":1,"a":2}' }), 201).a, 2);
});

Deno.test("100 concurrent createDocument requests store 100 documents", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const answers = await Promise.all(times(100, (n) => collection.asSecret({ body: { n } })));
  assert.deepEqual(tally(answers), { 201: 100 });
  assert.equal(new Set(answers.map(({ body }) => body.data._id)).size, 100);
  assert.equal(ok(await collection.asSecret({})).total, 100);
});

Deno.test("createDocument names each invalid member, and shortens long paths", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app, {
    fields: [
      { key: "title", type: "String", required: true },
      { key: "views", type: "Number" },
      { key: "place", type: "Object", fields: [{ key: "city", type: "String" }] },
    ],
  });
  const answer = await posts.asSecret({ body: { views: "3", place: { city: 1 } } });
  refused(answer, 400, "INVALID_DOCUMENT");
  const paths = answer.body.faults.map(({ path }: { path: string }) => path);
  assert.deepEqual(paths.toSorted(), ["place.city", "title", "views"]);
  assert.ok(
    answer.body.faults.some(({ message }: { message: string }) => message === "is required"),
  );
  const name = "x".repeat(100_000);
  const long = await posts.asSecret({ body: { title: "a", [`${name}`]: "\ud800" } });
  refused(long, 400, "INVALID_DOCUMENT");
  assert.ok(long.text.length < 2_000, "a long name is shortened");
});
