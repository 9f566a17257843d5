import assert from "node:assert/strict";
import type { Definition, FieldShape } from "./port.ts";
import { isObject, nearestShape, scalarAt, shapeAt, valueAt } from "./shape.ts";

const FIELDS: Record<string, FieldShape> = {
  title: { type: "String" },
  free: { type: "Object" },
  place: {
    type: "Object",
    fields: {
      city: { type: "String" },
      geo: { type: "Object", fields: { lat: { type: "Number" } } },
    },
  },
  tags: { type: "Array", items: { type: "String" } },
  "odd name": { type: "String" },
};

const DEFINITION: Definition = { name: "posts", fields: FIELDS, indexes: [], trash: false };

Deno.test("shapeAt returns the declared shape at a path, or null", () => {
  assert.deepEqual(shapeAt(FIELDS, "title"), { type: "String" });
  assert.deepEqual(shapeAt(FIELDS, "place.city"), { type: "String" });
  assert.deepEqual(shapeAt(FIELDS, "place.geo.lat"), { type: "Number" });
  assert.equal(shapeAt(FIELDS, "place.geo"), FIELDS.place!.fields!.geo);
  const none = [
    "",
    "other",
    "title.x",
    "free.x",
    "place.zip",
    "tags.0",
    "place.city.x",
    "toString",
    "place.toString",
    "__proto__",
    "place.__proto__.city",
    ".title",
    "title.",
  ];
  for (const path of none) assert.equal(shapeAt(FIELDS, path), null, path);
});

Deno.test("nearestShape follows a path as far as it is declared", () => {
  const nearest = (path: string) => {
    const { shape, path: way, isComplete } = nearestShape(FIELDS, path);
    return [shape?.type ?? null, way, isComplete];
  };
  assert.deepEqual(nearest("title"), ["String", "title", true]);
  assert.deepEqual(nearest("place.geo.lat"), ["Number", "place.geo.lat", true]);
  assert.deepEqual(nearest("place.geo.height.unit"), ["Object", "place.geo", false]);
  assert.deepEqual(nearest("title.a.b"), ["String", "title", false]);
  assert.deepEqual(nearest("tags.0.a"), ["Array", "tags", false]);
  assert.deepEqual(nearest("free.a"), ["Object", "free", false]);
  for (const path of ["", "other", ".title", "toString.x", "place"]) {
    const [type] = nearest(path);
    assert.equal(type, path === "place" ? "Object" : null, path);
  }
  assert.deepEqual(nearest("place."), ["Object", "place", false]);
});

Deno.test("scalarAt returns the type of declared scalars only, and String for the id", () => {
  assert.equal(scalarAt(DEFINITION, "title"), "String");
  assert.equal(scalarAt(DEFINITION, "place.geo.lat"), "Number");
  assert.equal(scalarAt(DEFINITION, "_id"), "String");
  for (const path of ["free", "place", "tags", "other", "place.geo", "tags.0"]) {
    assert.equal(scalarAt(DEFINITION, path), null, path);
  }
});

Deno.test("scalarAt throws for a declared path that is unsafe in a statement", () => {
  assert.throws(() => scalarAt(DEFINITION, "odd name"), TypeError);
  for (const name of ['a"', "a'b", "a]", "ä", "a;--"]) {
    const fields = { [name]: { type: "String" } as const };
    assert.throws(() => scalarAt({ ...DEFINITION, fields }, name), TypeError);
  }
});

Deno.test("valueAt follows a path through objects only", () => {
  const record = { _id: "a", n: 0, none: null, o: { p: { q: [1] }, "": 1 }, list: [{ x: 1 }] };
  assert.equal(valueAt(record, "_id"), "a");
  assert.equal(valueAt(record, "n"), 0);
  assert.equal(valueAt(record, "none"), null);
  assert.deepEqual(valueAt(record, "o.p.q"), [1]);
  const missing = [
    "other",
    "n.x",
    "none.x",
    "o.x.y",
    "list.x",
    "list.0",
    "o.p.q.0",
    "o.p.q.length",
    "toString",
    "o.constructor",
    "__proto__",
  ];
  for (const path of missing) assert.equal(valueAt(record, path), undefined, path);
});

Deno.test("isObject is false for null and lists", () => {
  assert.equal(isObject({}), true);
  for (const value of [null, undefined, [], "a", 1, true]) assert.equal(isObject(value), false);
});
