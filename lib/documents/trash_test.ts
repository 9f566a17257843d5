import assert from "node:assert/strict";
import { openTestServices, type TestServices } from "@/tests/support/test_services.ts";
import type { Caller } from "../auth/principals.ts";
import { QueryTooSlow } from "../store/errors.ts";
import { ALL } from "../store/filter.ts";
import type { Filter, Id, Json, ListQuery, Records } from "../store/port.ts";
import { openForWriting, type WriteAccess } from "./access.ts";
import type { StoredDocument } from "./collection.ts";
import { etagOf } from "./document.ts";
import { purgeTrash } from "./trash.ts";
import { writeDocument } from "./write_document.ts";
import { createCollection } from "@/tests/support/given.ts";

type Services = TestServices["services"];

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const USER = "aaaaaaaaaaaaaaaaaaaaaaaa";
const SECRET: Caller = { kind: "secret", projectId: PROJECT };
const OWNER: Caller = { kind: "publishable", projectId: PROJECT, userId: USER };
const DAY = 86_400_000;

const DEFINITION = {
  name: "posts",
  rls: { mode: "public-read" },
  fields: [{ key: "slug", type: "String", unique: true }],
};

const id = (n: number): Id => n.toString(16).padStart(24, "0");

/** Stores documents without validation. */
async function store(
  { services }: TestServices,
  ...documents: readonly { readonly [name: string]: Json }[]
): Promise<Records<StoredDocument>> {
  const { records } = await openForWriting(services, SECRET, DEFINITION.name);
  await records.insertMany(documents.map((members, n) => ({
    _id: id(n + 1),
    createdAt: "2025-01-01T00:00:00.000Z",
    updatedAt: "2025-01-01T00:00:00.000Z",
    isDeleted: false,
    deletedAt: null,
    ...members,
  })));
  return records;
}

const deletedAt = (time: string) => ({ isDeleted: true, deletedAt: time });

async function setup(): Promise<TestServices & { open(caller?: Caller): Promise<WriteAccess> }> {
  const opened = await openTestServices();
  await createCollection(opened.services, PROJECT, DEFINITION);
  return { ...opened, open: (caller = SECRET) => openForWriting(opened.services, caller, "posts") };
}

interface Deletion {
  readonly id: Id;
  readonly permanent: boolean;
  readonly ifMatch: string | null;
}

const forTrash = (n: number): Deletion => ({ id: id(n), permanent: false, ifMatch: null });

const deleteDocument = (services: Services, target: WriteAccess, deletion: Deletion) =>
  writeDocument(services, target, { action: "delete", ...deletion });

const recoverDocument = async (services: Services, target: WriteAccess, id: Id) => {
  const { json } = await writeDocument(services, target, { action: "recover", id });
  return { json, value: JSON.parse(json) };
};

Deno.test("a deleted document moves to the trash with the time of its deletion", async () => {
  await using posts = await setup();
  const records = await store(posts, { title: "a" });
  await deleteDocument(posts.services, await posts.open(), forTrash(1));
  const { value } = (await records.get(id(1)))!;
  assert.equal(value.title, "a");
  assert.equal(value.isDeleted, true);
  assert.equal(value.deletedAt, "2026-01-31T12:00:00.000Z");
  assert.equal(value.updatedAt, "2026-01-31T12:00:00.000Z");
});

Deno.test("a second deletion throws DOCUMENT_NOT_FOUND and keeps the time of the first", async () => {
  await using posts = await setup();
  const records = await store(posts, {});
  await deleteDocument(posts.services, await posts.open(), forTrash(1));
  posts.clock.advance(1000);
  await assert.rejects(deleteDocument(posts.services, await posts.open(), forTrash(1)), {
    code: "DOCUMENT_NOT_FOUND",
  });
  assert.equal((await records.get(id(1)))?.value.deletedAt, "2026-01-31T12:00:00.000Z");
});

Deno.test("of 50 concurrent deletions exactly one succeeds", async () => {
  await using posts = await setup();
  await store(posts, {});
  const target = await posts.open();
  const all = await Promise.allSettled(
    Array.from({ length: 50 }, () => deleteDocument(posts.services, target, forTrash(1))),
  );
  assert.equal(all.filter(({ status }) => status === "fulfilled").length, 1);
});

