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

const DOCUMENTS = 30;

/** Thirty documents, three of them drafts. */
async function filled(collection: TestCollection): Promise<TestCollection> {
  const documents = times(DOCUMENTS, (n) => ({
    n,
    title: `Title ${n}`,
    status: n % 10 === 0 ? "draft" : "published",
    views: n,
  }));
  ok(await collection.asSecret({ path: "/bulk", body: documents }), 201);
  return collection;
}

/** SQLite keeps the totals of all live and all deleted documents; MongoDB counts them. */
const counted = (shown: number): number => database === "sqlite" ? shown : DOCUMENTS;

const explained = async (collection: TestCollection, query: string) =>
  ok(await collection.asSecret({ path: `?explain=true${query}` })).explain;

const LIVE = { isDeleted: { eq: false } };

Deno.test("the default list is read from its index, as far as it is shown", async () => {
  await using app = await openTestApp();
  const collection = await filled(await createTestCollection(app, { fields: FIELDS }));
  assert.deepEqual(await explained(collection, "&limit=10"), {
    filter: LIVE,
    sort: "-createdAt",
    index: ["createdAt"],
    examined: counted(11),
    advice: null,
  });
});

Deno.test("a filter by an indexed field names the index and counts its matches", async () => {
  await using app = await openTestApp();
  const collection = await filled(await createTestCollection(app, { fields: FIELDS }));
  const { examined, ...rest } = await explained(collection, "&status=draft&sort=-status");
  assert.deepEqual(rest, {
    filter: { and: [{ status: { eq: "draft" } }, LIVE] },
    sort: "-status",
    index: ["status"],
    advice: null,
  });
  // A counting server looks at one key behind the last.
  assert.ok(examined === 3 || examined === 4, String(examined));
});

Deno.test("a filter that no index serves looks at everything, and names the index that would help", async () => {
  await using app = await openTestApp();
  const collection = await filled(await createTestCollection(app, { fields: FIELDS }));
  const found = await explained(collection, "&title=Title%203");
  assert.equal(found.examined, DOCUMENTS);
  assert.equal(found.advice, "title,-createdAt");
  assert.equal((await explained(collection, "&title=Title%203&views_gt=1")).advice, "title,views");
  assert.equal((await explained(collection, "&sort=views&total=none")).advice, "views");
  assert.equal((await explained(collection, "&title_regex=3$")).advice, null);
});

Deno.test("the filter is what is asked and what is added, and reads back as where", async () => {
  await using app = await openTestApp();
  const collection = await filled(await createTestCollection(app, { fields: FIELDS }));
  const where = {
    and: [
      { views: { gte: 3 } },
      { or: [{ title: { regex: "1" } }, { not: { other: { exists: true } } }] },
      { status: { nin: ["draft", "old"] } },
    ],
  };
  const query = `&where=${encodeURIComponent(JSON.stringify(where))}`;
  const { filter } = await explained(collection, query);
  assert.deepEqual(filter, { and: [...where.and, LIVE] });
  const again = `where=${encodeURIComponent(JSON.stringify(filter))}&sort=n_`;
  const list = (text: string) => collection.names(text.replace("&sort=n_", "&sort=views"));
  assert.deepEqual(await list(again), await list(`${query.slice(1)}&sort=views`));
  assert.deepEqual((await explained(collection, "&include_deleted=true")).filter, {});
});

Deno.test("a collection with row-level security has an index for its owner by itself", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    rls: { mode: "private", ownerField: "author" },
  });
  const users = [await collection.project.user(), await collection.project.user()];
  for (const n of times(20, (n) => n)) {
    ok(await collection.asPublic({ body: { n } }, users[n % 4 === 0 ? 1 : 0]), 201);
  }
  const found = await explained(collection, `&author=${users[1]!.id}`);
  assert.deepEqual(found.index, ["author", "createdAt"]);
  assert.ok(found.examined === 5 || found.examined === 6, String(found.examined));
  assert.equal(found.advice, null);
});

Deno.test("explain counts nothing and lists nothing, whatever else is asked", async () => {
  await using app = await openTestApp();
  const collection = await filled(await createTestCollection(app, { fields: FIELDS }));
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
  assert.equal((await explained(collection, "&page=3&limit=5")).examined, counted(16));
  assert.equal((await explained(collection, "&page=3&limit=5&total=none")).examined, 16);
});

Deno.test("explain is for the secret key alone", async () => {
  await using app = await openTestApp();
  const collection = await filled(await createTestCollection(app, { fields: FIELDS }));
  const user = await collection.project.user();
  const call = { path: "?explain=true" };
  refused(await collection.asPublic(call), 403, "SECRET_KEY_REQUIRED");
  refused(await collection.asPublic(call, user), 403, "SECRET_KEY_REQUIRED");
  ok(await collection.asPublic({ path: "?explain=false" }));
});
