import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, ok, refused, UNKNOWN_ID } from "./test_collection.ts";

const patch = (id: string, body: unknown) => ({ method: "PATCH", path: `/${id}`, body });

Deno.test("PATCH replaces the members that it names entirely and leaves the others", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const stored = await collection.insertOne({
    a: { x: 1, y: 2 },
    l: [1, 2, 3],
    kept: { z: 1 },
    n: 1,
  });
  app.clock.advance(1000);
  const answer = await collection.asSecret(
    patch(stored._id, { a: { x: 9 }, l: [], n: null, new: true }),
  );
  const now = new Date(app.clock.now()).toISOString();
  const changed = { a: { x: 9 }, l: [], n: null, new: true, updatedAt: now };
  assert.deepEqual(ok(answer), { ...stored, ...changed });
  assert.equal(answer.body.message, "Document changed");
  assert.deepEqual((await collection.read(stored._id)).body.data, { ...stored, ...changed });
});

Deno.test("PATCH stores null as null and never removes a member", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "title", type: "String" }],
  });
  const { _id: id } = await collection.insertOne({ title: "one", a: { b: 1 } });
  const document = ok(
    await collection.asSecret(patch(id, { title: null, "a.b": null, other: null })),
  );
  assert.equal(document.title, null);
  assert.deepEqual(document.a, { b: null });
  assert.equal(document.other, null);
  const found = ok(await collection.asSecret({ path: "?title_exists=true&other_exists=true" }));
  assert.equal(found.total, 1);
});

Deno.test("a dotted path changes its part and leaves the rest of the object", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne({ a: { b: { c: 1, d: 2 }, e: 3 } });
  const document = ok(
    await collection.asSecret(patch(id, { "a.b.c": { deep: [1] }, "a.f": 4, "new.made.here": 5 })),
  );
  assert.deepEqual(document.a, { b: { c: { deep: [1] }, d: 2 }, e: 3, f: 4 });
  assert.deepEqual(document.new, { made: { here: 5 } });
  assert.deepEqual((await collection.read(id)).body.data, document);
});

Deno.test("the value of a dotted path must fit its declared type", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{
      key: "meta",
      type: "Object",
      fields: [
        { key: "at", type: "Date" },
        { key: "deep", type: "Object", fields: [{ key: "n", type: "Number" }] },
      ],
    }],
  });
  const { _id: id } = await collection.insertOne();
  const body = { "meta.at": "2026-01-31", "meta.deep.n": 1 };
  const expected = { at: "2026-01-31T00:00:00.000Z", deep: { n: 1 } };
  assert.deepEqual(ok(await collection.asSecret(patch(id, body))).meta, expected);
  await collection.untouched(async () => {
    for (const wrong of [{ "meta.at": "soon" }, { "meta.deep.n": "1" }, { "meta.deep": 1 }]) {
      refused(
        await collection.asSecret(patch(id, wrong)),
        400,
        "INVALID_DOCUMENT",
        Object.keys(wrong)[0],
      );
    }
  });
});

Deno.test("a path through a value that is not an object is refused and changes nothing", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "title", type: "String" }, { key: "tags", type: "Array" }],
  });
  const { _id: id } = await collection.insertOne({
    title: "one",
    tags: ["a"],
    text: "t",
    list: [{ a: 1 }],
    no: null,
    deep: { n: 1 },
  });
  await collection.untouched(async () => {
    for (const path of ["title.a", "tags.0", "text.a", "list.0", "list.0.a", "deep.n.a"]) {
      const body = { fine: 1, [path]: 1 };
      refused(await collection.asSecret(patch(id, body)), 400, "INVALID_DOCUMENT", path);
    }
  });
});

Deno.test("a path through a field declared with another type is refused even if nothing is stored", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "title", type: "String" }, { key: "tags", type: "Array" }],
  });
  const { _id: id } = await collection.insertOne();
  await collection.untouched(async () => {
    for (const path of ["title.a", "tags.a"]) {
      refused(await collection.asSecret(patch(id, { [path]: 1 })), 400, "INVALID_DOCUMENT", path);
    }
  });
});

Deno.test("each segment of a path obeys the rules of names", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne({ a: {} });
  await collection.untouched(async () => {
    const paths = [
      "a.",
      ".a",
      "a..b",
      ".",
      "a.$b",
      "$a.b",
      "a.__proto__",
      "__proto__.a",
      "a.constructor.prototype",
      "a. b",
      "a .b",
      "a.b\u0000",
      "a.\u200bb",
    ];
    for (const path of paths) {
      refused(await collection.asSecret(patch(id, { [path]: 1 })), 400, "INVALID_DOCUMENT");
    }
    assert.equal(({} as { a?: unknown }).a, undefined);
  });
});

