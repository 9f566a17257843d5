/** Lists sorted by texts that are too long for a cursor and share long beginnings. */

import fc from "fast-check";
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { CURSOR_LENGTH_MAX } from "@/lib/limits.ts";
import {
  createTestCollection,
  type Doc,
  ok,
  refused,
  type TestCollection,
} from "../api/test_collection.ts";
import { openTestApp } from "../support/test_app.ts";
import { check } from "./run.ts";

const FIELDS = [
  { key: "of", type: "Number", index: true },
  { key: "a", type: "String" },
  { key: "b", type: "String" },
  { key: "n", type: "Number" },
];

const SORTS = ["a", "-a", "a,b", "-a,b", "a,-b", "n,a", "-n,-a", "b,n,-a", "-a,-_id", "n,-b,a"];

const BEGINNINGS = [
  "",
  "a".repeat(5000),
  `${"a".repeat(5000)}b`,
  "é".repeat(2600),
  "\u{10ffff}".repeat(1300),
];
const ENDINGS = ["", "a", "b", "\u{10ffff}", "\u{10ffff}a", "\ud7ff", "\ue000", "😀"];

const text = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.tuple(fc.constantFrom(...BEGINNINGS), fc.constantFrom(...ENDINGS)).map((
      [one, other],
    ) => one + other),
  },
  { weight: 1, arbitrary: fc.constant(null) },
);

type Row = Pick<Doc, "_id"> & {
  readonly a: string | null;
  readonly b: string | null;
  readonly n: number;
};

const rows = fc.array(fc.record({ a: text, b: text, n: fc.nat(1) }), {
  minLength: 2,
  maxLength: 7,
});

const walk = { rows, sort: fc.constantFrom(...SORTS), limit: fc.integer({ min: 1, max: 3 }) };

/** Sorts as the port does: nulls first, texts by bytes, ties by id in the last direction. */
function sortedIds(rows: readonly Row[], sort: string): string[] {
  const keys = sort.split(",").map((term) => ({
    name: term.replace("-", "") as keyof Row,
    sign: term.startsWith("-") ? -1 : 1,
  }));
  if (keys.at(-1)!.name !== "_id") keys.push({ name: "_id", sign: keys.at(-1)!.sign });
  const compareRows = (x: Row, y: Row) => {
    for (const { name, sign } of keys) {
      const order = compareValues(x[name], y[name]);
      if (order !== 0) return sign * order;
    }
    return 0;
  };
  return rows.toSorted(compareRows).map(({ _id }) => _id);
}

function compareValues(x: string | number | null, y: string | number | null): number {
  if (x === null || y === null) return Number(y === null) - Number(x === null);
  if (typeof x === "number") return x - (y as number);
  return Buffer.compare(Buffer.from(x), Buffer.from(y as string));
}

let cases = 0;

/** Inserts the documents of a case, and returns a reader of pages. */
async function insert(collection: TestCollection, given: readonly Omit<Row, "_id">[]) {
  const of = cases++;
  const body = given.map((row) => ({ of, ...row }));
  const { ids } = ok(await collection.asSecret({ path: "/bulk", body }), 201) as { ids: string[] };
  return {
    rows: given.map((row, i): Row => ({ _id: ids[i]!, ...row })),
    page: (query: string, cursor: string | null) => {
      const at = cursor === null ? "" : `&cursor=${cursor}`;
      return collection.asSecret({ path: `?of=${of}&fields=_id&${query}${at}` });
    },
  };
}

interface Page {
  readonly ids: string[];
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
}

function pageOf(answer: Parameters<typeof ok>[0]): Page {
  const { items, nextCursor, prevCursor } = ok(answer);
  for (const cursor of [nextCursor, prevCursor]) {
    assert.ok(cursor === null || cursor.length <= CURSOR_LENGTH_MAX);
  }
  return { ids: items.map(({ _id }: Doc) => _id), nextCursor, prevCursor };
}

Deno.test("pages by cursor show each row once in both directions, also for long texts", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  await check("Long texts", fc.record(walk), async ({ rows: given, sort, limit }) => {
    const { rows, page } = await insert(collection, given);
    const order = sortedIds(rows, sort);
    const query = `sort=${sort}&limit=${limit}`;
    let last = pageOf(await page(query, null));
    const seen = [...last.ids];
    while (last.nextCursor !== null) {
      last = pageOf(await page(query, last.nextCursor));
      seen.push(...last.ids);
    }
    assert.deepEqual(seen, order);
    const before: string[] = [];
    let { prevCursor } = last;
    while (prevCursor !== null) {
      const previous = pageOf(await page(query, prevCursor));
      before.unshift(...previous.ids);
      prevCursor = previous.prevCursor;
    }
    assert.deepEqual([...before, ...last.ids], order);
  });
});

/** Changes of the row at the edge of a page before the next page is read. */
const CHANGES = ["destroy", "trash", "append", "replace"] as const;
type Change = (typeof CHANGES)[number];

async function change(collection: TestCollection, id: string, how: Change): Promise<void> {
  const path = `/${id}`;
  const calls = {
    destroy: { method: "DELETE", path: `${path}?permanent=true` },
    trash: { method: "DELETE", path },
    append: { method: "PATCH", path, body: { a: `${"a".repeat(5000)}b`, b: "a".repeat(5001) } },
    replace: { method: "PATCH", path, body: { a: "z", b: null } },
  };
  ok(await collection.asSecret(calls[how]));
}

const changes = fc.array(fc.option(fc.constantFrom(...CHANGES)), { minLength: 1, maxLength: 6 });

Deno.test("if the row at a cursor changes, no other row is lost or repeated", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  const cases = fc.record({ ...walk, changes, backwards: fc.boolean() });
  await check("Long texts that change", cases, async (one) => {
    const { rows, page } = await insert(collection, one.rows);
    const order = sortedIds(rows, one.sort);
    const query = `sort=${one.sort}&limit=${one.limit}`;
    const touched = new Set<string>();
    const seen: string[] = [];
    const cursorName = one.backwards ? "prevCursor" : "nextCursor";
    let last = one.backwards
      ? pageOf(await page(`sort=${one.sort}&limit=1&page=${order.length}`, null))
      : pageOf(await page(query, null));
    for (let step = 0;; step++) {
      seen.push(...(one.backwards ? last.ids.toReversed() : last.ids));
      const cursor = last[cursorName];
      if (cursor === null) break;
      const edge = seen.at(-1)!;
      const how = one.changes[step] ?? null;
      // An edge that was changed before is not changed again: it may be in the trash.
      if (how !== null && last.ids.length > 0 && !touched.has(edge)) {
        touched.add(edge);
        await change(collection, edge, how);
      }
      const answer = await page(query, cursor);
      if (answer.status !== 200) {
        assert.ok(touched.has(edge) && how !== "trash", "only an ambiguous cursor is refused");
        refused(answer, 400, "INVALID_CURSOR", "start again without the cursor");
        break;
      }
      last = pageOf(answer);
      assert.ok(step < 100, "The walk has no end");
    }
    const expected = (one.backwards ? order.toReversed() : order).filter((id) => !touched.has(id));
    const found = seen.filter((id) => !touched.has(id));
    assert.deepEqual(found, expected.slice(0, found.length));
    if (last[cursorName] === null) assert.deepEqual(found, expected);
  });
});
