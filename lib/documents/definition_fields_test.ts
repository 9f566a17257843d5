/** Tests of single fields in definitions: owners, uniqueness, indexes and defaults. */

import assert from "node:assert/strict";
import { parseDefinition } from "./definition.ts";

/** Asserts that a definition is rejected with a message. */
function assertRefused(input: unknown, message: RegExp): void {
  assert.throws(() => parseDefinition(input), { code: "INVALID_DEFINITION", message });
}

const withField = (field: Record<string, unknown>, rest: Record<string, unknown> = {}) => ({
  name: "posts",
  rls: { enabled: false },
  fields: [field],
  ...rest,
});

Deno.test("the owner field is added after the declared fields, unless it is declared", () => {
  const keysOf = (input: unknown) => parseDefinition(input).fields.map(({ key }) => key);
  const fields = [{ key: "title", type: "String" }];
  assert.deepEqual(keysOf({ name: "posts", fields }), ["title", "userId"]);
  const rls = { ownerField: "title" };
  assert.deepEqual(keysOf({ name: "posts", fields, rls }), ["title"]);
  assert.deepEqual(keysOf({ name: "posts", fields, rls: { enabled: false } }), ["title"]);
});

Deno.test("a declared owner field is a String or a Ref to users", () => {
  const definition = (owner: Record<string, unknown>) => ({
    name: "posts",
    fields: [{ key: "userId", ...owner }],
  });
  assert.ok(parseDefinition(definition({ type: "String" })));
  assert.ok(parseDefinition(definition({ type: "Ref", ref: "users" })));
  for (const type of ["Number", "Boolean", "Date", "Object", "Array"]) {
    assertRefused(definition({ type }), /owner field "userId" must be a String or a Ref to users/);
  }
  assertRefused(definition({ type: "Ref", ref: "people" }), /must be a String or a Ref to users/);
});

Deno.test("without row-level security the owner field may have any type", () => {
  assert.ok(parseDefinition(withField({ key: "userId", type: "Number" })));
});

Deno.test("the name of the owner field must be a valid field name", () => {
  for (const ownerField of ["", "_id", "createdAt", "isDeleted", "a.b", "1", "x".repeat(65)]) {
    assertRefused({ name: "posts", rls: { ownerField } }, /^rls\.ownerField ".*" cannot be/);
  }
});

Deno.test("names that JavaScript uses are reserved at any depth, also for the owner field", () => {
  for (const key of ["constructor", "prototype", "__proto__"]) {
    const says = new RegExp(
      `"(?:o\\.)?${key}" has a name that is reserved because JavaScript uses it`,
    );
    assertRefused(withField({ key, type: "String" }), says);
    const inner = [{ key, type: "String" }];
    assertRefused(withField({ key: "o", type: "Object", fields: inner }), says);
    const owned = { name: "posts", rls: { ownerField: key } };
    assertRefused(owned, new RegExp(`^rls\\.ownerField "${key}" has a name that is reserved`));
  }
  assertRefused(withField({ key: "_id", type: "String" }), /"_id" is set by the server/);
  assertRefused(withField({ key: "1a", type: "String" }), /must begin with a letter/);
});

Deno.test("String, Number, Date and Ref at the top level can be unique", () => {
  for (const type of ["String", "Number", "Date"]) {
    assert.ok(parseDefinition(withField({ key: "a", type, unique: true })));
  }
  assert.ok(parseDefinition(withField({ key: "a", type: "Ref", ref: "users", unique: true })));
  for (const type of ["Boolean", "Object", "Array"]) {
    assertRefused(withField({ key: "a", type, unique: true }), /"a" cannot be unique/);
  }
  const nested = {
    key: "o",
    type: "Object",
    fields: [{ key: "a", type: "String", unique: true }],
  };
  assertRefused(withField(nested), /"o\.a" cannot be unique/);
});

Deno.test("scalars and arrays of scalars can have an index, at any level outside arrays", () => {
  for (const type of ["String", "Number", "Boolean", "Date"]) {
    assert.ok(parseDefinition(withField({ key: "a", type, index: true })));
  }
  const inner = { key: "a", type: "String", index: true };
  assert.ok(parseDefinition(withField({ key: "o", type: "Object", fields: [inner] })));
  for (const type of ["Object", "Array"]) {
    assertRefused(withField({ key: "a", type, index: true }), /"a" cannot have an index/);
  }
  for (const type of ["String", "Number", "Boolean", "Date"]) {
    assert.ok(
      parseDefinition(withField({ key: "a", type: "Array", items: { type }, index: true })),
    );
  }
  for (const items of [{ type: "Object" }, { type: "Array", items: { type: "String" } }]) {
    const array = { key: "a", type: "Array", items, index: true };
    assertRefused(withField(array), /"a" cannot have an index/);
  }
  const list = { key: "l", type: "Array", items: { type: "Object", fields: [inner] } };
  assertRefused(withField(list), /"l\.items\.a" cannot have an index/);
});

