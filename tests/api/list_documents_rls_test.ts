import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, type Doc, ok, refused, times } from "./test_collection.ts";
import { updateCollection } from "@/tests/support/given.ts";

/** Returns queries that try to read another user's documents. */
const attempts = (own: string, other: string, otherId: string): string[] => {
  const where = (tree: unknown) => `where=${encodeURIComponent(JSON.stringify(tree))}`;
  return [
    "",
    "include_deleted=true",
    `userId=${other}`,
    `userId_ne=${own}`,
    `userId_in=${own},${other}`,
    "userId_exists=false",
    "userId=null",
    "userId_regex=.",
    `_id=${otherId}`,
    `_id_in=${otherId}`,
    where({ or: [{ userId: other }, { userId: own }] }),
    where({ not: { userId: own } }),
    where({ or: [{ isDeleted: true }, { isDeleted: false }] }),
    where({ not: { _id: "x" } }),
    where({ userId: { nin: [] } }),
    "isDeleted=true&include_deleted=true",
    "isDeleted_in=true,false",
    "deletedAt_ne=null&include_deleted=true",
    "sort=userId",
    "sort=-userId&limit=1000",
    "fields=secret",
    "page=2&limit=1",
    "total=estimate",
    "populate=twin",
  ];
};

Deno.test("a private collection returns no foreign documents for any parameters", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "twin", type: "Ref", ref: "posts" }],
    rls: { mode: "private" },
  });
  const [ann, bob] = [await collection.project.user(), await collection.project.user()];
  const hidden = await collection.insertOne({ secret: "hidden", userId: bob.id });
  const trashed = await collection.insertOne({ secret: "hidden", userId: bob.id });
  await collection.insertOne({ secret: "hidden" });
  await collection.remove(trashed._id);
  const [own, old] = await collection.insert(
    { secret: "own", userId: ann.id, twin: hidden._id },
    { secret: "own", userId: ann.id, twin: trashed._id },
  ) as [Doc, Doc];
  await collection.remove(old._id);
  for (const query of attempts(ann.id, bob.id, hidden._id)) {
    const answer = await collection.asPublic({ path: `?${query}` }, ann);
    const { items, total } = ok(answer) as { items: Doc[]; total: number };
    assert.ok(!answer.text.includes("hidden"), query);
    assert.ok(items.every(({ _id }) => [own._id, old._id].includes(_id)), query);
    assert.ok(total <= 2, query);
    const count = ok(await collection.asPublic({ path: `?${query}&count=true` }, ann)).count;
    assert.equal(count, total, query);
    refused(await collection.asPublic({ path: `?${query}` }), 401, "ACCESS_TOKEN_REQUIRED");
  }
});

Deno.test("a filter cannot be used to guess the content of hidden documents", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { mode: "private" } });
  const [ann, bob] = [await collection.project.user(), await collection.project.user()];
  await collection.insertOne({ secret: "swordfish", userId: bob.id });
  for (
    const query of ["secret_regex=^sword", "secret=swordfish", "secret_gt=a", "secret_exists=true"]
  ) {
    assert.equal(ok(await collection.asPublic({ path: `?${query}` }, ann)).total, 0);
  }
});

Deno.test("include_deleted returns only the user's own trash, and none without a token", async () => {
  await using app = await openTestApp();
  for (const rls of [{ mode: "public-read" }, { enabled: false }]) {
    const collection = await createTestCollection(app, {
      rls,
      fields: [{ key: "n", type: "Number" }],
    });
    const [ann, bob] = [await collection.project.user(), await collection.project.user()];
    const rows = await collection.insert(
      { n: 1, userId: ann.id },
      { n: 2, userId: bob.id },
      { n: 3 },
      { n: 4, userId: ann.id },
      { n: 5, userId: bob.id },
      { n: 6 },
    );
    for (const { _id } of rows.slice(3)) await collection.remove(_id);
    const query = "include_deleted=true&sort=n";
    const hasOwner = "mode" in rls;
    assert.deepEqual(await collection.names(query, "public"), [1, 2, 3]);
    assert.deepEqual(await collection.names(query, ann), hasOwner ? [1, 2, 3, 4] : [1, 2, 3]);
    assert.deepEqual(await collection.names(query, bob), hasOwner ? [1, 2, 3, 5] : [1, 2, 3]);
    assert.deepEqual(await collection.names(query), [1, 2, 3, 4, 5, 6]);
    const trash = `isDeleted=true&${query}`;
    assert.deepEqual(await collection.names(trash, ann), hasOwner ? [4] : []);
    assert.deepEqual(await collection.names(trash, "public"), []);
  }
});

Deno.test("a list of one caller is never returned to another", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { mode: "private" } });
  const users = await Promise.all(times(5, () => collection.project.user()));
  for (const user of users) await collection.insertOne({ n: user.id, userId: user.id });
  for (let round = 0; round < 3; round++) {
    const lists = await Promise.all(
      users.map((user) => collection.names("limit=10&sort=_id", user)),
    );
    assert.deepEqual(lists, users.map(({ id }) => [id]));
    assert.equal((await collection.names("limit=10&sort=_id")).length, 5);
  }
});

Deno.test("a change of the owner moves a document between the users' lists at once", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { mode: "private" } });
  const [ann, bob] = [await collection.project.user(), await collection.project.user()];
  const { _id: id } = await collection.insertOne({ n: 1, userId: ann.id });
  assert.deepEqual([await collection.names("", ann), await collection.names("", bob)], [[1], []]);
  ok(await collection.asSecret({ method: "PATCH", path: `/${id}`, body: { userId: bob.id } }));
  assert.deepEqual([await collection.names("", ann), await collection.names("", bob)], [[], [1]]);
});

Deno.test("the owner field must equal the user's id exactly", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { mode: "private" } });
  const ann = await collection.project.user();
  await collection.insert(
    { n: 1, userId: ann.id.toUpperCase() },
    { n: 2, userId: `${ann.id} ` },
    { n: 3, userId: ann.id.slice(1) },
    { n: 4, userId: "" },
    { n: 5, userId: null },
  );
  assert.deepEqual(await collection.names("include_deleted=true", ann), []);
});

Deno.test("a collection that becomes private is closed at once, also for repeated lists", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { mode: "public-read" } });
  const [ann, bob] = [await collection.project.user(), await collection.project.user()];
  await collection.insert({ n: 1, userId: ann.id }, { n: 2, userId: bob.id });
  const change = (mode: string) =>
    updateCollection(app.services, collection.project.projectId, {
      name: collection.name,
      rls: { mode },
    });
  const query = "limit=10&sort=_id";
  const first = ok(await collection.asPublic({ path: "?limit=1&sort=_id" }, ann)).nextCursor;
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(await collection.names(query, "public"), [1, 2]);
    assert.deepEqual(await collection.names(query, ann), [1, 2]);
    await change("private");
    refused(await collection.asPublic({ path: `?${query}` }), 401, "ACCESS_TOKEN_REQUIRED");
    assert.deepEqual(await collection.names(query, ann), [1]);
    const old = await collection.asPublic({ path: `?limit=1&sort=_id&cursor=${first}` }, ann);
    refused(old, 400, "INVALID_CURSOR");
    await change("public-read");
  }
});
