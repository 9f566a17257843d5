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

/** Returns the indexes of a collection as texts. */
const indexesOf = ({ records }: Collection) =>
  records.indexes.map(({ keys, unique }) =>
    (unique ? "unique " : "") +
    keys.map(({ path, descending }) => (descending ? "-" : "") + path).join()
  );

Deno.test("compileCollection uses the collection's name as table, a trash, and a limit of 1 MiB", () => {
  const { records } = collection();
  assert.equal(records.name, "posts");
  assert.equal(records.trash, true);
  assert.equal(records.bytesMax, 1_048_576);
  assert.equal(records.expiry, undefined);
});

Deno.test("compileCollection returns the shapes of declared, nested and server fields", () => {
  assert.deepEqual(collection().records.fields, {
    title: { type: "String" },
    free: { type: "Object" },
    place: { type: "Object", fields: { city: { type: "String" }, geo: { type: "Object" } } },
    list: { type: "Array", items: { type: "Object", fields: {} } },
    userId: { type: "String" },
    createdAt: { type: "Date", isAlwaysSet: true },
    updatedAt: { type: "Date", isAlwaysSet: true },
    isDeleted: { type: "Boolean", isAlwaysSet: true },
    deletedAt: { type: "Date" },
  });
});

Deno.test("compileCollection indexes the creation time, the owner, and declared fields", () => {
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

Deno.test("compileCollection returns a new version each time", () => {
  const versions = Array.from({ length: 100 }, () => collection().version);
  assert.equal(new Set(versions).size, 100);
});

Deno.test("declaredAt distinguishes declared, free and undeclared paths", () => {
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

Deno.test("newDocument puts the id first and is not deleted", () => {
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