Deno.test("a valid default is kept unchanged", () => {
  const table: readonly (readonly [Record<string, unknown>, unknown])[] = [
    [{ type: "String" }, ""],
    [{ type: "Number" }, -0.5],
    [{ type: "Boolean" }, false],
    [{ type: "Date" }, "2026-01-31"],
    [{ type: "Ref", ref: "users" }, "66f1a0c2e4b0a1b2c3d4e5f6"],
    [{ type: "Object" }, { any: ["thing", 1, null] }],
    [{ type: "Array", items: { type: "Number" } }, [1, 2, 3]],
  ];
  for (const [type, value] of table) {
    const { fields } = parseDefinition(withField({ key: "a", ...type, default: value }));
    assert.deepEqual(fields[0]?.default, value);
  }
});

Deno.test("an invalid default is rejected with the reason", () => {
  const table: readonly (readonly [Record<string, unknown>, unknown, RegExp])[] = [
    [{ type: "String" }, 1, /must be a String/],
    [{ type: "String" }, "a\0", /U\+0000/],
    [{ type: "Number" }, "1", /must be a Number/],
    [{ type: "Boolean" }, 0, /must be true or false/],
    [{ type: "Date" }, "tomorrow", /must be an ISO 8601 date/],
    [{ type: "Ref", ref: "users" }, "me", /must be an id of 24 hexadecimal digits/],
    [{ type: "Object" }, [], /must be an Object/],
    [{ type: "Object" }, { $a: 1 }, /begins with \$/],
    [{ type: "Array" }, {}, /must be an Array/],
    [{ type: "Array", items: { type: "Number" } }, [1, "2"], /must be a Number/],
  ];
  for (const [type, value, why] of table) {
    const message = new RegExp(`"a" has a default that does not fit: .*${why.source}`);
    assertRefused(withField({ key: "a", ...type, default: value }), message);
  }
});

Deno.test("a default cannot be null", () => {
  assertRefused(withField({ key: "a", type: "String", default: null }), /has the default null/);
});

Deno.test("nested fields may have defaults, which must be valid, too", () => {
  const outer = (value: unknown) =>
    withField({
      key: "o",
      type: "Object",
      fields: [{ key: "a", type: "Number", default: value }],
    });
  assert.ok(parseDefinition(outer(1)));
  assertRefused(outer("1"), /"o\.a" has a default that does not fit/);
});

Deno.test("the default of an object must have the object's required members", () => {
  const fields = [{ key: "a", type: "String", required: true }];
  const field = { key: "o", type: "Object", fields };
  assert.ok(parseDefinition(withField({ ...field, default: { a: "x" } })));
  assertRefused(withField({ ...field, default: {} }), /default that does not fit: .*required/);
});

Deno.test("in a strict collection the default of an object has only declared members", () => {
  const field = { key: "o", type: "Object", fields: [{ key: "a", type: "String" }] };
  assert.ok(parseDefinition(withField({ ...field, default: { b: 1 } })));
  assert.ok(parseDefinition(withField({ ...field, default: { a: "x" } }, { strict: true })));
  assertRefused(
    withField({ ...field, default: { b: 1 } }, { strict: true }),
    /default that does not fit: .*not declared/,
  );
});

const nested = (levels: number): Record<string, unknown> =>
  levels === 1 ? {} : { a: nested(levels - 1) };

Deno.test("a default cannot exceed the depth limit of documents", () => {
  const field = { key: "o", type: "Object" };
  assert.ok(parseDefinition(withField({ ...field, default: nested(19) })));
  assertRefused(withField({ ...field, default: nested(20) }), /does not fit: .*nested deeper/);
});

Deno.test("a String can have an enum, also as the element of an Array", () => {
  const values = ["draft", "live"];
  const { fields } = parseDefinition(withField({ key: "a", type: "String", enum: values }));
  assert.deepEqual(fields[0]!.enum, values);
  assert.ok(parseDefinition(withField({
    key: "a",
    type: "Array",
    items: { type: "String", enum: values },
    default: ["live"],
  })));
  assert.ok(
    parseDefinition(withField({ key: "a", type: "String", enum: values, default: "live" })),
  );
});

Deno.test("an enum has 1 to 100 different texts, and is rejected with the reason otherwise", () => {
  const of = (values: unknown, more = {}) =>
    withField({ key: "a", type: "String", enum: values, ...more });
  const many = Array.from({ length: 101 }, (_, i) => `v${i}`);
  assert.ok(parseDefinition(of(many.slice(1))));
  assert.ok(parseDefinition(of(["x".repeat(100)])));
  assertRefused(of(many), /"a" has 101 values in "enum": it can have 1 to 100/);
  assertRefused(of([]), /"a" has 0 values in "enum"/);
  assertRefused(of(["x".repeat(101)]), /that is longer than 100 characters/);
  assertRefused(of([""]), /"", that is empty/);
  assertRefused(of(["a\0"]), /U\+0000/);
  assertRefused(of(["a", "b", "a"]), /"a" twice/);
  assertRefused(of([1]), /fields\.0\.enum\.0/);
  assertRefused(of("draft"), /fields\.0\.enum/);
  assertRefused(of(["1"], { type: "Number" }), /has "enum", so its type must be String/);
  assertRefused(of(["1"], { type: "Array" }), /has "enum", so its type must be String/);
  assertRefused(of(["a"], { default: "b" }), /default that does not fit: must be one of "a"/);
  assertRefused(of(["a"], { file: true }), /holds files, so it cannot have "enum"/);
  assertRefused(
    { name: "posts", fields: [{ key: "userId", type: "String", enum: ["me"] }] },
    /owner field "userId" holds ids of users/,
  );
});
