import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, refused } from "./test_collection.ts";

const FIELDS = [
  { key: "n", type: "Number" },
  { key: "title", type: "String", index: true },
  { key: "views", type: "Number" },
  { key: "live", type: "Boolean" },
  { key: "at", type: "Date" },
  { key: "twin", type: "Ref", ref: "posts" },
  { key: "meta", type: "Object", fields: [{ key: "lang", type: "String" }] },
  { key: "tags", type: "Array", items: { type: "String" } },
  { key: "page", type: "Number" },
];

Deno.test("sort puts missing and null first, and orders ties by the last key", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  await collection.insert(
    { n: 1, title: "b", views: 10, live: true, at: "2026-01-02", meta: { lang: "b" } },
    { n: 2, title: "a", views: 9, live: false, at: "2025-12-31T23:00:00-02:00", meta: {} },
    { n: 3, title: "B", views: -1, live: true, at: "2026-01-01", meta: { lang: "a" } },
    { n: 4, title: null, views: null, live: null, at: null, meta: null },
    { n: 5 },
    { n: 6, title: "é", views: 1e-7, live: false },
    { n: 7, title: "", views: -1e308 },
    { n: 8, title: "😀", views: 10 },
    { n: 9, title: "\uffee" },
  );
  const orders: Record<string, readonly number[]> = {
    "title": [4, 5, 7, 3, 2, 1, 6, 9, 8],
    "-title": [8, 9, 6, 1, 2, 3, 7, 5, 4],
    "title:asc": [4, 5, 7, 3, 2, 1, 6, 9, 8],
    "title:desc": [8, 9, 6, 1, 2, 3, 7, 5, 4],
    "views": [4, 5, 9, 7, 3, 6, 2, 1, 8],
    "-views": [8, 1, 2, 6, 3, 7, 9, 5, 4],
    "live": [4, 5, 7, 8, 9, 2, 6, 1, 3],
    "live,-views": [8, 7, 9, 5, 4, 2, 6, 1, 3],
    "-live,views": [3, 1, 6, 2, 4, 5, 9, 7, 8],
    "at,title": [4, 5, 7, 6, 9, 8, 3, 2, 1],
    "meta.lang,-n": [9, 8, 7, 6, 5, 4, 2, 3, 1],
    "_id": [1, 2, 3, 4, 5, 6, 7, 8, 9],
    "-_id": [9, 8, 7, 6, 5, 4, 3, 2, 1],
    "createdAt": [1, 2, 3, 4, 5, 6, 7, 8, 9],
    "-createdAt": [9, 8, 7, 6, 5, 4, 3, 2, 1],
    "updatedAt": [1, 2, 3, 4, 5, 6, 7, 8, 9],
    "deletedAt": [1, 2, 3, 4, 5, 6, 7, 8, 9],
    "-deletedAt": [9, 8, 7, 6, 5, 4, 3, 2, 1],
    "page": [1, 2, 3, 4, 5, 6, 7, 8, 9],
    "_id,title": [1, 2, 3, 4, 5, 6, 7, 8, 9],
    "live , title": [4, 5, 7, 9, 8, 2, 6, 3, 1],
  };
  for (const [sort, order] of Object.entries(orders)) {
    assert.deepEqual(await collection.names(`sort=${encodeURIComponent(sort)}`), order, sort);
  }
  assert.deepEqual(await collection.names(""), orders["-createdAt"]);
});

Deno.test("sort accepts only declared fields with a single value, times and _id", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  for (const sort of ["other", "tags", "meta", "isDeleted", "meta.other", "title.a", "tags.0"]) {
    for (const text of [sort, `-${sort}`, `title,${sort}`, `${sort}:desc`]) {
      const answer = await collection.asSecret({ path: `?sort=${encodeURIComponent(text)}` });
      refused(answer, 400, "INVALID_QUERY", `"sort" cannot sort by "${sort}"`);
    }
  }
});

Deno.test("an invalid sort is 400", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  const sorts = [
    "",
    ",",
    "title,",
    ",title",
    "-",
    "--title",
    "title:",
    "title:up",
    "title:ASC",
    "-title:asc",
    "title desc",
    "%2Btitle",
    "title,title",
    "title,-title",
    "_id,-_id",
    ["n", "title", "views", "live", "at", "twin", "_id", "createdAt", "updatedAt"].join(","),
  ];
  for (const sort of sorts) {
    refused(await collection.asSecret({ path: `?sort=${sort}` }), 400, "INVALID_QUERY", '"sort"');
  }
});

Deno.test("sort orders a Ref by its id", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  await collection.insert(
    { n: 1, twin: "b".repeat(24) },
    { n: 2, twin: "A".repeat(24) },
    { n: 3 },
  );
  assert.deepEqual(await collection.names("sort=twin"), [3, 2, 1]);
});
