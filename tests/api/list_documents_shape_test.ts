import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, type Doc, ok, refused, times } from "./test_collection.ts";

const META = ["createdAt", "updatedAt", "isDeleted", "deletedAt"];

Deno.test("fields selects the named members with _id, or excludes the named ones", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const stored = await collection.insertOne({
    title: "one",
    a: { b: 1, c: { d: 2, e: 3 } },
    l: [{ x: 1 }],
    nil: null,
  });
  const { _id } = stored;
  const list = async (query: string): Promise<Doc> => {
    const data = ok(await collection.asPublic({ path: `?${query}` }));
    return data.items[0];
  };
  const expected: Record<string, unknown> = {
    "fields=title": { _id, title: "one" },
    "fields=_id": { _id },
    "fields=missing": { _id },
    "fields=nil": { _id, nil: null },
    "fields=title, nil": { _id, title: "one", nil: null },
    "fields=a.b": { _id, a: { b: 1 } },
    "fields=a.c.d,a.b": { _id, a: { b: 1, c: { d: 2 } } },
    "fields=a.b,a": { _id, a: stored.a! },
    "fields=a,a.b": { _id, a: stored.a! },
    "fields=title.x": { _id },
    "fields=l.x": { _id },
    "fields=createdAt": { _id, createdAt: stored.createdAt },
    "fields=-a,-l,-nil&meta=false": { _id, title: "one" },
    "fields=-a.c.d,-a.b,-l,-nil,-_id&meta=false": { _id, title: "one", a: { c: { e: 3 } } },
    "fields=title&meta=false": { _id, title: "one" },
  };
  for (const [query, document] of Object.entries(expected)) {
    assert.deepEqual(await list(query.replaceAll(" ", "%20")), document, query);
  }
  const all = Object.keys(await list(""));
  assert.deepEqual(Object.keys(await list("fields=-title")), all.filter((key) => key !== "title"));
  assert.deepEqual(Object.keys(await list("meta=false")), all.filter((key) => !META.includes(key)));
  assert.deepEqual(Object.keys(await list("meta=true")), all);
});

Deno.test("fields refuses to mix selected and excluded members", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  for (const fields of ["a,-b", "-a,b", "", ",", "a,", "-", "-a,-", "a..b", "$a", "-$a"]) {
    const answer = await collection.asPublic({ path: `?fields=${fields}` });
    refused(answer, 400, "INVALID_QUERY", '"fields"');
  }
});

Deno.test("count=true returns an empty page with the number of the caller's documents", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "views", type: "Number" }],
    rls: { mode: "private" },
  });
  const [ann, bob] = [await collection.project.user(), await collection.project.user()];
  const rows = await collection.insert(
    { views: 1, userId: ann.id },
    { views: 2, userId: ann.id },
    { views: 2, userId: bob.id },
    { views: 3 },
  );
  await collection.remove(rows[0]!._id);
  const count = async (query: string, user?: typeof ann) => {
    const call = { path: `?count=true${query}` };
    const page = ok(
      await (user === undefined ? collection.asSecret(call) : collection.asPublic(call, user)),
    );
    const { count, total = count, items, nextCursor, prevCursor } = page;
    assert.deepEqual([total, items, nextCursor, prevCursor], [count, [], null, null]);
    return { count };
  };
  assert.deepEqual(await count(""), { count: 3 });
  assert.deepEqual(await count("&include_deleted=true"), { count: 4 });
  assert.deepEqual(await count("&views=2"), { count: 2 });
  assert.deepEqual(await count("&views=2&limit=1&page=2&sort=views&total=none"), { count: 2 });
  assert.deepEqual(await count("", ann), { count: 1 });
  assert.deepEqual(await count("&include_deleted=true", ann), { count: 2 });
  assert.deepEqual(await count("&views=2", bob), { count: 1 });
  assert.deepEqual(await count(`&userId=${ann.id}`, bob), { count: 0 });
  refused(await collection.asPublic({ path: "?count=true" }), 401, "ACCESS_TOKEN_REQUIRED");
});

Deno.test("total is exact, omitted, or marked as an estimate", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await collection.asSecret({ path: "/bulk", body: times(30, (n) => ({ n, odd: n % 2 === 1 })) });
  const list = async (query: string) =>
    ok(await collection.asPublic({ path: `?limit=2&${query}` }));
  const frame = ["items", "limit", "nextCursor", "page", "prevCursor"];
  for (const query of ["", "total=exact"]) {
    const data = await list(query);
    assert.equal(data.total, 30);
    assert.deepEqual(Object.keys(data).sort(), [...frame, "total"].sort());
  }
  assert.equal((await list("odd=true")).total, 15);
  assert.equal((await list("odd=true&page=8")).total, 15);
  assert.deepEqual(Object.keys(await list("total=none")).sort(), frame);
  const estimate = await list("total=estimate");
  assert.equal(estimate.totalIsEstimate, true);
  assert.equal(typeof estimate.total, "number");
  for (const total of ["", "false", "EXACT", "0"]) {
    const answer = await collection.asPublic({ path: `?total=${total}` });
    refused(answer, 400, "INVALID_QUERY", '"total"');
  }
});

Deno.test("total follows trash, recovery and permanent deletion", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const [a, b, c] = await collection.insert({}, {}, {});
  const totals = async () => {
    const read = async (path: string) => ok(await collection.asSecret({ path })).total;
    return [await read(""), await read("?include_deleted=true"), await read("?isDeleted=true")];
  };
  assert.deepEqual(await totals(), [3, 3, 0]);
  await collection.remove(a!._id);
  await collection.remove(b!._id);
  assert.deepEqual(await totals(), [1, 3, 0]);
  ok(await collection.asSecret({ method: "PATCH", path: `/${a!._id}/recover` }));
  assert.deepEqual(await totals(), [2, 3, 0]);
  ok(await collection.asSecret({ method: "DELETE", path: `/${b!._id}?permanent=true` }));
  ok(await collection.asSecret({ method: "DELETE", path: `/${c!._id}?permanent=true` }));
  assert.deepEqual(await totals(), [1, 1, 0]);
});

Deno.test("include_deleted adds the trash to filtered and sorted lists", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: [{ key: "n", type: "Number" }] });
  const rows = await collection.insert(...times(6, (n) => ({ n })));
  for (const at of [1, 3, 5]) await collection.remove(rows[at]!._id);
  assert.deepEqual(await collection.names("sort=n"), [0, 2, 4]);
  assert.deepEqual(await collection.names("sort=n&include_deleted=false"), [0, 2, 4]);
  assert.deepEqual(await collection.names("sort=n&include_deleted=true"), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(await collection.names("sort=-n&include_deleted=true&limit=2&page=2"), [3, 2]);
  assert.deepEqual(await collection.names("isDeleted=true&include_deleted=true&sort=n"), [1, 3, 5]);
  assert.deepEqual(await collection.names("isDeleted=true"), []);
  assert.deepEqual(await collection.names("deletedAt_exists=true&deletedAt_ne=null"), []);
  const trashed = "deletedAt_ne=null&include_deleted=true";
  assert.deepEqual(await collection.names(`${trashed}&sort=-deletedAt`), [5, 3, 1]);
});
