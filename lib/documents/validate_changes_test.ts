import assert from "node:assert/strict";
import type { Json } from "../store/port.ts";
import { type Collection, compileCollection } from "./collection.ts";
import { parseDefinition } from "./definition.ts";
import { validateChanges } from "./validate_changes.ts";

const NOW = "2026-01-31T12:00:00.000Z";

const FIELDS = [
  { key: "title", type: "String", required: true },
  { key: "on", type: "Date" },
  { key: "tags", type: "Array", items: { type: "String" } },
  { key: "free", type: "Object" },
  {
    key: "place",
    type: "Object",
    fields: [
      { key: "city", type: "String", required: true },
      { key: "since", type: "Date" },
      { key: "geo", type: "Object", fields: [{ key: "lat", type: "Number" }] },
    ],
  },
];

const collection = (parts: Record<string, unknown> = {}): Collection =>
  compileCollection(parseDefinition({ name: "posts", fields: FIELDS, strict: false, ...parts }));

/** Returns the values that a valid change stores. */
function stored(members: { [name: string]: Json }, parts: Record<string, unknown> = {}) {
  const { value, faults } = validateChanges(collection(parts), members, NOW);
  assert.deepEqual(faults, []);
  const { updatedAt, ...set } = value.set!;
  assert.equal(updatedAt, NOW);
  return set;
}

/** Returns the faults of a change as `path message`. */
function faultsOf(members: { [name: string]: Json }, parts: Record<string, unknown> = {}) {
  const { faults } = validateChanges(collection(parts), members, NOW);
  return faults.map(({ path, message }) => `${path} ${message}`);
}

Deno.test("validateChanges validates named fields and does not require others", () => {
  assert.deepEqual(stored({}), {});
  assert.deepEqual(stored({ on: "2026-01-31" }), { on: "2026-01-31T00:00:00.000Z" });
  assert.deepEqual(stored({ extra: { a: 1 }, on: null }), { extra: { a: 1 }, on: null });
});

Deno.test("a replaced object must have its required members", () => {
  assert.deepEqual(stored({ place: { city: "Bonn" } }), { place: { city: "Bonn" } });
  assert.deepEqual(faultsOf({ place: {} }), ["place.city is required"]);
});

Deno.test("a required field cannot be set to null, by its name or by a path", () => {
  assert.deepEqual(faultsOf({ title: null }), ["title is required and cannot be null"]);
  assert.deepEqual(faultsOf({ "place.city": null }), [
    "place.city is required and cannot be null",
  ]);
  assert.deepEqual(stored({ "place.since": null }), { "place.since": null });
});

Deno.test("the value of a dotted path is validated by its declaration", () => {
  assert.deepEqual(stored({ "place.since": "2026-01-31", "place.geo.lat": 50.7 }), {
    "place.since": "2026-01-31T00:00:00.000Z",
    "place.geo.lat": 50.7,
  });
  assert.deepEqual(faultsOf({ "place.geo.lat": "north" }), ["place.geo.lat must be a Number"]);
  assert.deepEqual(faultsOf({ "place.geo": { lat: "north" } }), [
    "place.geo.lat must be a Number",
  ]);
});

Deno.test("a dotted path may lead into free objects and undeclared fields", () => {
  assert.deepEqual(stored({ "free.a.b": 1, "extra.c": [1] }), { "free.a.b": 1, "extra.c": [1] });
  assert.deepEqual(stored({ "place.other": 1 }), { "place.other": 1 });
});

Deno.test("a path through a field of another type is rejected", () => {
  assert.deepEqual(faultsOf({ "title.a": 1 }), [
    "title.a leads through title, which is declared as another type",
  ]);
  assert.deepEqual(faultsOf({ "tags.0": "x" }), [
    "tags.0 leads through tags, which is declared as another type",
  ]);
  assert.deepEqual(faultsOf({ "place.city.a.b": 1 }), [
    "place.city.a.b leads through place.city, which is declared as another type",
  ]);
});

