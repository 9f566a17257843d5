import assert from "node:assert/strict";
import { checkDocuments } from "@/lib/documents/check_documents.ts";
import { openForWriting } from "@/lib/documents/access.ts";
import type { StoredDocument } from "@/lib/documents/collection.ts";
import type { Services } from "@/lib/services.ts";
import type { Definition, Json } from "@/lib/store/port.ts";
import { openTestServices } from "../support/test_services.ts";
import { database } from "../support/test_store.ts";
import { createCollection, updateCollection } from "@/tests/support/given.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const SECRET = { kind: "secret", projectId: PROJECT } as const;
const SINCE = "2020-01-01T00:00:00.000Z";

const POSTS = {
  name: "posts",
  rls: { enabled: false },
  fields: [
    { key: "due", type: "Date" },
    { key: "place", type: "Object", fields: [{ key: "since", type: "Date" }] },
    { key: "author", type: "Ref", ref: "users" },
    { key: "rank", type: "Number", required: true, default: 1 },
    { key: "title", type: "String", required: true },
  ],
};

/** As a version stored it that did not look at the definition which stood. */
async function unaware({ catalog, engine }: Services) {
  const { records: { name, fields: declared } } = (await catalog.find(PROJECT, "posts"))!;
  const ours: Definition["fields"] = {
    isDeleted: { type: "Boolean" },
    createdAt: { type: "Date" },
    updatedAt: { type: "Date" },
    deletedAt: { type: "Date" },
  };
  // What SQLite keeps beside a text was made of the text when an earlier version's was brought over.
  const fields = database === "sqlite" ? declared : ours;
  const definition = { name, fields, indexes: [], trash: true };
  return engine.records<StoredDocument>(PROJECT, definition);
}

async function store(services: Services, ...documents: { [name: string]: Json }[]) {
  const at = "2026-01-01T00:00:00.000Z";
  const owned = { createdAt: at, updatedAt: at, isDeleted: false, deletedAt: null };
  const stored = documents.map((one): StoredDocument => ({
    _id: services.newId(),
    ...one,
    ...owned,
  }));
  await (await unaware(services)).insertMany(stored);
  return stored.map(({ _id }) => _id);
}

async function open() {
  const opened = await openTestServices();
  await createCollection(opened.services, PROJECT, POSTS);
  // What the definition makes is there before the others write.
  await (await openForWriting(opened.services, SECRET, "posts")).records.count({
    op: "and",
    of: [],
  });
  return opened;
}

/** How many documents a query finds by what is declared. */
async function since(services: Services, path: string): Promise<number> {
  const { records } = await openForWriting(services, SECRET, "posts");
  return await records.count({ op: "gte", path, value: SINCE });
}

const all = { projectId: PROJECT, name: "posts" };

Deno.test("what is stored otherwise than its definition says is stored anew, and then is found", async () => {
  await using opened = await open();
  const { services } = opened;
  const date = "2026-05-05T05:05:05.000Z";
  const author = "ABCDEFABCDEFABCDEFABCDEF";
  await store(
    services,
    ...Array.from({ length: 250 }, (_, n) => ({ n, due: date, rank: 2, title: "a" })),
    { place: { since: date, more: [1] }, rank: 2, title: "b" },
    { due: "2026-05-05T07:05:05+02:00", rank: 2, title: "c" },
    { author, rank: 2, title: "d" },
    { title: "e" },
  );
  const [fine] = await store(services, { rank: 3, title: "fine" });
  const target = await openForWriting(services, SECRET, "posts");
  const before = await target.records.get(fine!);
  const first = await checkDocuments(services, all);
  assert.deepEqual([first.checked, first.violations], [255, []]);
  assert.ok(first.mended >= 3);
  assert.equal(await since(services, "due"), 251);
  assert.equal(await since(services, "place.since"), 1);
  assert.equal(
    await target.records.count({ op: "eq", path: "author", value: author.toLowerCase() }),
    1,
  );
  const [e] = JSON.parse(`[${
    (await target.records.list({
      filter: { op: "eq", path: "title", value: "e" },
      sort: [],
      limit: 2,
    })).items
  }]`);
  assert.equal(e.rank, 1);
  assert.deepEqual(await target.records.get(fine!), before);
  assert.deepEqual(await checkDocuments(services, all), { ...first, mended: 0 });
});

Deno.test("what nobody but the owner can mend is told, the first ten, and the rest mended", async () => {
  await using opened = await open();
  const { services } = opened;
  const untitled = await store(services, ...Array.from({ length: 12 }, () => ({ rank: 1 })));
  const [undated] = await store(services, { due: "soon", rank: 1, title: "a" });
  await store(services, { title: "b" });
  const { mended, violations } = await checkDocuments(services, all);
  assert.deepEqual(
    violations,
    untitled.slice(0, 10).map((id) => ({ id, fault: { path: "title", message: "is required" } })),
  );
  assert.equal(mended, 1);
  for (const id of untitled) {
    await (await unaware(services)).deleteOne({ op: "eq", path: "_id", value: id });
  }
  const left = await checkDocuments(services, all);
  assert.deepEqual(left.violations.map(({ id }) => id), [undated]);
  assert.equal(left.violations[0]!.fault.path, "due");
});

Deno.test("saving a definition again mends, and names what cannot be", async () => {
  await using opened = await open();
  const { services } = opened;
  await store(services, { due: "2026-05-05T05:05:05.000Z", title: "a" });
  await updateCollection(services, PROJECT, POSTS);
  assert.equal(await since(services, "due"), 1);
  const [untitled] = await store(services, { rank: 1 });
  await assert.rejects(updateCollection(services, PROJECT, POSTS), {
    code: "DEFINITION_CONFLICT",
    message: new RegExp(`${untitled}: "title" is required`),
  });
});
