import assert from "node:assert/strict";
import { InexactInteger } from "./exact_json.ts";
import { FIELD_TYPE_NAMES, FIELD_TYPES, type FieldType } from "./field_types.ts";
import type { Json, Scalar } from "./values.ts";
import { isScalarType, readValue, typesChangedBy } from "./shape.ts";

const ID = "66f1a0c2e4b0a1b2c3d4e5f6";

Deno.test("a type's example is a valid value, is stored unchanged, and can be entered", () => {
  for (const name of FIELD_TYPE_NAMES) {
    const { example, parseInput: enter } = FIELD_TYPES[name];
    const text = typeof example === "string" ? example : JSON.stringify(example);
    assert.deepEqual(enter(text), example, name);
    assert.deepEqual(readValue(name, example), isScalarType(name) ? example : null, name);
  }
});

Deno.test("readValue returns null for null and for values of another JSON type", () => {
  const values = { string: "x", number: 1, boolean: true, null: null, array: [], object: {} };
  for (const name of FIELD_TYPE_NAMES.filter(isScalarType)) {
    for (const [kind, value] of Object.entries(values)) {
      const isOther = kind !== FIELD_TYPES[name].json;
      if (isOther) assert.equal(readValue(name, value), null, `${name} ${kind}`);
    }
  }
});

Deno.test("readValue stores texts in one form and returns null for texts of another type", () => {
  const table: readonly (readonly [FieldType, string, Scalar])[] = [
    ["String", " null ", " null "],
    ["Date", "2026-01-31", "2026-01-31T00:00:00.000Z"],
    ["Date", "2026-01-31T13:00:00+01:00", "2026-01-31T12:00:00.000Z"],
    ["Date", "2026-02-30", null],
    ["Ref", ID.toUpperCase(), ID],
    ["Ref", "66f1", null],
    ["Number", "1", null],
    ["Boolean", "true", null],
    ["Object", "{}", null],
    ["Array", "[]", null],
  ];
  for (const [name, text, stored] of table) {
    assert.equal(readValue(name, text), stored, `${name} ${text}`);
  }
});

Deno.test("parse returns the value of a text from a URL, or null", () => {
  const table: readonly (readonly [FieldType, string, Scalar])[] = [
    ["String", "1", "1"],
    ["Number", "-1.5e3", -1500],
    ["Number", "01", null],
    ["Number", " 1", null],
    ["Number", "9007199254740993", null],
    ["Number", "1e999", null],
    ["Boolean", "True", true],
    ["Boolean", "0", null],
    ["Ref", ID, ID],
    ["Object", "{}", null],
    ["Array", "[]", null],
  ];
  for (const [name, text, value] of table) {
    assert.equal(FIELD_TYPES[name].parse(text), value, `${name} ${text}`);
  }
});

Deno.test("enter parses leniently and returns invalid input as text", () => {
  const table: readonly (readonly [FieldType, string, Json])[] = [
    ["String", " a ", " a "],
    ["Number", " +1. ", 1],
    ["Number", "one", "one"],
    ["Boolean", " FALSE ", false],
    ["Boolean", "no", "no"],
    ["Date", " soon ", "soon"],
    ["Ref", ` ${ID} `, ID],
    ["Object", '{"a":[1]}', { a: [1] }],
  ];
  for (const [name, text, value] of table) {
    assert.deepEqual(FIELD_TYPES[name].parseInput(text), value, `${name} ${text}`);
  }
  assert.throws(() => FIELD_TYPES.Number.parseInput("9007199254740993"), InexactInteger);
  assert.throws(() => FIELD_TYPES.Array.parseInput("[9007199254740993]"), InexactInteger);
  assert.throws(() => FIELD_TYPES.Array.parseInput("[1"), SyntaxError);
});

Deno.test("typesChangedBy returns the types of each PATCH operator", () => {
  const table = { $inc: "Number", $min: "Number Date", $max: "Number Date", $now: "Date" };
  for (const [operator, names] of Object.entries({ ...table, $push: "Array", $unset: "" })) {
    assert.equal(typesChangedBy(operator).join(" "), names, operator);
  }
});
