import assert from "node:assert/strict";
import type { Json } from "../store/port.ts";
import { parseDefinition } from "./definition.ts";
import { type FieldDefinition } from "./fields.ts";
import { validateMembers, validateValue } from "./validate.ts";

/** Returns the fields of a definition without an owner. */
const fieldsOf = (...fields: readonly Record<string, unknown>[]): readonly FieldDefinition[] =>
  parseDefinition({ name: "posts", rls: { enabled: false }, fields }).fields;

const ANY = { strict: false, depth: 2, path: "a" };

/** Returns the stored form of a valid value. */
function storedForm(field: Record<string, unknown>, value: Json): Json {
  const { value: stored, faults } = validateValue(fieldsOf({ key: "a", ...field })[0]!, value, ANY);
  assert.deepEqual(faults, []);
  return stored;
}

/** Returns the faults of a value as `path message`. */
function faultsOf(field: Record<string, unknown>, value: Json): string[] {
  const { faults } = validateValue(fieldsOf({ key: "a", ...field })[0]!, value, ANY);
  return faults.map(({ path, message }) => `${path} ${message}`);
}

const parse = (text: string) => JSON.parse(text) as { [name: string]: Json };

Deno.test("null is valid for every declared field", () => {
  for (const type of ["String", "Number", "Boolean", "Date", "Object", "Array"]) {
    assert.equal(storedForm({ type }, null), null);
  }
  assert.equal(storedForm({ type: "Ref", ref: "posts" }, null), null);
  assert.deepEqual(storedForm({ type: "Array", items: { type: "Number" } }, [1, null]), [1, null]);
});

Deno.test("values of the declared type are stored unchanged", () => {
  assert.equal(storedForm({ type: "String" }, " Ä😀 "), " Ä😀 ");
  assert.equal(storedForm({ type: "Boolean" }, false), false);
  for (const number of [0, -1.5, 5e-324, 1.7976931348623157e308, 9007199254740994]) {
    assert.equal(storedForm({ type: "Number" }, number), number);
  }
  assert.ok(Object.is(storedForm({ type: "Number" }, -0), -0));
  assert.deepEqual(storedForm({ type: "Object" }, { a: [1] }), { a: [1] });
  assert.deepEqual(storedForm({ type: "Array" }, [1, "a", [true]]), [1, "a", [true]]);
});

Deno.test("dates are stored in UTC with milliseconds and ids in lower case, at any depth", () => {
  assert.equal(storedForm({ type: "Date" }, "2026-01-31"), "2026-01-31T00:00:00.000Z");
  assert.equal(
    storedForm({ type: "Date" }, "2026-01-31T12:00:00+01:00"),
    "2026-01-31T11:00:00.000Z",
  );
  assert.equal(
    storedForm({ type: "Ref", ref: "posts" }, "66F1A0C2E4B0A1B2C3D4E5F6"),
    "66f1a0c2e4b0a1b2c3d4e5f6",
  );
  const list = { type: "Array", items: { type: "Object", fields: [{ key: "on", type: "Date" }] } };
  assert.deepEqual(storedForm(list, [{ on: "2026-01-31" }]), [{ on: "2026-01-31T00:00:00.000Z" }]);
});

Deno.test("dates and ids in undeclared fields are texts and stay as they are", () => {
  const { value } = validateMembers(
    [],
    { on: "2026-01-31", id: "66F1A0C2E4B0A1B2C3D4E5F6" },
    false,
  );
  assert.deepEqual(value, { on: "2026-01-31", id: "66F1A0C2E4B0A1B2C3D4E5F6" });
});

