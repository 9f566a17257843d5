import assert from "node:assert/strict";
import { QueryTooSlow } from "@/lib/store/errors.ts";
import type { Engine } from "@/lib/store/port.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { type Doc, ok, refused, testCollectionOf, times, UNKNOWN_ID } from "./test_collection.ts";

const refField = (key: string, to: string) => ({ key, type: "Ref", ref: to });

/** Opens five collections that refer to each other, and users' notes on posts. */
async function openLinked(app: TestApp) {
  const project = await app.project();
  const open = async (
    name: string,
    fields: readonly object[],
    rls: object = { mode: "public-read" },
  ) => {
    await project.collection({ name, fields, rls, strict: false });
    return testCollectionOf(app, project, name);
  };
  const owners = await open("owners", []);
  const companies = await open("companies", [refField("owner", "owners")]);
  const people = await open("people", [refField("company", "companies"), {
    key: "name",
    type: "String",
  }]);
  const posts = await open("posts", [
    refField("author", "people"),
    { key: "readers", type: "Array", items: { type: "Ref", ref: "people" } },
    refField("by", "users"),
    { key: "text", type: "String" },
  ]);
  const comments = await open("comments", [
    { ...refField("postId", "posts"), index: true },
    refField("author", "people"),
    { key: "meta", type: "Object", fields: [refField("post", "posts")] },
    { key: "posts", type: "Array", items: { type: "Ref", ref: "posts" } },
    refField("userId", "users"),
  ]);
  const notes = await open("notes", [refField("postId", "posts")], { mode: "private" });
  return { project, owners, companies, people, posts, comments, notes };
}

const namesOf = (documents: readonly Doc[]) => documents.map(({ n }) => n);

Deno.test("populate follows references through three levels", async () => {
  await using app = await openTestApp();
  const { owners, companies, people, posts } = await openLinked(app);
  const boss = await owners.insertOne({ name: "Boss" });
  const company = await companies.insertOne({ owner: boss._id });
  const ann = await people.insertOne({ name: "Ann", company: company._id });
  const lost = await people.insertOne({ name: "Lost", company: UNKNOWN_ID });
  const first = await posts.insertOne({ author: ann._id, readers: [lost._id, ann._id] });
  const second = await posts.insertOne({ author: ann._id, readers: [] });
  const query = "populate=author.company.owner,readers.company&sort=_id";
  const populated = { ...company, owner: boss };
  const expected = [
    {
      ...first,
      author: { ...ann, company: populated },
      readers: [lost, { ...ann, company }],
    },
    { ...second, author: { ...ann, company: populated } },
  ];
  assert.deepEqual(ok(await posts.asPublic({ path: `?${query}` })).items, expected);
  const alone = await posts.asPublic({ path: `/${first._id}?${query.replace("&sort=_id", "")}` });
  assert.deepEqual(ok(alone), expected[0]);
  const selected = ok(
    await posts.asPublic({
      path: "?populate=author.company&fields=author.company.owner,text&sort=_id&limit=1",
    }),
  );
  assert.deepEqual(selected.items, [{ _id: first._id, author: { company: { owner: boss._id } } }]);
});

Deno.test("referring documents are added to the members, newest first", async () => {
  await using app = await openTestApp();
  const { people, posts, comments } = await openLinked(app);
  const ann = await people.insertOne({ name: "Ann" });
  const [one, two, three] = await posts.insert({}, {}, {}) as [Doc, Doc, Doc];
  const [c1, c2, c3] = await comments.insert(
    { postId: one._id, n: 1, author: ann._id },
    { postId: two._id, n: 2 },
    { postId: one._id, n: 3, meta: { post: three._id } },
  ) as [Doc, Doc, Doc];
  const gone = await comments.insertOne({ postId: one._id, n: 4 });
  await comments.remove(gone._id);
  const list = ok(await posts.asPublic({ path: "?populate=comments(postId).author&sort=_id" }));
  assert.deepEqual(list.items, [
    { ...one, comments: [c3, { ...c1, author: ann }] },
    { ...two, comments: [c2] },
    { ...three, comments: [] },
  ]);
  const inside = ok(await posts.asPublic({ path: `/${three._id}?expand=comments(meta.post)` }));
  assert.deepEqual(inside.comments, [c3]);
  const named = ok(
    await posts.asPublic({
      path: `/${one._id}?populate=comments(postId)&fields=comments.n`,
    }),
  );
  assert.deepEqual(named, { _id: one._id, comments: [{ n: 3 }, { n: 1 }] });
  const without = ok(
    await posts.asPublic({
      path: `/${one._id}?populate=comments(postId)&fields=text`,
    }),
  );
  assert.deepEqual(without, { _id: one._id });
});

