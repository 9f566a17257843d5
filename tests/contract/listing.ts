import assert from "node:assert/strict";
import { ALL, compare, eq } from "@/lib/store/filter.ts";
import type { Change, FieldShape, Filter, Json, Records, StoredRecord } from "@/lib/store/port.ts";
import {
  definition,
  id,
  idsOf,
  keys,
  listAll,
  newSpace,
  rowsOf,
  trashDefinition,
  upTo,
} from "./fixtures.ts";
import type { Cases, Store } from "./suite.ts";

/**
 * Fails unless a list sorts the values as given; `undefined` is a missing field. The records have
 * ascending ids and are stored in another order.
 */
async function assertSorts(
  store: Store,
  type: FieldShape["type"],
  values: readonly (Json | undefined)[],
): Promise<void> {
  const records = store.engine.records(newSpace(), definition({ fields: { v: { type } } }));
  const rows = values.map((v, n) => v === undefined ? { _id: id(n) } : { _id: id(n), v });
  const shuffled = rows.toSorted((a, b) =>
    a._id.split("").reverse().join("") <
        b._id.split("").reverse().join("")
      ? 1
      : -1
  );
  await records.insertMany(shuffled);
  assert.deepEqual(await listAll(records, ALL, keys("v")), rows);
  assert.deepEqual(await listAll(records, ALL, keys("-v")), rows.toReversed());
}

const alone = async (records: Records, { _id }: StoredRecord): Promise<Json> =>
  (await records.get(_id))?.value ?? null;

