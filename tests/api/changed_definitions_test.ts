import assert from "node:assert/strict";
import { openForWriting } from "@/lib/documents/access.ts";
import type { StoredDocument } from "@/lib/documents/collection.ts";
import { createDocuments } from "@/lib/documents/create_documents.ts";
import { writeDocument } from "@/lib/documents/write_document.ts";
import type { Services } from "@/lib/services.ts";
import { ALL } from "@/lib/store/filter.ts";
import type { Json } from "@/lib/store/port.ts";
import { faults } from "../support/server_faults.ts";
import { openTestServices } from "../support/test_services.ts";
import { database } from "../support/test_store.ts";
import { withWaitingFence } from "../support/waiting_fence.ts";
import { createCollection, updateCollection } from "@/tests/support/given.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const SECRET = { kind: "secret", projectId: PROJECT } as const;

const withFields = (...fields: Record<string, unknown>[]) => ({
  name: "posts",
  rls: { enabled: false },
  fields,
});

const AS_TEXT = withFields({ key: "v", type: "String" });
const AS_DATE = withFields({ key: "v", type: "Date" });

async function write(services: Services, body: { [name: string]: Json }, many: boolean) {
  const target = await openForWriting(services, SECRET, "posts");
  const idempotencyKey = null;
  if (many) {
    const body = { documents: [bodyOf(1), bodyOf(2)] };
    return await createDocuments(services, target, { body, idempotencyKey });
  }
  const created = await writeDocument(services, target, {
    action: "create",
    body,
    idempotencyKey,
  });
  return created.json;
}

const bodyOf = (n: number) => ({ v: new Date(1.7e12 + n).toISOString() });

/** Returns services whose fences work on every server, even one that changes a validator early. */
async function openServices() {
  const opened = await openTestServices();
  if (faults.changesValidatorEarly === null) return opened;
  const engine = withWaitingFence(opened.services.engine);
  return { ...opened, services: { ...opened.services, engine } };
}

/** Starts eight writers, which write one or two documents at a time until they are stopped. */
function writers(services: Services) {
  let isOver = false;
  let written = 0;
  const refusals: unknown[] = [];
  const work = Array.from({ length: 8 }, async (_, i) => {
    while (!isOver) {
      try {
        await write(services, bodyOf(i), i % 4 === 3);
        written++;
      } catch (error) {
        refusals.push(error);
        await pause(1); // Refused writes do not wait, and would keep timers from running.
      }
    }
  });
  return {
    refusals,
    written: () => written,
    async stop() {
      isOver = true;
      await Promise.all(work);
    },
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test("documents written during a change of a field's type are stored with the new type", async () => {
  await using opened = await openServices();
  const { services } = opened;
  await createCollection(services, PROJECT, AS_TEXT);
  for (let round = 0; round < 3; round++) {
    const running = writers(services);
    await pause(60);
    await updateCollection(services, PROJECT, AS_DATE);
    await pause(60);
    await running.stop();
    assert.deepEqual(running.refusals, []);
    const target = await openForWriting(services, SECRET, "posts");
    // A comparison with dates does not find a value that is stored as a text.
    const since = (value: string) => target.records.count({ op: "gte", path: "v", value });
    const all = await target.records.count(ALL);
    assert.ok(all > 8);
    assert.equal(await since("2020-01-01T00:00:00.000Z"), all);
    await updateCollection(services, PROJECT, AS_TEXT);
  }
});

Deno.test("no document lacks a field that became required while others wrote without it", async () => {
  await using opened = await openServices();
  const { services } = opened;
  await createCollection(services, PROJECT, AS_TEXT);
  const required = withFields(...AS_TEXT.fields, { key: "w", type: "String", required: true });
  const target = await openForWriting(services, SECRET, "posts");
  const count = () => target.records.count(ALL);
  for (let round = 0; round < 5; round++) {
    const running = writers(services);
    await pause(round * 5);
    const changed = await updateCollection(services, PROJECT, required)
      .then(() => true, () => false);
    await pause(20);
    await running.stop();
    if (changed) assert.equal(await count(), 0);
    else assert.ok(await count() > 0);
    for (const { code } of running.refusals as { code?: string }[]) {
      assert.equal(code, "INVALID_DOCUMENT");
    }
    await updateCollection(services, PROJECT, AS_TEXT);
    await (await openForWriting(services, SECRET, "posts")).records.deleteMany(ALL, 10_000);
  }
});

Deno.test("a refused change of a definition does not delay writers", async () => {
  await using opened = await openServices();
  const { services } = opened;
  await createCollection(services, PROJECT, AS_TEXT);
  await write(services, { v: "no date" }, false);
  await assert.rejects(updateCollection(services, PROJECT, AS_DATE), {
    code: "DEFINITION_CONFLICT",
  });
  const startedAt = performance.now();
  await write(services, { v: "none either" }, false);
  // A writer that finds a pending change waits for 4 s.
  assert.ok(performance.now() - startedAt < 3000);
});

Deno.test("writers continue after several concurrent changes of a definition", async () => {
  await using opened = await openServices();
  const { services } = opened;
  await createCollection(services, PROJECT, AS_TEXT);
  const running = writers(services);
  const changes = Array.from({ length: 5 }, (_, i) =>
    updateCollection(services, PROJECT, {
      ...AS_TEXT,
      fields: [...AS_TEXT.fields, { key: `w${i}`, type: "String" }],
    }));
  const ended = await Promise.allSettled(changes);
  const written = running.written();
  await pause(100);
  await running.stop();
  assert.ok(ended.some(({ status }) => status === "fulfilled"));
  assert.ok(running.written() > written, "writers go on");
  assert.deepEqual(running.refusals, []);
});

Deno.test({
  name: "the first writer continues within 4 s after a definition change whose process died",
  ignore: database === "sqlite", // A SQLite transaction ends with its process.
  async fn() {
    await using opened = await openServices();
    const { services } = opened;
    await createCollection(services, PROJECT, AS_TEXT);
    await write(services, { v: "before" }, false);
    const { records: { name } } = (await openForWriting(services, SECRET, "posts")).collection;
    const version = services.newId();
    await services.engine.fence(PROJECT, { name, version });
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 10 }, () => write(services, { v: "after" }, false)));
    assert.ok(performance.now() - startedAt < 4000);
    const target = await openForWriting(services, SECRET, "posts");
    assert.equal(await target.records.count(ALL), 11);
    const stored = await target.records.list({ filter: ALL, sort: [], limit: 100 });
    const documents = JSON.parse(`[${stored.items}]`) as StoredDocument[];
    assert.deepEqual(new Set(documents.map(({ v }) => v)), new Set(["before", "after"]));
  },
});
