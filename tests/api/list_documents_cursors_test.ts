import assert from "node:assert/strict";
import type { TestUser } from "../support/test_app.ts";
import { faults, testUnless } from "../support/server_faults.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { createTestStore } from "../support/test_store.ts";
import {
  createTestCollection,
  type Doc,
  ok,
  refused,
  type TestCollection,
  times,
} from "./test_collection.ts";

const FIELDS = [
  { key: "n", type: "Number" },
  { key: "title", type: "String" },
  { key: "views", type: "Number", index: true },
  { key: "live", type: "Boolean" },
  { key: "at", type: "Date" },
  { key: "meta", type: "Object", fields: [{ key: "rank", type: "Number" }] },
];

const pick = <T>(values: readonly T[], n: number): T => values[n % values.length]!;

/** Returns a document with null, missing and many equal values in cycles of different lengths. */
const createRow = (n: number): { [name: string]: unknown } => ({
  n,
  ...(n % 11 === 0 ? {} : { title: pick(["a", "b", null, "B", "é", ""], n) }),
  ...(n % 7 === 0 ? {} : { views: pick([1, 2, null, -3.5, 1e308], n) }),
  ...(n % 5 === 0 ? {} : { live: pick([true, false, null], n) }),
  ...(n % 3 === 0 ? {} : { at: pick(["2026-01-01", "2026-01-02T00:00:00.001Z", null], n) }),
  ...(n % 2 === 0 ? {} : { meta: pick([{ rank: 1 }, {}, { rank: 2 }, { rank: null }], n) }),
});

const ROW_COUNT = 61;

async function openRows(app: TestApp): Promise<TestCollection> {
  const collection = await createTestCollection(app, { fields: FIELDS });
  // Four documents each have one creation time.
  for (let at = 0; at < ROW_COUNT; at += 4) {
    app.clock.advance(1000);
    const body = times(Math.min(4, ROW_COUNT - at), (i) => createRow(at + i));
    ok(await collection.asSecret({ path: "/bulk", body }), 201);
  }
  const { items } = ok(await collection.asSecret({ path: "?limit=1000" })) as { items: Doc[] };
  for (const { _id, n } of items) if ((n as number) % 9 === 4) await collection.remove(_id);
  return collection;
}

interface List {
  readonly items: Doc[];
  readonly total?: number;
  readonly page?: number;
  readonly cursor?: string;
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
}

const list = async (collection: TestCollection, query: string): Promise<List> =>
  ok(await collection.asSecret({ path: `?${query}` }));

const names = ({ items }: Pick<List, "items">) => items.map(({ n }) => n);

/** Follows one of a page's cursors to the end and returns all pages. */
async function walk(
  collection: TestCollection,
  query: string,
  which: "nextCursor" | "prevCursor",
  from: List,
): Promise<List[]> {
  const pages: List[] = [from];
  for (let cursor = from[which]; cursor !== null;) {
    const page = await list(collection, `${query}&cursor=${cursor}`);
    assert.equal(page.cursor, cursor);
    assert.equal("page" in page, false, "a page by cursor has no page number");
    assert.ok(page.items.length > 0, "no cursor leads to an empty page");
    pages.push(page);
    assert.ok(pages.length < 1000, "the walk does not end");
    cursor = page[which];
  }
  return pages;
}

const SORTS = [
  "",
  "sort=-createdAt",
  "sort=createdAt",
  "sort=_id",
  "sort=-_id",
  "sort=title",
  "sort=-title",
  "sort=views",
  "sort=-views",
  "sort=live",
  "sort=at",
  "sort=-at",
  "sort=meta.rank",
  "sort=title,views",
  "sort=title,-views",
  "sort=-title,views",
  "sort=-live,at,-title",
  "sort=live,-at,views,-meta.rank",
  "sort=views,_id",
  "sort=-views,_id",
  "sort=views,-_id",
  "sort=-deletedAt",
  "sort=updatedAt,-createdAt",
];

