import assert from "node:assert/strict";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { NOBODY, ok, openShelf, refused, type Shelf, type ShelfCall } from "./shelf.ts";

/** A shelf with two users and a document of each, and one of nobody. */
async function openOwned(app: TestApp, mode: "public-read" | "private", ownerField = "userId") {
  const shelf = await openShelf(app, { rls: { mode, ownerField } });
  const [ann, bob] = [await shelf.project.user(), await shelf.project.user()];
  const [hers, his, nobodys] = await shelf.insert(
    { n: "ann", [ownerField]: ann.id },
    { n: "bob", [ownerField]: bob.id },
    { n: "nobody" },
  );
  return { shelf, ann, bob, hers: hers!._id, his: his!._id, nobodys: nobodys!._id };
}

const owner = async (shelf: Shelf, id: string, field = "userId") =>
  (await shelf.read(id)).body.data[field];

for (const ownerField of ["userId", "author"]) {
  Deno.test(`users own what they create, named or not (${ownerField})`, async () => {
    await using app = await openTestApp();
    const { shelf, ann } = await openOwned(app, "private", ownerField);
    for (const body of [{}, { [ownerField]: ann.id }]) {
      assert.equal(ok(await shelf.asPublic({ body }, ann), 201)[ownerField], ann.id);
      const { ids } = ok(await shelf.asPublic({ path: "/bulk", body: [body, {}] }, ann), 201);
      for (const id of ids) assert.equal(await owner(shelf, id, ownerField), ann.id);
    }
  });

  Deno.test(`a user cannot create for somebody else (${ownerField})`, async () => {
    await using app = await openTestApp();
    const { shelf, ann, bob } = await openOwned(app, "public-read", ownerField);
    await shelf.untouched(async () => {
      for (const named of [bob.id, ann.id.toUpperCase() + "x", "", null, 1, [ann.id], {}]) {
        const body = { [ownerField]: named };
        refused(await shelf.asPublic({ body }, ann), 403, "OWNER_MISMATCH");
        const bulk = await shelf.asPublic({ path: "/bulk", body: [{}, body] }, ann);
        refused(bulk, 403, "OWNER_MISMATCH", "documents[1]");
      }
    });
  });

  Deno.test(`users keep their documents: the owner cannot be changed (${ownerField})`, async () => {
    await using app = await openTestApp();
    const { shelf, ann, bob, hers } = await openOwned(app, "private", ownerField);
    await shelf.untouched(async () => {
      for (const method of ["PUT", "PATCH"]) {
        for (const named of [bob.id, NOBODY, null, "", 1]) {
          const call = { method, path: `/${hers}`, body: { n: "new", [ownerField]: named } };
          refused(await shelf.asPublic(call, ann), 403, "OWNER_IMMUTABLE");
        }
      }
    });
    for (const method of ["PUT", "PATCH"]) {
      for (const body of [{ n: method }, { n: method, [ownerField]: ann.id }]) {
        const document = ok(await shelf.asPublic({ method, path: `/${hers}`, body }, ann));
        assert.equal(document[ownerField], ann.id);
        assert.equal(document.n, method);
      }
    }
  });

  Deno.test(`no path leads into the owner field (${ownerField})`, async () => {
    await using app = await openTestApp();
    const { shelf, ann, hers } = await openOwned(app, "private", ownerField);
    await shelf.untouched(async () => {
      const call = { method: "PATCH", path: `/${hers}`, body: { [`${ownerField}.a`]: 1 } };
      refused(await shelf.asPublic(call, ann), 400, "INVALID_DOCUMENT", ownerField);
      refused(await shelf.asSecret(call), 400, "INVALID_DOCUMENT", ownerField);
    });
  });

  Deno.test(`the secret key sets any owner, changes and removes it (${ownerField})`, async () => {
    await using app = await openTestApp();
    const { shelf, ann, bob, hers } = await openOwned(app, "private", ownerField);
    assert.equal((await shelf.insertOne({ [ownerField]: "anything" }))[ownerField], "anything");
    const patch = (to: unknown) =>
      shelf.asSecret({ method: "PATCH", path: `/${hers}`, body: { [ownerField]: to } });
    const put = (body: unknown) => shelf.asSecret({ method: "PUT", path: `/${hers}`, body });
    assert.equal(ok(await patch(bob.id))[ownerField], bob.id);
    refused(await shelf.asPublic({ path: `/${hers}` }, ann), 404, "DOCUMENT_NOT_FOUND");
    ok(await shelf.asPublic({ path: `/${hers}` }, bob));
    assert.equal(ok(await put({ n: 1 }))[ownerField], bob.id, "PUT without owner keeps it");
    assert.equal(ok(await put({ [ownerField]: ann.id }))[ownerField], ann.id);
    assert.equal(ok(await put({ [ownerField]: null }))[ownerField], null);
    refused(await shelf.asPublic({ path: `/${hers}` }, ann), 404, "DOCUMENT_NOT_FOUND");
    await shelf.untouched(async () => {
      refused(await patch(1), 400, "INVALID_DOCUMENT", ownerField);
    });
  });
}

