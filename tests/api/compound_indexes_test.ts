import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { ok, refused, tally, times } from "./test_collection.ts";

const ELEMENTS_MAX = 1_000;

const FIELDS = [
  { key: "status", type: "String" },
  { key: "views", type: "Number" },
  { key: "slug", type: "String" },
  { key: "tags", type: "Array", items: { type: "String" } },
  { key: "marks", type: "Array", items: { type: "Number" } },
];

const INDEX = { fields: ["status", "-views"], unique: false };
const UNIQUE = { fields: ["status", "slug"], unique: true };

async function openPosts() {
  const app = await openTestApp();
  const owner = await createTestOwner(app);
  const define = (change: object, method = "PUT") =>
    owner.asOwner({
      method,
      path: method === "PUT" ? "/collections/posts" : "/collections",
      body: { name: "posts", fields: FIELDS, rls: { enabled: false }, ...change },
    });
  const stored = async () => ok(await owner.asOwner({ path: "/collections" })).items[0];
  const write = (body: object) => owner.project.asSecret({ path: "/api/data/posts", body });
  return {
    app,
    owner,
    define,
    stored,
    write,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

Deno.test("updateCollection stores, returns and replaces compound indexes", async () => {
  await using fixture = await openPosts();
  const { define, stored } = fixture;
  const created = ok(await define({ indexes: [INDEX] }, "POST"), 201);
  assert.deepEqual(created.indexes, [INDEX]);
  assert.deepEqual((await stored()).indexes, [INDEX]);
  assert.deepEqual(ok(await define({ indexes: [UNIQUE] })).indexes, [UNIQUE]);
  assert.deepEqual(ok(await define({})).indexes, [], "an omitted member has its default");
  const answer = await define({ indexes: [{ fields: ["nothing"] }] });
  refused(answer, 400, "INVALID_DEFINITION", 'names "nothing"');
  assert.deepEqual((await stored()).indexes, []);
});

Deno.test("a compound index serves a list that filters and sorts by its fields", async () => {
  await using fixture = await openPosts();
  const { owner, define, write } = fixture;
  ok(await define({ indexes: [INDEX] }, "POST"), 201);
  for (let i = 0; i < 30; i++) ok(await write({ status: i % 2 ? "a" : "b", views: i }), 201);
  const query = "status=a&views_gte=11&sort=-views";
  const path = `/api/data/posts?${query}`;
  const { items, total } = ok(await owner.project.asSecret({ path }));
  assert.deepEqual(items.map(({ views }: { views: number }) => views), [
    29,
    27,
    25,
    23,
    21,
    19,
    17,
    15,
    13,
    11,
  ]);
  assert.equal(total, 10);
  const { explain } = ok(await owner.project.asSecret({ path: `${path}&explain=true` }));
  assert.deepEqual(explain.index, INDEX.fields);
  assert.equal(explain.advice, null);
});

Deno.test("a unique compound index admits one of 20 concurrent writes, and names its fields", async () => {
  await using fixture = await openPosts();
  const { define, write } = fixture;
  ok(await define({ indexes: [UNIQUE] }, "POST"), 201);
  const answers = await Promise.all(times(20, (views) => write({ status: "a", slug: "x", views })));
  assert.deepEqual(tally(answers), { 201: 1, 409: 19 });
  const taken = answers.find(({ status }) => status === 409)!;
  refused(taken, 409, "DUPLICATE_VALUE", '"status" and "slug" together');
  ok(await write({ status: "a", slug: "y" }), 201);
  for (const _ of [1, 2]) ok(await write({ status: "a" }), 201);
});

Deno.test("updateCollection refuses a unique index that stored documents break, and names them", async () => {
  await using fixture = await openPosts();
  const { define, stored, write } = fixture;
  ok(await define({}, "POST"), 201);
  const ids: string[] = [];
  for (const slug of ["x", "y", "x"]) ids.push(ok(await write({ status: "a", slug }), 201)._id);
  const answer = await define({ indexes: [UNIQUE] });
  refused(answer, 409, "DEFINITION_CONFLICT", `${ids[2]}: "status, slug" are not unique together`);
  assert.deepEqual((await stored()).indexes, []);
  ok(await write({ status: "a", slug: "x" }), 201);
});

Deno.test("an index over an array finds documents after they are changed, deleted and recovered", async () => {
  await using fixture = await openPosts();
  const { owner, define, write } = fixture;
  const indexed = FIELDS.map((field) => field.key === "marks" ? { ...field, index: true } : field);
  const indexes = [{ fields: ["tags", "-views"], unique: false }];
  ok(await define({ fields: indexed, indexes }, "POST"), 201);
  const ids: string[] = [];
  for (let i = 0; i < 40; i++) {
    const body = { views: i, tags: [`t${i % 4}`, "all"], marks: [i, i + 100] };
    ids.push(ok(await write(body), 201)._id);
  }
  const send = (path: string, change: object = {}) =>
    owner.project.asSecret({ path: `/api/data/posts${path}`, ...change });
  const viewsOf = async (query: string) =>
    ok(await send(`?${query}`)).items.map(({ views }: { views: number }) => views);
  assert.deepEqual(await viewsOf("tags=t1&sort=-views&limit=3"), [37, 33, 29]);
  assert.deepEqual(await viewsOf("marks_gt=137&sort=-views"), [39, 38]);
  assert.deepEqual(await viewsOf("marks_in=3,104&sort=views"), [3, 4]);
  ok(await send(`/${ids[37]}`, { method: "PATCH", body: { tags: ["all"] } }));
  ok(await send(`/${ids[33]}`, { method: "DELETE" }));
  assert.deepEqual(await viewsOf("tags=t1&sort=-views&limit=2"), [29, 25]);
  assert.deepEqual(await viewsOf("tags=t1&sort=-views&limit=2&include_deleted=true"), [33, 29]);
  ok(await send(`/${ids[33]}/recover`, { method: "PATCH" }));
  assert.deepEqual(await viewsOf("tags=t1&sort=-views&limit=2"), [33, 29]);
  const { explain } = ok(await send("?tags=t1&sort=-views&explain=true"));
  assert.deepEqual(explain.index, ["tags", "-views"]);
  assert.equal(explain.advice, null);
});

Deno.test("an index refuses a second array, and a unique index any array", async () => {
  await using fixture = await openPosts();
  const { define, stored } = fixture;
  ok(await define({}, "POST"), 201);
  const both = await define({ indexes: [{ fields: ["tags", "marks"] }] });
  refused(both, 400, "INVALID_DEFINITION", 'names "marks", a second Array in addition to "tags"');
  const unique = await define({ indexes: [{ fields: ["tags"], unique: true }] });
  refused(unique, 400, "INVALID_DEFINITION", 'cannot name "tags", which is an Array');
  assert.deepEqual((await stored()).indexes, []);
});

Deno.test("an indexed array is limited to a thousand elements, in stored documents too", async () => {
  await using fixture = await openPosts();
  const { owner, define, stored, write } = fixture;
  ok(await define({}, "POST"), 201);
  const long = times(ELEMENTS_MAX + 1, (n) => n);
  const { _id } = ok(await write({ marks: long }), 201);
  const indexes = [{ fields: ["marks"], unique: false }];
  const message = `may hold up to ${ELEMENTS_MAX} elements`;
  refused(await define({ indexes }), 409, "DEFINITION_CONFLICT", `${_id}: "marks" has an index`);
  assert.deepEqual((await stored()).indexes, []);
  const path = `/api/data/posts/${_id}`;
  ok(await owner.project.asSecret({ method: "PATCH", path, body: { marks: long.slice(1) } }));
  assert.deepEqual(ok(await define({ indexes })).indexes, indexes);
  refused(await write({ marks: long }), 400, "INVALID_DOCUMENT", message);
  const patch = { method: "PATCH", path, body: { marks: long } };
  refused(await owner.project.asSecret(patch), 400, "INVALID_DOCUMENT", message);
  const found = ok(await owner.project.asSecret({ path: "/api/data/posts?marks=1000" }));
  assert.deepEqual(found.items.map((one: { _id: string }) => one._id), [_id]);
});
