import assert from "node:assert/strict";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import {
  type CollectionCall,
  createTestCollection,
  ok,
  refused,
  type TestCollection,
  UNKNOWN_ID,
} from "./test_collection.ts";

/** Opens a collection with two users, a document of each, and a document without an owner. */
async function openOwned(app: TestApp, mode: "public-read" | "private", ownerField = "userId") {
  const collection = await createTestCollection(app, { rls: { mode, ownerField } });
  const [ann, bob] = [await collection.project.user(), await collection.project.user()];
  const [hers, his, ownerless] = await collection.insert(
    { n: "ann", [ownerField]: ann.id },
    { n: "bob", [ownerField]: bob.id },
    { n: "nobody" },
  );
  return { collection, ann, bob, hers: hers!._id, his: his!._id, nobodys: ownerless!._id };
}

const owner = async (collection: TestCollection, id: string, field = "userId") =>
  (await collection.read(id)).body.data[field];

for (const ownerField of ["userId", "author"]) {
  Deno.test(`a user owns what they create, whether or not the body names them (${ownerField})`, async () => {
    await using app = await openTestApp();
    const { collection, ann } = await openOwned(app, "private", ownerField);
    for (const body of [{}, { [ownerField]: ann.id }]) {
      assert.equal(ok(await collection.asPublic({ body }, ann), 201)[ownerField], ann.id);
      const { ids } = ok(await collection.asPublic({ path: "/bulk", body: [body, {}] }, ann), 201);
      for (const id of ids) assert.equal(await owner(collection, id, ownerField), ann.id);
    }
  });

  Deno.test(`a user cannot create a document for another user (${ownerField})`, async () => {
    await using app = await openTestApp();
    const { collection, ann, bob } = await openOwned(app, "public-read", ownerField);
    await collection.untouched(async () => {
      for (const named of [bob.id, ann.id.toUpperCase() + "x", "", null, 1, [ann.id], {}]) {
        const body = { [ownerField]: named };
        const refusal = await collection.asPublic({ body }, ann);
        refused(refusal, 403, "OWNER_MISMATCH", /names another user .* leave it out/);
        const bulk = await collection.asPublic({ path: "/bulk", body: [{}, body] }, ann);
        refused(bulk, 403, "OWNER_MISMATCH", "documents[1]");
      }
    });
  });

  Deno.test(`a user cannot change the owner of their document (${ownerField})`, async () => {
    await using app = await openTestApp();
    const { collection, ann, bob, hers } = await openOwned(app, "private", ownerField);
    await collection.untouched(async () => {
      for (const method of ["PUT", "PATCH"]) {
        for (const named of [bob.id, UNKNOWN_ID, null, "", 1]) {
          const call = { method, path: `/${hers}`, body: { n: "new", [ownerField]: named } };
          refused(await collection.asPublic(call, ann), 403, "OWNER_IMMUTABLE");
        }
      }
    });
    for (const method of ["PUT", "PATCH"]) {
      for (const body of [{ n: method }, { n: method, [ownerField]: ann.id }]) {
        const document = ok(await collection.asPublic({ method, path: `/${hers}`, body }, ann));
        assert.equal(document[ownerField], ann.id);
        assert.equal(document.n, method);
      }
    }
  });

  Deno.test(`no dotted path leads into the owner field (${ownerField})`, async () => {
    await using app = await openTestApp();
    const { collection, ann, hers } = await openOwned(app, "private", ownerField);
    await collection.untouched(async () => {
      const call = { method: "PATCH", path: `/${hers}`, body: { [`${ownerField}.a`]: 1 } };
      refused(await collection.asPublic(call, ann), 400, "INVALID_DOCUMENT", ownerField);
      refused(await collection.asSecret(call), 400, "INVALID_DOCUMENT", ownerField);
    });
  });

  Deno.test(`the secret key sets, changes and removes any owner (${ownerField})`, async () => {
    await using app = await openTestApp();
    const { collection, ann, bob, hers } = await openOwned(app, "private", ownerField);
    assert.equal(
      (await collection.insertOne({ [ownerField]: "anything" }))[ownerField],
      "anything",
    );
    const patch = (to: unknown) =>
      collection.asSecret({ method: "PATCH", path: `/${hers}`, body: { [ownerField]: to } });
    const put = (body: unknown) => collection.asSecret({ method: "PUT", path: `/${hers}`, body });
    assert.equal(ok(await patch(bob.id))[ownerField], bob.id);
    refused(await collection.asPublic({ path: `/${hers}` }, ann), 404, "DOCUMENT_NOT_FOUND");
    ok(await collection.asPublic({ path: `/${hers}` }, bob));
    assert.equal(ok(await put({ n: 1 }))[ownerField], bob.id, "PUT without owner keeps it");
    assert.equal(ok(await put({ [ownerField]: ann.id }))[ownerField], ann.id);
    assert.equal(ok(await put({ [ownerField]: null }))[ownerField], null);
    refused(await collection.asPublic({ path: `/${hers}` }, ann), 404, "DOCUMENT_NOT_FOUND");
    await collection.untouched(async () => {
      refused(await patch(1), 400, "INVALID_DOCUMENT", ownerField);
    });
  });
}

