import assert from "node:assert/strict";
import type { FieldShape, Filter } from "../store/port.ts";
import {
  conditionFromJson,
  conditionsFromTexts,
  isOperator,
  type Operand,
  type Operator,
} from "./operands.ts";

const NUMBER: FieldShape = { type: "Number" };
const STRING: FieldShape = { type: "String" };
const BOOLEAN: FieldShape = { type: "Boolean" };
const DATE: FieldShape = { type: "Date" };
const REF: FieldShape = { type: "Ref" };

const at = (shape: FieldShape | null): Operand => ({ parameter: "f_op", path: "f", shape });

/** Returns the single condition that texts result in. */
function fromTexts(shape: FieldShape | null, operator: Operator, ...texts: string[]): Filter {
  const conditions = conditionsFromTexts(at(shape), operator, texts);
  assert.equal(conditions.length, 1);
  return conditions[0]!;
}

/** Asserts that texts are rejected with a message that names the parameter. */
function textRefused(
  shape: FieldShape | null,
  operator: Operator,
  texts: readonly string[],
  why: RegExp,
): void {
  assert.throws(() => fromTexts(shape, operator, ...texts), (error: Error & { code?: string }) => {
    assert.equal(error.code, "INVALID_QUERY", String(error));
    assert.match(error.message, /^"f_op" .*\.$/s);
    assert.match(error.message, why);
    return true;
  }, texts.join("|"));
}

const cond = (op: string, value: unknown) => ({ op, path: "f", value });
const list = (op: string, values: unknown) => ({ op, path: "f", values });

