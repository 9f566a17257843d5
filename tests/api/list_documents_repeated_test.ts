/** Repeated lists: their ETags, and that an outdated list is never returned. */

import assert from "node:assert/strict";
import { createCatalog } from "@/lib/documents/catalog.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import {
  createTestCollection,
  ok,
  refused,
  type TestCollection,
  testCollectionOf,
} from "./test_collection.ts";
import { updateCollection } from "@/tests/support/given.ts";

Deno.test("listDocuments returns 304 for a matching ETag while the list is unchanged", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await collection.insert({ n: 1 }, { n: 2 });
  for (
    const path of ["", "?limit=1", "?n=1&sort=-createdAt", "?count=true", "?total=none&fields=n"]
  ) {
    const first = await collection.asSecret({ path });
    const tag = first.headers.get("etag")!;
    assert.match(tag, /^"[\w-]{43}"$/);
    for (const header of [tag, `"x", ${tag}`, `W/${tag}`, "*"]) {
      const cached = await collection.asSecret({ path, headers: { "if-none-match": header } });
      assert.deepEqual([cached.status, cached.text], [304, ""]);
      assert.equal(cached.headers.get("etag"), tag);
    }
    const other = await collection.asSecret({ path, headers: { "if-none-match": '"x"' } });
    assert.deepEqual([other.status, other.text], [200, first.text]);
  }
});

Deno.test("listDocuments returns every write at once with another ETag", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id } = await collection.insertOne({ n: 1 });
  const writes = [
    () => collection.asSecret({ body: { n: 2 } }),
    () => collection.asSecret({ method: "PATCH", path: `/${_id}`, body: { n: 3 } }),
    () => collection.asSecret({ method: "PUT", path: `/${_id}`, body: { n: 4 } }),
    () => collection.asSecret({ method: "DELETE", path: `/${_id}` }),
    () => collection.asSecret({ method: "PATCH", path: `/${_id}/recover` }),
    () => collection.asSecret({ path: "/bulk", body: { documents: [{ n: 5 }, { n: 6 }] } }),
    () => collection.asSecret({ body: { n: 7 }, headers: { "idempotency-key": "seven" } }),
    () => collection.asSecret({ method: "DELETE", path: `/${_id}?permanent=true` }),
  ];
  for (const write of writes) {
    const before = await collection.asSecret({});
    app.clock.advance(1000);
    const { status, text } = await write();
    assert.ok(status < 300, text);
    const headers = { "if-none-match": before.headers.get("etag")! };
    const after = await collection.asSecret({ headers });
    assert.equal(after.status, 200, write.toString());
    const uncached = await collection.asSecret({ headers: { "cache-control": "no-cache" } });
    assert.equal(after.text, uncached.text);
    assert.notEqual(after.text, before.text, write.toString());
  }
});

Deno.test("listDocuments with no-cache reads the store and returns the same ETag", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await collection.insertOne({ n: 1 });
  const first = await collection.asSecret({});
  const tag = first.headers.get("etag")!;
  for (const directive of ["no-cache", "max-age=0, No-Cache", "no-store"]) {
    const headers = { "cache-control": directive };
    const uncached = await collection.asSecret({ headers });
    assert.equal(uncached.headers.get("etag"), tag);
    assert.equal(uncached.text, first.text);
    const cached = await collection.asSecret({ headers: { ...headers, "if-none-match": tag } });
    assert.equal(cached.status, 304);
    const other = await collection.asSecret({ headers: { ...headers, "if-none-match": '"x"' } });
    assert.deepEqual([other.status, other.headers.get("etag")], [200, tag]);
  }
});

Deno.test("listDocuments returns each caller their own documents for one repeated URL", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { mode: "private" } });
  const [ann, bob] = [await collection.project.user(), await collection.project.user()];
  await collection.asPublic({ body: { n: 1 } }, ann);
  await collection.asPublic({ body: { n: 2 } }, bob);
  for (let round = 0; round < 3; round++) {
    assert.deepEqual(await collection.names("", ann), [1]);
    assert.deepEqual(await collection.names("", bob), [2]);
    assert.deepEqual((await collection.names("")).toSorted(), [1, 2]);
    assert.equal((await collection.asPublic({})).status, 401);
  }
  const tag = (await collection.asPublic({}, ann)).headers.get("etag")!;
  const asBob = await collection.asPublic({ headers: { "if-none-match": tag } }, bob);
  assert.equal(asBob.status, 200);
});

/** Opens a collection whose cached definition is public while the stored one is private. */
async function openOutdated(app: TestApp): Promise<TestCollection> {
  const collection = await createTestCollection(app, { rls: { mode: "public-read" } });
  await collection.insertOne({ n: 1 });
  assert.equal((await collection.asPublic({})).status, 200);
  // Another process has its own cache of definitions.
  const { engine, clock } = app.services;
  const other = { ...app.services, catalog: createCatalog(engine, clock) };
  const definition = { name: collection.name, rls: { mode: "private" } };
  await updateCollection(other, collection.project.projectId, definition);
  assert.equal((await collection.asPublic({})).status, 200);
  return collection;
}

Deno.test("listDocuments follows a definition that another process changed within 5 s", async () => {
  await using app = await openTestApp();
  const collection = await openOutdated(app);
  for (let passed = 0; passed < 5_000; passed += 250) {
    await collection.asPublic({});
    app.clock.advance(250);
  }
  refused(await collection.asPublic({}), 401, "ACCESS_TOKEN_REQUIRED");
});

Deno.test("listDocuments follows a definition at once after its cache entry was invalidated", async () => {
  await using app = await openTestApp();
  const collection = await openOutdated(app);
  // A change in this process invalidates the cache entry after its commit.
  app.services.catalog.forget(collection.project.projectId, collection.name);
  refused(await collection.asPublic({}), 401, "ACCESS_TOKEN_REQUIRED");
});

Deno.test("listDocuments populates the current state of referenced documents", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await project.collection({ name: "tags", rls: { mode: "public-read" } });
  await project.collection({
    name: "posts",
    rls: { mode: "public-read" },
    fields: [{ key: "tag", type: "Ref", ref: "tags" }],
  });
  const [tags, posts] = [
    testCollectionOf(app, project, "tags"),
    testCollectionOf(app, project, "posts"),
  ];
  const { _id } = await tags.insertOne({ label: "old" });
  await posts.insertOne({ tag: _id });
  const readLabel = async () => {
    const answer = await posts.asSecret({ path: "?populate=tag" });
    return [ok(answer).items[0].tag.label, answer.headers.get("etag")];
  };
  const [before, again] = [await readLabel(), await readLabel()];
  assert.deepEqual(before, again);
  await tags.asSecret({ method: "PATCH", path: `/${_id}`, body: { label: "new" } });
  const after = await readLabel();
  assert.equal(after[0], "new");
  assert.notEqual(after[1], before[1]);
});