Deno.test("at most the newest hundred referring documents of each document are included", async () => {
  await using app = await openTestApp();
  const { posts, comments } = await openLinked(app);
  const [one, two] = await posts.insert({}, {}) as [Doc, Doc];
  for (const from of [0, 60]) {
    const body = times(60, (n) => ({ postId: one._id, n: from + n }));
    app.clock.advance(1000);
    ok(await comments.asSecret({ path: "/bulk", body }), 201);
  }
  ok(
    await comments.asSecret({ path: "/bulk", body: times(5, (n) => ({ postId: two._id, n })) }),
    201,
  );
  const { items } = ok(await posts.asPublic({ path: "?populate=comments(postId)&sort=_id" }));
  assert.deepEqual(items.map((item: { comments: Doc[] }) => item.comments.length), [100, 5]);
  const newest = namesOf(items[0].comments).slice(0, 60) as number[];
  assert.deepEqual(new Set(newest), new Set(times(60, (n) => 60 + n)));
});

Deno.test("on a page of 200 documents each gets its own referring documents", async () => {
  await using app = await openTestApp();
  const { posts, comments } = await openLinked(app);
  const ids: string[] = [];
  for (const _ of [1, 2]) {
    const bulk = ok(await posts.asSecret({ path: "/bulk", body: times(100, (n) => ({ n })) }), 201);
    ids.push(...bulk.ids);
  }
  for (const half of [ids.slice(0, 100), ids.slice(100)]) {
    const body = half.map((postId) => ({ postId, n: postId }));
    ok(await comments.asSecret({ path: "/bulk", body }), 201);
  }
  const { items } = ok(await posts.asPublic({ path: "?populate=comments(postId)&limit=1000" }));
  assert.equal(items.length, 200);
  for (const item of items) assert.deepEqual(namesOf(item.comments), [item._id]);
});

Deno.test("each level is read under the rules of its own collection", async () => {
  await using app = await openTestApp();
  const { project, posts, notes } = await openLinked(app);
  const [ann, bob] = [await project.user(), await project.user()];
  const post = await posts.insertOne({});
  const [hers, his] = await notes.insert(
    { postId: post._id, userId: ann.id, n: 1 },
    { postId: post._id, userId: bob.id, n: 2 },
  ) as [Doc, Doc];
  const path = `/${post._id}?populate=notes(postId)`;
  const seen = async (answer: Promise<Awaited<ReturnType<typeof posts.asSecret>>>) =>
    ok(await answer).notes.map(({ _id }: Doc) => _id);
  assert.deepEqual(await seen(posts.asSecret({ path })), [his._id, hers._id]);
  assert.deepEqual(await seen(posts.asPublic({ path }, ann)), [hers._id]);
  assert.deepEqual(await seen(posts.asPublic({ path }, bob)), [his._id]);
  assert.deepEqual(await seen(posts.asPublic({ path })), [], "a list would be a 401");
  // A caller who may not read the collection at all learns nothing about it.
  const secretive = `/${post._id}?populate=notes(nothing.there).author`;
  assert.deepEqual(ok(await posts.asPublic({ path: secretive })).notes, []);
  refused(await posts.asPublic({ path: secretive }, ann), 400, "INVALID_QUERY", /"nothing.there"/);
});

Deno.test("referring documents are those that a list would return, under every mode", async () => {
  await using app = await openTestApp();
  const { project, posts } = await openLinked(app);
  const post = await posts.insertOne({});
  const ann = await project.user();
  const modes: Record<string, object> = {
    off: { enabled: false },
    open: { mode: "public-read" },
    own: { mode: "private" },
  };
  for (const [mode, rls] of Object.entries(modes)) {
    const name = `replies_${mode}`;
    await project.collection({ name, fields: [refField("postId", "posts")], rls, strict: false });
    const replies = testCollectionOf(app, project, name);
    await replies.insert({ postId: post._id, userId: ann.id }, { postId: post._id });
    await replies.remove((await replies.insertOne({ postId: post._id, userId: ann.id }))._id);
    const callers = [
      (path: string) => project.asSecret({ path }),
      (path: string) => project.asPublic({ path }),
      (path: string) => project.asPublic({ path }, ann),
    ];
    for (const ask of callers) {
      const list = await ask(`/api/data/${name}?postId=${post._id}`);
      const populated = ok(await ask(`/api/data/posts/${post._id}?populate=${name}(postId)`))[name];
      assert.deepEqual(populated, list.status === 200 ? ok(list).items : [], mode);
    }
  }
});

