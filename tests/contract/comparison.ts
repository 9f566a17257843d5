import assert from "node:assert/strict";
import { ALL, and, compare, eq, not, or, within } from "@/lib/store/filter.ts";
import type { Definition, Filter, Json, Records, Scalar, StoredRecord } from "@/lib/store/port.ts";
import { definition, exists, id, listAll, newSpace, nin, regex } from "./fixtures.ts";
import { matches } from "./model.ts";
import type { Cases, Store } from "./suite.ts";

/** Values of a field; `undefined` means that the field is missing. */
type Values = readonly (Json | undefined)[];

const ANYTHING: Values = [
  undefined,
  null,
  "",
  "a",
  "B",
  "1",
  "true",
  0,
  1,
  -1,
  1.5,
  true,
  false,
  [],
  [1],
  ["a", 2],
  [null],
  [true],
  [[1]],
  [["a"]],
  {},
  { x: 1 },
  [{ x: 1 }],
];

const NULL_LIKE: Values = [undefined, null];
const TEXTS: Values = [...NULL_LIKE, "", "1", "A", "a", "aa", "b", "é", "\uFFFD", "\u{1F600}"];
const NUMBERS: Values = [...NULL_LIKE, -1e308, -1.5, 0, 5e-324, 0.1, 1, 2, 1e21];
const BOOLEANS: Values = [...NULL_LIKE, false, true];
const DATES: Values = [
  ...NULL_LIKE,
  "1969-12-31T23:59:59.999Z",
  "1970-01-01T00:00:00.000Z",
  "2024-02-29T12:00:00.000Z",
  "2024-02-29T12:00:00.001Z",
];
const REFS: Values = [...NULL_LIKE, id(1), id(2)];

/** Stores a row for each value of `field`, without other fields. */
async function storeValues(store: Store, field: string, values: Values): Promise<Records> {
  const records = store.engine.records(newSpace(), TYPED);
  await records.insertMany(values.map((value, n) => rowWith(n, field, value)));
  return records;
}

const rowWith = (n: number, field: string, value: Json | undefined): StoredRecord =>
  value === undefined ? { _id: id(n) } : { _id: id(n), [field]: value };

const TYPED: Definition = definition({
  fields: {
    text: { type: "String" },
    number: { type: "Number" },
    boolean: { type: "Boolean" },
    date: { type: "Date" },
    ref: { type: "Ref" },
    list: { type: "Array", items: { type: "Number" } },
  },
});

const label = (value: Json | undefined): string => JSON.stringify(value) ?? "missing";

type Expectation = readonly [filter: Filter, expected: Values];

/** Fails unless the filter finds exactly the rows with these values, and `not` all others. */
async function assertFinds(
  store: Store,
  field: string,
  values: Values,
  expectations: readonly Expectation[],
): Promise<void> {
  const records = await storeValues(store, field, values);
  const labels = async (filter: Filter) =>
    (await listAll(records, filter)).map((row) => label(row[field])).sort();
  for (const [filter, expected] of expectations) {
    const wanted = expected.map(label).sort();
    const others = values.map(label).filter((one) => !wanted.includes(one)).sort();
    assert.deepEqual(await labels(filter), wanted, JSON.stringify(filter));
    assert.deepEqual(await labels(not(filter)), others, `not ${JSON.stringify(filter)}`);
    assert.equal(await records.count(filter), wanted.length, `count ${JSON.stringify(filter)}`);
  }
}

const allBut = (values: Values, ...left: Values): Values => {
  const out = left.map(label);
  return values.filter((value) => !out.includes(label(value)));
};

const v = "v";