Deno.test("isOperator accepts exactly the names of the operators", () => {
  const known = ["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "exists", "regex"];
  for (const name of known) assert.equal(isOperator(name), true, name);
  for (const name of ["", "GT", "like", "not", "toString", "$gt"]) {
    assert.equal(isOperator(name), false, name);
  }
});

Deno.test("a text is parsed as the declared type of its field", () => {
  assert.deepEqual(fromTexts(STRING, "eq", "5"), cond("eq", "5"));
  assert.deepEqual(fromTexts(STRING, "eq", "null"), cond("eq", "null"));
  assert.deepEqual(fromTexts(STRING, "eq", ""), cond("eq", ""));
  assert.deepEqual(fromTexts(NUMBER, "gt", "5"), cond("gt", 5));
  assert.deepEqual(fromTexts(BOOLEAN, "ne", "true"), cond("ne", true));
  assert.deepEqual(fromTexts(BOOLEAN, "eq", "false"), cond("eq", false));
  assert.deepEqual(fromTexts(DATE, "lte", "2026-01-31"), cond("lte", "2026-01-31T00:00:00.000Z"));
  assert.deepEqual(
    fromTexts(REF, "eq", "66F1A0C2E4B0A1B2C3D4E5F6"),
    cond("eq", "66f1a0c2e4b0a1b2c3d4e5f6"),
  );
});

Deno.test("the text null means null on all declared fields except Strings", () => {
  for (const shape of [NUMBER, BOOLEAN, DATE, REF]) {
    assert.deepEqual(fromTexts(shape, "eq", "null"), cond("eq", null));
    assert.deepEqual(fromTexts(shape, "ne", "null"), cond("ne", null));
  }
});

Deno.test("numbers are parsed as in JSON", () => {
  const table: readonly (readonly [string, number])[] = [
    ["0", 0],
    ["-1", -1],
    ["1.50", 1.5],
    ["1e3", 1000],
    ["-2.5E-3", -0.0025],
    ["9007199254740994", 9007199254740994],
    ["0.1000000000000000055511151231257827", 0.1],
  ];
  for (const [text, number] of table) {
    assert.deepEqual(fromTexts(NUMBER, "eq", text), cond("eq", number));
  }
  const wrong = ["", " 1", "1 ", "+1", "01", ".5", "1.", "0x10", "1_000", "1,5", "Infinity", "NaN"];
  for (const text of [...wrong, "1e400", "true", "١"]) {
    textRefused(NUMBER, "eq", [text], /must be a number, because f is declared Number/);
  }
});

Deno.test("an integer that a Number cannot represent is rejected", () => {
  const says = / is the integer 9007199254740993, .* send it as a String/;
  for (const operator of ["eq", "ne", "gt", "lte", "in", "nin"] as const) {
    textRefused(NUMBER, operator, ["9007199254740993"], says);
    textRefused({ type: "Array", items: NUMBER }, operator, ["9007199254740993"], says);
  }
  textRefused(NUMBER, "in", ["1,9007199254740993,2"], says);
  assert.deepEqual(fromTexts(STRING, "eq", "9007199254740993"), cond("eq", "9007199254740993"));
  assert.deepEqual(fromTexts(null, "eq", "9007199254740993"), cond("eq", "9007199254740993"));
  assert.deepEqual(fromTexts(null, "in", "9007199254740993"), list("in", ["9007199254740993"]));
});

Deno.test("a text of another type than the declared type is rejected with the expected form", () => {
  textRefused(BOOLEAN, "eq", ["1"], /must be true or false, because f is declared Boolean/);
  textRefused(BOOLEAN, "eq", ["yes"], /must be true or false/);
  textRefused(DATE, "gt", ["yesterday"], /must be an ISO 8601 date with a zone/);
  textRefused(REF, "eq", ["me"], /must be an id of 24 hexadecimal digits/);
  textRefused({ type: "Object" }, "eq", ["a"], /must be a path into the object/);
  textRefused(STRING, "eq", ["a\0"], /U\+0000/);
  textRefused(null, "eq", ["a\0"], /U\+0000/);
});

Deno.test("on undeclared fields a text matches all values that it may mean", () => {
  assert.deepEqual(fromTexts(null, "eq", "draft"), cond("eq", "draft"));
  assert.deepEqual(fromTexts(null, "eq", "5"), list("in", ["5", 5]));
  assert.deepEqual(fromTexts(null, "eq", "-1.5e1"), list("in", ["-1.5e1", -15]));
  assert.deepEqual(fromTexts(null, "eq", "true"), list("in", ["true", true]));
  assert.deepEqual(fromTexts(null, "eq", "false"), list("in", ["false", false]));
  assert.deepEqual(fromTexts(null, "eq", "null"), list("in", ["null", null]));
  assert.deepEqual(fromTexts(null, "eq", "1e400"), cond("eq", "1e400"));
  assert.deepEqual(fromTexts(null, "ne", "5"), list("nin", ["5", 5]));
  assert.deepEqual(fromTexts(null, "in", "a,5"), list("in", ["a", "5", 5]));
});

Deno.test("on undeclared fields an ordering compares with each value that the text may mean", () => {
  assert.deepEqual(fromTexts(null, "gt", "draft"), cond("gt", "draft"));
  assert.deepEqual(fromTexts(null, "gt", "5"), { op: "or", of: [cond("gt", "5"), cond("gt", 5)] });
  assert.deepEqual(fromTexts(null, "lte", "true"), {
    op: "or",
    of: [cond("lte", "true"), cond("lte", true)],
  });
});

Deno.test("ordering by null is rejected", () => {
  for (const operator of ["gt", "gte", "lt", "lte"] as const) {
    textRefused(NUMBER, operator, ["null"], /cannot order by null/);
    assert.deepEqual(fromTexts(null, operator, "null"), cond(operator, "null"));
  }
});

Deno.test("in and nin accept comma-separated values, repeated parameters, or both", () => {
  assert.deepEqual(fromTexts(STRING, "in", "a,b"), list("in", ["a", "b"]));
  assert.deepEqual(fromTexts(STRING, "in", "a", "b"), list("in", ["a", "b"]));
  assert.deepEqual(fromTexts(NUMBER, "nin", "1,2", "3"), list("nin", [1, 2, 3]));
  assert.deepEqual(fromTexts(NUMBER, "in", "1,null"), list("in", [1, null]));
  assert.deepEqual(fromTexts(STRING, "in", "a,,b"), list("in", ["a", "", "b"]));
  textRefused(NUMBER, "in", ["1,x"], /must be a number/);
  textRefused(NUMBER, "in", ["1,"], /must be a number/);
  textRefused(NUMBER, "in", [""], /must be a number/);
});

Deno.test("in accepts up to 1000 values", () => {
  const values = (count: number) => Array.from({ length: count }, (_, n) => `v${n}`).join();
  const filter = fromTexts(STRING, "in", values(1000));
  assert.equal(filter.op === "in" && filter.values.length, 1000);
  textRefused(STRING, "in", [values(1001)], /has more than 1000 values/);
});

Deno.test("in accepts 1000 values even if each of them may mean two values", () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${n}`).join();
  assert.doesNotThrow(() => fromTexts(null, "in", numbers(1000)));
  textRefused(null, "in", [numbers(1001)], /has more than 1000 values/);
});

Deno.test("exists accepts true or false", () => {
  assert.deepEqual(fromTexts(NUMBER, "exists", "true"), cond("exists", true));
  assert.deepEqual(fromTexts(null, "exists", "false"), cond("exists", false));
  for (const text of ["", "1", "yes", "null"]) {
    textRefused(NUMBER, "exists", [text], /must be true or false/);
  }
});

Deno.test("a pattern can be used on Strings, arrays of Strings and undeclared fields", () => {
  const regex = { op: "regex", path: "f", pattern: "^a" };
  for (const shape of [STRING, null, { type: "Array" }, { type: "Array", items: STRING }]) {
    assert.deepEqual(fromTexts(shape as FieldShape | null, "regex", "^a"), regex);
  }
  for (const shape of [NUMBER, BOOLEAN, DATE, REF, { type: "Object" } as const]) {
    const why = new RegExp(`cannot match a pattern: f is declared ${shape.type}`);
    textRefused(shape, "regex", ["^a"], why);
  }
  textRefused(STRING, "regex", ["(a+)+"], /is a pattern that repeats a group/);
  textRefused(STRING, "regex", ["x".repeat(129)], /is a pattern that is longer than 128/);
  textRefused(STRING, "regex", [""], /is a pattern that is empty/);
});

Deno.test("conditions on an array compare its elements", () => {
  const numbers: FieldShape = { type: "Array", items: NUMBER };
  assert.deepEqual(fromTexts(numbers, "eq", "5"), cond("eq", 5));
  textRefused(numbers, "eq", ["a"], /must be a number, because f is declared Number/);
  assert.deepEqual(fromTexts({ type: "Array" }, "eq", "5"), list("in", ["5", 5]));
});

Deno.test("a repeated operator adds a condition each time", () => {
  for (const operator of ["eq", "ne", "gt", "gte", "lt", "lte"] as const) {
    assert.deepEqual(conditionsFromTexts(at(NUMBER), operator, ["1", "2"]), [
      cond(operator, 1),
      cond(operator, 2),
    ]);
  }
  assert.deepEqual(conditionsFromTexts(at(STRING), "regex", ["a", "b"]), [
    { op: "regex", path: "f", pattern: "a" },
    { op: "regex", path: "f", pattern: "b" },
  ]);
  textRefused(NUMBER, "gt", ["1", "x"], /must be a number/);
});

const fromJson = (shape: FieldShape | null, operator: Operator, value: unknown) =>
  conditionFromJson({ parameter: "where", path: "f", shape }, operator, value);

function jsonRefused(
  shape: FieldShape | null,
  operator: Operator,
  value: unknown,
  why: RegExp,
): void {
  assert.throws(() => fromJson(shape, operator, value), (error: Error & { code?: string }) => {
    assert.equal(error.code, "INVALID_QUERY", String(error));
    assert.match(error.message, /^"where" .*\.$/s);
    assert.match(error.message, why);
    return true;
  }, JSON.stringify(value));
}

Deno.test("JSON values are compared with their type", () => {
  assert.deepEqual(fromJson(NUMBER, "gt", 5), cond("gt", 5));
  assert.deepEqual(fromJson(STRING, "eq", "5"), cond("eq", "5"));
  assert.deepEqual(fromJson(BOOLEAN, "ne", false), cond("ne", false));
  assert.deepEqual(fromJson(DATE, "lt", "2026-01-31"), cond("lt", "2026-01-31T00:00:00.000Z"));
  assert.deepEqual(
    fromJson(REF, "in", ["66F1A0C2E4B0A1B2C3D4E5F6", null]),
    list("in", ["66f1a0c2e4b0a1b2c3d4e5f6", null]),
  );
  for (const value of ["5", 5, true, null]) {
    assert.deepEqual(fromJson(null, "eq", value), cond("eq", value));
  }
  assert.deepEqual(fromJson(null, "exists", false), cond("exists", false));
  assert.deepEqual(fromJson(STRING, "regex", "a"), { op: "regex", path: "f", pattern: "a" });
});

Deno.test("null can be compared with every type, but not ordered", () => {
  for (const shape of [STRING, NUMBER, BOOLEAN, DATE, REF, null]) {
    assert.deepEqual(fromJson(shape, "eq", null), cond("eq", null));
    jsonRefused(shape, "gte", null, /cannot order by null/);
  }
});

Deno.test("a JSON value of another type than the declared type is rejected", () => {
  const wrong: readonly (readonly [FieldShape, readonly unknown[], RegExp])[] = [
    [NUMBER, ["5", true], /must be a number/],
    [STRING, [5, false], /must be a text/],
    [BOOLEAN, ["true", 1], /must be true or false/],
    [DATE, ["now", 5, true], /must be an ISO 8601 date/],
    [REF, ["me", 5], /must be an id/],
    [{ type: "Object" }, ["a", 5], /must be a path into the object/],
  ];
  for (const [shape, values, why] of wrong) {
    for (const value of values) jsonRefused(shape, "eq", value, why);
  }
});

Deno.test("a JSON value must be a text, number, boolean or null", () => {
  for (const value of [[], [1], {}, { a: 1 }, Infinity]) {
    jsonRefused(null, "eq", value, /is not a text, number, boolean or null/);
  }
  jsonRefused(NUMBER, "eq", Infinity, /must be a number/);
  jsonRefused(null, "in", [[1]], /is not a text, number, boolean or null/);
  jsonRefused(null, "eq", "\ud800", /surrogate/);
  jsonRefused(STRING, "in", ["a", "b\0"], /U\+0000/);
});

Deno.test("in and nin require a list, exists a boolean, regex a text", () => {
  for (const value of ["a", 1, null, {}]) {
    jsonRefused(null, "in", value, /needs a list for in on f/);
    jsonRefused(null, "nin", value, /needs a list for nin on f/);
  }
  for (const value of ["true", 1, null]) jsonRefused(null, "exists", value, /needs true or false/);
  for (const value of [1, null, ["a"]]) jsonRefused(null, "regex", value, /needs a text for regex/);
  assert.deepEqual(fromJson(null, "in", []), list("in", []));
});