for (const scope of ["", "include_deleted=true", "views_ne=2&n_gt=3"]) {
  Deno.test(`cursors return every row once in order, in both directions (${scope || "all"})`, async () => {
    await using app = await openTestApp();
    const collection = await openRows(app);
    for (const sort of SORTS) {
      const all = await list(collection, `${sort}&${scope}&limit=1000`);
      for (const limit of [1, 7, all.items.length]) {
        const query = `${sort}&${scope}&limit=${limit}`;
        const first = await list(collection, query);
        assert.equal(first.prevCursor, null, "the first page has no previous page");
        const pages = await walk(collection, query, "nextCursor", first);
        assert.deepEqual(pages.flatMap(names), names(all), `${query} forwards`);
        const back = await walk(collection, query, "prevCursor", pages.at(-1)!);
        assert.deepEqual(back.toReversed().flatMap(names), names(all), `${query} backwards`);
        assert.ok(pages.every(({ total }) => total === all.total));
      }
    }
  });
}

Deno.test("a previous cursor followed by a next cursor returns to the same page", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app);
  for (const sort of ["sort=title,-views", "sort=-at", ""]) {
    const query = `${sort}&limit=5`;
    const pages = await walk(collection, query, "nextCursor", await list(collection, query));
    for (const [i, page] of pages.slice(1).entries()) {
      const before = await list(collection, `${query}&cursor=${page.prevCursor}`);
      assert.deepEqual(names(before), names(pages[i]!));
      const again = await list(collection, `${query}&cursor=${before.nextCursor}`);
      assert.deepEqual(names(again), names(page));
    }
  }
});

Deno.test("a page by number has cursors too", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app);
  const query = "sort=views,title&limit=10";
  const third = await list(collection, `${query}&page=3`);
  assert.deepEqual(
    names(await list(collection, `${query}&cursor=${third.nextCursor}`)),
    names(await list(collection, `${query}&page=4`)),
  );
  assert.deepEqual(
    names(await list(collection, `${query}&cursor=${third.prevCursor}`)),
    names(await list(collection, `${query}&page=2`)),
  );
});

Deno.test("rows inserted between two pages never repeat or hide another row", async () => {
  await using app = await openTestApp();
  for (const sort of ["", "sort=views", "sort=-title,views", "sort=-at"]) {
    for (const which of ["nextCursor", "prevCursor"] as const) {
      const collection = await openRows(app);
      const all = names(await list(collection, `${sort}&limit=1000`));
      const query = `${sort}&limit=6`;
      const start = which === "nextCursor"
        ? await list(collection, query)
        : await list(collection, `${query}&page=${Math.ceil(all.length / 6)}`);
      const seen = [...names(start)];
      let next = 1000;
      for (let cursor = start[which]; cursor !== null;) {
        app.clock.advance(1000);
        const body = times(3, () => createRow(next++));
        ok(await collection.asSecret({ path: "/bulk", body }), 201);
        const page = await list(collection, `${query}&cursor=${cursor}`);
        seen[which === "nextCursor" ? "push" : "unshift"](...names(page));
        cursor = seen.length > 500 ? null : page[which];
      }
      assert.equal(new Set(seen).size, seen.length, "a row was returned twice");
      const old = seen.filter((n) => (n as number) < 1000);
      assert.deepEqual(old.slice(0, all.length), all, `${sort} ${which}`);
    }
  }
});

Deno.test("a cursor continues behind its position if its row was deleted or moved", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  const rows = await collection.insert(...times(9, (n) => ({ n, views: n })));
  const query = "sort=views&limit=3";
  const first = await list(collection, query);
  await collection.remove(rows[2]!._id);
  assert.deepEqual(names(await list(collection, `${query}&cursor=${first.nextCursor}`)), [3, 4, 5]);
  ok(await collection.asSecret({ method: "DELETE", path: `/${rows[3]!._id}?permanent=true` }));
  assert.deepEqual(names(await list(collection, `${query}&cursor=${first.nextCursor}`)), [4, 5, 6]);
  ok(
    await collection.asSecret({ method: "PATCH", path: `/${rows[4]!._id}`, body: { views: 100 } }),
  );
  const second = await list(collection, `${query}&cursor=${first.nextCursor}`);
  assert.deepEqual(names(second), [5, 6, 7]);
  assert.deepEqual(names(await list(collection, `${query}&cursor=${second.prevCursor}`)), [0, 1]);
});

