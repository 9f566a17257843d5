/** Tests fields that take over the values of others (`renamedFrom`). */

import assert from "node:assert/strict";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { type Doc, ok, refused, testCollectionOf } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";

const put = (body: unknown, name = "posts") => ({
  method: "PUT",
  path: `/collections/${name}`,
  body,
});

const RLS_OFF = { rls: { enabled: false } };
const text = (key: string, rest: object = {}) => ({ key, type: "String", ...rest });

const BEFORE = {
  ...RLS_OFF,
  fields: [
    text("title", { search: true }),
    text("slug", { unique: true }),
    { key: "tags", type: "Array", items: { type: "String" }, index: true },
    { key: "views", type: "Number" },
    { key: "place", type: "Object", fields: [{ key: "city", type: "String", index: true }] },
  ],
  indexes: [{ fields: ["views", "-createdAt"] }],
};

const AFTER = {
  ...RLS_OFF,
  fields: [
    text("headline", { search: true, renamedFrom: "title" }),
    text("path", { unique: true, renamedFrom: "slug" }),
    { key: "labels", type: "Array", items: { type: "String" }, index: true, renamedFrom: "tags" },
    { key: "reads", type: "Number", renamedFrom: "views" },
    {
      key: "where",
      type: "Object",
      fields: [{ key: "city", type: "String", index: true }],
      renamedFrom: "place",
    },
  ],
  indexes: [{ fields: ["reads", "-createdAt"] }],
};

async function openPosts(app: TestApp, definition: object = BEFORE) {
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts", ...definition });
  const posts = testCollectionOf(app, owner.project, "posts");
  const definitions = async () => ok(await owner.asOwner({ path: "/collections" })).items;
  return { owner, posts, definitions };
}

const post = (n: number) => ({
  title: `Hello ${n}`,
  slug: `post-${n}`,
  tags: ["all", `t${n}`],
  views: n,
  place: { city: n % 2 ? "Bern" : "Rome" },
  extra: { left: n },
});

const moved = (n: number) => {
  const { title, slug, tags, views, place, extra } = post(n);
  return { headline: title, path: slug, labels: tags, reads: views, where: place, extra };
};

Deno.test("renamed fields can be filtered, sorted, searched and are unique under their new names", async () => {
  await using app = await openTestApp();
  const { owner, posts } = await openPosts(app);
  const stored = await posts.insert(...[1, 2, 3, 4].map(post));
  await posts.remove(stored[3]!._id);
  const before: Doc[] = [];
  for (const { _id } of stored) before.push(ok(await posts.read(_id)));
  const renamed = ok(await owner.asOwner(put(AFTER)));
  assert.doesNotMatch(JSON.stringify(renamed), /renamedFrom/, "renamedFrom is not stored");
  const list = async (query: string) => ok(await posts.asSecret({ path: `?${query}` })).items;
  const idsOf = (...places: number[]) => places.map((n) => stored[n - 1]!._id);
  const found = async (query: string) =>
    (await list(`${query}&sort=createdAt`)).map(({ _id }: { _id: string }) => _id);
  assert.deepEqual(await found("headline=Hello%202"), idsOf(2));
  assert.deepEqual(await found("labels=all"), idsOf(1, 2, 3));
  assert.deepEqual(await found("reads_gte=2"), idsOf(2, 3));
  assert.deepEqual(await found("where.city=Bern"), idsOf(1, 3));
  assert.deepEqual(await found("search=hell"), idsOf(1, 2, 3));
  assert.deepEqual(await found("reads_exists=true&title_exists=false"), idsOf(1, 2, 3));
  assert.deepEqual(
    (await list("sort=-reads")).map(({ reads }: { reads: number }) => reads),
    [3, 2, 1],
  );
  for (
    const [i, { title: _t, slug: _s, tags: _g, views: _v, place: _p, ...rest }] of before.entries()
  ) {
    assert.deepEqual(ok(await posts.read(rest._id)), { ...rest, ...moved(i + 1) });
  }
  const taken = await posts.asSecret({ body: { path: "post-2" } });
  refused(taken, 409, "DUPLICATE_VALUE", "path");
  await posts.insertOne({ path: "post-4" });
});

