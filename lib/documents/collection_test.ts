import assert from "node:assert/strict";
import { type Collection, compileCollection, declaredAt, newDocument } from "./collection.ts";
import { parseDefinition } from "./definition.ts";

const collection = (parts: Record<string, unknown> = {}): Collection =>
  compileCollection(parseDefinition({
    name: "posts",
    fields: [
      { key: "title", type: "String", unique: true },
      { key: "free", type: "Object" },
      {
        key: "place",
        type: "Object",
        fields: [
          { key: "city", type: "String", index: true },
          { key: "geo", type: "Object" },
        ],
      },
      { key: "list", type: "Array", items: { type: "Object", fields: [] } },
    ],
    ...parts,
  }));

/** What an index is over, as text. */
const indexesOf = ({ records }: Collection) =>
  records.indexes.map(({ keys, unique }) =>
    (unique ? "unique " : "") +
    keys.map(({ path, descending }) => (descending ? "-" : "") + path).join()
  );

Deno.test("documents are stored under the collection's name, with a trash, up to 1 MiB", () => {
  const { records } = collection();
  assert.equal(records.name, "posts");
  assert.equal(records.trash, true);
  assert.equal(records.bytesMax, 1_048_576);
  assert.equal(records.expiry, undefined);
});

Deno.test("declared and server-owned fields have their shapes, nested ones too", () => {
  assert.deepEqual(collection().records.fields, {
    title: { type: "String" },
    free: { type: "Object" },
    place: { type: "Object", fields: { city: { type: "String" }, geo: { type: "Object" } } },
    list: { type: "Array", items: { type: "Object", fields: {} } },
    userId: { type: "String" },
    createdAt: { type: "Date", always: true },
    updatedAt: { type: "Date", always: true },
    isDeleted: { type: "Boolean", always: true },
    deletedAt: { type: "Date" },
  });
});

Deno.test("the newest, an owner's newest, and what the definition names have an index", () => {
  const declared = ["unique title", "place.city"];
  assert.deepEqual(indexesOf(collection()), ["createdAt", "userId,createdAt", ...declared]);
  const byAuthor = collection({ rls: { ownerField: "author" } });
  assert.deepEqual(indexesOf(byAuthor), ["createdAt", "author,createdAt", ...declared]);
  const open = collection({ rls: { enabled: false } });
  assert.deepEqual(indexesOf(open), ["createdAt", ...declared]);
});

Deno.test("a field may be both unique and indexed", () => {
  const fields = [{ key: "n", type: "Number", unique: true, index: true }];
  const both = collection({ fields, rls: { enabled: false } });
  assert.deepEqual(indexesOf(both), ["createdAt", "n", "unique n"]);
});

Deno.test("every compilation is a version of its own", () => {
  const versions = Array.from({ length: 100 }, () => collection().version);
  assert.equal(new Set(versions).size, 100);
});

Deno.test("a path is declared, free inside an open object, or undeclared", () => {
  const kinds: Record<string, string> = {
    _id: "declared",
    createdAt: "declared",
    isDeleted: "declared",
    title: "declared",
    "place.city": "declared",
    "place.geo": "declared",
    "free.a": "free",
    "free.a.b.c": "free",
    "place.geo.lat": "free",
    other: "undeclared",
    "other.a": "undeclared",
    "place.zip": "undeclared",
    "title.a": "undeclared",
    "list.a": "undeclared",
    "list.0": "undeclared",
    "createdAt.a": "undeclared",
    toString: "undeclared",
    "place.toString": "undeclared",
    "_id.a": "undeclared",
  };
  for (const [path, kind] of Object.entries(kinds)) {
    assert.equal(declaredAt(collection(), path).kind, kind, path);
  }
  assert.deepEqual(declaredAt(collection(), "_id"), {
    kind: "declared",
    shape: { type: "String" },
  });
});

Deno.test("a new document has its id first and is alive", () => {
  const document = newDocument(
    "66f1a0c2e4b0a1b2c3d4e5f6",
    { b: 1, a: 2 },
    "2026-01-31T12:00:00.000Z",
  );
  assert.equal(
    JSON.stringify(document),
    '{"_id":"66f1a0c2e4b0a1b2c3d4e5f6","b":1,"a":2,"createdAt":"2026-01-31T12:00:00.000Z",' +
      '"updatedAt":"2026-01-31T12:00:00.000Z","isDeleted":false,"deletedAt":null}',
  );
});