export const comparisonCases: Cases = {
  "eq and ne on undeclared fields distinguish types, match elements, treat missing as null": (
    store,
  ) =>
    assertFinds(store, v, ANYTHING, [
      [eq(v, null), [undefined, null, [null]]],
      [eq(v, ""), [""]],
      [eq(v, "a"), ["a", ["a", 2]]],
      [eq(v, "b"), []],
      [eq(v, "1"), ["1"]],
      [eq(v, 1), [1, [1]]],
      [eq(v, 0), [0]],
      [eq(v, 2), [["a", 2]]],
      [eq(v, 1.5), [1.5]],
      [eq(v, true), [true, [true]]],
      [eq(v, false), [false]],
      [eq(v, "true"), ["true"]],
      [compare(v, "ne", null), allBut(ANYTHING, undefined, null, [null])],
      [compare(v, "ne", "a"), allBut(ANYTHING, "a", ["a", 2])],
      [compare(v, "ne", 1), allBut(ANYTHING, 1, [1])],
      [compare(v, "ne", true), allBut(ANYTHING, true, [true])],
      [compare(v, "ne", "nowhere"), ANYTHING],
    ]),

  "gt gte lt lte on undeclared fields match only values of the operand's type": (store) =>
    assertFinds(store, v, ANYTHING, [
      [compare(v, "gt", 0), [1, 1.5, [1], ["a", 2]]],
      [compare(v, "gt", 1), [1.5, ["a", 2]]],
      [compare(v, "gte", 1), [1, 1.5, [1], ["a", 2]]],
      [compare(v, "lt", 1), [0, -1]],
      [compare(v, "lte", 1), [0, 1, -1, [1]]],
      [compare(v, "gt", ""), ["a", "B", "1", "true", ["a", 2]]],
      [compare(v, "gt", "a"), ["true"]],
      [compare(v, "gte", "a"), ["a", "true", ["a", 2]]],
      [compare(v, "lt", "a"), ["", "B", "1"]],
      [compare(v, "lte", "B"), ["", "B", "1"]],
      [compare(v, "gt", false), [true, [true]]],
      [compare(v, "gte", true), [true, [true]]],
      [compare(v, "lt", true), [false]],
      [compare(v, "lte", false), [false]],
    ]),

  "gt gte lt lte with null match nothing": (store) =>
    assertFinds(
      store,
      v,
      ANYTHING,
      (["gt", "gte", "lt", "lte"] as const).map((op) => [compare(v, op, null), []] as const),
    ),

  "in and nin on undeclared fields take mixed types, null and empty lists": (store) =>
    assertFinds(store, v, ANYTHING, [
      [within(v, []), []],
      [within(v, [null]), [undefined, null, [null]]],
      [within(v, [1, "a"]), [1, [1], "a", ["a", 2]]],
      [within(v, [1]), [1, [1]]],
      [within(v, ["1", 0]), ["1", 0]],
      [within(v, [true]), [true, [true]]],
      [within(v, [null, true, "B"]), [undefined, null, [null], true, [true], "B"]],
      [within(v, [1, 1, 1]), [1, [1]]],
      [nin(v, []), ANYTHING],
      [nin(v, [null]), allBut(ANYTHING, undefined, null, [null])],
      [nin(v, [1, "a"]), allBut(ANYTHING, 1, [1], "a", ["a", 2])],
      [nin(v, [false, null]), allBut(ANYTHING, false, undefined, null, [null])],
    ]),

  "in accepts a thousand values": (store) => {
    const many = Array.from({ length: 500 }, (_, n) => [`none ${n}`, 1000 + n]).flat();
    return assertFinds(store, v, ANYTHING, [
      [within(v, [...many, "a", 0, false]), ["a", ["a", 2], 0, false]],
      [nin(v, [...many, "a", 0, false]), allBut(ANYTHING, "a", ["a", 2], 0, false)],
    ]);
  },

  "exists checks the presence of a field, even if it is null": (store) =>
    assertFinds(store, v, ANYTHING, [
      [exists(v, true), allBut(ANYTHING, undefined)],
      [exists(v, false), [undefined]],
    ]),

  "regex matches anywhere in texts, ignoring letter case, and nothing but texts": (store) =>
    assertFinds(store, v, ANYTHING, [
      [regex(v, "A"), ["a", ["a", 2]]],
      [regex(v, "^b$"), ["B"]],
      [regex(v, "1"), ["1"]],
      [regex(v, "RU"), ["true"]],
      [regex(v, ""), ["", "a", "B", "1", "true", ["a", 2]]],
      [regex(v, "^$"), [""]],
      [regex(v, "null|false"), []],
    ]),

  "not is two-valued, and and, or and not can be nested": (store) =>
    assertFinds(store, v, ANYTHING, [
      [ALL, ANYTHING],
      [or(), []],
      [not(ALL), []],
      [not(not(compare(v, "gt", 0))), [1, 1.5, [1], ["a", 2]]],
      [and(compare(v, "gte", 0), compare(v, "lt", 1.5)), [0, 1, [1]]],
      [or(eq(v, 1), eq(v, "B"), eq(v, null)), [1, [1], "B", undefined, null, [null]]],
      [and(not(eq(v, null)), not(exists(v, true))), []],
      [not(or(exists(v, false), compare(v, "ne", 1))), [1, [1]]],
      [and(or(eq(v, 1), eq(v, 0)), or(eq(v, 0), eq(v, "a"))), [0]],
    ]),

  "conditions on an array may each be met by a different element": (store) =>
    assertFinds(store, v, [[1, 9], [5], [1], 5], [
      [and(compare(v, "lt", 3), compare(v, "gt", 7)), [[1, 9]]],
      [and(compare(v, "gt", 3), compare(v, "lt", 7)), [[1, 9], [5], 5]],
    ]),

  "declared texts compare by their UTF-8 bytes": (store) =>
    assertFinds(store, "text", TEXTS, [
      [eq("text", null), NULL_LIKE],
      [eq("text", ""), [""]],
      [eq("text", "a"), ["a"]],
      [eq("text", 1), []],
      [eq("text", true), []],
      [compare("text", "ne", "a"), allBut(TEXTS, "a")],
      [compare("text", "ne", 1), TEXTS],
      [compare("text", "ne", null), allBut(TEXTS, ...NULL_LIKE)],
      [compare("text", "gt", "a"), ["aa", "b", "é", "\uFFFD", "\u{1F600}"]],
      [compare("text", "gt", "\uFFFD"), ["\u{1F600}"]],
      [compare("text", "lt", "\u{10000}"), ["", "1", "A", "a", "aa", "b", "é", "\uFFFD"]],
      [compare("text", "lte", "A"), ["", "1", "A"]],
      [compare("text", "gt", 0), []],
      [compare("text", "gte", false), []],
      [within("text", ["a", 1, null]), ["a", ...NULL_LIKE]],
      [within("text", [1, true]), []],
      [within("text", []), []],
      [nin("text", ["a", 1]), allBut(TEXTS, "a")],
      [nin("text", [null]), allBut(TEXTS, ...NULL_LIKE)],
      [nin("text", []), TEXTS],
      [regex("text", "^a"), ["A", "a", "aa"]],
      [regex("text", "É"), ["é"]],
      [exists("text", true), allBut(TEXTS, undefined)],
      [exists("text", false), [undefined]],
    ]),

  "declared numbers compare by value": (store) =>
    assertFinds(store, "number", NUMBERS, [
      [eq("number", null), NULL_LIKE],
      [eq("number", 0), [0]],
      [eq("number", -0), [0]],
      [eq("number", 0.1), [0.1]],
      [eq("number", 5e-324), [5e-324]],
      [eq("number", 1e21), [1e21]],
      [eq("number", "1"), []],
      [eq("number", true), []],
      [compare("number", "ne", 1), allBut(NUMBERS, 1)],
      [compare("number", "gt", 0), [5e-324, 0.1, 1, 2, 1e21]],
      [compare("number", "lt", 0), [-1e308, -1.5]],
      [compare("number", "gte", 1), [1, 2, 1e21]],
      [compare("number", "lte", -1.5), [-1e308, -1.5]],
      [compare("number", "gt", ""), []],
      [compare("number", "gte", false), []],
      [within("number", [1, "2", true, 0]), [0, 1]],
      [within("number", [null, 2]), [...NULL_LIKE, 2]],
      [nin("number", [null, 2]), allBut(NUMBERS, ...NULL_LIKE, 2)],
      [regex("number", "1"), []],
      [exists("number", false), [undefined]],
    ]),

  "declared booleans are never numbers": (store) =>
    assertFinds(store, "boolean", BOOLEANS, [
      [eq("boolean", null), NULL_LIKE],
      [eq("boolean", true), [true]],
      [eq("boolean", false), [false]],
      [eq("boolean", 1), []],
      [eq("boolean", 0), []],
      [eq("boolean", "true"), []],
      [compare("boolean", "ne", true), [...NULL_LIKE, false]],
      [compare("boolean", "ne", 1), BOOLEANS],
      [compare("boolean", "gt", false), [true]],
      [compare("boolean", "lt", true), [false]],
      [compare("boolean", "gte", false), [false, true]],
      [compare("boolean", "gt", 0), []],
      [compare("boolean", "lte", 1), []],
      [within("boolean", [0, 1]), []],
      [within("boolean", [1, false]), [false]],
      [within("boolean", [null, true]), [...NULL_LIKE, true]],
      [nin("boolean", [true]), [...NULL_LIKE, false]],
      [regex("boolean", "true"), []],
    ]),

  "declared dates compare by time": (store) =>
    assertFinds(store, "date", DATES, [
      [eq("date", null), NULL_LIKE],
      [eq("date", "2024-02-29T12:00:00.000Z"), ["2024-02-29T12:00:00.000Z"]],
      [compare("date", "gt", "2024-02-29T12:00:00.000Z"), ["2024-02-29T12:00:00.001Z"]],
      [compare("date", "lt", "1970-01-01T00:00:00.000Z"), ["1969-12-31T23:59:59.999Z"]],
      [
        compare("date", "gte", "1970-01-01T00:00:00.000Z"),
        allBut(DATES, ...NULL_LIKE, "1969-12-31T23:59:59.999Z"),
      ],
      [compare("date", "gt", 0), []],
      [eq("date", 0), []],
      [within("date", ["1970-01-01T00:00:00.000Z", null]), [
        ...NULL_LIKE,
        "1970-01-01T00:00:00.000Z",
      ]],
      [
        nin("date", ["1970-01-01T00:00:00.000Z"]),
        allBut(DATES, "1970-01-01T00:00:00.000Z"),
      ],
      [exists("date", true), allBut(DATES, undefined)],
    ]),

  "declared references compare as texts": (store) =>
    assertFinds(store, "ref", REFS, [
      [eq("ref", null), NULL_LIKE],
      [eq("ref", id(1)), [id(1)]],
      [compare("ref", "ne", id(1)), [...NULL_LIKE, id(2)]],
      [within("ref", [id(2), null]), [...NULL_LIKE, id(2)]],
      [nin("ref", [id(2)]), [...NULL_LIKE, id(1)]],
      [compare("ref", "gt", id(1)), [id(2)]],
      [exists("ref", false), [undefined]],
    ]),

  "declared arrays match by one element": (store) =>
    assertFinds(store, "list", [undefined, null, [], [1], [1, 3], [null], [4]], [
      [eq("list", 1), [[1], [1, 3]]],
      [eq("list", null), [undefined, null, [null]]],
      [compare("list", "ne", 3), [undefined, null, [], [1], [null], [4]]],
      [compare("list", "gt", 2), [[1, 3], [4]]],
      [within("list", [3, 4]), [[1, 3], [4]]],
      [nin("list", [3, 4]), [undefined, null, [], [1], [null]]],
      [exists("list", true), [null, [], [1], [1, 3], [null], [4]]],
    ]),

  "every operator with every operand follows the rules of the port": async (store) => {
    const fields = { v: ANYTHING, text: TEXTS, number: NUMBERS, boolean: BOOLEANS };
    for (const [field, values] of Object.entries(fields)) {
      const records = await storeValues(store, field, values);
      const rows = values.map((value, n) => rowWith(n, field, value));
      for (const filter of everyFilter(field)) {
        const expected = rows.filter((row) => matches(row, filter)).map((row) => row._id);
        const found = (await listAll(records, filter)).map((row) => row._id);
        assert.deepEqual(found, expected, JSON.stringify(filter));
      }
    }
  },
};

function everyFilter(path: string): Filter[] {
  const operands: Scalar[] = [null, "", "a", "A", "1", "\uFFFD", 0, 1, -1.5, 1e21, true, false];
  const ops = ["eq", "ne", "gt", "gte", "lt", "lte"] as const;
  const single = operands.flatMap((operand) => ops.map((op) => compare(path, op, operand)));
  const pairs = operands.flatMap((one) => operands.map((other) => [one, other]));
  const lists = pairs.flatMap((pair) => [within(path, pair), nin(path, pair)]);
  const patterns = ["a", "^A$", "1|t", "\uFFFD"].map((pattern) => regex(path, pattern));
  const plain = [...single, ...lists, ...patterns, exists(path, true), exists(path, false)];
  return plain.flatMap((filter) => [filter, not(filter)]);
}
