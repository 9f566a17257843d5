import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, ok, refused, times } from "./test_collection.ts";

const MiB = 1_048_576;

/** Returns the text length with which a document is exactly 1 MiB of stored JSON. */
async function exactLength(
  collection: Awaited<ReturnType<typeof createTestCollection>>,
): Promise<number> {
  const empty = await collection.insertOne({ x: "" });
  return MiB - new TextEncoder().encode(JSON.stringify(empty)).length;
}

Deno.test("a document of exactly 1 MiB is stored and read; one byte more is refused", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const length = await exactLength(collection);
  const { _id: id } = await collection.insertOne({ x: "a".repeat(length) });
  assert.equal((await collection.read(id)).body.data.x.length, length);
  const over = { x: "a".repeat(length + 1) };
  await collection.untouched(async () => {
    refused(await collection.asSecret({ body: over }), 413, "DOCUMENT_TOO_LARGE");
    refused(
      await collection.asSecret({ body: over, headers: { "idempotency-key": "large" } }),
      413,
      "DOCUMENT_TOO_LARGE",
    );
    refused(
      await collection.asSecret({ path: "/bulk", body: [{ small: 1 }, over, { small: 2 }] }),
      413,
      "DOCUMENT_TOO_LARGE",
    );
    for (const method of ["PUT", "PATCH"]) {
      refused(
        await collection.asSecret({ method, path: `/${id}`, body: over }),
        413,
        "DOCUMENT_TOO_LARGE",
      );
    }
  });
  ok(await collection.asSecret({ method: "PUT", path: `/${id}`, body: { x: "b".repeat(length) } }));
});

Deno.test("the size limit counts bytes, not characters", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const length = await exactLength(collection);
  await collection.insertOne({ x: "é".repeat(Math.floor(length / 2)) });
  await collection.untouched(async () => {
    const answer = await collection.asSecret({
      body: { x: "é".repeat(Math.floor(length / 2) + 1) },
    });
    refused(answer, 413, "DOCUMENT_TOO_LARGE");
  });
});

Deno.test("PATCH cannot grow a document beyond 1 MiB, by entire members or parts", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const half = "h".repeat(600_000);
  const { _id: id } = await collection.insertOne({ a: half, o: { kept: true } });
  const patch = (body: unknown) => collection.asSecret({ method: "PATCH", path: `/${id}`, body });
  await collection.untouched(async () => {
    refused(await patch({ b: half }), 413, "DOCUMENT_TOO_LARGE");
    refused(await patch({ "o.b": half }), 413, "DOCUMENT_TOO_LARGE");
    refused(await patch({ "new.b": half }), 413, "DOCUMENT_TOO_LARGE");
  });
  ok(await patch({ a: null, b: half }));
});

Deno.test("a default counts toward the size of the document that it fills", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "text", type: "String", default: "d".repeat(60_000) }],
  });
  await collection.untouched(async () => {
    refused(
      await collection.asSecret({ body: { x: "a".repeat(1_000_000) } }),
      413,
      "DOCUMENT_TOO_LARGE",
    );
  });
});

Deno.test("a bulk has from 1 to 100 documents", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await collection.untouched(async () => {
    for (const body of [[], times(101, (n) => ({ n })), { documents: [] }]) {
      refused(await collection.asSecret({ path: "/bulk", body }), 400, "INVALID_BODY", "1 to 100");
    }
  });
  const data = ok(
    await collection.asSecret({ path: "/bulk", body: { documents: times(100, (n) => ({ n })) } }),
    201,
  );
  assert.equal(data.insertedCount, 100);
  assert.equal(new Set(data.ids).size, 100);
});
