import assert from "node:assert/strict";
import { Problem } from "@/lib/problems.ts";
import { blamedPlace } from "./blame.ts";
import { type DraftField, NEW_FIELD, NEW_ITEM } from "./draft.ts";

const field = (key: string, more: Partial<DraftField> = {}): DraftField => ({
  ...NEW_FIELD,
  key,
  ...more,
});

const FIELDS: readonly DraftField[] = [
  field("title"),
  field("place", { type: "Object", fields: [field("city"), field("city")] }),
  field("tags", { type: "Array", item: { ...NEW_ITEM, type: "Ref", ref: "gone" } }),
  field("parts", {
    type: "Array",
    item: { ...NEW_ITEM, type: "Object", fields: [field("name")] },
  }),
];

const placeOf = (...paths: readonly string[]) => {
  const faults = paths.map((path) => ({ path, message: "is wrong" }));
  return blamedPlace(new Problem("INVALID_DEFINITION", { faults }), FIELDS);
};

Deno.test("a refusal is told at the row of its field, at any depth", () => {
  assert.equal(placeOf("title"), "0");
  assert.equal(placeOf("place"), "1");
  assert.equal(placeOf("parts.items.name"), "3.i.0");
});

Deno.test("of two fields of one name the later is blamed", () => {
  assert.equal(placeOf("place.city"), "1.1");
});

Deno.test("elements are told at the row of their array", () => {
  assert.equal(placeOf("tags.items"), "2");
});

Deno.test("the first fault that has a row is told there; without one no row is blamed", () => {
  assert.equal(placeOf("elsewhere", "title", "place"), "0");
  assert.equal(placeOf("elsewhere"), null);
  assert.equal(placeOf(), null);
});
