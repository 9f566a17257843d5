import assert from "node:assert/strict";
import { SEARCH_LENGTH_MAX, SEARCH_WORDS_MAX, SEARCHED_WORDS_MAX } from "@/lib/limits.ts";
import { updateCollection } from "@/tests/support/given.ts";
import { openTestApp } from "../support/test_app.ts";
import {
  createTestCollection,
  type Doc,
  ok,
  refused,
  type TestCollection,
  times,
} from "./test_collection.ts";

const FIELDS = [
  { key: "n", type: "Number", index: true },
  { key: "title", type: "String", search: true },
  { key: "tags", type: "Array", items: { type: "String" }, search: true },
  { key: "body", type: "String" },
];

const query = (parameters: Record<string, string>) => `?${new URLSearchParams(parameters)}`;

async function searchRows(
  { asSecret }: TestCollection,
  search: string,
  more = {},
): Promise<unknown[]> {
  const answer = await asSecret({ path: query({ search, sort: "n", ...more }) });
  return ok(answer).items.map(({ n }: Doc) => n);
}

Deno.test("a search finds documents in which every search word begins a word", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app, { fields: FIELDS });
  await posts.insert(
    { n: 1, title: "Fast stores for slow days", tags: ["Databases"] },
    { n: 2, title: "Crème brûlée", tags: ["dessert", "fast"] },
    { n: 3, title: "東京大学に行く", body: "fast" },
    { n: 4 },
  );
  const questions: [string, number[]][] = [
    ["fast", [1, 2]],
    ["FAST sto", [1]],
    ["data fast", [1]],
    ["ast", []],
    ["creme BRUL", [2]],
    ["fast, dessert!", [2]],
    ["大学", [3]],
    ["fast fast fast", [1, 2]],
    ["fast never", []],
  ];
  for (const [search, expected] of questions) {
    assert.deepEqual(await searchRows(posts, search), expected, search);
  }
});

Deno.test("a search combines with order, pages, totals, counts and explain", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app, { fields: FIELDS });
  const documents = times(40, (n) => ({ n, title: n % 2 === 0 ? "even words" : "odd words" }));
  ok(await posts.asSecret({ path: "/bulk", body: { documents } }), 201);
  const even = times(20, (n) => 2 * n);
  assert.deepEqual(await searchRows(posts, "even", { sort: "-n" }), even.toReversed());
  assert.deepEqual(await searchRows(posts, "word", { n_gte: "38" }), [38, 39]);
  assert.deepEqual(await searchRows(posts, "even", { offset: "18" }), [36, 38]);
  const first = ok(
    await posts.asSecret({ path: query({ search: "even", sort: "n", limit: "15" }) }),
  );
  assert.equal(first.total, 20);
  const cursor = first.nextCursor;
  assert.deepEqual(await searchRows(posts, "even", { limit: "15", cursor }), even.slice(15));
  const other = query({ search: "odd", sort: "n", cursor });
  refused(await posts.asSecret({ path: other }), 400, "INVALID_CURSOR");
  const none = query({ sort: "n", cursor });
  refused(await posts.asSecret({ path: none }), 400, "INVALID_CURSOR");
  const count = { search: "even", count: "true" };
  assert.equal(ok(await posts.asSecret({ path: query(count) })).count, 20);
  const { explain } = ok(
    await posts.asSecret({ path: query({ search: "Even wor", explain: "true" }) }),
  );
  assert.deepEqual(explain.index, ["title", "tags"]);
  assert.deepEqual(explain.filter.and[0], { search: "even wor" });
  assert.ok(explain.examined >= 20, String(explain.examined));
});

