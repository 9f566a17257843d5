import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, ok, refused, UNKNOWN_ID } from "./test_collection.ts";

const LATER = "2030-01-01T00:00:00.000Z";

/** Server-set fields with values that no stored document of these tests has. */
const OTHER_VALUES: Record<string, readonly unknown[]> = {
  _id: [UNKNOWN_ID, null, 1, ""],
  createdAt: [LATER, null, 0],
  updatedAt: [LATER, null, "2026"],
  isDeleted: [true, null, 0, "false"],
  deletedAt: [LATER, false, 0, ""],
};

Deno.test("POST and bulk refuse every server-set field, whatever its value", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const stored = await collection.insertOne();
  await collection.untouched(async () => {
    for (const [field, values] of Object.entries(OTHER_VALUES)) {
      for (const value of [...values, stored[field]]) {
        const body = { [field]: value };
        refused(await collection.asSecret({ body }), 400, "FIELD_READ_ONLY", `"${field}"`);
        const bulk = await collection.asSecret({ path: "/bulk", body: [{ n: 1 }, body] });
        refused(bulk, 400, "FIELD_READ_ONLY", `documents[1]: The field "${field}"`);
      }
    }
  });
});

Deno.test("PUT and PATCH refuse another _id and ignore all other server-set fields", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id, createdAt } = await collection.insertOne();
  const { _id: ids, ...others } = OTHER_VALUES;
  for (const method of ["PUT", "PATCH"]) {
    await collection.untouched(async () => {
      for (const _id of ids!) {
        const call = { method, path: `/${id}`, body: { fine: 1, _id } };
        refused(await collection.asSecret(call), 400, "FIELD_READ_ONLY", '"_id"');
      }
    });
    for (const [field, values] of Object.entries(others)) {
      for (const value of values) {
        app.clock.advance(1000);
        const call = { method, path: `/${id}`, body: { fine: 1, [field]: value } };
        const { updatedAt, ...stored } = ok(await collection.asSecret(call));
        const now = new Date(app.clock.now()).toISOString();
        assert.equal(updatedAt, now, field);
        const expected = { _id: id, fine: 1, createdAt, isDeleted: false, deletedAt: null };
        assert.deepEqual(stored, expected, field);
      }
    }
  }
});

Deno.test("PUT and PATCH accept a document as it was read", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const stored = await collection.insertOne({ title: "one", gone: true });
  app.clock.advance(1000);
  const { gone: _gone, ...kept } = stored;
  const replaced = ok(
    await collection.asSecret({
      method: "PUT",
      path: `/${stored._id}`,
      body: { ...kept, title: "two" },
    }),
  );
  assert.deepEqual(replaced, { ...kept, title: "two", updatedAt: replaced.updatedAt });
  assert.ok(replaced.updatedAt > stored.updatedAt);

  app.clock.advance(1000);
  const body = { ...replaced, title: "three" };
  const patched = ok(await collection.asSecret({ method: "PATCH", path: `/${stored._id}`, body }));
  assert.deepEqual(patched, { ...body, updatedAt: patched.updatedAt });
});

Deno.test("a path into a server-set field is refused", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne();
  await collection.untouched(async () => {
    for (const field of Object.keys(OTHER_VALUES)) {
      const body = { [`${field}.a`]: 1 };
      const answer = await collection.asSecret({ method: "PATCH", path: `/${id}`, body });
      refused(answer, 400, "INVALID_DOCUMENT", field);
    }
  });
});

Deno.test("below the top level the names of server-set fields are ordinary", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const inner = { _id: 1, createdAt: 2, updatedAt: 3, isDeleted: 4, deletedAt: 5 };
  assert.deepEqual((await collection.insertOne({ inner })).inner, inner);
});

Deno.test("the server sets its fields: ids increase, times come from the clock", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const one = await collection.insertOne();
  const now = new Date(app.clock.now()).toISOString();
  const { _id, ...rest } = one;
  assert.match(_id, /^[0-9a-f]{24}$/);
  assert.deepEqual(rest, { createdAt: now, updatedAt: now, isDeleted: false, deletedAt: null });
  const two = await collection.insertOne();
  assert.ok(two._id > one._id);
});
