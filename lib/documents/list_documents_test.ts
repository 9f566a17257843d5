import assert from "node:assert/strict";
import { openTestServices, type TestServices } from "@/tests/support/test_services.ts";
import type { Caller } from "../auth/principals.ts";
import { compare } from "../store/filter.ts";
import type { Json } from "../store/port.ts";
import { openForWriting } from "./access.ts";
import { writeDocument } from "./write_document.ts";
import { type DocumentList, listDocuments } from "./list_documents.ts";
import { createCollection, updateCollection } from "@/tests/support/given.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const SECRET: Caller = { kind: "secret", projectId: PROJECT };
const VISITOR: Caller = { kind: "publishable", projectId: PROJECT, userId: null };
const ADA: Caller = { ...VISITOR, userId: "aaaaaaaaaaaaaaaaaaaaaaaa" };
const BOB: Caller = { ...VISITOR, userId: "bbbbbbbbbbbbbbbbbbbbbbbb" };

const NOTES = { name: "notes", fields: [{ key: "n", type: "Number" }] };
const POSTS = { ...NOTES, name: "posts", rls: { mode: "public-read" } };

interface Lists extends TestServices {
  add(name: string, caller: Caller, ...bodies: { [name: string]: Json }[]): Promise<void>;
  list(query?: string, caller?: Caller, name?: string): Promise<DocumentList>;
  numbers(query?: string, caller?: Caller, name?: string): Promise<Json[]>;
}

async function setup(): Promise<Lists> {
  const opened = await openTestServices();
  const { services } = opened;
  for (const input of [NOTES, POSTS]) await createCollection(services, PROJECT, input);
  async function list(query = "", caller = SECRET, collectionName = "posts") {
    const answer = await listDocuments(services, caller, { collectionName, query });
    return answer;
  }
  return {
    ...opened,
    list,
    async add(name, caller, ...bodies) {
      for (const body of bodies) {
        opened.clock.advance(1);
        const target = await openForWriting(services, caller, name);
        await writeDocument(services, target, { action: "create", body });
      }
    },
    numbers: async (...input) => {
      const { items } = await list(...input);
      return (JSON.parse(`[${items}]`) as { n: Json }[]).map(({ n }) => n);
    },
  };
}

const numberedDocuments = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ n: n + 1 }));

Deno.test("a list by pages returns a page and no cursor, a list by cursor the opposite", async () => {
  await using lists = await setup();
  await lists.add("posts", SECRET, ...numberedDocuments(5));
  const first = await lists.list("limit=2&sort=n");
  assert.equal(first.page, 1);
  assert.equal(first.cursor, null);
  assert.equal(first.total, 5);
  assert.equal(first.limit, 2);
  assert.equal(first.prevCursor, null);
  const next = await lists.list(`limit=2&sort=n&cursor=${first.nextCursor}`);
  assert.equal(next.page, null);
  assert.equal(next.cursor, first.nextCursor);
  assert.equal(next.total, 5);
});

Deno.test("cursors lead through a list and back, and end at both ends", async () => {
  await using lists = await setup();
  await lists.add("posts", SECRET, ...numberedDocuments(5));
  const seen: Json[][] = [];
  const query = "limit=2&sort=-n";
  let page = await lists.list(query);
  const numbersIn = ({ items }: DocumentList) =>
    (JSON.parse(`[${items}]`) as { n: Json }[]).map(({ n }) => n);
  for (;;) {
    seen.push(numbersIn(page));
    if (page.nextCursor === null) break;
    page = await lists.list(`${query}&cursor=${page.nextCursor}`);
  }
  assert.deepEqual(seen, [[5, 4], [3, 2], [1]]);
  const back: Json[][] = [];
  while (page.prevCursor !== null) {
    page = await lists.list(`${query}&cursor=${page.prevCursor}`);
    back.push(numbersIn(page));
  }
  assert.deepEqual(back, [[3, 2], [5, 4]]);
});

