/** Tests changes of definitions in a thread, which here run for any number of documents. */

import assert from "node:assert/strict";
import { openForWriting } from "@/lib/documents/access.ts";
import type { Collection, StoredDocument } from "@/lib/documents/collection.ts";
import { writeDocument } from "@/lib/documents/write_document.ts";
import { deleteCollection } from "@/lib/documents/delete_collection.ts";
import { getCollection, listCollections } from "@/lib/documents/save_collection.ts";
import { compileCollections } from "@/lib/documents/save_collection.ts";
import type { Services } from "@/lib/services.ts";
import { ALL, compare, eq } from "@/lib/store/filter.ts";
import type { Json } from "@/lib/store/port.ts";
import { openSecondEngine } from "../contract/sqlite_folder.ts";
import { engineOver } from "../support/engine_over.ts";
import { createCollection, updateCollection } from "../support/given.ts";
import { openTestServices } from "../support/test_services.ts";
import { database } from "../support/test_store.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const SECRET = { kind: "secret", projectId: PROJECT } as const;
const onSqlite = database === "sqlite";

const withFields = (fields: readonly object[], indexes: readonly object[] = []) => ({
  name: "posts",
  rls: { enabled: false },
  fields,
  indexes,
});

const V = { key: "v", type: "String" };
const BEFORE = withFields([V]);