Deno.test("a client with a document from before a rename cannot overwrite it until it reads again", async () => {
  await using app = await openTestApp();
  const { owner, posts } = await openPosts(app);
  const { _id } = await posts.insertOne(post(1));
  const other = await posts.insertOne({ extra: 1 });
  const tagOf = async (id: string) =>
    (await posts.asSecret({ path: `/${id}` })).headers.get("etag")!;
  const [before, untouched] = [await tagOf(_id), await tagOf(other._id)];
  ok(await owner.asOwner(put(AFTER)));
  const stale = await posts.asSecret({
    method: "PATCH",
    path: `/${_id}`,
    body: { title: "lost" },
    headers: { "if-match": before },
  });
  refused(stale, 412, "PRECONDITION_FAILED");
  const again = await posts.asSecret({ path: `/${_id}`, headers: { "if-none-match": before } });
  assert.equal(again.status, 200);
  assert.equal(
    await tagOf(other._id),
    untouched,
    "the tag of a document without these fields stays",
  );
});

Deno.test("sending the definition again does nothing", async () => {
  await using app = await openTestApp();
  const { owner, posts } = await openPosts(app);
  const { _id } = await posts.insertOne(post(1));
  const first = ok(await owner.asOwner(put(AFTER)));
  // The former name can be used by another field now.
  ok(await posts.asSecret({ method: "PATCH", path: `/${_id}`, body: { title: "undeclared" } }));
  await posts.untouched(async () => {
    assert.deepEqual(ok(await owner.asOwner(put(AFTER))), first);
  });
  const { headline, title } = ok(await posts.read(_id));
  assert.deepEqual([headline, title], ["Hello 1", "undeclared"]);
});

Deno.test("in a new collection renamedFrom moves nothing", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const body = { name: "posts", ...AFTER };
  const created = ok(await owner.asOwner({ method: "POST", path: "/collections", body }), 201);
  assert.doesNotMatch(JSON.stringify(created), /renamedFrom/);
  assert.deepEqual(ok(await owner.asOwner(put(AFTER))), created);
});

Deno.test("an ambiguous or impossible rename is refused and changes nothing", async () => {
  await using app = await openTestApp();
  const { owner, posts, definitions } = await openPosts(app);
  await posts.insert(post(1));
  const before = await definitions();
  const inObject = { type: "Object", fields: [text("b", { renamedFrom: "city" })] };
  const inArray = { type: "Array", items: inObject };
  const wrong: readonly (readonly [object[], RegExp])[] = [
    [[text("title", { renamedFrom: "title" })], /"title" is renamed from itself/],
    [[text("b", { renamedFrom: "title" }), text("title")], /"b" is renamed from "title", which is/],
    [
      [text("b", { renamedFrom: "title" }), text("c", { renamedFrom: "title" })],
      /"c" is renamed from "title", whose values "b" takes/,
    ],
    [
      [text("b", { renamedFrom: "title" }), text("title", { renamedFrom: "slug" })],
      /"b" is renamed from "title", which is still declared/,
    ],
    [[text("b", { renamedFrom: "tittle" })], /"b" cannot take .* "tittle": there is no such field/],
    [[text("b", { renamedFrom: "extra" })], /"extra": there is no such field/],
    [[text("b", { renamedFrom: "createdAt" })], /"createdAt": there is no such field/],
    [[text("slug", { renamedFrom: "title" })], /"slug" cannot .* "title": it is declared already/],
    [[{ key: "place", ...inObject }], /"place\.b" cannot be renamed: only fields at the top/],
    [[{ key: "list", ...inArray }], /"list\.items\.b" cannot be renamed: only fields at the top/],
    [[text("b", { renamedFrom: 1 })], /renamedFrom/],
  ];
  await posts.untouched(async () => {
    for (const [fields, message] of wrong) {
      const answer = await owner.asOwner(put({ ...RLS_OFF, fields }));
      refused(answer, 400, "INVALID_DEFINITION", message);
    }
    assert.deepEqual(await definitions(), before);
  });
});