Deno.test("an invalid search is refused with its reason", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app, { fields: FIELDS });
  const wrong: [string, string][] = [
    ["", "has no word"],
    ["?! … 😀", "has no word"],
    ["x".repeat(SEARCH_LENGTH_MAX + 1), `longer than ${SEARCH_LENGTH_MAX}`],
    [times(SEARCH_WORDS_MAX + 1, (n) => `w${n}`).join(" "), `more than ${SEARCH_WORDS_MAX} words`],
    ["a\0b", "U+0000"],
  ];
  for (const [search, why] of wrong) {
    refused(await posts.asSecret({ path: query({ search }) }), 400, "INVALID_QUERY", why);
  }
  refused(await posts.asSecret({ path: "?search=a&search=b" }), 400, "INVALID_QUERY", "more than");
  const most = times(SEARCH_WORDS_MAX, (n) => `w${n}`).join(" ");
  assert.deepEqual(await searchRows(posts, most), []);
  assert.deepEqual(await searchRows(posts, "x".repeat(SEARCH_LENGTH_MAX)), []);

  const notes = await createTestCollection(app, { name: "notes", fields: [] }, posts.project);
  for (const search of ["a", "", "?"]) {
    refused(
      await notes.asSecret({ path: query({ search }) }),
      400,
      "SEARCH_NOT_DECLARED",
      "search",
    );
  }
});

Deno.test("a field named search can be filtered with a suffix", async () => {
  await using app = await openTestApp();
  const fields = [{ key: "search", type: "String", search: true }];
  const posts = await createTestCollection(app, { fields });
  await posts.insert({ search: "Two words" }, { search: "words" });
  assert.equal(ok(await posts.asSecret({ path: "?search=two" })).total, 1);
  assert.equal(ok(await posts.asSecret({ path: "?search_in=words" })).total, 1);
});

Deno.test("only ten String fields or lists of them can be declared as searchable", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app, { fields: FIELDS });
  const define = (fields: object[]) =>
    updateCollection(app.services, posts.project.projectId, { name: "posts", fields });
  const wrong: [object, string][] = [
    [{ key: "a", type: "Number", search: true }, "a"],
    [{ key: "a", type: "Ref", ref: "users", search: true }, "a"],
    [{ key: "a", type: "Array", search: true }, "a"],
    [{ key: "a", type: "Array", items: { type: "Number" }, search: true }, "a"],
    [{ key: "a", type: "Object", search: true }, "a"],
    [{ key: "a", type: "Object", fields: [{ key: "b", type: "Date", search: true }] }, "a.b"],
    [{
      key: "a",
      type: "Array",
      items: { type: "Object", fields: [{ key: "b", type: "String", search: true }] },
    }, "a.items.b"],
  ];
  for (const [field, path] of wrong) {
    await assert.rejects(
      () => define([field]),
      (error: { code: string; faults: { path: string }[] }) => {
        assert.equal(error.code, "INVALID_DEFINITION");
        assert.deepEqual(error.faults.map((fault) => fault.path), [path]);
        return true;
      },
    );
  }
  const many = times(11, (n) => ({ key: `f${n}`, type: "String", search: true }));
  await assert.rejects(() => define(many), { code: "INVALID_DEFINITION" });
  await define(many.slice(1));
});

Deno.test("a user's search reveals no documents of other users, and not their number", async () => {
  await using app = await openTestApp();
  const notes = await createTestCollection(app, { fields: FIELDS, rls: { mode: "private" } });
  const [ann, bob] = [await notes.project.user(), await notes.project.user()];
  await notes.insert(
    { n: 1, title: "secret of ann", userId: ann.id },
    { n: 2, title: "secret of bob", userId: bob.id },
    { n: 3, title: "secret of no user" },
  );
  for (const more of [{}, { include_deleted: "true" }, { sort: "n" }, { userId: bob.id }]) {
    for (const search of ["secret", "bob", "secret bob"]) {
      const answer = await notes.asPublic({ path: query({ search, ...more }) }, ann);
      const { items, total } = ok(answer);
      const isFound = search === "secret" && !("userId" in more);
      assert.deepEqual(items.map(({ n }: Doc) => n), isFound ? [1] : [], search);
      assert.equal(total, isFound ? 1 : 0, search);
      const counted = query({ search, ...more, count: "true" });
      assert.equal(ok(await notes.asPublic({ path: counted }, ann)).count, isFound ? 1 : 0);
    }
  }
  refused(
    await notes.asPublic({ path: query({ search: "secret" }) }),
    401,
    "ACCESS_TOKEN_REQUIRED",
  );
});

