import assert from "node:assert/strict";
import { eq } from "@/lib/store/filter.ts";
import { type UserRecord, USERS } from "@/lib/auth/users.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import {
  type Doc,
  ok,
  refused,
  type TestCollection,
  testCollectionOf,
  times,
  UNKNOWN_ID,
} from "./test_collection.ts";
import { declareFields } from "./user_email.ts";

/** Creates posts that refer to tags (public), notes (private), drafts (no RLS), users and posts. */
async function openLinked(app: TestApp) {
  const project = await app.project();
  await project.collection({ name: "tags", rls: { mode: "public-read" } });
  await project.collection({ name: "notes", rls: { mode: "private" } });
  await project.collection({ name: "drafts", rls: { enabled: false } });
  await project.collection({
    name: "posts",
    rls: { mode: "public-read" },
    fields: [
      { key: "tag", type: "Ref", ref: "tags" },
      { key: "tags", type: "Array", items: { type: "Ref", ref: "tags" } },
      { key: "note", type: "Ref", ref: "notes" },
      { key: "draft", type: "Ref", ref: "drafts" },
      { key: "author", type: "Ref", ref: "users" },
      { key: "next", type: "Ref", ref: "posts" },
      { key: "meta", type: "Object", fields: [{ key: "tag", type: "Ref", ref: "tags" }] },
      { key: "title", type: "String" },
      { key: "list", type: "Array", items: { type: "String" } },
    ],
  });
  const collection = (name: string): TestCollection => testCollectionOf(app, project, name);
  return {
    project,
    posts: collection("posts"),
    tags: collection("tags"),
    notes: collection("notes"),
    drafts: collection("drafts"),
  };
}

Deno.test("populate replaces ids with documents, in fields, lists and objects", async () => {
  await using app = await openTestApp();
  const { posts, tags } = await openLinked(app);
  const [a, b] = await tags.insert({ label: "a" }, { label: "b" }) as [Doc, Doc];
  const post = await posts.insertOne({
    tag: a._id,
    tags: [b._id, a._id, null, b._id],
    meta: { tag: b._id },
    title: a._id,
  });
  const expected = { ...post, tag: a, tags: [b, a, null, b], meta: { tag: b } };
  const query = "populate=tag,tags,meta.tag";
  assert.deepEqual(ok(await posts.asPublic({ path: `?${query}` })).items, [expected]);
  assert.deepEqual(ok(await posts.asPublic({ path: `/${post._id}?${query}` })), expected);
  const withExpand = query.replace("populate", "expand");
  assert.deepEqual(ok(await posts.asPublic({ path: `?${withExpand}` })).items, [expected]);
});

Deno.test("populate keeps an id whose document is missing or in the trash", async () => {
  await using app = await openTestApp();
  const { posts, tags } = await openLinked(app);
  const trashed = await tags.insertOne();
  await tags.remove(trashed._id);
  const rows = await posts.insert({ tag: UNKNOWN_ID }, { tag: trashed._id }, { tag: null }, {});
  const { items } = ok(await posts.asSecret({ path: "?populate=tag&sort=_id" }));
  assert.deepEqual(items, rows);
  const deleted = ok(await posts.asSecret({ path: "?populate=tag&include_deleted=true&sort=_id" }));
  assert.deepEqual(deleted.items, rows, "referenced documents in the trash are not populated");
});

Deno.test("populate applies the row-level security of the referenced collection", async () => {
  await using app = await openTestApp();
  const { project, posts, notes, drafts } = await openLinked(app);
  const [ann, bob] = [await project.user(), await project.user()];
  const [hers, his] = await notes.insert({ userId: ann.id, n: 1 }, { userId: bob.id, n: 2 }) as [
    Doc,
    Doc,
  ];
  const draft = await drafts.insertOne({ open: true });
  await posts.insert({ note: hers._id, draft: draft._id }, { note: his._id, draft: draft._id });
  const read = async (caller: Parameters<typeof posts.asPublic>[1] | "secret") => {
    const call = { path: "?populate=note,draft&sort=_id" };
    const answer = caller === "secret"
      ? await posts.asSecret(call)
      : await posts.asPublic(call, caller);
    const { items } = ok(answer) as { items: Doc[] };
    for (const item of items) assert.deepEqual(item.draft, draft);
    return items.map(({ note }) => note);
  };
  assert.deepEqual(await read(undefined), [hers._id, his._id]);
  assert.deepEqual(await read(ann), [hers, his._id]);
  assert.deepEqual(await read(bob), [hers._id, his]);
  assert.deepEqual(await read("secret"), [hers, his]);
});