Deno.test("an empty page whose rows were deleted has a cursor to the previous page", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  const rows = await collection.insert(...times(6, (n) => ({ n })));
  const query = "sort=n&limit=3";
  const first = await list(collection, query);
  for (const { _id } of rows.slice(3)) await collection.remove(_id);
  const empty = await list(collection, `${query}&cursor=${first.nextCursor}`);
  assert.deepEqual(empty.items, []);
  assert.equal(empty.nextCursor, null);
  assert.notEqual(empty.prevCursor, null, "the rows before it are still there");
  assert.deepEqual(names(await list(collection, `${query}&cursor=${empty.prevCursor}`)), [0, 1, 2]);
});

testUnless(
  faults.misplacesTiny,
  "cursors keep the exact position at numbers that need every bit of a double",
  async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app, { fields: FIELDS });
    const numbers = [
      -(2 ** 62),
      -(2 ** 53),
      -5e-324,
      0,
      5e-324,
      0.1,
      0.30000000000000004,
      2 ** 53,
      2 ** 53 + 2,
      2 ** 60,
      2 ** 62,
      2 ** 63,
      2 ** 64,
      1e308,
    ];
    await collection.insert(
      ...numbers.flatMap((views, n) => [{ n, views }, { n: n + 100, views }]),
    );
    for (const sort of ["sort=views", "sort=-views"]) {
      const all = await list(collection, sort);
      const query = `${sort}&limit=1`;
      const pages = await walk(collection, query, "nextCursor", await list(collection, query));
      assert.deepEqual(pages.flatMap(names), names(all), sort);
      const back = await walk(collection, query, "prevCursor", pages.at(-1)!);
      assert.deepEqual(back.toReversed().flatMap(names), names(all), `${sort} backwards`);
    }
  },
);

Deno.test("limit, fields, populate and total may change between pages", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [...FIELDS, { key: "next", type: "Ref", ref: "posts" }],
  });
  await collection.insert(...times(9, (n) => ({ n })));
  const { nextCursor } = await list(collection, "sort=n&limit=2");
  const changes = ["limit=3", "fields=n", "populate=next", "meta=false", "total=none"];
  for (const change of [...changes, changes.join("&")]) {
    const page = await list(collection, `sort=n&cursor=${nextCursor}&${change}`);
    assert.deepEqual(names(page).slice(0, 3), [2, 3, 4], change);
  }
});

Deno.test("a cursor of the default sort is valid with the same explicit sort", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  await collection.insert(...times(4, (n) => ({ n })));
  const { nextCursor } = await list(collection, "limit=2");
  for (const sort of ["sort=-createdAt", "sort=createdAt:desc", "page_exists=false"]) {
    const answer = await collection.asSecret({ path: `?${sort}&cursor=${nextCursor}` });
    if (sort.startsWith("sort")) assert.deepEqual(names(ok(answer)), [1, 0]);
    else refused(answer, 400, "INVALID_CURSOR");
  }
});

Deno.test("cursors stay valid after a restart", async () => {
  await using store = await createTestStore();
  let cursor: string | null;
  let key: string;
  {
    await using app = await openTestApp({ store });
    const collection = await createTestCollection(app, { fields: FIELDS });
    await collection.insert(...times(4, (n) => ({ n })));
    cursor = (await list(collection, "sort=n&limit=2")).nextCursor;
    key = collection.project.secretKey;
  }
  await using app = await openTestApp({ store });
  const answer = await app.send({
    path: `/api/data/posts?sort=n&cursor=${cursor}`,
    headers: { "x-api-key": key },
  });
  assert.deepEqual(names(ok(answer)), [2, 3]);
});