Deno.test("a page whose documents have been deleted has a cursor to the previous page", async () => {
  await using lists = await setup();
  await lists.add("posts", SECRET, ...numberedDocuments(4));
  const target = await openForWriting(lists.services, SECRET, "posts");
  const query = "limit=2&sort=n";
  const first = await lists.list(query);
  await target.records.deleteMany(compare("n", "gt", 2), 10);
  const emptyPage = await lists.list(`${query}&cursor=${first.nextCursor}`);
  assert.deepEqual([emptyPage.items, emptyPage.nextCursor], ["", null]);
  assert.deepEqual(await lists.numbers(`${query}&cursor=${emptyPage.prevCursor}`), [1, 2]);
});

Deno.test("limit, fields and total may change between the pages of a cursor", async () => {
  await using lists = await setup();
  await lists.add("posts", SECRET, ...numberedDocuments(5));
  const { nextCursor } = await lists.list("limit=2&sort=n");
  const next = await lists.list(`sort=n&limit=10&fields=n&total=none&cursor=${nextCursor}`);
  const items = JSON.parse(`[${next.items}]`);
  assert.deepEqual(items.map(Object.keys), [["_id", "n"], ["_id", "n"], ["_id", "n"]]);
  assert.equal(next.total, null);
  assert.equal(next.nextCursor, null);
});

Deno.test("a cursor is rejected in every other list", async () => {
  await using lists = await setup();
  await lists.add("posts", ADA, ...numberedDocuments(3));
  await lists.add("notes", ADA, ...numberedDocuments(3));
  const { nextCursor } = await lists.list("limit=1&sort=n", ADA);
  const elsewhere: readonly (readonly [string, Caller, string])[] = [
    ["limit=1&sort=-n", ADA, "posts"],
    ["limit=1", ADA, "posts"],
    ["limit=1&sort=n&n_gt=0", ADA, "posts"],
    ["limit=1&sort=n&include_deleted=true", ADA, "posts"],
    ["limit=1&sort=n", BOB, "posts"],
    ["limit=1&sort=n", VISITOR, "posts"],
    ["limit=1&sort=n", SECRET, "posts"],
    ["limit=1&sort=n", ADA, "notes"],
  ];
  for (const [query, caller, name] of elsewhere) {
    await assert.rejects(
      lists.list(`${query}&cursor=${nextCursor}`, caller, name),
      { code: "INVALID_CURSOR" },
      `${query} ${name}`,
    );
  }
  assert.deepEqual(await lists.numbers(`limit=1&sort=n&cursor=${nextCursor}`, ADA), [2]);
});

Deno.test("page and cursor cannot be combined, in either order", async () => {
  await using lists = await setup();
  await lists.add("posts", SECRET, ...numberedDocuments(3));
  const { nextCursor } = await lists.list("limit=1");
  for (const query of [`page=2&cursor=${nextCursor}`, `cursor=${nextCursor}&page=1`]) {
    await assert.rejects(lists.list(`limit=1&${query}`), {
      code: "INVALID_QUERY",
      message: /^"page" cannot be used with cursor/,
    });
  }
});

Deno.test("two users with the same query see only their own documents", async () => {
  await using lists = await setup();
  await lists.add("notes", ADA, { n: 1 }, { n: 2 });
  await lists.add("notes", BOB, { n: 3 });
  for (let n = 0; n < 2; n++) {
    assert.deepEqual(await lists.numbers("sort=n", ADA, "notes"), [1, 2]);
    assert.deepEqual(await lists.numbers("sort=n", BOB, "notes"), [3]);
    assert.deepEqual(await lists.numbers("sort=n", SECRET, "notes"), [1, 2, 3]);
  }
});

