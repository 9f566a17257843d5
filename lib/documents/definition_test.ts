import assert from "node:assert/strict";
import { Problem } from "../problems.ts";
import {
  parseDefinition,
  parseReplacement,
  referencedCollections,
  referencesIn,
} from "./definition.ts";

const RLS_OFF = { enabled: false };

/** Asserts that a definition is rejected with a message. */
function assertRefused(input: unknown, message: RegExp): void {
  assert.throws(() => parseDefinition(input), { code: "INVALID_DEFINITION", message });
}

/** Returns a definition with one field and without an owner. */
const withField = (field: Record<string, unknown>) => ({
  name: "posts",
  rls: RLS_OFF,
  fields: [field],
});

const plain = (key: string, type = "String") => ({
  key,
  type,
  required: false,
  unique: false,
  index: false,
  search: false,
});

Deno.test("a definition needs only a name; by default it is private and not strict", () => {
  assert.deepEqual(parseDefinition({ name: "notes" }), {
    name: "notes",
    fields: [plain("userId")],
    rls: { enabled: true, mode: "private", ownerField: "userId" },
    strict: false,
    indexes: [],
    events: true,
  });
});

Deno.test("a field needs only a key and a type", () => {
  const { fields } = parseDefinition(withField({ key: "title", type: "String" }));
  assert.deepEqual(fields, [plain("title")]);
});

Deno.test("parseDefinition accepts every field type and rejects unknown types", () => {
  const fields = [
    { key: "s", type: "String" },
    { key: "n", type: "Number" },
    { key: "b", type: "Boolean" },
    { key: "d", type: "Date" },
    { key: "o", type: "Object" },
    { key: "a", type: "Array" },
    { key: "r", type: "Ref", ref: "posts" },
  ];
  const parsed = parseDefinition({ name: "posts", rls: RLS_OFF, fields });
  assert.deepEqual(parsed.fields.map(({ type }) => type), fields.map(({ type }) => type));
  for (const type of ["string", "Text", "Integer", "", null, 1]) {
    assertRefused(withField({ key: "x", type }), /^fields\.0\.type: /);
  }
});

Deno.test("each missing member of rls gets its default", () => {
  const rlsOf = (rls: unknown) => parseDefinition({ name: "posts", rls }).rls;
  const all = { enabled: true, mode: "private", ownerField: "userId" };
  assert.deepEqual(rlsOf({}), all);
  assert.deepEqual(rlsOf({ mode: "public-read" }), { ...all, mode: "public-read" });
  assert.deepEqual(rlsOf({ enabled: false }), { ...all, enabled: false });
  assert.deepEqual(rlsOf({ ownerField: "author" }), { ...all, ownerField: "author" });
});

Deno.test("unknown members and values of wrong types are rejected with their path", () => {
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [{}, /^name: /],
    [{ name: 1 }, /^name: /],
    [{ name: "posts", fields: {} }, /^fields: /],
    [{ name: "posts", rls: true }, /^rls: /],
    [{ name: "posts", rls: { mode: "public" } }, /^rls\.mode: /],
    [{ name: "posts", rls: { enabled: "yes" } }, /^rls\.enabled: /],
    [{ name: "posts", rls: { owner: "x" } }, /^rls: .*owner/],
    [{ name: "posts", strict: 1 }, /^strict: /],
    [{ name: "posts", indices: [] }, /indices/],
    [withField({ type: "String" }), /^fields\.0\.key: /],
    [withField({ key: "a" }), /^fields\.0\.type: /],
    [withField({ key: "a", type: "String", max: 5 }), /^fields\.0: .*max/],
    [withField({ key: "a", type: "String", required: "yes" }), /^fields\.0\.required: /],
    [withField({ key: "a", type: "Array", items: { key: "b", type: "String" } }), /items: .*key/],
    [withField({ key: "a", type: "Array", items: { type: "String", unique: true } }), /unique/],
  ];
  for (const [input, message] of wrong) assertRefused(input, message);
  for (const input of [null, undefined, [], "posts", 5]) assertRefused(input, /^The definition: /);
});