Deno.test("a permanent deletion removes live documents and documents in the trash", async () => {
  await using posts = await setup();
  const records = await store(posts, {}, deletedAt("2026-01-30T12:00:00.000Z"), {});
  for (const n of [1, 2]) {
    const input = { id: id(n), permanent: true, ifMatch: null };
    await deleteDocument(posts.services, await posts.open(), input);
  }
  assert.equal(await records.count(ALL), 1);
});

Deno.test("users can delete only their own documents", async () => {
  await using posts = await setup();
  const records = await store(posts, { userId: USER }, { userId: "b".repeat(24) }, {});
  const target = await posts.open(OWNER);
  await deleteDocument(posts.services, target, forTrash(1));
  for (const n of [2, 3]) {
    await assert.rejects(deleteDocument(posts.services, target, forTrash(n)), {
      code: "OWNER_MISMATCH",
    });
    assert.equal((await records.get(id(n)))?.value.isDeleted, false);
  }
});

Deno.test("a deletion with If-Match deletes only the state that was read", async () => {
  await using posts = await setup();
  const records = await store(posts, {});
  const target = await posts.open();
  const stale = { ...forTrash(1), ifMatch: '"another"' };
  await assert.rejects(deleteDocument(posts.services, target, stale), {
    code: "PRECONDITION_FAILED",
  });
  assert.equal((await records.get(id(1)))?.value.isDeleted, false);
  const current = { ...forTrash(1), ifMatch: etagOf((await records.get(id(1)))!) };
  await deleteDocument(posts.services, target, current);
  assert.equal((await records.get(id(1)))?.value.isDeleted, true);
});

Deno.test("a permanent deletion throws PRECONDITION_FAILED after a concurrent change", async () => {
  await using posts = await setup();
  const records = await store(posts, deletedAt("2026-01-30T12:00:00.000Z"));
  const target = await posts.open();
  const ifMatch = etagOf((await records.get(id(1)))!);
  const racingRecords = new Proxy(target.records, {
    get: (to, name) =>
      name !== "deleteOne" ? Reflect.get(to, name, to).bind(to) : async (filter: Filter) => {
        await records.updateOne(ALL, { set: { title: "changed concurrently" } });
        return await to.deleteOne(filter);
      },
  });
  const engine = new Proxy(posts.services.engine, {
    get: (to, name) => name === "records" ? () => racingRecords : Reflect.get(to, name, to),
  });
  const services = { ...posts.services, engine };
  await assert.rejects(
    deleteDocument(services, target, { id: id(1), permanent: true, ifMatch }),
    { code: "PRECONDITION_FAILED" },
  );
  assert.equal(await records.count(ALL), 1);
});

Deno.test("a recovered document is no longer deleted, and has the time of its recovery", async () => {
  await using posts = await setup();
  await store(posts, { title: "a", ...deletedAt("2026-01-30T12:00:00.000Z") });
  const { value } = await recoverDocument(posts.services, await posts.open(), id(1));
  assert.equal(value.isDeleted, false);
  assert.equal(value.deletedAt, null);
  assert.equal(value.updatedAt, "2026-01-31T12:00:00.000Z");
  assert.equal(value.title, "a");
});

Deno.test("recovering a document that is not in the trash changes nothing", async () => {
  await using posts = await setup();
  const records = await store(posts, {});
  const before = (await records.get(id(1)))!.json;
  const { json } = await recoverDocument(posts.services, await posts.open(), id(1));
  assert.equal(json, before);
  assert.equal((await records.get(id(1)))?.json, before);
});

Deno.test("a document can be recovered for exactly 30 days", async () => {
  await using posts = await setup();
  await store(
    posts,
    deletedAt("2026-01-01T12:00:00.000Z"),
    deletedAt("2026-01-01T11:59:59.999Z"),
  );
  const target = await posts.open();
  assert.equal((await recoverDocument(posts.services, target, id(1))).value.isDeleted, false);
  await assert.rejects(recoverDocument(posts.services, target, id(2)), {
    code: "DOCUMENT_NOT_FOUND",
  });
});