Deno.test("a path that begins with a server field is rejected", () => {
  for (const name of ["_id", "createdAt", "updatedAt", "isDeleted", "deletedAt"]) {
    assert.deepEqual(faultsOf({ [`${name}.a`]: 1 }), [
      `${name}.a leads into a field set by the server`,
    ]);
  }
});

Deno.test("a path that begins with the owner field is rejected, if there is an owner", () => {
  assert.deepEqual(faultsOf({ "userId.a": 1 }), ["userId.a leads into the owner field"]);
  const author = { rls: { ownerField: "author" } };
  assert.deepEqual(faultsOf({ "author.a": 1 }, author), ["author.a leads into the owner field"]);
  assert.deepEqual(stored({ "userId.a": 1 }, author), { "userId.a": 1 });
  assert.deepEqual(stored({ "userId.a": 1 }, { rls: { enabled: false } }), { "userId.a": 1 });
});

Deno.test("each segment of a path follows the name rules", () => {
  for (const path of ["a.", ".a", "a..b", "a.$b", "a.__proto__", "a.b ", "free.constructor.x"]) {
    assert.match(faultsOf({ [path]: 1 })[0] ?? "", /cannot be a path: /, path);
  }
});

Deno.test("a change within another change is rejected", () => {
  assert.deepEqual(faultsOf({ free: {}, "free.a": 1 }), [
    "free.a lies within another field of the same change",
  ]);
  assert.deepEqual(faultsOf({ "free.a.b": 1, "free.a": {} }), [
    "free.a.b lies within another field of the same change",
  ]);
  assert.deepEqual(stored({ "free.a": 1, "free.ab": 2, freedom: 3 }), {
    "free.a": 1,
    "free.ab": 2,
    freedom: 3,
  });
});

Deno.test("a strict collection accepts only declared paths", () => {
  const strict = { strict: true };
  assert.deepEqual(stored({ "place.geo.lat": 1, "free.any.thing": 2 }, strict), {
    "place.geo.lat": 1,
    "free.any.thing": 2,
  });
  for (const path of ["place.other", "place.geo.lng", "extra.a"]) {
    assert.deepEqual(faultsOf({ [path]: 1 }, strict), [`${path} is not declared`]);
  }
  assert.deepEqual(faultsOf({ extra: 1 }, strict), ["extra is not declared"]);
  assert.deepEqual(faultsOf({ "place.geo": { lng: 1 } }, strict), [
    "place.geo.lng is not declared",
  ]);
});

Deno.test("a change cannot exceed the depth limit of documents", () => {
  const path = (names: number) => ["x", ...Array(names - 1).fill("a")].join(".");
  const objects = (levels: number) =>
    JSON.parse('{"a":'.repeat(levels) + "1" + "}".repeat(levels)) as Json;
  assert.deepEqual(faultsOf({ [path(20)]: 1 }), []);
  assert.match(faultsOf({ [path(21)]: 1 })[0] ?? "", /has more than 20 levels/);
  assert.deepEqual(faultsOf({ [path(10)]: objects(10) }), []);
  assert.match(faultsOf({ [path(10)]: objects(11) })[0] ?? "", /is nested deeper than 20 levels/);
});

Deno.test("a path of a change is at most 300 characters long", () => {
  const path = (length: number) => `x.${"a".repeat(length - 2)}`;
  assert.deepEqual(faultsOf({ [path(300)]: 1 }), []);
  assert.match(faultsOf({ [path(301)]: 1 })[0] ?? "", /is longer than 300 characters/);
});

Deno.test("validateChanges reports every fault", () => {
  assert.deepEqual(faultsOf({ title: 1, "place.city": 2, "_id.x": 3 }).sort(), [
    "_id.x leads into a field set by the server",
    "place.city must be a String",
    "title must be a String",
  ]);
});