Deno.test("a collection's name begins with a letter and has up to 64 characters", () => {
  for (const name of ["p", "Posts_2-x", "x".repeat(64), "user", "use_rs"]) {
    assert.equal(parseDefinition({ name }).name, name);
  }
  for (const name of ["", "_posts", "1st", "a b", "a.b", "a/b", "größe", "x".repeat(65)]) {
    assertRefused({ name }, /^The collection name ".*" must begin with a letter/);
  }
});

Deno.test("names that begin with users are reserved in every letter case", () => {
  for (const name of ["users", "Users", "USERS", "users2", "usersArchive", "uSeRs_x"]) {
    assertRefused({ name }, /is reserved: it begins with "users"/);
  }
});

Deno.test("field names follow the name rules at every level", () => {
  for (const key of ["", "_x", "1a", "a.b", "a b", "$a", "x".repeat(65)]) {
    assertRefused(withField({ key, type: "String" }), /must begin with a letter/);
    const nested = { key: "outer", type: "Object", fields: [{ key, type: "String" }] };
    assertRefused(withField(nested), /^The field "outer\..*must begin with a letter/);
  }
});

Deno.test("names of server fields are reserved", () => {
  for (const key of ["createdAt", "updatedAt", "isDeleted", "deletedAt"]) {
    assertRefused(withField({ key, type: "Date" }), new RegExp(`"${key}" is set by the server`));
  }
  assertRefused(withField({ key: "_id", type: "String" }), /"_id" is set by the server/);
});

Deno.test("names that JavaScript uses are reserved at every level", () => {
  for (const key of ["constructor", "prototype"]) {
    assertRefused(
      withField({ key, type: "String" }),
      new RegExp(`"${key}" has a name that is reserved`),
    );
    const nested = { key: "outer", type: "Object", fields: [{ key, type: "String" }] };
    assertRefused(withField(nested), new RegExp(`"outer\\.${key}" has a name that is reserved`));
  }
});

Deno.test("a field cannot be declared twice; letter case distinguishes fields", () => {
  const twice = [{ key: "a", type: "String" }, { key: "a", type: "Number" }];
  assertRefused({ name: "posts", fields: twice }, /The field "a" is declared twice/);
  const nested = { key: "o", type: "Object", fields: twice };
  assertRefused(withField(nested), /The field "o\.a" is declared twice/);
  const apart = [
    { key: "a", type: "String" },
    { key: "A", type: "Number" },
    { key: "o", type: "Object", fields: [{ key: "a", type: "String" }] },
  ];
  const parsed = parseDefinition({ name: "posts", rls: RLS_OFF, fields: apart });
  assert.deepEqual(parsed.fields.map(({ key }) => key), ["a", "A", "o"]);
});

Deno.test("ref goes with Ref, fields with Object and items with Array", () => {
  assertRefused(withField({ key: "a", type: "Ref" }), /needs "ref" if and only if/);
  assertRefused(withField({ key: "a", type: "String", ref: "posts" }), /needs "ref" if and only/);
  assertRefused(withField({ key: "a", type: "String", fields: [] }), /type must be Object/);
  assertRefused(withField({ key: "a", type: "Object", items: { type: "String" } }), /be Array/);
  assertRefused(withField({ key: "a", type: "Array", fields: [] }), /type must be Object/);
  const items = (item: unknown) => withField({ key: "a", type: "Array", items: item });
  assertRefused(items({ type: "Ref" }), /"a\.items" needs "ref"/);
  assertRefused(items({ type: "String", fields: [] }), /"a\.items" has "fields"/);
});

const nest = (depth: number): Record<string, unknown> => ({
  key: `level${depth}`,
  ...(depth === 1 ? { type: "String" } : { type: "Object", fields: [nest(depth - 1)] }),
});

Deno.test("fields nest up to three levels, through objects", () => {
  assert.ok(parseDefinition(withField(nest(3))));
  assertRefused(withField(nest(4)), /"level4\.level3\.level2\.level1" is nested deeper than 3/);
});

Deno.test("fields nest up to three levels, through arrays of objects and arrays of arrays", () => {
  const listOf = (item: unknown) => ({ type: "Array", items: item });
  const objectOf = (field: unknown) => ({ type: "Object", fields: [field] });
  const text = { type: "String" };
  const inLists = (deepest: unknown) =>
    withField({
      key: "a",
      ...listOf(objectOf({ key: "b", ...listOf(objectOf({ key: "c", ...listOf(deepest) })) })),
    });
  assert.ok(parseDefinition(inLists(text)));
  assertRefused(inLists(objectOf({ key: "d", type: "String" })), /nested deeper than 3/);
  assert.ok(parseDefinition(withField({ key: "a", ...listOf(listOf(listOf(text))) })));
  assertRefused(
    withField({ key: "a", ...listOf(listOf(listOf(listOf(text)))) }),
    /nested deeper than 3/,
  );
});

Deno.test("a definition of 10,000 levels is rejected without a crash", () => {
  let field: Record<string, unknown> = { key: "a", type: "String" };
  for (let depth = 0; depth < 10_000; depth++) {
    field = { key: "a", type: "Object", fields: [field] };
  }
  assertRefused(withField(field), /./);
});

Deno.test("a definition has up to 5000 values, which are counted before they are parsed", () => {
  const OTHER_VALUES_COUNT = 9; // All values except the elements of the default.
  const withDefault = (count: number) =>
    withField({ key: "tags", type: "Array", default: Array(count - OTHER_VALUES_COUNT).fill(0) });
  parseDefinition(withDefault(5000));
  assertRefused(withDefault(5001), /more than 5000 values/);
  assertRefused({ name: "posts", fields: Array(500_000).fill(0) }, /more than 5000 values/);
});

Deno.test("up to 200 fields can be declared, including nested fields", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ key: `f${n}`, type: "String" }));
  const definition = (fields: unknown) => ({ name: "posts", rls: RLS_OFF, fields });
  assert.equal(parseDefinition(definition(many(200))).fields.length, 200);
  assertRefused(definition(many(201)), /may declare up to 200 fields/);
  const nested = [{ key: "o", type: "Object", fields: many(200) }];
  assertRefused(definition(nested), /may declare up to 200 fields/);
});

