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

/** Returns records as an earlier version stored them, without regard to the current definition. */
async function recordsOfEarlierVersion({ catalog, engine }: Services) {
  const { records: { name, fields: declared } } = (await catalog.find(PROJECT, "posts"))!;
  const corbelFields: Definition["fields"] = {
    isDeleted: { type: "Boolean" },
    createdAt: { type: "Date" },
    updatedAt: { type: "Date" },
    deletedAt: { type: "Date" },
  };
  // The migration of an earlier SQLite file computed its columns by the definition.
  const fields = database === "sqlite" ? declared : corbelFields;
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
  await (await recordsOfEarlierVersion(services)).insertMany(stored);
  return stored.map(({ _id }) => _id);
}

async function open() {
  const opened = await openTestServices();
  await createCollection(opened.services, PROJECT, POSTS);
  // The table of the definition must exist before records of an earlier version are written.
  await (await openForWriting(opened.services, SECRET, "posts")).records.count({
    op: "and",
    of: [],
  });
  return opened;
}

/** Returns the number of documents that a comparison by the declared field type finds. */
async function countSince(services: Services, path: string): Promise<number> {
  const { records } = await openForWriting(services, SECRET, "posts");
  return await records.count({ op: "gte", path, value: SINCE });
}

const POSTS_COLLECTION = { projectId: PROJECT, name: "posts" };

Deno.test("checkDocuments stores documents again that do not match their definition", async () => {
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
  const first = await checkDocuments(services, POSTS_COLLECTION);
  assert.deepEqual([first.checked, first.violations], [255, []]);
  assert.ok(first.mended >= 3);
  assert.equal(await countSince(services, "due"), 251);
  assert.equal(await countSince(services, "place.since"), 1);
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
  assert.deepEqual(await checkDocuments(services, POSTS_COLLECTION), { ...first, mended: 0 });
});

Deno.test("checkDocuments reports the first ten documents that it cannot mend, and mends the rest", async () => {
  await using opened = await open();
  const { services } = opened;
  const untitled = await store(services, ...Array.from({ length: 12 }, () => ({ rank: 1 })));
  const [undated] = await store(services, { due: "soon", rank: 1, title: "a" });
  await store(services, { title: "b" });
  const { mended, violations } = await checkDocuments(services, POSTS_COLLECTION);
  assert.deepEqual(
    violations,
    untitled.slice(0, 10).map((id) => ({ id, fault: { path: "title", message: "is required" } })),
  );
  assert.equal(mended, 1);
  for (const id of untitled) {
    await (await recordsOfEarlierVersion(services)).deleteOne({ op: "eq", path: "_id", value: id });
  }
  const left = await checkDocuments(services, POSTS_COLLECTION);
  assert.deepEqual(left.violations.map(({ id }) => id), [undated]);
  assert.equal(left.violations[0]!.fault.path, "due");
});

Deno.test("updateCollection mends documents, and names one that it cannot mend", async () => {
  await using opened = await open();
  const { services } = opened;
  await store(services, { due: "2026-05-05T05:05:05.000Z", title: "a" });
  await updateCollection(services, PROJECT, POSTS);
  assert.equal(await countSince(services, "due"), 1);
  const [untitled] = await store(services, { rank: 1 });
  await assert.rejects(updateCollection(services, PROJECT, POSTS), {
    code: "DEFINITION_CONFLICT",
    message: new RegExp(`${untitled}: "title" is required`),
  });
});