/** @param beforeChange Runs before the transaction that changes a definition. */
async function openThreaded(
  beforeChange: (services: Services) => Promise<unknown> = async () => {},
) {
  const opened = await openTestServices();
  const threaded = await openSecondEngine(opened.folder, { threadRowsMin: 0 });
  let changes = 0;
  const engine = engineOver(opened.services.engine, {
    async transaction(space, work, { redefines } = {}) {
      if (redefines === undefined) return await opened.services.engine.transaction(space, work);
      changes++;
      await beforeChange(opened.services);
      return await threaded.transaction(space, work, { redefines });
    },
  });
  const services = { ...opened.services, engine };
  await createCollection(services, PROJECT, BEFORE);
  return {
    services,
    changes: () => changes,
    async [Symbol.asyncDispose]() {
      await threaded[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}

async function write(services: Services, body: { [name: string]: Json }): Promise<string> {
  const target = await openForWriting(services, SECRET, "posts");
  const { json } = await writeDocument(services, target, { action: "create", body });
  return JSON.parse(json)._id;
}

async function documentsOf(services: Services): Promise<StoredDocument[]> {
  const [collection] = await compileCollections(services, PROJECT);
  const documents = services.engine.records<StoredDocument>(PROJECT, collection!.records);
  return await Array.fromAsync(documents.find({ filter: ALL }));
}

const test = (name: string, fn: () => Promise<void>) => Deno.test({ name, ignore: !onSqlite, fn });

test("writes during definition changes succeed, and new indexes find all documents", async () => {
  await using fixture = await openThreaded();
  const { services, changes } = fixture;
  const indexed = withFields(
    [V, { key: "w", type: "Number" }, { key: "t", type: "Array", items: { type: "Number" } }],
    [{ fields: ["t", "-w"] }, { fields: ["w"] }],
  );
  let isOver = false;
  let written = 0;
  const writers = Array.from({ length: 20 }, async (_, i) => {
    while (!isOver) {
      const w = written++;
      await write(services, { v: `${i}`, w, t: [w % 3, -1] });
    }
  });
  for (let round = 0; round < 4; round++) {
    await updateCollection(services, PROJECT, indexed);
    const [{ records }] = await compileCollections(services, PROJECT) as [Collection];
    const documents = services.engine.records(PROJECT, records);
    const [all, ranged, tagged] = await services.engine.transaction(PROJECT, async (tx) => {
      const within = tx.records(records);
      return [
        await within.count(ALL),
        await within.count(compare("w", "gte", 0)),
        await within.count(eq("t", -1)),
      ];
    });
    assert.ok(all! > 0);
    assert.deepEqual([ranged, tagged], [all, all]);
    assert.ok(await documents.count(eq("t", 1)) > 0);
    await updateCollection(services, PROJECT, BEFORE);
  }
  isOver = true;
  await Promise.all(writers);
  assert.equal(changes(), 8);
  assert.equal((await documentsOf(services)).length, written);
});

test("a definition that does not fit is refused with ten documents and changes nothing", async () => {
  await using fixture = await openThreaded();
  const { services } = fixture;
  const ids: string[] = [];
  for (let i = 0; i < 12; i++) ids.push(await write(services, { v: "same" }));
  const before = await listCollections(services, PROJECT);
  for (
    const [after, why] of [
      [withFields([{ ...V, type: "Number" }]), /"v" must be a Number/],
      [withFields([V], [{ fields: ["v"], unique: true }]), /"v" is not unique/],
      [withFields([{ key: "w", type: "String", required: true }]), /"w" is required/],
    ] as const
  ) {
    const refusal = await updateCollection(services, PROJECT, after).catch((error) => error);
    assert.equal(refusal.code, "DEFINITION_CONFLICT");
    assert.match(refusal.message, why);
    assert.equal(refusal.faults.length, 10);
    assert.deepEqual(await listCollections(services, PROJECT), before);
  }
  await write(services, { v: "same" });
});

test("a duplicate written before a unique change begins is refused and named", async () => {
  let last = "";
  await using fixture = await openThreaded(async (services) => {
    if (last === "") last = await write(services, { v: "b" });
  });
  const { services } = fixture;
  for (const v of ["a", "b"]) await write(services, { v });
  const after = withFields([V], [{ fields: ["v"], unique: true }]);
  await assert.rejects(updateCollection(services, PROJECT, after), {
    code: "DEFINITION_CONFLICT",
    message: new RegExp(`${last}: "v" is not unique`),
  });
});

test("a document written before a change begins is checked against the new definition", async () => {
  let last = "";
  await using fixture = await openThreaded(async (services) => {
    if (last === "") last = await write(services, { v: "x", w: "no number" });
  });
  const { services } = fixture;
  await write(services, { v: "a", w: 1 });
  const after = withFields([V, { key: "w", type: "Number" }]);
  await assert.rejects(updateCollection(services, PROJECT, after), {
    code: "DEFINITION_CONFLICT",
    message: new RegExp(`${last}: "w" must be a Number`),
  });
});

test("a change that another one overtakes is applied to the other's definition", async () => {
  let isOvertaken = false;
  await using fixture = await openThreaded(async (services) => {
    if (isOvertaken) return;
    isOvertaken = true;
    const other = withFields([V, { key: "other", type: "Number", index: true }]);
    await updateCollection(services, PROJECT, other);
  });
  const { services } = fixture;
  await write(services, { v: "a", other: 1, w: 2 });
  const after = withFields([V, { key: "w", type: "Number", index: true }]);
  await updateCollection(services, PROJECT, after);
  const stored = await getCollection(services, PROJECT, "posts");
  assert.deepEqual(stored.fields.map(({ key }) => key), ["v", "w"]);
  await write(services, { v: "b", w: 3 });
  assert.deepEqual((await documentsOf(services)).map(({ w }) => w), [2, 3]);
});

test("a change of a collection that is deleted before it begins is refused", async () => {
  await using fixture = await openThreaded((services) =>
    deleteCollection(services, PROJECT, "posts").catch(() => {})
  );
  const { services } = fixture;
  await write(services, { v: "a" });
  const after = withFields([V, { key: "w", type: "Number", index: true }]);
  await assert.rejects(updateCollection(services, PROJECT, after), {
    code: "COLLECTION_NOT_FOUND",
  });
});

test("concurrent changes end with one of the definitions", async () => {
  await using fixture = await openThreaded();
  const { services } = fixture;
  for (let i = 0; i < 30; i++) await write(services, { v: `${i}`, w: i, x: `${i}` });
  const choices = [
    withFields([V, { key: "w", type: "Number", index: true }]),
    withFields([V, { key: "x", type: "String", index: true }]),
    withFields([V], [{ fields: ["v", "-createdAt"] }]),
  ];
  const answers = await Promise.allSettled(
    Array.from({ length: 6 }, (_, i) => updateCollection(services, PROJECT, choices[i % 3]!)),
  );
  assert.ok(answers.some(({ status }) => status === "fulfilled"), JSON.stringify(answers));
  const { fields } = await getCollection(services, PROJECT, "posts");
  await write(services, { v: "last", w: 99, x: "last" });
  assert.equal((await documentsOf(services)).length, 31);
  assert.ok(fields.length <= 2);
});
