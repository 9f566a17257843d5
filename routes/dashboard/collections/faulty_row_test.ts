import assert from "node:assert/strict";
import { Problem } from "@/lib/problems.ts";
import { faultyRowPlace } from "./faulty_row.ts";
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

const faultyPlace = (...paths: readonly string[]) => {
  const faults = paths.map((path) => ({ path, message: "is wrong" }));
  return faultyRowPlace(new Problem("INVALID_DEFINITION", { faults }), FIELDS);
};

Deno.test("faultyRowPlace finds the row of a field at any depth", () => {
  assert.equal(faultyPlace("title"), "0");
  assert.equal(faultyPlace("place"), "1");
  assert.equal(faultyPlace("parts.items.name"), "3.i.0");
});

Deno.test("faultyRowPlace returns the later of two fields with one name", () => {
  assert.equal(faultyPlace("place.city"), "1.1");
});

Deno.test("faultyRowPlace returns the array's row for a fault of its elements", () => {
  assert.equal(faultyPlace("tags.items"), "2");
});

Deno.test("faultyRowPlace uses the first fault with a row, and returns null without one", () => {
  assert.equal(faultyPlace("elsewhere", "title", "place"), "0");
  assert.equal(faultyPlace("elsewhere"), null);
  assert.equal(faultyPlace(), null);
});
