import assert from "node:assert/strict";
import type { Definition, Index } from "../port.ts";
import { indexSchemas, indexStatement } from "./index_schema.ts";

const SHAPE: Definition = {
  name: "posts",
  fields: {
    a: { type: "String" },
    n: { type: "Number" },
    o: { type: "Object", fields: { p: { type: "Date" } } },
    list: { type: "Array" },
    isDeleted: { type: "Boolean" },
  },
  indexes: [],
  trash: true,
};

function statementOf(index: Index): string {
  const definition = { ...SHAPE, indexes: [index] };
  const [schema] = indexSchemas(definition).values();
  return indexStatement(definition, schema!);
}

const A = { path: "a", descending: false };
const N = { path: "n", descending: true };

Deno.test("a list index covers all records, with isDeleted first and the id last", () => {
  assert.equal(
    statementOf({ keys: [A, N] }),
    'CREATE INDEX "i_posts list (a,-n)" on "r_posts"(".is^deleted", ".a", ".n" desc, id desc)',
  );
});

Deno.test("a unique index covers live records in which all keys have values", () => {
  assert.equal(
    statementOf({ keys: [A, N], unique: true }),
    'CREATE UNIQUE INDEX "i_posts unique (a,-n)" on "r_posts"(".a", ".n") ' +
      'where ".a" is not null and ".n" is not null and ".is^deleted" = 0',
  );
});

Deno.test("only declared scalars can be indexed", () => {
  for (const path of ["o", "other", "o.q"]) {
    const index = { keys: [{ path, descending: false }] };
    assert.throws(() => statementOf(index), /not a declared scalar/);
  }
});
