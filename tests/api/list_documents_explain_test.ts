import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { database } from "../support/test_store.ts";
import {
  createTestCollection,
  ok,
  refused,
  type TestCollection,
  times,
} from "./test_collection.ts";

const FIELDS = [
  { key: "title", type: "String" },
  { key: "status", type: "String", index: true },
  { key: "views", type: "Number" },
];

const DOCUMENT_COUNT = 30;

/** Inserts thirty documents, three of them drafts. */
async function fill(collection: TestCollection): Promise<TestCollection> {
  const documents = times(DOCUMENT_COUNT, (n) => ({
    n,
    title: `Title ${n}`,
    status: n % 10 === 0 ? "draft" : "published",
    views: n,
  }));
  ok(await collection.asSecret({ path: "/bulk", body: documents }), 201);
  return collection;
}

/** Returns how many documents are examined: SQLite stores the total, and MongoDB counts all. */
const withTotal = (listed: number): number => database === "sqlite" ? listed : DOCUMENT_COUNT;

const explain = async (collection: TestCollection, query: string) =>
  ok(await collection.asSecret({ path: `?explain=true${query}` })).explain;

const LIVE = { isDeleted: { eq: false } };

Deno.test("explain reports the index of the default list and one page of examined documents", async () => {
  await using app = await openTestApp();
  const collection = await fill(await createTestCollection(app, { fields: FIELDS }));
  assert.deepEqual(await explain(collection, "&limit=10"), {
    filter: LIVE,
    sort: "-createdAt",
    index: ["createdAt"],
    examined: withTotal(11),
    advice: null,
  });
});

Deno.test("explain of an indexed filter reports the index and its matches", async () => {
  await using app = await openTestApp();
  const collection = await fill(await createTestCollection(app, { fields: FIELDS }));
  const { examined, ...rest } = await explain(collection, "&status=draft&sort=-status");
  assert.deepEqual(rest, {
    filter: { and: [{ status: { eq: "draft" } }, LIVE] },
    sort: "-status",
    index: ["status"],
    advice: null,
  });
  // A server that counts examines one key behind the last match.
  assert.ok(examined === 3 || examined === 4, String(examined));
});

Deno.test("explain of an unindexed filter reports all documents and advises an index", async () => {
  await using app = await openTestApp();
  const collection = await fill(await createTestCollection(app, { fields: FIELDS }));
  const explained = await explain(collection, "&title=Title%203");
  assert.equal(explained.examined, DOCUMENT_COUNT);
  assert.equal(explained.advice, "title,-createdAt");
  assert.equal((await explain(collection, "&title=Title%203&views_gt=1")).advice, "title,views");
  assert.equal((await explain(collection, "&sort=views&total=none")).advice, "views");
  assert.equal((await explain(collection, "&title_regex=3$")).advice, null);
});

Deno.test("explain returns the complete filter in a form that where accepts", async () => {
  await using app = await openTestApp();
  const collection = await fill(await createTestCollection(app, { fields: FIELDS }));
  const where = {
    and: [
      { views: { gte: 3 } },
      { or: [{ title: { regex: "1" } }, { not: { other: { exists: true } } }] },
      { status: { nin: ["draft", "old"] } },
    ],
  };
  const query = `&where=${encodeURIComponent(JSON.stringify(where))}`;
  const { filter } = await explain(collection, query);
  assert.deepEqual(filter, { and: [...where.and, LIVE] });
  const again = `where=${encodeURIComponent(JSON.stringify(filter))}&sort=n_`;
  const list = (text: string) => collection.names(text.replace("&sort=n_", "&sort=views"));
  assert.deepEqual(await list(again), await list(`${query.slice(1)}&sort=views`));
  assert.deepEqual((await explain(collection, "&include_deleted=true")).filter, {});
});

Deno.test("explain reports the automatic index of the owner field", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    rls: { mode: "private", ownerField: "author" },
  });
  const users = [await collection.project.user(), await collection.project.user()];
  for (const n of times(20, (n) => n)) {
    ok(await collection.asPublic({ body: { n } }, users[n % 4 === 0 ? 1 : 0]), 201);
  }
  const explained = await explain(collection, `&author=${users[1]!.id}`);
  assert.deepEqual(explained.index, ["author", "createdAt"]);
  assert.ok(explained.examined === 5 || explained.examined === 6, String(explained.examined));
  assert.equal(explained.advice, null);
});

Deno.test("explain returns neither items nor a count, also with other parameters", async () => {
  await using app = await openTestApp();
  const collection = await fill(await createTestCollection(app, { fields: FIELDS }));
  const members = ["advice", "examined", "filter", "index", "sort"];
  for (const query of ["&count=true", "&page=2&limit=5", "&fields=title", "&populate="]) {
    const answer = await collection.asSecret({ path: `?explain=true${query}` });
    if (query === "&populate=") refused(answer, 400, "INVALID_QUERY", '"populate"');
    else {
      const { items, explain, nextCursor, total, count } = ok(answer);
      assert.deepEqual([items, nextCursor, total, count], [[], null, undefined, undefined], query);
      assert.deepEqual(Object.keys(explain).toSorted(), members, query);
    }
  }
  assert.equal((await explain(collection, "&page=3&limit=5")).examined, withTotal(16));
  assert.equal((await explain(collection, "&page=3&limit=5&total=none")).examined, 16);
});

Deno.test("explain requires the secret key", async () => {
  await using app = await openTestApp();
  const collection = await fill(await createTestCollection(app, { fields: FIELDS }));
  const user = await collection.project.user();
  const call = { path: "?explain=true" };
  refused(await collection.asPublic(call), 403, "SECRET_KEY_REQUIRED");
  refused(await collection.asPublic(call, user), 403, "SECRET_KEY_REQUIRED");
  ok(await collection.asPublic({ path: "?explain=false" }));
});