Deno.test("populate returns only the public profile and the public fields of users", async () => {
  await using app = await openTestApp();
  const { project, posts } = await openLinked(app);
  const ann = await project.user();
  const records = app.services.engine.records<UserRecord>(project.projectId, USERS);
  const avatarUrl = "https://example.com/ann.png";
  await records.updateOne(eq("_id", ann.id), {
    set: {
      name: "Ann",
      username: "ann",
      avatarUrl,
      extra: "hidden",
      fields: { company: "Engines", phone: "hidden", former: "hidden" },
    },
  });
  await declareFields(
    app,
    project,
    { key: "company", type: "String", public: true },
    { key: "phone", type: "String" },
  );
  const bob = await project.user();
  await posts.insert({ author: ann.id }, { author: bob.id }, { author: UNKNOWN_ID });
  const createdAt = "2026-01-31T12:00:00.000Z";
  const authors = [
    { _id: ann.id, username: "ann", name: "Ann", avatarUrl, createdAt, company: "Engines" },
    { _id: bob.id, username: null, name: null, avatarUrl: null, createdAt, company: null },
    UNKNOWN_ID,
  ];
  const path = "?populate=author&sort=_id";
  for (const answer of [await posts.asSecret({ path }), await posts.asPublic({ path }, ann)]) {
    assert.deepEqual(ok(answer).items.map(({ author }: Doc) => author), authors);
    assert.ok(!answer.text.includes("@example.com") && !answer.text.includes("hidden"));
  }
  const { items } = ok(await posts.asPublic({ path: `${path}&fields=author.email,author.name` }));
  assert.deepEqual(items[0].author, { name: "Ann" });
});

Deno.test("populate never returns users of another project", async () => {
  await using app = await openTestApp();
  const { posts } = await openLinked(app);
  const foreign = await (await app.project()).user();
  await posts.insertOne({ author: foreign.id });
  const { items } = ok(await posts.asSecret({ path: "?populate=author" }));
  assert.equal(items[0].author, foreign.id);
});

Deno.test("populate is one level deep", async () => {
  await using app = await openTestApp();
  const { posts } = await openLinked(app);
  const last = await posts.insertOne({ title: "last" });
  const middle = await posts.insertOne({ title: "middle", next: last._id });
  const first = await posts.insertOne({ title: "first", next: middle._id });
  const read = ok(await posts.asPublic({ path: `/${first._id}?populate=next` }));
  assert.deepEqual(read, { ...first, next: middle });
  const self = await posts.insertOne();
  ok(await posts.asSecret({ method: "PATCH", path: `/${self._id}`, body: { next: self._id } }));
  const looped = ok(await posts.asPublic({ path: `/${self._id}?populate=next` }));
  assert.equal(looped.next.next, self._id);
});

Deno.test("populate accepts ten paths and no more", async () => {
  await using app = await openTestApp();
  const { posts } = await openLinked(app);
  ok(await posts.asPublic({ path: "?populate=tag,tags,note" }));
  ok(await posts.asPublic({ path: "?populate=tag,tag,tags,note,note" }));
  const paths = times(11, (n) => `tag.t${n}`).join();
  const answer = await posts.asPublic({ path: `?populate=${paths}` });
  refused(answer, 400, "INVALID_QUERY", /"populate".*10/);
});

Deno.test("populate refuses a path that is not a Ref", async () => {
  await using app = await openTestApp();
  const { posts } = await openLinked(app);
  for (
    const path of ["title", "other", "list", "meta", "meta.other", "_id", "userId", ""]
  ) {
    for (const name of ["populate", "expand"]) {
      const answer = await posts.asPublic({ path: `?${name}=${path}` });
      refused(answer, 400, "INVALID_QUERY", `"${name}"`);
    }
  }
  const nested = await posts.asPublic({ path: "?populate=tag.next" });
  refused(nested, 400, "INVALID_QUERY", '"tag.next"');
  ok(await posts.asPublic({ path: "?populate=tag&expand=tag" }));
});

Deno.test("a filter and a sort use the id and not the populated document", async () => {
  await using app = await openTestApp();
  const { posts, tags } = await openLinked(app);
  const [a, b] = await tags.insert({ label: "z" }, { label: "y" }) as [Doc, Doc];
  await posts.insert({ n: 1, tag: b._id }, { n: 2, tag: a._id });
  const found = ok(await posts.asPublic({ path: `?tag=${a._id}&populate=tag` }));
  assert.deepEqual(found.items.map(({ tag }: Doc) => tag), [a]);
  assert.deepEqual(await posts.names("sort=tag&populate=tag", "public"), [2, 1]);
  assert.deepEqual(await posts.names("tag.label=z&populate=tag", "public"), []);
});

Deno.test("populate fills a page of a thousand documents", async () => {
  await using app = await openTestApp();
  const { posts, tags } = await openLinked(app);
  const ids: string[] = [];
  for (let batch = 0; batch < 10; batch++) {
    const created = ok(
      await tags.asSecret({ path: "/bulk", body: times(100, (n) => ({ n })) }),
      201,
    );
    ids.push(...created.ids);
  }
  for (let batch = 0; batch < 10; batch++) {
    const body = ids.slice(batch * 100, batch * 100 + 100)
      .map((tag, i) => ({ tag, tags: [tag, ids[(i * 7) % 1000]] }));
    ok(await posts.asSecret({ path: "/bulk", body }), 201);
  }
  const { items } = ok(await posts.asPublic({ path: "?limit=1000&populate=tag,tags" }));
  assert.equal(items.length, 1000);
  assert.ok(
    items.every((item: { tag: Doc; tags: Doc[] }) =>
      typeof item.tag.n === "number" && item.tags[0]!._id === item.tag._id && item.tags[1]!._id
    ),
  );
});
