import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { ok, openShelf, refused, times } from "./shelf.ts";

const MiB = 1_048_576;

/** The length that makes a document with one text `x` exactly 1 MiB of stored JSON. */
async function exactLength(shelf: Awaited<ReturnType<typeof openShelf>>): Promise<number> {
  const empty = await shelf.insertOne({ x: "" });
  return MiB - new TextEncoder().encode(JSON.stringify(empty)).length;
}

Deno.test("a document of exactly 1 MiB is stored and read back, one byte more is refused", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const length = await exactLength(shelf);
  const { _id: id } = await shelf.insertOne({ x: "a".repeat(length) });
  assert.equal((await shelf.read(id)).body.data.x.length, length);
  const over = { x: "a".repeat(length + 1) };
  await shelf.untouched(async () => {
    refused(await shelf.asSecret({ body: over }), 413, "DOCUMENT_TOO_LARGE");
    refused(
      await shelf.asSecret({ body: over, headers: { "idempotency-key": "large" } }),
      413,
      "DOCUMENT_TOO_LARGE",
    );
    refused(
      await shelf.asSecret({ path: "/bulk", body: [{ small: 1 }, over, { small: 2 }] }),
      413,
      "DOCUMENT_TOO_LARGE",
    );
    for (const method of ["PUT", "PATCH"]) {
      refused(
        await shelf.asSecret({ method, path: `/${id}`, body: over }),
        413,
        "DOCUMENT_TOO_LARGE",
      );
    }
  });
  ok(await shelf.asSecret({ method: "PUT", path: `/${id}`, body: { x: "b".repeat(length) } }));
});

Deno.test("the limit counts bytes, not characters", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const length = await exactLength(shelf);
  await shelf.insertOne({ x: "é".repeat(Math.floor(length / 2)) });
  await shelf.untouched(async () => {
    const answer = await shelf.asSecret({ body: { x: "é".repeat(Math.floor(length / 2) + 1) } });
    refused(answer, 413, "DOCUMENT_TOO_LARGE");
  });
});

Deno.test("a document cannot grow beyond 1 MiB by PATCH, whole members or parts", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const half = "h".repeat(600_000);
  const { _id: id } = await shelf.insertOne({ a: half, o: { kept: true } });
  const patch = (body: unknown) => shelf.asSecret({ method: "PATCH", path: `/${id}`, body });
  await shelf.untouched(async () => {
    refused(await patch({ b: half }), 413, "DOCUMENT_TOO_LARGE");
    refused(await patch({ "o.b": half }), 413, "DOCUMENT_TOO_LARGE");
    refused(await patch({ "new.b": half }), 413, "DOCUMENT_TOO_LARGE");
  });
  ok(await patch({ a: null, b: half }));
});

Deno.test("a default counts towards the size of the document it fills", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, {
    fields: [{ key: "text", type: "String", default: "d".repeat(300_000) }],
  });
  await shelf.untouched(async () => {
    refused(await shelf.asSecret({ body: { x: "a".repeat(800_000) } }), 413, "DOCUMENT_TOO_LARGE");
  });
});

Deno.test("100 documents are a bulk, 0 and 101 are not", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  await shelf.untouched(async () => {
    for (const body of [[], times(101, (n) => ({ n })), { documents: [] }]) {
      refused(await shelf.asSecret({ path: "/bulk", body }), 400, "INVALID_BODY", "1 to 100");
    }
  });
  const data = ok(
    await shelf.asSecret({ path: "/bulk", body: { documents: times(100, (n) => ({ n })) } }),
    201,
  );
  assert.equal(data.insertedCount, 100);
  assert.equal(new Set(data.ids).size, 100);
});
