import assert from "node:assert/strict";
import { and, compare, eq, not, within } from "@/lib/store/filter.ts";
import type { Definition, Filter, Id, Json, Records, StoredRecord } from "@/lib/store/port.ts";
import { definition, exists, id, listAll, newSpace, nin, regex } from "./fixtures.ts";
import type { Cases, Store } from "./suite.ts";

/** Names with a meaning in SQL, JSON paths, patterns or JavaScript. */
const ODD_NAMES = [
  `it's`,
  `"`,
  `say "hi"`,
  `\\`,
  `back\\slash`,
  `\\"`,
  "two words",
  "naïve",
  "日本語",
  "\u{1F600}",
  "a[0]",
  "[0]",
  "[#-1]",
  "#",
  "*",
  "**",
  "@",
  "%",
  "_",
  "?",
  "-",
  "--",
  "a/b",
  "(x)",
  "0",
  "toString",
  "hasOwnProperty",
  "id",
  "doc",
];

async function storeRows(
  store: Store,
  values: Readonly<Record<string, Json>>,
  shape: Definition = definition(),
): Promise<(filter: Filter) => Promise<string[]>> {
  const records = store.engine.records(newSpace(), shape);
  const labels = Object.keys(values);
  await records.insertMany(
    labels.map((label, n) => ({ _id: id(n), ...values[label] as { [name: string]: Json } })),
  );
  return async (filter) =>
    (await listAll(records, filter)).map((row) => labels[Number.parseInt(row._id, 16)]!);
}

const idsWhere = async (records: Records, filter: Filter): Promise<Id[]> =>
  (await listAll(records, filter)).map((row) => row._id);

