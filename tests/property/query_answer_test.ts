import fc from "fast-check";
import assert from "node:assert/strict";
import { QueryAnswer, type QueryFilter, writeQuery } from "@/lib/ai/query_answer.ts";
import { type Collection, compileCollection, declaredAt } from "@/lib/documents/collection.ts";
import { parseDefinition } from "@/lib/documents/definition.ts";
import { conditionFromJson, type Operator, OPERATORS } from "@/lib/documents/operands.ts";
import { parseListQuery } from "@/lib/documents/query.ts";
import { RESERVED_PARAMETERS } from "@/lib/documents/reserved_parameters.ts";
import { and } from "@/lib/store/filter.ts";
import type { Filter, Json } from "@/lib/store/port.ts";
import { check, RUNS } from "./run.ts";

const NOW = { now: Date.parse("2026-01-31T12:00:00.000Z"), timeZone: "Europe/Berlin" };

/** Names that are parameters of lists, or end with a suffix. */
const KEYS = [
  ...RESERVED_PARAMETERS,
  ...["and", "or", "not", "a", "b", "a_in", "a_in_gt", "checked", "checked_in", "x_gt", "x_eq"],
  ...["eq", "gt", "in", "a-b", "userId", "toString", "hasOwnProperty"],
];
const TYPES = ["String", "Number", "Boolean", "Date", "Ref"] as const;

const scalarField = fc.record({ key: fc.constantFrom(...KEYS), type: fc.constantFrom(...TYPES) })
  .map((field) => field.type === "Ref" ? { ...field, ref: "users" } : field);
const field = fc.oneof(
  { weight: 6, arbitrary: scalarField },
  {
    weight: 1,
    arbitrary: fc.record({
      key: fc.constantFrom(...KEYS),
      type: fc.constant("Object"),
      fields: fc.uniqueArray(scalarField, { selector: ({ key }) => key, maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      key: fc.constantFrom(...KEYS),
      type: fc.constant("Array"),
      items: fc.option(fc.record({ type: fc.constantFrom("String", "Number", "Date") }), {
        nil: undefined,
      }),
    }).map(({ items, ...rest }) => items === undefined ? rest : { ...rest, items }),
  },
);
const collection: fc.Arbitrary<Collection> = fc.record({
  name: fc.constant("posts"),
  fields: fc.uniqueArray(field, { selector: ({ key }) => key, minLength: 1, maxLength: 8 }),
  strict: fc.boolean(),
  rls: fc.constant({ enabled: false }),
}).map((definition) => compileCollection(parseDefinition(definition)));

const TEXTS = [
  ...["", " ", ",", "a,b", "null", "true", "5", "-0", "1e9", "a&b=c#d", "%41", "+", "日本", "😀"],
  ...["\ud800", "\0", "2026-01-30", "today", "2026-01-30T10:00", "2026-01-30T10:00:00Z", "^a.*"],
  ...["(a+)+", "[", '"; drop', "0123456789abcdef01234567", "0123456789ABCDEF01234567"],
];
const scalar = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const path = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...KEYS) },
  fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...KEYS)).map((names) => names.join(".")),
  fc.constantFrom("_id", "createdAt", "isDeleted", "$where", "__proto__", "", "a.", "users"),
);
const filter = fc.record({
  field: path,
  operator: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...OPERATORS) },
    fc.constantFrom("=", "_gt", " GTE ", "contains", "$eq", "__proto__", "", "_"),
  ),
  value: fc.oneof(
    { weight: 3, arbitrary: scalar },
    fc.array(scalar, { maxLength: 5 }),
  ),
});
/** A value that fits the field. */
const fitting: Record<string, fc.Arbitrary<string | number | boolean | null>> = {
  String: fc.oneof(fc.constantFrom("", ",", "a,b", "null", "5", "a&b=c", "日本"), fc.string()),
  Number: fc.double({ noNaN: true, noDefaultInfinity: true }),
  Boolean: fc.boolean(),
  Date: fc.constantFrom("2026-01-30", "today", "2026-01-30T10:00", "2026-01-30T10:00:00.5Z"),
  Ref: fc.constantFrom("0123456789abcdef01234567", null),
};