Deno.test("a rename names the first ten documents that prevent it, and changes nothing", async () => {
  await using app = await openTestApp();
  const { owner, posts, definitions } = await openPosts(app);
  const stored = await posts.insert(...[1, 2, 3].map(post));
  const [, second] = stored;
  const patch = (id: string, body: object) =>
    posts.asSecret({ method: "PATCH", path: `/${id}`, body });
  ok(await patch(second!._id, { headline: "undeclared" }));
  ok(await patch(stored[0]!._id, { headline: null }));
  const before = await definitions();
  const rename = (field: object) => owner.asOwner(put({ ...RLS_OFF, fields: [field] }));
  await posts.untouched(async () => {
    const inTheWay = await rename(text("headline", { renamedFrom: "title" }));
    refused(
      inTheWay,
      409,
      "DEFINITION_CONFLICT",
      new RegExp(`${second!._id}: "headline" has a value already, .* "title"`),
    );
    const misfits = await rename({ key: "count", type: "Number", renamedFrom: "title" });
    refused(misfits, 409, "DEFINITION_CONFLICT", /"count" must be a Number/);
    assert.equal(misfits.body.message.match(/must be a Number/g)!.length, 3);
    assert.deepEqual(await definitions(), before);
  });
  ok(await patch(second!._id, { headline: { $unset: true } }));
  ok(await rename(text("headline", { renamedFrom: "title" })));
  assert.equal(ok(await posts.read(stored[0]!._id)).headline, "Hello 1");
});

Deno.test("the owner field can be renamed, and all users keep their documents", async () => {
  await using app = await openTestApp();
  const { owner, posts } = await openPosts(app, { rls: { ownerField: "by" } });
  const [ann, bob] = [await owner.project.user(), await owner.project.user()];
  for (const user of [ann, bob]) ok(await posts.asPublic({ body: {} }, user), 201);
  const stillOwner = put({
    rls: { ownerField: "by" },
    fields: [text("author", { renamedFrom: "x" })],
  });
  refused(await owner.asOwner(stillOwner), 400, "INVALID_DEFINITION", '"x"');
  const fields = [text("author", { renamedFrom: "by" })];
  const { rls } = ok(await owner.asOwner(put({ rls: { ownerField: "by" }, fields })));
  assert.equal(rls.ownerField, "author", "the owner field follows the rename");
  for (const user of [ann, bob]) {
    const { items } = ok(await posts.asPublic({ path: "" }, user));
    assert.deepEqual(items.map(({ author }: { author: string }) => author), [user.id]);
    const { _id } = items[0];
    ok(await posts.asPublic({ method: "PATCH", path: `/${_id}`, body: { n: 1 } }, user));
  }
  const { items: [theirs] } = ok(await posts.asPublic({ path: "" }, bob));
  const path = `/${theirs._id}`;
  refused(
    await posts.asPublic({ method: "PATCH", path, body: { n: 2 } }, ann),
    404,
    "DOCUMENT_NOT_FOUND",
  );
});

Deno.test("referring documents are populated through the field's new name", async () => {
  await using app = await openTestApp();
  const { owner, posts } = await openPosts(app);
  const comments = testCollectionOf(app, owner.project, "comments");
  const ref = { type: "Ref", ref: "posts" };
  await owner.project.collection({
    name: "comments",
    ...RLS_OFF,
    fields: [{ key: "postId", ...ref, index: true }],
  });
  const { _id } = await posts.insertOne(post(1));
  await comments.insert({ postId: _id }, { postId: _id });
  const fields = [{ key: "post", ...ref, index: true, renamedFrom: "postId" }];
  ok(await owner.asOwner(put({ ...RLS_OFF, fields }, "comments")));
  const { items } = ok(await posts.asSecret({ path: "?populate=comments(post)" }));
  assert.equal(items[0].comments.length, 2);
  const populated = ok(await comments.asSecret({ path: "?populate=post" }));
  assert.equal(populated.items[0].post._id, _id);
});

Deno.test("a rename does not change a document's updatedAt and notifies no webhook or live list", async () => {
  await using app = await openTestApp();
  const { owner, posts } = await openPosts(app);
  const { _id, updatedAt } = await posts.insertOne(post(1));
  const { changes } = app.services.engine;
  const head = await changes.head(owner.projectId);
  app.clock.advance(60_000);
  ok(await owner.asOwner(put(AFTER)));
  assert.equal(ok(await posts.read(_id)).updatedAt, updatedAt);
  const { _id: next } = await posts.insertOne({ headline: "next" });
  await using feed = changes.follow(owner.projectId, head);
  for await (const batch of feed) {
    const [first] = batch.changes;
    if (first === undefined) continue;
    assert.equal(first.recordId, next);
    break;
  }
});