export const pathCases: Cases = {
  "a dotted path leads into objects, and is missing behind other values": async (store) => {
    const find = await storeRows(store, {
      one: { o: { x: 1 } },
      null: { o: { x: null } },
      list: { o: { x: [1, 2] } },
      deep: { o: { x: { y: 1 } } },
      empty: { o: {} },
      missing: {},
      nullParent: { o: null },
      number: { o: 1 },
      text: { o: '{"x":1}' },
      array: { o: [{ x: 1 }] },
      arrays: { o: [[{ x: 1 }]] },
      flat: { "o x": 1, x: 1 },
    });
    const nothingThere = [
      "empty",
      "missing",
      "nullParent",
      "number",
      "text",
      "array",
      "arrays",
      "flat",
    ];
    assert.deepEqual(await find(eq("o.x", 1)), ["one", "list"]);
    assert.deepEqual(await find(eq("o.x", null)), ["null", ...nothingThere]);
    assert.deepEqual(await find(exists("o.x", false)), nothingThere);
    assert.deepEqual(await find(exists("o.x", true)), ["one", "null", "list", "deep"]);
    assert.deepEqual(await find(eq("o.x.y", 1)), ["deep"]);
    assert.deepEqual(await find(compare("o.x", "gt", 1)), ["list"]);
    assert.deepEqual(await find(compare("o.x", "ne", 1)), ["null", "deep", ...nothingThere]);
    assert.deepEqual(await find(nin("o.x", [1, null])), ["deep"]);
    assert.deepEqual(await find(within("o.x", [null])), ["null", ...nothingThere]);
  },

  "a number in a path is a name, never an array index": async (store) => {
    const find = await storeRows(store, {
      array: { o: [5] },
      object: { o: { "0": 5 } },
      inside: { o: [{ "0": 5 }] },
    });
    assert.deepEqual(await find(eq("o.0", 5)), ["object"]);
    assert.deepEqual(await find(exists("o.0", true)), ["object"]);
    assert.deepEqual(await find(eq("o.0", null)), ["array", "inside"]);
  },

  "a declared member compares as declared, even if the object is missing": async (
    store,
  ) => {
    const shape = definition({
      fields: {
        o: {
          type: "Object",
          fields: {
            n: { type: "Number" },
            p: { type: "Object", fields: { b: { type: "Boolean" } } },
          },
        },
        a: { type: "Array", items: { type: "Object", fields: { n: { type: "Number" } } } },
      },
    });
    const find = await storeRows(store, {
      one: { o: { n: 1, p: { b: true } }, a: [{ n: 1 }] },
      two: { o: { n: 2, p: {} } },
      null: { o: { n: null, p: null } },
      empty: { o: {} },
      nullParent: { o: null },
      missing: {},
    }, shape);
    assert.deepEqual(await find(eq("o.n", 1)), ["one"]);
    assert.deepEqual(await find(compare("o.n", "gte", 1)), ["one", "two"]);
    assert.deepEqual(await find(eq("o.n", null)), ["null", "empty", "nullParent", "missing"]);
    assert.deepEqual(await find(not(eq("o.n", 1))), [
      "two",
      "null",
      "empty",
      "nullParent",
      "missing",
    ]);
    assert.deepEqual(await find(exists("o.n", true)), ["one", "two", "null"]);
    assert.deepEqual(await find(eq("o.p.b", true)), ["one"]);
    assert.deepEqual(await find(eq("o.p.b", 1)), []);
    assert.deepEqual(await find(exists("a.n", true)), []);
  },

  "an object or an array of objects equals no scalar, not even null": async (store) => {
    const find = await storeRows(store, {
      object: { v: { x: null } },
      array: { v: [{ x: null }] },
      nested: { v: [[null]] },
      empty: { v: [] },
    });
    assert.deepEqual(await find(eq("v", null)), []);
    assert.deepEqual(await find(within("v", [null, "", 0])), []);
    assert.deepEqual(await find(regex("v", "x")), []);
    assert.deepEqual(await find(exists("v", true)), ["object", "array", "nested", "empty"]);
  },

  "field names with any characters are matched exactly": async (store) => {
    const records = store.engine.records(newSpace(), definition());
    const rows: StoredRecord[] = ODD_NAMES.map((name, n) => ({
      _id: id(n),
      [name]: 1,
      within: { [name]: "x" },
    }));
    await records.insertMany(rows);
    for (const [n, name] of ODD_NAMES.entries()) {
      assert.deepEqual(await idsWhere(records, eq(name, 1)), [id(n)], name);
      assert.deepEqual(await idsWhere(records, exists(name, true)), [id(n)], name);
      assert.deepEqual(await idsWhere(records, eq(`within.${name}`, "x")), [id(n)], name);
      assert.deepEqual(await idsWhere(records, regex(`within.${name}`, "X")), [id(n)], name);
      assert.equal(await records.count(not(exists(name, true))), ODD_NAMES.length - 1, name);
    }
  },

  "field names with any characters can be set, incremented and unset": async (store) => {
    const records = store.engine.records(newSpace(), definition());
    await records.insert({ _id: id(1) });
    for (const name of ODD_NAMES) {
      await records.updateOne(eq("_id", id(1)), { set: { [`o.${name}`]: 1, [name]: "x" } });
      const raised = await records.updateOne(eq(`o.${name}`, 1), {
        increment: { [`o.${name}`]: 1 },
        unset: [name],
      });
      assert.deepEqual(raised?.value, { _id: id(1), o: { [name]: 2 } }, name);
      await records.updateOne(eq("_id", id(1)), { unset: ["o"] });
    }
  },

  "values with any characters are compared and never interpreted": async (store) => {
    const texts = [
      "'",
      '"',
      "\\",
      "%",
      "_",
      "\n",
      "[",
      "{}",
      "$.x",
      "null",
      "?1",
      "; drop",
      "\u0001",
    ];
    const records = store.engine.records(
      newSpace(),
      definition({ fields: { declared: { type: "String" } } }),
    );
    await records.insertMany(texts.map((text, n) => ({ _id: id(n), declared: text, free: text })));
    for (const [n, text] of texts.entries()) {
      for (const path of ["declared", "free"]) {
        assert.deepEqual(await idsWhere(records, eq(path, text)), [id(n)], text);
        assert.deepEqual(await idsWhere(records, within(path, [text])), [id(n)], text);
      }
    }
  },

  "records are found by _id like by any text": async (store) => {
    const find = await storeRows(store, { a: {}, b: {}, c: {} });
    assert.deepEqual(await find(eq("_id", id(1))), ["b"]);
    assert.deepEqual(await find(compare("_id", "ne", id(1))), ["a", "c"]);
    assert.deepEqual(await find(compare("_id", "gt", id(0))), ["b", "c"]);
    assert.deepEqual(await find(compare("_id", "lte", id(1))), ["a", "b"]);
    assert.deepEqual(await find(within("_id", [id(2), id(0), id(7)])), ["a", "c"]);
    assert.deepEqual(await find(nin("_id", [id(2)])), ["a", "b"]);
    assert.deepEqual(await find(eq("_id", null)), []);
    assert.deepEqual(await find(compare("_id", "ne", null)), ["a", "b", "c"]);
    assert.deepEqual(await find(exists("_id", true)), ["a", "b", "c"]);
    assert.deepEqual(await find(exists("_id", false)), []);
  },

  "numbers of any size equal themselves and not their neighbours": async (store) => {
    const numbers = [
      2 ** 53 - 1,
      2 ** 53,
      2 ** 53 + 2,
      123456789012345680,
      2 ** 60 + 512,
      2 ** 62,
      -(2 ** 62),
      2 ** 63 - 1024,
      2 ** 63,
      2 ** 64,
      1e21,
      1e308,
      0.1,
      0.1 + 0.2,
      Number.MIN_VALUE,
      Number.MAX_VALUE,
    ];
    const records = store.engine.records(
      newSpace(),
      definition({ fields: { declared: { type: "Number" } } }),
    );
    await records.insertMany(numbers.map((n, at) => ({ _id: id(at), declared: n, free: n })));
    for (const [at, n] of numbers.entries()) {
      for (const path of ["declared", "free"]) {
        const here = eq("_id", id(at));
        const label = `${path} ${n}`;
        assert.deepEqual(await idsWhere(records, eq(path, n)), [id(at)], `${label} eq`);
        assert.deepEqual(await idsWhere(records, within(path, [n])), [id(at)], `${label} in`);
        for (const op of ["gte", "lte"] as const) {
          assert.equal(await records.count(and(here, compare(path, op, n))), 1, `${label} ${op}`);
        }
        for (const op of ["gt", "lt", "ne"] as const) {
          assert.equal(await records.count(and(here, compare(path, op, n))), 0, `${label} ${op}`);
        }
      }
    }
  },

  "a pattern that makes other engines backtrack is matched in linear time": async (store) => {
    const records = store.engine.records(
      newSpace(),
      definition({ fields: { declared: { type: "String" } } }),
    );
    // An engine that backtracks takes seconds, and with the longer text it never ends.
    for (const [at, length] of [28, 50_000].entries()) {
      const text = "a".repeat(length) + "!";
      await records.insert({ _id: id(at), declared: text, free: text });
      const startedAt = performance.now();
      for (const path of ["declared", "free"]) {
        assert.equal(await records.count(regex(path, "(a+)+$")), 0);
        assert.equal(await records.count(regex(path, "(A+)+!$")), at + 1);
      }
      assert.ok(performance.now() - startedAt < 1500, `${length} characters took too long`);
    }
  },
};