Deno.test("an altered cursor is 400", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  await collection.insert(...times(4, (n) => ({ n })));
  const cursor = (await list(collection, "sort=n&limit=2")).nextCursor!;
  const [payload, signature] = cursor.split(".") as [string, string];
  const forged = btoa(JSON.stringify([1, "f".repeat(24), 0])).replaceAll("=", "");
  const changed = times(cursor.length, (i) => {
    const other = cursor[i] === "A" ? "B" : "A";
    return cursor.slice(0, i) + other + cursor.slice(i + 1);
  });
  const altered = [
    ...changed,
    "",
    ".",
    "x",
    "0",
    "null",
    payload,
    `${payload}.`,
    `.${signature}`,
    `${forged}.${signature}`,
    `${cursor}x`,
    `${cursor}.x`,
    `${cursor}.${signature}`,
    ` ${cursor}`,
    cursor.slice(0, -1),
    cursor.slice(1),
    cursor + cursor,
    cursor.toLowerCase() === cursor ? `${cursor}=` : cursor.toLowerCase(),
    "a".repeat(5000),
    "\u0000",
    "é",
  ];
  for (const text of altered) {
    const answer = await collection.asSecret({
      path: `?sort=n&limit=2&cursor=${encodeURIComponent(text)}`,
    });
    refused(answer, 400, "INVALID_CURSOR", "cursor");
  }
});

Deno.test("a cursor together with page is 400 and names both", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  await collection.insert(...times(4, (n) => ({ n })));
  const { nextCursor } = await list(collection, "limit=2");
  for (const page of [1, 2]) {
    const answer = await collection.asSecret({ path: `?cursor=${nextCursor}&page=${page}` });
    refused(answer, 400, "INVALID_QUERY", /"page".*cursor/);
  }
});

Deno.test("a cursor of another project, collection, caller, filter, sort or trash is 400", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  const sibling = await createTestCollection(
    app,
    { name: "notes", fields: FIELDS },
    collection.project,
  );
  const foreign = await createTestCollection(app, { fields: FIELDS });
  const [ann, bob] = [await collection.project.user(), await collection.project.user()];
  for (const one of [collection, sibling, foreign]) await one.insert(...times(5, (n) => ({ n })));
  const query = "n_gte=0&sort=n&limit=2";
  const { nextCursor: cursor } = await list(collection, query);
  ok(await collection.asSecret({ path: `?${query}&cursor=${cursor}` }));

  const path = `?${query}&cursor=${cursor}`;
  refused(await foreign.asSecret({ path }), 400, "INVALID_CURSOR");
  refused(await sibling.asSecret({ path }), 400, "INVALID_CURSOR");
  refused(await collection.asPublic({ path }), 400, "INVALID_CURSOR");
  refused(await collection.asPublic({ path }, ann), 400, "INVALID_CURSOR");
  for (
    const other of [
      "n_gte=0&limit=2",
      "n_gte=0&sort=-n",
      "n_gte=0&sort=n,title",
      "n_gte=1&sort=n",
      "n_gt=0&sort=n",
      "sort=n",
      "n_gte=0&title=a&sort=n",
      'n_gte=0&sort=n&where={"title":"a"}',
      "n_gte=0&sort=n&include_deleted=true",
    ]
  ) {
    refused(
      await collection.asSecret({ path: `?${other}&cursor=${cursor}` }),
      400,
      "INVALID_CURSOR",
    );
  }

  const callers: (TestUser | undefined)[] = [undefined, ann, bob];
  for (const caller of callers) {
    const ownCursor = ok(await collection.asPublic({ path: `?${query}` }, caller)).nextCursor;
    for (const other of callers) {
      const answer = await collection.asPublic({ path: `?${query}&cursor=${ownCursor}` }, other);
      if (other === caller) assert.deepEqual(names(ok(answer)), [2, 3]);
      else refused(answer, 400, "INVALID_CURSOR");
    }
    const asSecret = await collection.asSecret({ path: `?${query}&cursor=${ownCursor}` });
    refused(asSecret, 400, "INVALID_CURSOR");
  }
});
