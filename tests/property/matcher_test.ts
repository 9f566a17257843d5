import assert from "node:assert/strict";
import fc from "fast-check";
import { compileMatcher } from "@/lib/documents/match.ts";
import { ALL } from "@/lib/store/filter.ts";
import type { Definition, Filter, Json, Scalar, StoredRecord } from "@/lib/store/port.ts";
import { wordsIn } from "@/lib/words.ts";
import { definition, id, listAll, newSpace } from "../contract/fixtures.ts";
import { openTestServices } from "../support/test_services.ts";
import { check } from "./run.ts";
import { anything, date, id as anyId, number, orNull, scalar, some, text } from "./values.ts";

const SHAPE: Definition = definition({
  fields: {
    text: { type: "String" },
    number: { type: "Number" },
    flag: { type: "Boolean" },
    date: { type: "Date" },
    ref: { type: "Ref" },
    tags: { type: "Array", items: { type: "String" } },
    meta: { type: "Object", fields: { about: { type: "String" }, n: { type: "Number" } } },
  },
  search: ["text", "tags", "meta.about"],
});

const document = some([
  ["text", orNull(text)],
  ["number", orNull(number)],
  ["flag", orNull(fc.boolean())],
  ["date", orNull(date)],
  ["ref", orNull(anyId)],
  ["tags", orNull(fc.array(orNull(text), { maxLength: 3 }))],
  ["meta", orNull(some([["about", orNull(text)], ["n", orNull(number)]]))],
  ["u", anything],
  ["v", anything],
]);

const DATE_OPERANDS = fc.oneof(date, fc.constantFrom(null, 1, true));
const idText = fc.nat(9).map(id);

/** Paths and their operands. A Date is only compared with dates. */
const operands: fc.Arbitrary<readonly [path: string, operand: fc.Arbitrary<Scalar>]> = fc
  .constantFrom<readonly [string, fc.Arbitrary<Scalar>]>(
    ...["text", "number", "flag", "tags", "meta", "meta.about", "meta.n", "meta.x"]
      .map((path) => [path, scalar] as const),
    ...["u", "v", "u.x", "u.y.x", "v.0", "u.toString", "none"]
      .map((path) => [path, scalar] as const),
    ["date", DATE_OPERANDS],
    ["ref", fc.oneof(anyId, scalar)],
    ["_id", fc.oneof(idText, scalar)],
  );

const PATTERNS = [
  "a",
  "^a",
  "b$",
  "^$",
  "[é-ｮ]",
  "k",
  "s",
  "a.b",
  "\\d+",
  "É|ß",
  "a b",
  "\\W",
  "😀",
];

const leaf: fc.Arbitrary<Filter> = fc.oneof(
  {
    weight: 6,
    arbitrary: operands.chain(([path, operand]) =>
      fc.record({
        op: fc.constantFrom("eq" as const, "ne", "gt", "gte", "lt", "lte"),
        path: fc.constant(path),
        value: operand,
      })
    ),
  },
  {
    weight: 2,
    arbitrary: operands.chain(([path, operand]) =>
      fc.record({
        op: fc.constantFrom("in" as const, "nin"),
        path: fc.constant(path),
        values: fc.array(operand, { maxLength: 4 }),
      })
    ),
  },
  operands.chain(([path]) =>
    fc.record({
      op: fc.constant("exists" as const),
      path: fc.constant(path),
      value: fc.boolean(),
    })
  ),
  {
    weight: 2,
    arbitrary: operands.filter(([path]) => path !== "date").chain(([path]) =>
      fc.record({
        op: fc.constant("regex" as const),
        path: fc.constant(path),
        pattern: fc.constantFrom(...PATTERNS),
      })
    ),
  },
  text.map((one): Filter => ({ op: "search", words: wordsIn(one) })),
  fc.nat(2).map((value): Filter => ({ op: "revision", value })),
);

const filter: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    { arbitrary: leaf, weight: 4 },
    fc.record({
      op: fc.constantFrom("and" as const, "or"),
      of: fc.array(tie("filter"), { maxLength: 3 }),
    }),
    fc.record({ op: fc.constant("not" as const), of: tie("filter") }),
  ),
})).filter;

const cases = fc.record({
  documents: fc.array(document, { minLength: 1, maxLength: 8 }),
  filters: fc.array(filter, { minLength: 1, maxLength: 4 }),
});

Deno.test("a filter matches the same documents in memory and in the engine", async () => {
  await using opened = await openTestServices();
  const records = opened.services.engine.records(newSpace(), SHAPE);
  await check("Matcher", cases, async ({ documents, filters }) => {
    await records.deleteMany(ALL, 100);
    const rows = documents.map((one, n): StoredRecord => ({ ...one, _id: id(n) }));
    const stored = await records.insertMany(rows);
    for (const one of filters) {
      const matches = compileMatcher(SHAPE, one, { patternCostMax: Infinity });
      const expected = (await listAll(records, one)).map(({ _id }) => _id).sort();
      const found = stored.filter(({ value, revision }) => matches(value, revision))
        .map(({ value }) => value._id).sort();
      assert.deepEqual(found, expected, describeFailure(one, rows));
    }
  });
});

const describeFailure = (filter: Filter, rows: Json): string =>
  `${JSON.stringify(filter)} of ${JSON.stringify(rows)}`;
