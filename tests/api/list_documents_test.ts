import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, type Doc, ok, refused, times } from "./test_collection.ts";

Deno.test("listDocuments returns the stored documents, newest first, with the page's data", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const stored = await collection.insert({ n: 1 }, { n: 2 }, { n: 3 });
  const answer = await collection.asPublic({});
  assert.equal(answer.body.message, "Documents listed");
  assert.deepEqual(ok(answer), {
    items: stored.toReversed(),
    total: 3,
    page: 1,
    nextCursor: null,
    prevCursor: null,
    limit: 100,
  });
});

Deno.test("listDocuments returns an empty list for an empty collection", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const data = ok(await collection.asPublic({}));
  assert.deepEqual(data.items, []);
  assert.equal(data.total, 0);
  assert.equal(data.nextCursor, null);
});

Deno.test("listDocuments returns 404 if the project has no collection of that exact name", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { name: "notes" });
  const other = await app.project();
  for (
    const path of ["/api/data/Notes", "/api/data/nothing", "/api/data/_users", "/api/data/a b"]
  ) {
    refused(await collection.project.asSecret({ path }), 404, "COLLECTION_NOT_FOUND");
  }
  for (const path of ["/api/data/notes", "/api/data/notes?count=true"]) {
    refused(await other.asSecret({ path }), 404, "COLLECTION_NOT_FOUND");
  }
});

Deno.test("listDocuments refuses page and limit unless they are positive, and limit up to 1000", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await collection.insertOne();
  const invalid = ["0", "-1", "abc", "", "1.5", "1e2", "0x1", "01", "%201", "1%20", "NaN", "null"];
  for (const value of [...invalid, "1001", "99999999999999999999"]) {
    const answer = await collection.asSecret({ path: `?limit=${value}` });
    refused(answer, 400, "INVALID_QUERY", /"limit".*1 to 1000/);
  }
  for (const value of [...invalid, "99999999999999999999"]) {
    refused(await collection.asSecret({ path: `?page=${value}` }), 400, "INVALID_QUERY", '"page"');
  }
  assert.equal(ok(await collection.asSecret({ path: "?limit=1000" })).limit, 1000);
  assert.deepEqual(ok(await collection.asSecret({ path: "?page=1000000" })).items, []);
});

Deno.test("listDocuments returns every document once over all pages by number", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await collection.asSecret({ path: "/bulk", body: times(25, (n) => ({ n })) });
  const seen: unknown[] = [];
  for (let page = 1; page <= 4; page++) {
    const data = ok(await collection.asSecret({ path: `?page=${page}&limit=10&sort=_id` }));
    assert.equal(data.page, page);
    assert.equal(data.limit, 10);
    assert.equal(data.total, 25);
    assert.equal(data.nextCursor === null, page >= 3);
    seen.push(...data.items.map(({ n }: Doc) => n));
  }
  assert.deepEqual(seen.sort((a, b) => Number(a) - Number(b)), times(25, (n) => n));
});

Deno.test("listDocuments returns 100 documents by default and at most 1000", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  for (let at = 0; at < 1100; at += 100) {
    ok(await collection.asSecret({ path: "/bulk", body: times(100, (n) => ({ n: at + n })) }), 201);
  }
  assert.equal(ok(await collection.asPublic({})).items.length, 100);
  const largest = ok(await collection.asPublic({ path: "?limit=1000" }));
  assert.equal(largest.items.length, 1000);
  assert.equal(largest.total, 1100);
  assert.notEqual(largest.nextCursor, null);
});

Deno.test("listDocuments accepts percent-encoded parameter names", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: [{ key: "n", type: "Number" }] });
  await collection.insert(...times(5, (n) => ({ n })));
  assert.deepEqual(await collection.names("s%6Frt=n&%6Cimit=2"), [0, 1]);
  assert.deepEqual(await collection.names("%6E=3"), [3]);
  assert.deepEqual(await collection.names("sort=n&n%5Fgt=2"), [3, 4]);
  const { nextCursor } = ok(await collection.asSecret({ path: "?sort=n&limit=2" }));
  assert.deepEqual(await collection.names(`sort=n&%63ursor=${nextCursor}`), [2, 3, 4]);
});

Deno.test("listDocuments refuses a repeated parameter that takes one value", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  for (
    const query of [
      "page=1&page=2",
      "limit=1&limit=1",
      "sort=_id&sort=_id",
      "where={}&where={}",
      "total=none&total=none",
      "count=true&count=false",
      "include_deleted=true&include_deleted=false",
      "cursor=a&cursor=b",
    ]
  ) {
    const name = query.split("=")[0]!;
    refused(await collection.asSecret({ path: `?${query}` }), 400, "INVALID_QUERY", `"${name}"`);
  }
});

Deno.test("listDocuments refuses flags other than true and false", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  for (const name of ["count", "include_deleted", "meta", "explain"]) {
    for (const value of ["1", "yes", "", "null"]) {
      const answer = await collection.asSecret({ path: `?${name}=${value}` });
      refused(answer, 400, "INVALID_QUERY", `"${name}" must be true or false`);
    }
    for (const value of ["false", "False", "TRUE"]) {
      ok(await collection.asSecret({ path: `?${name}=${value}` }));
    }
  }
});

Deno.test("listDocuments never fails with a server error on malformed queries", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  for (
    const query of ["%", "%zz=1", "a=%", "&&&", "=", "=1", "a", "?", "a=b=c", "%00=1", "a=%00"]
  ) {
    const { status } = await collection.asSecret({ path: `?${query}` });
    assert.ok(status === 200 || status === 400, `${query}: ${status}`);
  }
});

Deno.test("listDocuments returns every write at once if it is repeated", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "n", type: "Number", index: true }],
  });
  const list = () => collection.names("n_gte=0&sort=n&limit=50");
  const { _id: id } = await collection.insertOne({ n: 1 });
  assert.deepEqual(await list(), [1]);
  ok(await collection.asSecret({ method: "PATCH", path: `/${id}`, body: { n: 2 } }));
  assert.deepEqual(await list(), [2]);
  ok(await collection.asSecret({ method: "PUT", path: `/${id}`, body: { n: 3 } }));
  assert.deepEqual(await list(), [3]);
  ok(await collection.asSecret({ path: "/bulk", body: [{ n: 4 }, { n: -1 }] }), 201);
  assert.deepEqual(await list(), [3, 4]);
  await collection.remove(id);
  assert.deepEqual(await list(), [4]);
  ok(await collection.asSecret({ method: "PATCH", path: `/${id}/recover` }));
  assert.deepEqual(await list(), [3, 4]);
  ok(await collection.asSecret({ method: "DELETE", path: `/${id}?permanent=true` }));
  assert.deepEqual(await list(), [4]);
});