export const listingCases: Cases = {
  "texts sort by their UTF-8 bytes, missing and null first": (store) =>
    assertSorts(store, "String", [
      undefined,
      null,
      undefined,
      "",
      " ",
      "1",
      "10",
      "9",
      "A",
      "Z",
      "a",
      "a ",
      "aa",
      "b",
      "e\u0301",
      "é",
      "日",
      "\uE000",
      "\uFF5E",
      "\uFFFD",
      "\u{10000}",
      "\u{1F600}",
      "\u{10FFFF}",
    ]),

  "numbers sort by value, missing and null first": (store) =>
    assertSorts(store, "Number", [
      null,
      undefined,
      null,
      -1e308,
      -10,
      -9,
      -0.5,
      0,
      5e-324,
      0.1,
      1,
      2,
      9,
      10,
      2 ** 53,
      1e21,
      1e308,
    ]),

  "false sorts before true, missing and null before them": (store) =>
    assertSorts(store, "Boolean", [undefined, null, false, false, true, true]),

  "dates sort by time, missing and null first": (store) =>
    assertSorts(store, "Date", [
      null,
      undefined,
      "1900-01-01T00:00:00.000Z",
      "1969-12-31T23:59:59.999Z",
      "1970-01-01T00:00:00.000Z",
      "2024-09-30T00:00:00.000Z",
      "2024-10-01T00:00:00.000Z",
      "2024-10-01T00:00:00.001Z",
    ]),

  "references sort as texts": (store) =>
    assertSorts(store, "Ref", [undefined, id(1), id(10), id(11)]),

  "equal values are in _id order, in the direction of the last key": async (store) => {
    const shape = definition({ fields: { a: { type: "String" }, b: { type: "Number" } } });
    const records = store.engine.records(newSpace(), shape);
    await records.insertMany([
      { _id: id(3), a: "x", b: 1 },
      { _id: id(1), a: "x", b: 1 },
      { _id: id(2), a: "x", b: 1 },
      { _id: id(0), a: "y", b: 1 },
    ]);
    const order = async (...paths: string[]) =>
      (await listAll(records, ALL, keys(...paths))).map((row) => Number.parseInt(row._id, 16));
    assert.deepEqual(await order("a"), [1, 2, 3, 0]);
    assert.deepEqual(await order("-a"), [0, 3, 2, 1]);
    assert.deepEqual(await order("a", "b"), [1, 2, 3, 0]);
    assert.deepEqual(await order("a", "-b"), [3, 2, 1, 0]);
    assert.deepEqual(await order("-a", "b"), [0, 1, 2, 3]);
    assert.deepEqual(await order("-a", "-b"), [0, 3, 2, 1]);
  },

  "several keys sort in sequence, each in its own direction": async (store) => {
    const shape = definition({ fields: { a: { type: "String" }, b: { type: "Number" } } });
    const records = store.engine.records(newSpace(), shape);
    await records.insertMany([
      { _id: id(0), a: "x", b: 2 },
      { _id: id(1), a: "y", b: 1 },
      { _id: id(2), a: "x", b: null },
      { _id: id(3), b: 3 },
      { _id: id(4), a: "y" },
      { _id: id(5), a: "x", b: 1 },
      { _id: id(6), a: null, b: 4 },
    ]);
    const order = async (...paths: string[]) =>
      (await listAll(records, ALL, keys(...paths))).map((row) => Number.parseInt(row._id, 16));
    assert.deepEqual(await order("a", "b"), [3, 6, 2, 5, 0, 4, 1]);
    assert.deepEqual(await order("a", "-b"), [6, 3, 0, 5, 2, 1, 4]);
    assert.deepEqual(await order("-a", "b"), [4, 1, 2, 5, 0, 3, 6]);
    assert.deepEqual(await order("-a", "-b"), [1, 4, 0, 5, 2, 6, 3]);
    assert.deepEqual(await order("b", "a"), [2, 4, 5, 1, 0, 3, 6]);
  },

  "_id is a sort key like any other, and later keys have no effect": async (store) => {
    const shape = definition({ fields: { a: { type: "String" } } });
    const records = store.engine.records(newSpace(), shape);
    await records.insertMany([
      { _id: id(2), a: "x" },
      { _id: id(0), a: "y" },
      { _id: id(1), a: "x" },
    ]);
    const order = async (...paths: string[]) =>
      (await listAll(records, ALL, keys(...paths))).map((row) => Number.parseInt(row._id, 16));
    assert.deepEqual(await order(), [0, 1, 2]);
    assert.deepEqual(await order("_id"), [0, 1, 2]);
    assert.deepEqual(await order("-_id"), [2, 1, 0]);
    assert.deepEqual(await order("a", "-_id"), [2, 1, 0]);
    assert.deepEqual(await order("-a", "_id"), [0, 1, 2]);
    assert.deepEqual(await order("-_id", "a"), [2, 1, 0]);
  },

  "a list can be sorted by members of objects": async (store) => {
    const shape = definition({
      fields: { o: { type: "Object", fields: { n: { type: "Number" } } } },
    });
    const records = store.engine.records(newSpace(), shape);
    await records.insertMany([
      { _id: id(0), o: { n: 2 } },
      { _id: id(1), o: { n: 10 } },
      { _id: id(2), o: null },
      { _id: id(3) },
      { _id: id(4), o: { n: 1 } },
    ]);
    const order = (await listAll(records, ALL, keys("o.n"))).map((row) => row._id);
    assert.deepEqual(order, [id(2), id(3), id(4), id(0), id(1)]);
  },

  "a page has the same texts of records as get": async (store) => {
    const records = store.engine.records(newSpace(), definition());
    const rows = upTo(3).map((n) => ({ _id: id(n), text: `é "${n}", {}`, list: [n, [n]] }));
    await records.insertMany(rows);
    const page = await records.list({ filter: ALL, sort: [], limit: 10 });
    const texts = await Promise.all(rows.map((row) => records.get(row._id)));
    assert.equal(page.items, texts.map((one) => one?.json).join(","));
    assert.equal(page.size, 3);
  },

  "offset and limit select a part of the list, and more says whether there is a rest": async (
    store,
  ) => {
    for (const shape of [definition(), trashDefinition()]) {
      const records = store.engine.records(newSpace(), shape);
      await records.insertMany(upTo(7).map((n) => ({ _id: id(n), isDeleted: n % 2 === 1 })));
      for (const offset of upTo(9)) {
        for (const limit of [1, 2, 6, 7, 8]) {
          const page = await records.list({ filter: ALL, sort: [], limit, offset });
          const expected = upTo(7).slice(offset, offset + limit).map(id);
          assert.deepEqual(idsOf(page), expected, `${offset}, ${limit}`);
          assert.equal(page.size, expected.length);
          assert.equal(page.more, offset + limit < 7, `${offset}, ${limit}`);
        }
      }
    }
  },

  "an empty page has no text and no positions": async (store) => {
    const records = store.engine.records(newSpace(), definition());
    const empty = async () => {
      const page = await records.list({ filter: eq("x", 1), sort: keys("-_id"), limit: 5 });
      assert.deepEqual(
        [page.items, page.size, page.more, page.first(), page.last()],
        ["", 0, false, null, null],
      );
    };
    await empty();
    await records.insert({ _id: id(1), x: 2 });
    await empty();
  },

  "a page has the positions of its first and its last record": async (store) => {
    const shape = definition({
      fields: {
        a: { type: "String" },
        b: { type: "Boolean" },
        d: { type: "Date" },
        o: { type: "Object", fields: { n: { type: "Number" } } },
      },
    });
    const records = store.engine.records(newSpace(), shape);
    await records.insertMany([
      { _id: id(0), a: "x", b: true, d: "2024-01-01T00:00:00.000Z", o: { n: 1.5 } },
      { _id: id(1), a: "y", b: null },
    ]);
    const sort = keys("a", "b", "-d", "o.n");
    const page = await records.list({ filter: ALL, sort, limit: 5 });
    assert.deepEqual(page.first(), {
      values: ["x", true, "2024-01-01T00:00:00.000Z", 1.5],
      id: id(0),
    });
    assert.deepEqual(page.last(), { values: ["y", null, null, null], id: id(1) });
  },

  "a list shows live, deleted or all records, as the filter requires": async (store) => {
    const shape = trashDefinition({
      fields: { n: { type: "Number" } },
      indexes: [{ keys: keys("n") }],
    });
    const records = store.engine.records(newSpace(), shape);
    await records.insertMany(
      upTo(6).map((n) => ({ _id: id(n), n: 6 - n, isDeleted: n % 3 === 0 })),
    );
    const found = async (filter: Parameters<typeof listAll>[1]) =>
      (await listAll(records, filter, keys("n"))).map((row) => row.n);
    assert.deepEqual(await found(eq("isDeleted", false)), [1, 2, 4, 5]);
    assert.deepEqual(await found(eq("isDeleted", true)), [3, 6]);
    assert.deepEqual(await found(compare("isDeleted", "ne", true)), [1, 2, 4, 5]);
    assert.deepEqual(await found(ALL), [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(await found(compare("n", "gt", 4)), [5, 6]);
    assert.deepEqual(await found(eq("isDeleted", null)), []);
  },

  "a page has the number of all matches only on request": async (
    { engine },
  ) => {
    for (const shape of [definition(), trashDefinition()]) {
      const records = engine.records(newSpace(), shape);
      await records.insertMany(upTo(9).map((n) => ({ _id: id(n), n, isDeleted: n < 4 })));
      const totals: [Filter, number][] = [
        [ALL, 9],
        [eq("isDeleted", false), 5],
        [eq("isDeleted", true), 4],
        [compare("n", "gt", 6), 2],
        [eq("n", 99), 0],
      ];
      const from = { values: [], id: id(7) };
      for (const [filter, total] of totals) {
        const query = { filter, sort: [], limit: 2 };
        const parts = [{}, { offset: 1 }, { offset: 50 }, { from }, { from, backwards: true }];
        for (const part of parts) {
          const label = JSON.stringify([filter, part]);
          assert.equal((await records.list({ ...query, ...part })).total, null, label);
          assert.equal(
            (await records.list({ ...query, ...part, total: false })).total,
            null,
            label,
          );
          assert.equal(
            (await records.list({ ...query, ...part, total: true })).total,
            total,
            label,
          );
        }
      }
    }
  },

  "a repeated list always shows the stored records": async ({ engine }) => {
    const space = newSpace();
    const shape = trashDefinition({ fields: { n: { type: "Number" } } });
    const records = engine.records(space, shape);
    await records.insertMany(upTo(8).map((n) => ({ _id: id(n), n, isDeleted: false })));
    const query = { filter: eq("isDeleted", false), sort: keys("n"), limit: 100, total: true };
    const inTransaction = (change: Change, fail: boolean) =>
      engine.transaction(space, async (tx) => {
        await tx.records(shape).updateOne(eq("_id", id(2)), change);
        await tx.records(shape).deleteOne(eq("_id", id(3)));
        if (fail) throw new Error("changed our mind");
      });
    const writes: (() => Promise<unknown>)[] = [
      () => records.updateOne(eq("_id", id(1)), { set: { text: "new" } }),
      () => records.updateOne(eq("_id", id(1)), { replace: { n: 20, isDeleted: false } }),
      () => records.deleteOne(eq("_id", id(7))),
      () => records.insert({ _id: id(9), n: 7, isDeleted: false, text: "in its place" }),
      () => assert.rejects(() => inTransaction({ set: { text: "undone" } }, true)),
      () => inTransaction({ set: { text: "done" } }, false),
      () => records.deleteMany(eq("n", 7), 5),
      () => records.insert({ _id: id(10), n: 7, isDeleted: false, text: "again" }),
      () => records.updateOne(eq("_id", id(10)), { set: { isDeleted: true } }),
      () => records.insertMany([11, 12].map((n) => ({ _id: id(n), n, isDeleted: false }))),
    ];
    for (const [at, write] of writes.entries()) {
      // Often enough for a driver to cache the result.
      for (const _ of upTo(8)) await records.list(query);
      await write();
      for (const _ of upTo(8)) {
        const page = await records.list(query);
        const shown = rowsOf(page);
        assert.deepEqual(
          await Promise.all(shown.map((row) => alone(records, row))),
          shown,
          `${at}`,
        );
        assert.equal(await records.count(query.filter), shown.length, `${at}`);
        assert.equal(page.total, shown.length, `${at}`);
      }
    }
  },

  "a page that exceeds one reply of a server is complete": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    const text = "x".repeat(900_000);
    for (const n of upTo(20)) await records.insert({ _id: id(n), text });
    const bytesMax = 20_000_000;
    const page = await records.list({ filter: ALL, sort: [], limit: 20, bytesMax });
    assert.deepEqual(idsOf(page), upTo(20).map(id));
    assert.ok(page.items.length > 20 * text.length);
  },

  "findOne returns the first match in _id order": async (store) => {
    const records = store.engine.records(
      newSpace(),
      definition({ fields: { n: { type: "Number" } }, indexes: [{ keys: keys("n") }] }),
    );
    await records.insertMany([5, 2, 9, 4].map((n) => ({ _id: id(n), n: 10 - n, kind: "x" })));
    assert.equal((await records.findOne(eq("kind", "x")))?.value._id, id(2));
    assert.equal((await records.findOne(compare("n", "lt", 7)))?.value._id, id(4));
    assert.equal(await records.findOne(eq("kind", "y")), null);
  },

  "count counts the records that list returns": async (store) => {
    const records = store.engine.records(newSpace(), definition());
    assert.equal(await records.count(ALL), 0);
    await records.insertMany(upTo(10).map((n) => ({ _id: id(n), n })));
    const filter = compare("n", "gte", 7);
    assert.equal(await records.count(ALL), 10);
    assert.equal(await records.count(filter), 3);
    assert.equal(rowsOf(await records.list({ filter, sort: [], limit: 10 })).length, 3);
  },
};