/** Every write of one document by its id. */
const writesTo = (id: string, userId: string): Record<string, ShelfCall> => ({
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

Deno.test("what a user can see but not write is 403 and stays as it is", async () => {
  await using app = await openTestApp();
  const { shelf, ann, his, nobodys } = await openOwned(app, "public-read");
  await shelf.untouched(async () => {
    for (const id of [his, nobodys]) {
      ok(await shelf.asPublic({ path: `/${id}` }, ann));
      for (const call of Object.values(writesTo(id, ann.id))) {
        refused(await shelf.asPublic(call, ann), 403, "OWNER_MISMATCH");
      }
    }
  });
});

Deno.test("what a user cannot see is 404, as if it did not exist, and stays as it is", async () => {
  await using app = await openTestApp();
  const { shelf, ann, his, nobodys } = await openOwned(app, "private");
  await shelf.untouched(async () => {
    for (const id of [his, nobodys]) {
      refused(await shelf.asPublic({ path: `/${id}` }, ann), 404, "DOCUMENT_NOT_FOUND");
      const hidden = writesTo(id, ann.id);
      const missing = writesTo(NOBODY, ann.id);
      for (const name of Object.keys(hidden)) {
        const answer = await shelf.asPublic(hidden[name]!, ann);
        refused(answer, 404, "DOCUMENT_NOT_FOUND");
        assert.equal(answer.text, (await shelf.asPublic(missing[name]!, ann)).text);
      }
    }
  });
});

Deno.test("somebody else's document in the trash is 404 to a user, in both modes", async () => {
  await using app = await openTestApp();
  for (const mode of ["public-read", "private"] as const) {
    const { shelf, ann, his, nobodys } = await openOwned(app, mode);
    for (const id of [his, nobodys]) await shelf.remove(id);
    await shelf.untouched(async () => {
      for (const id of [his, nobodys]) {
        for (const call of Object.values(writesTo(id, ann.id))) {
          refused(await shelf.asPublic(call, ann), 404, "DOCUMENT_NOT_FOUND");
        }
        const read = { path: `/${id}?include_deleted=true` };
        refused(await shelf.asPublic(read, ann), 404, "DOCUMENT_NOT_FOUND");
      }
    });
  }
});

Deno.test("PUT keeps a required owner that the body does not name", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, {
    fields: [{ key: "userId", type: "String", required: true }],
    rls: { mode: "private" },
  });
  const ann = await shelf.project.user();
  const { _id: id } = ok(await shelf.asPublic({ body: {} }, ann), 201);
  const call = { method: "PUT", path: `/${id}`, body: { n: 1 } };
  assert.equal(ok(await shelf.asPublic(call, ann)).userId, ann.id);
  assert.equal(ok(await shelf.asSecret(call)).userId, ann.id);
});

Deno.test("PUT keeps the stored owner also where the field has a default", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, {
    fields: [{ key: "userId", type: "String", default: "somebody" }],
    rls: { mode: "private" },
  });
  const ann = await shelf.project.user();
  const { _id: id } = ok(await shelf.asPublic({ body: {} }, ann), 201);
  const call = { method: "PUT", path: `/${id}`, body: { n: 1 } };
  assert.equal(ok(await shelf.asPublic(call, ann)).userId, ann.id);
  assert.equal((await shelf.insertOne()).userId, "somebody");
});

Deno.test("an owner field that refers to users holds the user's id", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, {
    fields: [{ key: "author", type: "Ref", ref: "users" }],
    rls: { mode: "private", ownerField: "author" },
  });
  const ann = await shelf.project.user();
  assert.equal(ok(await shelf.asPublic({ body: {} }, ann), 201).author, ann.id);
  assert.equal((await shelf.insertOne({ author: ann.id.toUpperCase() })).author, ann.id);
  assert.equal(ok(await shelf.asPublic({}, ann)).total, 2);
  await shelf.untouched(async () => {
    refused(await shelf.asSecret({ body: { author: "me" } }), 400, "INVALID_DOCUMENT", "author");
  });
});

Deno.test("without row-level security the owner field is a member like any other", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, { rls: { enabled: false } });
  const { _id: id } = await shelf.insertOne({ userId: { any: "thing" } });
  ok(await shelf.asSecret({ method: "PATCH", path: `/${id}`, body: { "userId.any": 1 } }));
  const replaced = ok(await shelf.asSecret({ method: "PUT", path: `/${id}`, body: {} }));
  assert.equal("userId" in replaced, false);
});
