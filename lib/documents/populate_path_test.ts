import assert from "node:assert/strict";
import { processorMsOf } from "@/tests/attacks/cost.ts";
import type { FieldDefinition } from "./fields.ts";
import { firstReference, parsePopulatePath, referenceAt } from "./populate_path.ts";

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

Deno.test("populateSteps parses fields and collections with the field that refers back", () => {
  assert.deepEqual(parsePopulatePath("comments(on.post).author"), [
    { name: "comments", by: "on.post" },
    { name: "author", by: null },
  ]);
  for (const text of ["", ".", "a.", ".a", "a..b", "a()", "a(b", "(b)", "a(b)c", "a(b(c))"]) {
    assert.equal(parsePopulatePath(text), null, text);
  }
});

Deno.test("populateSteps rejects a long path quickly", async () => {
  const long = "a(".repeat(50_000);
  const read = () => Promise.resolve(assert.equal(parsePopulatePath(long), null));
  assert.ok(await processorMsOf(read, 100) < 100);
});

Deno.test("referenceAt finds references in fields, lists and nested objects", () => {
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
  assert.deepEqual(firstReference(FIELDS, parsePopulatePath("place.owner.company")!), owner);
});