Deno.test("a search follows changes, trash, recovery and permanent deletion", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app, { fields: FIELDS });
  const { _id } = await posts.insertOne({ n: 1, title: "first", tags: ["kept"] });
  const path = `/${_id}`;
  ok(await posts.asSecret({ method: "PATCH", path, body: { title: "second" } }));
  assert.deepEqual(await searchRows(posts, "first"), []);
  assert.deepEqual(await searchRows(posts, "second kept"), [1]);
  ok(await posts.asSecret({ method: "PUT", path, body: { n: 2, title: "third" } }));
  assert.deepEqual(await searchRows(posts, "kept"), []);
  assert.deepEqual(await searchRows(posts, "third"), [2]);
  await posts.remove(_id);
  assert.deepEqual(await searchRows(posts, "third"), []);
  assert.deepEqual(await searchRows(posts, "third", { include_deleted: "true" }), [2]);
  ok(await posts.asSecret({ method: "PATCH", path: `${path}/recover` }));
  assert.deepEqual(await searchRows(posts, "third"), [2]);
  ok(await posts.asSecret({ method: "DELETE", path: `${path}?permanent=true` }));
  assert.deepEqual(await searchRows(posts, "third", { include_deleted: "true" }), []);
  const bulk = { documents: [{ n: 3, title: "third" }, { n: 4, title: 5 }] };
  refused(await posts.asSecret({ path: "/bulk", body: bulk }), 400, "INVALID_DOCUMENT");
  assert.deepEqual(await searchRows(posts, "third"), []);
});

Deno.test("a change of the searchable fields applies to existing documents", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app, {
    fields: [{ key: "n", type: "Number" }, { key: "title", type: "String" }],
  });
  await posts.insert({ n: 1, title: "One word" }, { n: 2, title: "Two words" });
  refused(await posts.asSecret({ path: "?search=one" }), 400, "SEARCH_NOT_DECLARED");
  const define = (search: boolean) =>
    updateCollection(app.services, posts.project.projectId, {
      name: "posts",
      fields: [{ key: "n", type: "Number" }, { key: "title", type: "String", search }],
      rls: { mode: "public-read" },
    });
  await define(true);
  assert.deepEqual(await searchRows(posts, "word"), [1, 2]);
  assert.deepEqual(await searchRows(posts, "one"), [1]);
  await define(false);
  refused(await posts.asSecret({ path: "?search=one" }), 400, "SEARCH_NOT_DECLARED");
  await posts.insertOne({ n: 3, title: "Three words" });
  await define(true);
  assert.deepEqual(await searchRows(posts, "word"), [1, 2, 3]);
});

Deno.test("a search finds only the first words of a large document, up to the limit", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app, { fields: FIELDS });
  const words = times(SEARCHED_WORDS_MAX + 50, (n) => `word${n}x`);
  const document = await posts.insertOne({ n: 1, title: words.join(" ") });
  assert.deepEqual(await searchRows(posts, `word${SEARCHED_WORDS_MAX - 1}x`), [1]);
  assert.deepEqual(await searchRows(posts, `word${SEARCHED_WORDS_MAX}x`), []);
  assert.deepEqual(Object.keys(document).toSorted(), [
    "_id",
    "createdAt",
    "deletedAt",
    "isDeleted",
    "n",
    "title",
    "updatedAt",
  ]);
  assert.deepEqual(ok(await posts.read(document._id)), document);
});

Deno.test("a search finds only the last state after concurrent changes", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app, { fields: FIELDS });
  const { _id } = await posts.insertOne({ n: 1, title: "start" });
  const patched = await Promise.all(times(30, (n) =>
    posts.asSecret({
      method: "PATCH",
      path: `/${_id}`,
      body: n % 2 === 0 ? { title: `title${n}x` } : { tags: [`tag${n}x`] },
    })));
  for (const answer of patched) ok(answer);
  const { title, tags } = ok(await posts.read(_id));
  for (const n of times(30, (n) => n)) {
    const word = n % 2 === 0 ? `title${n}x` : `tag${n}x`;
    const isStored = title === word || tags.includes(word);
    assert.deepEqual(await searchRows(posts, word), isStored ? [1] : [], word);
  }
});
