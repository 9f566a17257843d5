import assert from "node:assert/strict";
import { processorMsOf } from "@/tests/attacks/cost.ts";
import type { FieldDefinition } from "./fields.ts";
import { firstReference, populateSteps, referenceAt } from "./populate_path.ts";

const plain = { required: false, unique: false, index: false, search: false };
const FIELDS: readonly FieldDefinition[] = [
  { ...plain, key: "author", type: "Ref", ref: "users" },
  { ...plain, key: "tags", type: "Array", items: { type: "Ref", ref: "tags" } },
  { ...plain, key: "title", type: "String" },
  {
    ...plain,
    key: "place",
    type: "Object",
    fields: [{ ...plain, key: "owner", type: "Ref", ref: "people" }],
  },
];

Deno.test("a path is names, and collections with the field that refers back", () => {
  assert.deepEqual(populateSteps("comments(on.post).author"), [
    { name: "comments", by: "on.post" },
    { name: "author", by: null },
  ]);
  for (const text of ["", ".", "a.", ".a", "a..b", "a()", "a(b", "(b)", "a(b)c", "a(b(c))"]) {
    assert.equal(populateSteps(text), null, text);
  }
});

Deno.test("a long path is read in no time", async () => {
  const long = "a(".repeat(50_000);
  const read = () => Promise.resolve(assert.equal(populateSteps(long), null));
  assert.ok(await processorMsOf(read, 100) < 100);
});

Deno.test("a reference leads to its collection, also from a list and inside an object", () => {
  assert.deepEqual(referenceAt(FIELDS, "author"), {
    names: ["author"],
    target: "users",
    isList: false,
  });
  assert.deepEqual(referenceAt(FIELDS, "tags"), { names: ["tags"], target: "tags", isList: true });
  const owner = { names: ["place", "owner"], target: "people", isList: false };
  assert.deepEqual(referenceAt(FIELDS, "place.owner"), owner);
  for (const path of ["", "title", "place", "author.x", "toString"]) {
    assert.equal(referenceAt(FIELDS, path), null, path);
  }
  assert.deepEqual(firstReference(FIELDS, populateSteps("place.owner.company")!), owner);
});