Deno.test("no parameter extends the documents that a user may see", async () => {
  await using lists = await setup();
  await lists.add("notes", ADA, { n: 1 });
  await lists.add("notes", BOB, { n: 2 });
  const where = encodeURIComponent('{"or":[{"userId":{"exists":true}},{"not":{"n":99}}]}');
  const queries = [
    `userId=${"b".repeat(24)}`,
    `userId_ne=x`,
    `userId_in=${"a".repeat(24)},${"b".repeat(24)}`,
    `where=${where}`,
    "include_deleted=true",
    "isDeleted=false&n_gt=0",
  ];
  for (const query of queries) {
    const seen = await lists.numbers(query, ADA, "notes");
    assert.ok(seen.every((n) => n === 1), `${query}: ${seen}`);
  }
});

Deno.test("the same query in another project returns the other project's documents", async () => {
  await using lists = await setup();
  const projectId = "66f1a0c2e4b0a1b2c3d4e5f7";
  await createCollection(lists.services, projectId, POSTS);
  await lists.add("posts", SECRET, { n: 1 });
  await lists.add("posts", { kind: "secret", projectId }, { n: 2 });
  assert.deepEqual(await lists.numbers("sort=n"), [1]);
  assert.deepEqual(await lists.numbers("sort=n", { kind: "secret", projectId }), [2]);
});

Deno.test("a repeated query is read again after the definition has changed", async () => {
  await using lists = await setup();
  await lists.add("posts", ADA, { n: 1 });
  await lists.add("posts", SECRET, { n: 2 });
  assert.deepEqual(await lists.numbers("sort=n", ADA), [1, 2]);
  await updateCollection(lists.services, PROJECT, { ...POSTS, rls: { mode: "private" } });
  assert.deepEqual(await lists.numbers("sort=n", ADA), [1]);
  await updateCollection(lists.services, PROJECT, { ...POSTS, fields: [] });
  await assert.rejects(lists.list("sort=n", ADA), { code: "INVALID_QUERY" });
});

Deno.test("count returns the number of visible documents, and no documents", async () => {
  await using lists = await setup();
  await lists.add("notes", ADA, ...numberedDocuments(3));
  await lists.add("notes", BOB, ...numberedDocuments(4));
  const { services } = lists;
  const count = async (caller: Caller, query: string) => {
    const list = await listDocuments(services, caller, {
      collectionName: "notes",
      query: `count=true&${query}`,
    });
    assert.deepEqual([list.items, list.nextCursor, list.prevCursor], ["", null, null]);
    return [list.count, list.total];
  };
  assert.deepEqual(await count(SECRET, ""), [7, 7]);
  assert.deepEqual(await count(ADA, "n_gt=1"), [2, 2]);
  assert.deepEqual(await count(BOB, "limit=1&total=none"), [4, null]);
});

Deno.test("an altered cursor is rejected, also if only the count is requested", async () => {
  await using lists = await setup();
  await lists.add("posts", SECRET, ...numberedDocuments(3));
  for (const query of ["cursor=abc.def", "cursor=", "count=true&cursor=abc.def"]) {
    const listed = listDocuments(lists.services, SECRET, { collectionName: "posts", query });
    await assert.rejects(listed, { code: "INVALID_CURSOR" }, query);
  }
});

Deno.test("the total can be omitted or marked as an estimate", async () => {
  await using lists = await setup();
  await lists.add("posts", SECRET, ...numberedDocuments(3));
  const none = await lists.list("total=none");
  assert.deepEqual([none.total, none.totalIsEstimate], [null, false]);
  const estimate = await lists.list("total=estimate");
  assert.deepEqual([estimate.total, estimate.totalIsEstimate], [3, true]);
  const exact = await lists.list("n_gt=1&limit=1");
  assert.deepEqual([exact.total, exact.totalIsEstimate], [2, false]);
});