Deno.test("values of another type are rejected with the expected form", () => {
  const table: readonly (readonly [Record<string, unknown>, readonly Json[], RegExp])[] = [
    [{ type: "String" }, [1, true, {}, []], /^a must be a String$/],
    [{ type: "Number" }, ["1", true, {}, []], /^a must be a Number$/],
    [{ type: "Boolean" }, ["true", 1, 0], /^a must be true or false$/],
    [{ type: "Date" }, ["now", 1769860800000, "2026-01-31T12:00:00"], /^a must be an ISO 8601/],
    [{ type: "Object" }, ["a", 1, []], /^a must be an Object$/],
    [{ type: "Array" }, ["a", 1, {}], /^a must be an Array$/],
    [{ type: "Ref", ref: "posts" }, ["me", 1, {}, "66f1"], /^a must be an id of 24 hexadecimal/],
  ];
  for (const [field, values, message] of table) {
    for (const value of values) assert.match(faultsOf(field, value).join("|"), message);
  }
});

Deno.test("elements of arrays and members of objects are validated by their declarations", () => {
  const numbers = { type: "Array", items: { type: "Number" } };
  assert.deepEqual(faultsOf(numbers, [1, "2", 3, true]), [
    "a.1 must be a Number",
    "a.3 must be a Number",
  ]);
  const object = { type: "Object", fields: [{ key: "n", type: "Number" }] };
  assert.deepEqual(faultsOf(object, { n: "1" }), ["a.n must be a Number"]);
  assert.deepEqual(storedForm(object, { n: 1, other: "x" }), { n: 1, other: "x" });
});

Deno.test("required members of objects must be present and not null, also in arrays", () => {
  const fields = [{ key: "n", type: "Number", required: true }];
  const object = { type: "Object", fields };
  for (const value of [{}, { n: null }]) {
    assert.deepEqual(faultsOf(object, value), ["a.n is required"]);
  }
  const list = { type: "Array", items: object };
  assert.deepEqual(faultsOf(list, [{ n: 0 }, {}]), ["a.1.n is required"]);
});

Deno.test("a required member may have the name of an inherited member", () => {
  for (const key of ["toString", "valueOf", "hasOwnProperty"]) {
    const object = { type: "Object", fields: [{ key, type: "String", required: true }] };
    assert.deepEqual(faultsOf(object, {}), [`a.${key} is required`]);
  }
});

Deno.test("validateMembers does not check for missing fields", () => {
  const fields = fieldsOf({ key: "title", type: "String", required: true });
  assert.deepEqual(validateMembers(fields, {}, false), { value: {}, faults: [] });
});

Deno.test("undeclared members are kept unless the collection is strict", () => {
  const fields = fieldsOf(
    { key: "title", type: "String" },
    { key: "o", type: "Object", fields: [{ key: "n", type: "Number" }] },
    { key: "free", type: "Object" },
    { key: "list", type: "Array", items: { type: "Object", fields: [] } },
  );
  const members = {
    title: "a",
    extra: 1,
    o: { n: 1, more: 2 },
    free: { anything: 3 },
    list: [{ x: 1 }],
  };
  assert.deepEqual(validateMembers(fields, members, false), { value: members, faults: [] });
  assert.deepEqual(validateMembers(fields, members, true).faults, [
    { path: "extra", message: "is not declared" },
    { path: "o.more", message: "is not declared" },
    { path: "list.0.x", message: "is not declared" },
  ]);
});

Deno.test("names are checked at any depth, in declared fields, undeclared fields and lists", () => {
  const fields = fieldsOf({ key: "o", type: "Object" }, { key: "l", type: "Array" });
  for (const name of ["$set", "a.b", "", "__proto__", "constructor", " a", "a\u200b", "a\0"]) {
    const json = JSON.stringify(name);
    const places = [
      `{${json}:1}`,
      `{"o":{"p":{${json}:1}}}`,
      `{"l":[[{${json}:1}]]}`,
      `{"x":{"y":[{${json}:1}]}}`,
    ];
    for (const text of places) {
      const { faults } = validateMembers(fields, parse(text), false);
      assert.equal(faults.length, 1, text);
      assert.match(faults[0]!.message, /^cannot be stored: /);
    }
  }
});

Deno.test("names that could pollute prototypes do not change any object", () => {
  const { value } = validateMembers(
    [],
    parse('{"o":{"__proto__":{"polluted":true},"a":1}}'),
    false,
  );
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  assert.equal(Object.getPrototypeOf(value.o), Object.prototype);
});