Deno.test("referencesIn finds references at every level", () => {
  const { fields } = parseDefinition({
    name: "posts",
    rls: RLS_OFF,
    fields: [
      { key: "author", type: "Ref", ref: "users" },
      { key: "tags", type: "Array", items: { type: "Ref", ref: "tags" } },
      { key: "o", type: "Object", fields: [{ key: "parent", type: "Ref", ref: "posts" }] },
      { key: "title", type: "String" },
    ],
  });
  assert.deepEqual(referencedCollections(fields), ["users", "tags", "posts"]);
  assert.deepEqual(referencesIn(fields).map(({ path }) => path), [
    "author",
    "tags.items",
    "o.parent",
  ]);
});

Deno.test("a rejected definition names the path of the faulty field", () => {
  const pathsOf = (fields: unknown, ownerField?: string): string[] => {
    const rls = ownerField === undefined ? RLS_OFF : { ownerField };
    try {
      parseDefinition({ name: "posts", rls, fields });
    } catch (error) {
      if (error instanceof Problem) return error.faults.map(({ path }) => path);
    }
    return assert.fail("the definition is accepted");
  };
  const twice = [{ key: "a", type: "String" }, { key: "a", type: "Number" }];
  assert.deepEqual(pathsOf(twice), ["a"]);
  assert.deepEqual(pathsOf([{ key: "o", type: "Object", fields: twice }]), ["o.a"]);
  const list = { key: "list", type: "Array" };
  assert.deepEqual(pathsOf([{ ...list, items: { type: "Ref" } }]), ["list.items"]);
  assert.deepEqual(pathsOf([{ key: "a", type: "Number", default: "x" }]), ["a"]);
  assert.deepEqual(pathsOf([{ key: "by", type: "Number" }], "by"), ["by"]);
  assert.deepEqual(pathsOf([], "createdAt"), ["createdAt"]);
});

Deno.test("strict defaults to whether a field is declared, and stays unset in a replacement", () => {
  const fields = [{ key: "title", type: "String" }];
  assert.equal(parseDefinition({ name: "posts", fields }).strict, true);
  assert.equal(parseDefinition({ name: "posts", fields, strict: false }).strict, false);
  assert.equal(parseDefinition({ name: "posts", fields: [] }).strict, false);
  assert.equal(parseReplacement({ name: "posts", fields }).strict, null);
  assert.equal(parseReplacement({ name: "posts", strict: true }).strict, true);
});