Deno.test("overlapping paths in one PATCH are refused, because their order is undefined", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne({ a: { b: 1 } });
  await collection.untouched(async () => {
    for (const body of [{ a: {}, "a.b": 1 }, { "a.b": 1, a: {} }, { "a.b": {}, "a.b.c": 1 }]) {
      refused(await collection.asSecret(patch(id, body)), 400, "INVALID_DOCUMENT", '"a');
    }
  });
  ok(await collection.asSecret(patch(id, { "a.b": 1, ab: 2, "a.bc": 3 })));
});

Deno.test("an empty PATCH changes only updatedAt", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const stored = await collection.insertOne({ n: 1 });
  app.clock.advance(1000);
  const updatedAt = new Date(app.clock.now()).toISOString();
  assert.deepEqual(ok(await collection.asSecret(patch(stored._id, {}))), { ...stored, updatedAt });
});

Deno.test("PATCH of an unknown id is 404, of an invalid id 400", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await collection.untouched(async () => {
    refused(await collection.asSecret(patch(UNKNOWN_ID, { n: 1 })), 404, "DOCUMENT_NOT_FOUND");
    refused(
      await collection.asSecret(patch(UNKNOWN_ID, { _id: UNKNOWN_ID })),
      404,
      "DOCUMENT_NOT_FOUND",
    );
    refused(await collection.asSecret(patch("1", { n: 1 })), 400, "INVALID_ID");
    const elsewhere = { ...patch(UNKNOWN_ID, {}), path: `/api/data/nothing/${UNKNOWN_ID}` };
    refused(await collection.project.asSecret(elsewhere), 404, "COLLECTION_NOT_FOUND");
  });
});

Deno.test("a PATCH that does not fit the definition changes nothing", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [
      { key: "title", type: "String" },
      { key: "slug", type: "String", unique: true },
    ],
  });
  await collection.insertOne({ slug: "taken" });
  const { _id: id } = await collection.insertOne({ title: "one" });
  await collection.untouched(async () => {
    const fine = { fine: 1 };
    refused(await collection.asSecret(patch(id, "{")), 400, "INVALID_JSON");
    refused(await collection.asSecret(patch(id, "")), 400, "INVALID_JSON");
    refused(await collection.asSecret(patch(id, [fine])), 400, "INVALID_BODY");
    refused(await collection.asSecret(patch(id, { ...fine, title: 1 })), 400, "INVALID_DOCUMENT");
    refused(await collection.asSecret(patch(id, { ...fine, _id: null })), 400, "FIELD_READ_ONLY");
    refused(
      await collection.asSecret(patch(id, { ...fine, slug: "taken" })),
      409,
      "DUPLICATE_VALUE",
    );
    const large = { ...fine, x: "x".repeat(1_048_576) };
    refused(await collection.asSecret(patch(id, large)), 413, "DOCUMENT_TOO_LARGE");
    const text = { ...patch(id, "{}"), headers: { "content-type": "text/plain" } };
    refused(await collection.asSecret(text), 415, "UNSUPPORTED_MEDIA_TYPE");
    const stale = { ...patch(id, fine), headers: { "if-match": '"x"' } };
    refused(await collection.asSecret(stale), 412, "PRECONDITION_FAILED");
  });
});

Deno.test("row-level security decides who may PATCH, and a refusal changes nothing", async () => {
  await using app = await openTestApp();
  for (const rls of [{ enabled: false }, { mode: "public-read" }, { mode: "private" }]) {
    const collection = await createTestCollection(app, { rls });
    const [ann, bob] = [await collection.project.user(), await collection.project.user()];
    const { _id: id } = await collection.insertOne({ userId: ann.id });
    const call = patch(id, { n: 1 });
    await collection.untouched(async () => {
      if ("enabled" in rls) {
        refused(await collection.asPublic(call), 403, "RLS_REQUIRED");
        refused(await collection.asPublic(call, ann), 403, "RLS_REQUIRED");
        return;
      }
      refused(await collection.asPublic(call), 401, "ACCESS_TOKEN_REQUIRED");
      if (rls.mode === "private") {
        refused(await collection.asPublic(call, bob), 404, "DOCUMENT_NOT_FOUND");
      } else refused(await collection.asPublic(call, bob), 403, "OWNER_MISMATCH");
      refused(
        await collection.asPublic(patch(id, { userId: bob.id }), ann),
        403,
        "OWNER_IMMUTABLE",
      );
    });
    if (!("enabled" in rls)) ok(await collection.asPublic(call, ann));
    ok(await collection.asSecret(call));
  }
});
