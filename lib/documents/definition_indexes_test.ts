import assert from "node:assert/strict";
import { parseDefinition } from "./definition.ts";

const FIELDS = [
  { key: "status", type: "String" },
  { key: "views", type: "Number" },
  { key: "tags", type: "Array", items: { type: "String" } },
  { key: "marks", type: "Array", items: { type: "Number" } },
  { key: "places", type: "Array", items: { type: "Object" } },
  { key: "anything", type: "Array" },
  { key: "place", type: "Object", fields: [{ key: "city", type: "String" }] },
  { key: "open", type: "Object" },
];

const parsed = (indexes: unknown) => parseDefinition({ name: "posts", fields: FIELDS, indexes });

Deno.test("an index can have scalar fields, one array of scalars, and the server's times", () => {
  const indexes = [
    { fields: ["status", "-views"], unique: true },
    { fields: ["place.city", "createdAt", "-updatedAt", "userId"] },
    { fields: ["status", "tags", "-createdAt"] },
  ];
  assert.deepEqual(parsed(indexes).indexes, [
    { fields: ["status", "-views"], unique: true },
    { fields: ["place.city", "createdAt", "-updatedAt", "userId"], unique: false },
    { fields: ["status", "tags", "-createdAt"], unique: false },
  ]);
  assert.deepEqual(parseDefinition({ name: "posts" }).indexes, []);
});

Deno.test("an invalid index is rejected with its position and the field", () => {
  const wrong: [unknown, RegExp][] = [
    [[{ fields: [] }], /^indexes\.0 must have 1 to 4 fields\.$/],
    [[{ fields: ["status", "views", "place.city", "createdAt", "updatedAt"] }], /1 to 4 fields/],
    [
      [{ fields: ["status"] }, { fields: ["nothing"] }],
      /^indexes\.1 names "nothing", which is not/,
    ],
    [[{ fields: ["--views"] }], /names "-views", which is not declared/],
    [[{ fields: ["place.street"] }], /names "place\.street", which is not declared/],
    [[{ fields: ["open.any"] }], /which is not declared/],
    [
      [{ fields: ["tags"], unique: true }],
      /is unique, so it cannot name "tags", which is an Array/,
    ],
    [[{ fields: ["tags", "marks"] }], /names "marks", a second Array in addition to "tags"/],
    [[{ fields: ["places"] }], /names "places", which is neither a single value nor an Array/],
    [[{ fields: ["anything"] }], /names "anything", which is neither a single value nor an Array/],
    [[{ fields: ["place"] }], /names "place", which is neither a single value nor an Array/],
    [[{ fields: ["_id"] }], /which is not declared/],
    [[{ fields: ["status", "-status"] }], /names "status" twice/],
    [[{ fields: ["status"] }, { fields: ["status"], unique: false }], /^indexes\.1 is the same/],
    [Array.from({ length: 11 }, (_, i) => ({ fields: [`f${i}`] })), /^indexes has more than 10\.$/],
    [[{ fields: "status" }], /indexes\.0\.fields/],
    [[{ fields: ["status"], sparse: true }], /indexes\.0/],
    ["status", /indexes/],
  ];
  for (const [indexes, message] of wrong) {
    assert.throws(() => parsed(indexes), { code: "INVALID_DEFINITION", message });
  }
});