Deno.test("texts are checked at any depth", () => {
  for (const text of ["a\0b", "\ud800", "x\udfff"]) {
    for (const value of [text, [text], { b: [{ c: text }] }] as Json[]) {
      const { faults } = validateMembers([], { a: value }, false);
      assert.equal(faults.length, 1, JSON.stringify(value));
    }
    assert.equal(faultsOf({ type: "String" }, text).length, 1);
  }
});

Deno.test("numbers that are too large for a double are rejected at any depth", () => {
  assert.deepEqual(faultsOf({ type: "Number" }, JSON.parse("1e400")), [
    "a is a number too large to be stored",
  ]);
  const { faults } = validateMembers([], parse('{"a":[{"b":-1e999}]}'), false);
  assert.deepEqual(faults, [{ path: "a.0.b", message: "is a number too large to be stored" }]);
});

/** Returns nested objects or arrays with the given number of levels. */
function nested(levels: number, open: string, close: string, inner: string): Json {
  return JSON.parse(open.repeat(levels) + inner + close.repeat(levels)) as Json;
}

Deno.test("a document is up to 20 levels deep, in objects and in arrays", () => {
  const faultsAt = (value: Json) => validateMembers([], { a: value }, false).faults;
  assert.deepEqual(faultsAt(nested(19, '{"a":', "}", "1")), []);
  assert.deepEqual(faultsAt(nested(19, "[", "]", "1")), []);
  for (const value of [nested(20, '{"a":', "}", "1"), nested(20, "[", "]", "1")]) {
    assert.match(faultsAt(value)[0]?.message ?? "", /is nested deeper than 20 levels/);
  }
});

Deno.test("the limit of 20 levels applies to declared fields, too", () => {
  const list = fieldsOf({ key: "a", type: "Array", items: { type: "Array" } });
  assert.deepEqual(validateMembers(list, { a: nested(19, "[", "]", "1") }, false).faults, []);
  assert.equal(validateMembers(list, { a: nested(20, "[", "]", "1") }, false).faults.length, 1);
});

Deno.test("10,000 levels are rejected without a crash", () => {
  for (const value of [nested(10_000, '{"a":', "}", "1"), nested(10_000, "[", "]", "1")]) {
    assert.equal(validateMembers([], { a: value }, false).faults.length, 1);
  }
});

Deno.test("up to ten faults are reported", () => {
  const { faults } = validateMembers([], { a: Array(1000).fill("\0") }, false);
  assert.equal(faults.length, 10);
});

Deno.test("validateMembers does not change its input", () => {
  const fields = fieldsOf({ key: "on", type: "Date" }, { key: "o", type: "Object" });
  const input = { on: "2026-01-31", o: { a: [1] } };
  const { value } = validateMembers(fields, input, false);
  assert.deepEqual(input, { on: "2026-01-31", o: { a: [1] } });
  assert.notEqual(value.o, input.o);
});

Deno.test("a field with an enum accepts only its values and null", () => {
  const status = { type: "String", enum: ["draft", "live"] };
  assert.equal(storedForm(status, "live"), "live");
  assert.equal(storedForm(status, null), null);
  assert.deepEqual(faultsOf(status, "Live"), ['a must be one of "draft", "live"']);
  assert.deepEqual(faultsOf(status, ""), ['a must be one of "draft", "live"']);
  assert.deepEqual(faultsOf(status, 1), ["a must be a String"]);
  const tags = { type: "Array", items: status };
  assert.deepEqual(storedForm(tags, ["live", null]), ["live", null]);
  assert.deepEqual(faultsOf(tags, ["live", "x"]), ['a.1 must be one of "draft", "live"']);
});

Deno.test("a fault lists the first values of a long enum and their number", () => {
  const values = Array.from({ length: 100 }, (_, i) => `v${i}`);
  const [fault] = faultsOf({ type: "String", enum: values }, "x");
  assert.match(fault!, /"v9", … \(100 values\)$/);
});