/** A condition on a declared field. */
const sensible = (collection: Collection) =>
  fc.tuple(fc.constantFrom(...collection.definition.fields), fc.constantFrom(...OPERATORS))
    .chain(([{ key: field, type, items }, operator]): fc.Arbitrary<QueryFilter> => {
      const value = fitting[items?.type ?? type] ?? scalar;
      if (operator === "exists") {
        return fc.record({ ...filterOf(field, operator), value: fc.boolean() });
      }
      return operator === "in" || operator === "nin"
        ? fc.record({ ...filterOf(field, operator), value: fc.array(value, { maxLength: 4 }) })
        : fc.record({ ...filterOf(field, operator), value });
    });

const filterOf = (field: string, operator: string) => ({
  field: fc.constant(field),
  operator: fc.constant(operator),
});

const answerFor = (collection: Collection) =>
  fc.record({
    filters: fc.array(fc.oneof({ weight: 2, arbitrary: sensible(collection) }, filter), {
      maxLength: 12,
    }),
    sort: fc.option(
      fc.array(
        fc.tuple(fc.constantFrom("", "-"), path, fc.constantFrom("", ":asc", ":desc"))
          .map((parts) => parts.join("")),
        { maxLength: 10 },
      ).map((terms) => terms.join(",")),
    ),
  });

function conditionOf(collection: Collection, { field, operator, value }: QueryFilter): Filter {
  const declared = declaredAt(collection, field);
  assert.ok(declared.kind === "declared", field);
  const operand = { parameter: field, path: field, shape: declared.shape };
  return conditionFromJson(operand, operator as Operator, value);
}

const flat = (filter: Filter): string[] =>
  (filter.op === "and" ? filter.of : [filter]).map((one) => JSON.stringify(one)).toSorted();

const cases = collection.chain((one) => fc.tuple(fc.constant(one), answerFor(one)));

Deno.test("the query from any model answer is accepted and read as exactly its filters", async () => {
  let [kept, dropped, wheres] = [0, 0, 0];
  await check("queries from answers", cases, ([collection, given]) => {
    const parsed = QueryAnswer.parse(given);
    const written = writeQuery(collection, parsed, NOW);
    const read = parseListQuery(collection, written.query);
    const conditions = written.filters.map((one) => conditionOf(collection, one));
    assert.deepEqual(flat(read.filter), flat(and(...conditions)));
    const sort = written.sort === null
      ? ""
      : new URLSearchParams({ sort: written.sort }).toString();
    assert.deepEqual(read.sort, parseListQuery(collection, sort).sort);
    const droppedFilters = written.dropped.filter(({ operator }) => operator !== null);
    assert.equal(written.filters.length + droppedFilters.length, parsed.filters.length);
    for (const { reason } of written.dropped) assert.ok(reason.length > 0);
    kept += written.filters.length;
    dropped += droppedFilters.length;
    wheres += Number(new URLSearchParams(written.query).has("where"));
    const again = { filters: written.filters.map((one) => ({ ...one })), sort: written.sort };
    const rewritten = writeQuery(collection, QueryAnswer.parse(again), NOW);
    assert.deepEqual(rewritten, { ...written, dropped: [] }, "rewriting it gives the same result");
    return Promise.resolve();
  });
  assert.ok(kept > RUNS && dropped > RUNS && wheres > RUNS / 10, `${kept} ${dropped} ${wheres}`);
});

Deno.test("a sort is read up to its fiftieth term", () => {
  const one = compileCollection(parseDefinition({ name: "posts", fields: [] }));
  const sort = [...Array.from({ length: 49 }, (_, n) => `none${n}`), "_id", "createdAt"].join(",");
  const written = writeQuery(one, QueryAnswer.parse({ filters: [], sort }), NOW);
  assert.deepEqual([written.sort, written.dropped.length], ["_id", 49]);
});

Deno.test("a valid answer is used completely, even if its names look like parameters", () => {
  const fields = KEYS.filter((key) => key !== "where").map((key) => ({ key, type: "Number" }));
  for (const { key } of fields) {
    const one = compileCollection(
      parseDefinition({ name: "posts", fields, rls: { enabled: false } }),
    );
    for (const operator of ["eq", "ne", "gt", "in", "exists"]) {
      const value: Json = operator === "in" ? [1, 2] : operator === "exists" ? true : 1;
      const filters = [{ field: key, operator, value }];
      const answer = QueryAnswer.parse({ filters, sort: `-${key}` });
      const written = writeQuery(one, answer, NOW);
      assert.deepEqual(written.dropped, [], `${key} ${operator}`);
      assert.deepEqual(written.filters, filters);
    }
  }
});
