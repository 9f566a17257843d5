import assert from "node:assert/strict";
import {
  collectionPathOf,
  fieldsProblem,
  firestoreId,
  pathIn,
  typeOf,
} from "./firestore_values.ts";

const DATABASE = "projects/p/databases/(default)";

Deno.test("pathIn and collectionPathOf return the path of a document and of its collection", () => {
  assert.equal(pathIn(DATABASE, `${DATABASE}/documents/a/1`), "a/1");
  assert.equal(pathIn(DATABASE, "projects/q/databases/(default)/documents/a/1"), null);
  assert.equal(collectionPathOf("a/1"), "a");
  assert.equal(collectionPathOf("a/1/b/2"), "a/b");
  assert.match(firestoreId("a/1"), /^[0-9a-f]{24}$/);
  assert.notEqual(firestoreId("a/1"), firestoreId("a/1/b/1"));
});

Deno.test("typeOf returns the type that a definition can have", () => {
  const array = (...values: object[]) => ({ arrayValue: { values } }) as never;
  const cases: [never, string | null][] = [
    [{ nullValue: null } as never, null],
    [{ integerValue: "9007199254740991" } as never, "Number"],
    [{ integerValue: "9007199254740992" } as never, "String"],
    [{ doubleValue: "NaN" } as never, null],
    [array(), "Array"],
    [array({ nullValue: null }), "Array"],
    [array({ stringValue: "" }, { bytesValue: "" }), "Array of String"],
    [array({ stringValue: "" }, { booleanValue: true }), "Array of any"],
    [array({ mapValue: {} }), "Array of any"],
    [{ referenceValue: `${DATABASE}/documents/a/1/b/2` } as never, "Ref a/b"],
    [{ referenceValue: "elsewhere" } as never, "String"],
  ];
  for (const [value, type] of cases) {
    assert.equal(typeOf(value, DATABASE), type, JSON.stringify(value));
  }
});

Deno.test("fieldsProblem refuses invalid typed values at any depth", () => {
  const inner = (value: unknown) => ({
    a: { mapValue: { fields: { b: { arrayValue: { values: [value] } } } } },
  });
  assert.equal(fieldsProblem(inner({ stringValue: "x" }) as never), null);
  const right = [
    { nullValue: "NULL_VALUE" },
    { integerValue: "-9223372036854775808" },
    { integerValue: 5 },
    { doubleValue: "-Infinity" },
    { timestampValue: "2026-01-31T12:00:00.123456Z" },
    { geoPointValue: {} },
    { mapValue: {} },
    { arrayValue: {} },
  ];
  for (const value of right) assert.equal(fieldsProblem(inner(value) as never), null);
  const mistyped = [
    { booleanValue: "true" },
    { integerValue: "" },
    { integerValue: "1.5" },
    { integerValue: ["5"] },
    { integerValue: 2 ** 53 },
    { doubleValue: "1.5" },
    { timestampValue: "yesterday" },
    { stringValue: 5 },
    { bytesValue: null },
    { referenceValue: {} },
    { geoPointValue: { latitude: "north" } },
    { mapValue: [] },
    { arrayValue: { values: {} } },
  ];
  const untyped = [1, null, {}, [], { x: 1 }, { stringValue: "x", booleanValue: true }];
  for (const wrong of [...mistyped, ...untyped]) {
    assert.notEqual(fieldsProblem(inner(wrong) as never), null, JSON.stringify(wrong));
  }
  let deep: unknown = { nullValue: null };
  for (let n = 0; n < 5_000; n++) deep = { mapValue: { fields: { x: deep } } };
  assert.match(fieldsProblem({ deep } as never)!, /nested too deeply/);
});