Deno.test("a document whose unique value has been taken stays in the trash", async () => {
  await using posts = await setup();
  const gone = { slug: "x", ...deletedAt("2026-01-30T12:00:00.000Z") };
  const records = await store(posts, gone, { slug: "x" });
  await assert.rejects(recoverDocument(posts.services, await posts.open(), id(1)), {
    code: "DUPLICATE_VALUE",
  });
  assert.equal((await records.get(id(1)))?.value.isDeleted, true);
});

Deno.test("users can recover only their own documents, and cannot see other users' trash", async () => {
  await using posts = await setup();
  const trashed = deletedAt("2026-01-30T12:00:00.000Z");
  await store(
    posts,
    { userId: USER, ...trashed },
    { userId: "b".repeat(24), ...trashed },
    { userId: "b".repeat(24) },
  );
  const target = await posts.open(OWNER);
  await recoverDocument(posts.services, target, id(1));
  const codes = [];
  for (const n of [2, 3]) {
    codes.push(await recoverDocument(posts.services, target, id(n)).catch(({ code }) => code));
  }
  assert.deepEqual(codes, ["DOCUMENT_NOT_FOUND", "OWNER_MISMATCH"]);
});

Deno.test("purgeTrash removes exactly the documents deleted more than 30 days ago", async () => {
  await using posts = await setup();
  const records = await store(
    posts,
    deletedAt("2026-01-01T11:59:59.999Z"),
    deletedAt("2026-01-01T12:00:00.000Z"),
    deletedAt("2026-01-31T12:00:00.000Z"),
    {},
    deletedAt("2000-01-01T00:00:00.000Z"),
    { deletedAt: "2000-01-01T00:00:00.000Z" },
  );
  assert.equal(await purgeTrash(posts.services, records), 2);
  const page = await records.list({ filter: ALL, sort: [], limit: 10 });
  const left = (JSON.parse(`[${page.items}]`) as StoredDocument[]).map(({ _id }) => _id);
  assert.deepEqual(left, [id(2), id(3), id(4), id(6)]);
  posts.clock.advance(1);
  assert.equal(await purgeTrash(posts.services, records), 1);
});

Deno.test("purgeTrash removes documents in batches of at most 100", async () => {
  await using posts = await setup();
  const old = deletedAt("2000-01-01T00:00:00.000Z");
  const records = await store(posts, ...Array.from({ length: 1100 }, () => old), {});
  const limits: number[] = [];
  const watched = new Proxy(records, {
    get: (to, name) =>
      name !== "deleteMany" ? Reflect.get(to, name, to).bind(to) : (filter: Filter, n: number) => {
        limits.push(n);
        return to.deleteMany(filter, n);
      },
  });
  assert.equal(await purgeTrash(posts.services, watched), 1100);
  assert.deepEqual(limits, Array(11).fill(100));
  assert.equal(await records.count(ALL), 1);
});

Deno.test("purgeTrash removes expired documents even if the list is too slow", async () => {
  await using posts = await setup();
  const old = deletedAt("2000-01-01T00:00:00.000Z");
  const records = await store(posts, ...Array.from({ length: 250 }, () => old), {});
  let pages = 0;
  const slowRecords = new Proxy(records, {
    get: (to, name) =>
      name !== "list" ? Reflect.get(to, name, to).bind(to) : (query: ListQuery) => {
        if (pages++ > 0) throw new QueryTooSlow(null);
        return to.list(query);
      },
  });
  assert.equal(await purgeTrash(posts.services, slowRecords), 250);
  assert.equal(await records.count(ALL), 1);
});

Deno.test("concurrent purges remove each document once", async () => {
  await using posts = await setup();
  const old = deletedAt("2000-01-01T00:00:00.000Z");
  const records = await store(posts, ...Array.from({ length: 700 }, () => old), {});
  const removed = await Promise.all(
    Array.from({ length: 4 }, () => purgeTrash(posts.services, records)),
  );
  assert.equal(removed.reduce((sum, n) => sum + n), 700);
  assert.equal(await records.count(ALL), 1);
});

Deno.test("purgeTrash does not remove documents that have been recovered", async () => {
  await using posts = await setup();
  const records = await store(posts, deletedAt("2026-01-31T12:00:00.000Z"));
  posts.clock.advance(30 * DAY);
  await recoverDocument(posts.services, await posts.open(), id(1));
  posts.clock.advance(DAY);
  assert.equal(await purgeTrash(posts.services, records), 0);
});