const writesTo = (id: string, userId: string): Record<string, CollectionCall> => ({
  PUT: { method: "PUT", path: `/${id}`, body: { n: "taken" } },
  "PUT as one's own": { method: "PUT", path: `/${id}`, body: { n: "taken", userId } },
  PATCH: { method: "PATCH", path: `/${id}`, body: { n: "taken" } },
  "PATCH as one's own": { method: "PATCH", path: `/${id}`, body: { n: "taken", userId } },
  "PATCH by path": { method: "PATCH", path: `/${id}`, body: { "a.b": 1 } },
  "conditional PUT": {
    method: "PUT",
    path: `/${id}`,
    body: { n: "taken" },
    headers: { "if-match": "*" },
  },
  DELETE: { method: "DELETE", path: `/${id}` },
  "conditional DELETE": { method: "DELETE", path: `/${id}`, headers: { "if-match": "*" } },
  recover: { method: "PATCH", path: `/${id}/recover` },
});

Deno.test("a write to a document that a user can see but not write is 403 and changes nothing", async () => {
  await using app = await openTestApp();
  const { collection, ann, his, nobodys } = await openOwned(app, "public-read");
  await collection.untouched(async () => {
    for (const id of [his, nobodys]) {
      ok(await collection.asPublic({ path: `/${id}` }, ann));
      for (const call of Object.values(writesTo(id, ann.id))) {
        refused(await collection.asPublic(call, ann), 403, "OWNER_MISMATCH");
      }
    }
  });
});

Deno.test("a write to a document that a user cannot see is 404 and changes nothing", async () => {
  await using app = await openTestApp();
  const { collection, ann, his, nobodys: ownerless } = await openOwned(app, "private");
  await collection.untouched(async () => {
    for (const id of [his, ownerless]) {
      refused(await collection.asPublic({ path: `/${id}` }, ann), 404, "DOCUMENT_NOT_FOUND");
      const hidden = writesTo(id, ann.id);
      const missing = writesTo(UNKNOWN_ID, ann.id);
      for (const name of Object.keys(hidden)) {
        const answer = await collection.asPublic(hidden[name]!, ann);
        refused(answer, 404, "DOCUMENT_NOT_FOUND");
        assert.equal(answer.text, (await collection.asPublic(missing[name]!, ann)).text);
      }
    }
  });
});

Deno.test("another user's document in the trash is 404 to a user, in both modes", async () => {
  await using app = await openTestApp();
  for (const mode of ["public-read", "private"] as const) {
    const { collection, ann, his, nobodys: ownerless } = await openOwned(app, mode);
    for (const id of [his, ownerless]) await collection.remove(id);
    await collection.untouched(async () => {
      for (const id of [his, ownerless]) {
        for (const call of Object.values(writesTo(id, ann.id))) {
          refused(await collection.asPublic(call, ann), 404, "DOCUMENT_NOT_FOUND");
        }
        const read = { path: `/${id}?include_deleted=true` };
        refused(await collection.asPublic(read, ann), 404, "DOCUMENT_NOT_FOUND");
      }
    });
  }
});

Deno.test("PUT keeps a required owner that the body does not name", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "userId", type: "String", required: true }],
    rls: { mode: "private" },
  });
  const ann = await collection.project.user();
  const { _id: id } = ok(await collection.asPublic({ body: {} }, ann), 201);
  const call = { method: "PUT", path: `/${id}`, body: { n: 1 } };
  assert.equal(ok(await collection.asPublic(call, ann)).userId, ann.id);
  assert.equal(ok(await collection.asSecret(call)).userId, ann.id);
});

Deno.test("PUT keeps the stored owner even if the field has a default", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "userId", type: "String", default: "somebody" }],
    rls: { mode: "private" },
  });
  const ann = await collection.project.user();
  const { _id: id } = ok(await collection.asPublic({ body: {} }, ann), 201);
  const call = { method: "PUT", path: `/${id}`, body: { n: 1 } };
  assert.equal(ok(await collection.asPublic(call, ann)).userId, ann.id);
  assert.equal((await collection.insertOne()).userId, "somebody");
});

Deno.test("an owner field that refers to users stores the user's id", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "author", type: "Ref", ref: "users" }],
    rls: { mode: "private", ownerField: "author" },
  });
  const ann = await collection.project.user();
  assert.equal(ok(await collection.asPublic({ body: {} }, ann), 201).author, ann.id);
  assert.equal((await collection.insertOne({ author: ann.id.toUpperCase() })).author, ann.id);
  assert.equal(ok(await collection.asPublic({}, ann)).total, 2);
  await collection.untouched(async () => {
    refused(
      await collection.asSecret({ body: { author: "me" } }),
      400,
      "INVALID_DOCUMENT",
      "author",
    );
  });
});

Deno.test("without row-level security the owner field is an ordinary field", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { enabled: false } });
  const { _id: id } = await collection.insertOne({ userId: { any: "thing" } });
  ok(await collection.asSecret({ method: "PATCH", path: `/${id}`, body: { "userId.any": 1 } }));
  const replaced = ok(await collection.asSecret({ method: "PUT", path: `/${id}`, body: {} }));
  assert.equal("userId" in replaced, false);
});