Deno.test("an offset skips documents, and its cursors lead to the adjacent pages", async () => {
  await using lists = await setup();
  await lists.add("posts", SECRET, ...numberedDocuments(7));
  const numbers = ({ items }: DocumentList) =>
    JSON.parse(`[${items}]`).map(({ n }: { n: number }) => n);
  const page = await lists.list("sort=n&limit=2&offset=3");
  assert.deepEqual(numbers(page), [4, 5]);
  assert.deepEqual([page.total, page.page], [7, 2]);
  assert.deepEqual(numbers(await lists.list(`sort=n&limit=2&cursor=${page.prevCursor}`)), [2, 3]);
  assert.deepEqual(numbers(await lists.list(`sort=n&limit=2&cursor=${page.nextCursor}`)), [6, 7]);
  assert.equal((await lists.list("sort=n&skip=0&limit=2")).prevCursor, null);
  assert.equal((await lists.list("sort=n&skip=1&limit=2")).page, 1);
  const both = lists.list(`sort=n&limit=2&offset=1&cursor=${page.nextCursor}`);
  await assert.rejects(both, {
    code: "INVALID_QUERY",
    message: /"offset" cannot be used with cursor/,
  });
});

Deno.test("a page after the end is empty and has no next cursor", async () => {
  await using lists = await setup();
  await lists.add("posts", SECRET, ...numberedDocuments(3));
  const afterEnd = await lists.list("limit=2&page=5");
  assert.deepEqual([afterEnd.items, afterEnd.total, afterEnd.page], ["", 3, 5]);
  assert.equal(afterEnd.nextCursor, null);
});

/** Reads a list so often that the last answer comes from the cache. */
async function readRepeatedly(
  lists: Lists,
  query?: string,
  caller?: Caller,
): Promise<DocumentList> {
  for (let times = 0; times < 8; times++) await lists.list(query, caller);
  return await lists.list(query, caller);
}

Deno.test("a cached list is used only for the same caller and query", async () => {
  await using lists = await setup();
  await lists.add("posts", SECRET, ...numberedDocuments(5));
  const list = await readRepeatedly(lists, "limit=2");
  assert.deepEqual(await lists.list("limit=2"), list);
  const others = [
    await readRepeatedly(lists, "limit=2&total=none"),
    await readRepeatedly(lists, "limit=2&page=1"),
    await readRepeatedly(lists, "limit=2", VISITOR),
  ];
  assert.deepEqual(others.map(({ items }) => items), [list.items, list.items, list.items]);
  assert.deepEqual(others.map(({ total }) => total), [null, 5, 5]);
  assert.notEqual(others[2]!.nextCursor, list.nextCursor);
});

Deno.test("a cached list at a cursor shows documents that are stored later", async () => {
  await using lists = await setup();
  await lists.add("posts", SECRET, ...[1, 1, 1, 2, 2, 3].map((n) => ({ n })));
  const { nextCursor } = await lists.list("limit=1&sort=n");
  const query = `limit=4&sort=n&cursor=${nextCursor}`;
  const list = await readRepeatedly(lists, query);
  assert.deepEqual(await lists.list(query), list);
  const numbers = ({ items }: DocumentList) =>
    JSON.parse(`[${items}]`).map(({ n }: { n: number }) => n);
  assert.deepEqual(numbers(list), [1, 1, 2, 2]);
  await lists.add("posts", SECRET, { n: 1 });
  assert.deepEqual(numbers(await readRepeatedly(lists, query)), [1, 1, 1, 2]);
});

Deno.test("a cached list changes when a document or the total has changed", async () => {
  await using lists = await setup();
  await lists.add("posts", SECRET, ...numberedDocuments(3));
  const list = await readRepeatedly(lists, "limit=2&sort=createdAt");
  await lists.add("posts", SECRET, { n: 4 });
  const longer = await readRepeatedly(lists, "limit=2&sort=createdAt");
  assert.deepEqual([longer.items, longer.total], [list.items, 4]);
  const [first] = JSON.parse(`[${list.items}]`);
  const target = await openForWriting(lists.services, SECRET, "posts");
  await writeDocument(lists.services, target, {
    action: "patch",
    id: first._id,
    body: { n: 9 },
    ifMatch: null,
  });
  const changed = await lists.list("limit=2&sort=createdAt");
  assert.deepEqual(JSON.parse(`[${changed.items}]`).map(({ n }: { n: number }) => n), [9, 2]);
});