Deno.test("populated users show only their public members, plus the documents that refer to them", async () => {
  await using app = await openTestApp();
  const { project, posts, comments } = await openLinked(app);
  const ann = await project.user();
  const post = await posts.insertOne({ by: ann.id });
  const comment = await comments.insertOne({ userId: ann.id, n: 1 });
  const read = ok(await posts.asSecret({ path: `/${post._id}?populate=by.comments(userId)` }));
  const members = ["_id", "username", "name", "avatarUrl", "createdAt", "comments"];
  assert.deepEqual(Object.keys(read.by), members);
  assert.deepEqual(read.by.comments, [comment]);
});

Deno.test("a reference that cannot be followed is refused by name, even in an empty collection", async () => {
  await using app = await openTestApp();
  const { posts, comments } = await openLinked(app);
  const cases: readonly (readonly [string, RegExp])[] = [
    ["author.name", /"author.name": "name" is not declared as a Ref/],
    ["author.none.owner", /"none" is not declared as a Ref/],
    ["by.company", /"company" is not declared as a Ref/],
    ["author.company.owner.company", /follows more than 3 references/],
    ["none(postId)", /there is no collection "none"/],
    ["users(postId)", /there is no collection "users"/],
    ["comments(text)", /"text" of comments is not declared as a Ref to posts/],
    ["comments(author)", /"author" of comments is not declared as a Ref to posts/],
    ["comments(posts)", /"posts" of comments is not declared as a Ref to posts/],
    ["comments(postId),comments(meta.post)", /"comments" is already requested by another field/],
  ];
  for (const [path, message] of cases) {
    for (const name of ["populate", "expand"]) {
      const answer = await posts.asPublic({ path: `?${name}=${path}` });
      refused(answer, 400, "INVALID_QUERY", message);
    }
    refused(
      await posts.asPublic({ path: `/${UNKNOWN_ID}?populate=${path}` }),
      400,
      "INVALID_QUERY",
    );
  }
  // Comments declare a field called posts.
  const both = await comments.asPublic({ path: "?populate=posts(author)" });
  refused(both, 400, "INVALID_QUERY", /"posts" is a field of comments, and cannot be both/);
});

Deno.test("an undeclared member is replaced by the documents requested under its name", async () => {
  await using app = await openTestApp();
  const { posts } = await openLinked(app);
  const post = await posts.insertOne({ comments: "mine" });
  const read = ok(await posts.asPublic({ path: `/${post._id}?populate=comments(postId)` }));
  assert.deepEqual(read.comments, []);
});

Deno.test("an answer over 16 MiB is refused, on whichever level it grows", async () => {
  await using app = await openTestApp();
  const { people, posts, comments } = await openLinked(app);
  const large = await people.insertOne({ name: "x".repeat(900_000) });
  const post = await posts.insertOne({});
  const body = times(30, (n) => ({ postId: post._id, author: large._id, n }));
  ok(await comments.asSecret({ path: "/bulk", body }), 201);
  const path = `/${post._id}?populate=comments(postId)`;
  assert.equal(ok(await posts.asPublic({ path })).comments.length, 30);
  refused(await posts.asPublic({ path: `${path}.author` }), 413, "ANSWER_TOO_LARGE");
  const few = ok(await comments.asPublic({ path: "?populate=author&limit=10" }));
  assert.equal(few.items.length, 10);
});

Deno.test("the search for referring documents ends after the time limit", async () => {
  await using app = await openTestApp();
  const { project, posts } = await openLinked(app);
  const post = await posts.insertOne({});
  const { engine } = app.services;
  const tooSlow = { referrers: () => Promise.reject(new QueryTooSlow("postId")) };
  const hurried: Engine = {
    ...engine,
    records: (space, definition) =>
      definition.name.startsWith("comments.")
        ? tooSlow as never // No other method is called.
        : engine.records(space, definition),
  };
  const slow = createApp({ ...app.services, engine: hurried });
  const headers = { "x-api-key": project.secretKey };
  for (const place of ["", `/${post._id}`]) {
    const path = `/api/data/posts${place}?populate=comments(postId)`;
    const answer = await send(slow, { path, headers });
    refused(answer, 503, "QUERY_TOO_SLOW", 'an index on "postId" of "comments" would help');
  }
});
