import assert from "node:assert/strict";
import { openForWriting } from "@/lib/documents/access.ts";
import { writeDocument } from "@/lib/documents/write_document.ts";
import { saveUserFields } from "@/lib/users/user_fields.ts";
import { renameCollection } from "@/lib/operations/rename_collection.ts";
import { listen as openList } from "../support/live_reader.ts";
import { until } from "../acceptance/until.ts";
import { faults, testUnless } from "../support/server_faults.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused, tally, testCollectionOf, times } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";
import { openWebhooks } from "./webhooks.ts";

const rename = (from: string, name: unknown) => ({
  path: `/collections/${from}/rename`,
  body: { name },
});

const RLS_OFF = { rls: { enabled: false } };

Deno.test("documents, trash, indexes and ETags move to the new name, and the old name has none", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const fields = [{ key: "n", type: "Number", unique: true }, {
    key: "text",
    type: "String",
    search: true,
  }];
  await owner.project.collection({ name: "posts", ...RLS_OFF, fields });
  const posts = testCollectionOf(app, owner.project, "posts");
  const articles = testCollectionOf(app, owner.project, "articles");
  const stored = await posts.insert({ n: 1, text: "one" }, { n: 2, text: "two" }, { n: 3 });
  await posts.remove(stored[2]!._id);
  const before = (await posts.read(stored[0]!._id)).headers.get("etag");
  const [was] = ok(await owner.asOwner({ path: "/collections" })).items;
  assert.deepEqual(ok(await owner.asOwner(rename("posts", "articles"))), {
    ...was,
    name: "articles",
  });
  const read = await articles.read(stored[0]!._id);
  assert.deepEqual([ok(read), read.headers.get("etag")], [stored[0], before]);
  assert.deepEqual(await articles.names("sort=-n&include_deleted=true"), [3, 2, 1]);
  assert.deepEqual(await articles.names("search=tw"), [2]);
  refused(await articles.asSecret({ body: { n: 1 } }), 409, "DUPLICATE_VALUE");
  await articles.insertOne({ n: 4 });
  refused(await posts.asSecret({ path: "" }), 404, "COLLECTION_NOT_FOUND");
  refused(await posts.asSecret({ body: {} }), 404, "COLLECTION_NOT_FOUND");
  assert.deepEqual(await articles.names("sort=n"), [1, 2, 4]);
});

testUnless(
  faults.staysTaken,
  "the former name can be used by a new collection with its own documents",
  async () => {
    await using app = await openTestApp();
    const owner = await createTestOwner(app);
    await owner.project.collection({ name: "posts", ...RLS_OFF });
    const posts = testCollectionOf(app, owner.project, "posts");
    const articles = testCollectionOf(app, owner.project, "articles");
    await posts.insertOne({ n: 1 });
    ok(await owner.asOwner(rename("posts", "articles")));
    await owner.project.collection({ name: "posts", ...RLS_OFF });
    await posts.insertOne({ n: 2 });
    assert.deepEqual([await posts.names(""), await articles.names("")], [[2], [1]]);
    ok(await owner.asOwner({ method: "DELETE", path: "/collections/posts" }));
    ok(await owner.asOwner(rename("articles", "posts")));
    assert.deepEqual(await posts.names(""), [1]);
  },
);

Deno.test("references from all collections follow a rename, including its own", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const ref = { type: "Ref", ref: "posts" };
  await owner.project.collection({ name: "posts", ...RLS_OFF, fields: [{ key: "next", ...ref }] });
  await owner.project.collection({
    name: "comments",
    ...RLS_OFF,
    fields: [
      { key: "post", ...ref, index: true },
      { key: "others", type: "Array", items: ref },
      { key: "in", type: "Object", fields: [{ key: "deep", ...ref }] },
      { key: "by", type: "Ref", ref: "users" },
    ],
  });
  await owner.project.collection({ name: "tags", ...RLS_OFF });
  const favourites = { key: "favourites", type: "Array", items: ref, public: false };
  await saveUserFields(app.services, owner.projectId, [favourites]);
  const posts = testCollectionOf(app, owner.project, "posts");
  const comments = testCollectionOf(app, owner.project, "comments");
  const { _id } = await posts.insertOne();
  await comments.insertOne({ post: _id, others: [_id] });
  ok(await owner.asOwner(rename("posts", "articles")));
  const { items } = ok(await owner.asOwner({ path: "/collections" }));
  const names = items.map(({ name }: { name: string }) => name);
  assert.deepEqual(names, ["articles", "comments", "tags"]);
  const refs = JSON.stringify(items).match(/"ref":"\w+"/g)!;
  assert.deepEqual(occurrences(refs), { '"ref":"articles"': 4, '"ref":"users"': 1 });
  const [field] = await app.services.userFields.ofProject(owner.projectId);
  assert.equal(field!.items!.ref, "articles");
  const populated = ok(await comments.asSecret({ path: "?populate=post,others" })).items[0];
  assert.deepEqual([populated.post._id, populated.others[0]._id], [_id, _id]);
  const articles = testCollectionOf(app, owner.project, "articles");
  const back = ok(await articles.asSecret({ path: "?populate=comments(post)" })).items[0];
  assert.equal(back.comments.length, 1);
  await comments.insertOne({ post: _id });
  refused(
    await owner.asOwner({ method: "DELETE", path: "/collections/articles" }),
    409,
    "COLLECTION_IN_USE",
    "comments",
  );
});

function occurrences(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}

Deno.test("a taken or invalid name is refused and changes nothing", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({
    name: "posts",
    fields: [{ key: "self", type: "Ref", ref: "posts" }],
  });
  await owner.project.collection({ name: "tags" });
  const list = async () => ok(await owner.asOwner({ path: "/collections" })).items;
  const before = await list();
  for (const name of ["tags", "Tags", "TAGS"]) {
    refused(await owner.asOwner(rename("posts", name)), 409, "COLLECTION_EXISTS", name);
  }
  for (const name of ["", "1st", "a b", "users", "UsersArchive", "x".repeat(65)]) {
    refused(await owner.asOwner(rename("posts", name)), 400, "INVALID_DEFINITION");
  }
  refused(await owner.asOwner(rename("posts", 1)), 400, "INVALID_BODY");
  for (const name of ["missing", "Posts"]) {
    refused(await owner.asOwner(rename(name, "other")), 404, "COLLECTION_NOT_FOUND");
  }
  assert.deepEqual(await list(), before);
});

Deno.test("the current name changes nothing; another letter case is another name", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts" });
  const [before] = ok(await owner.asOwner({ path: "/collections" })).items;
  assert.deepEqual(ok(await owner.asOwner(rename("posts", "posts"))), before);
  assert.deepEqual(ok(await owner.asOwner(rename("posts", "Posts"))).name, "Posts");
  refused(await owner.project.asSecret({ path: "/api/data/posts" }), 404, "COLLECTION_NOT_FOUND");
  ok(await owner.project.asSecret({ path: "/api/data/Posts" }));
});

Deno.test("only admins and the owner can rename a collection", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts" });
  await owner.isForAdmins(rename("posts", "articles"));
  assert.equal(ok(await owner.asOwner({ path: "/collections" })).items[0].name, "posts");
  ok(await owner.as("admin", rename("posts", "articles")));
});

Deno.test("webhooks get every change under the name that the collection had", async () => {
  await using hooks = await openWebhooks();
  const { services } = hooks.app;
  const events = { posts: ["created"], users: ["created"] };
  const { id } = await hooks.create({ events });
  const headers = { "x-api-key": hooks.owner.project.secretKey };
  const create = async (name: string, n: number) =>
    ok(await hooks.app.send({ path: `/api/data/${name}`, headers, body: { n } }), 201);
  await create("posts", 1);
  ok(await hooks.owner.asOwner(rename("posts", "articles")));
  await create("articles", 2);
  await services.webhookDispatcher.idle();
  await services.jobRunner.idle();
  assert.deepEqual(
    hooks.server.received.map(({ json: { type, data } }) => `${type} ${data.document.n}`),
    ["posts.created 1", "articles.created 2"],
  );
  const webhook = ok(await hooks.owner.asOwner({ path: `/webhooks/${id}` }));
  assert.deepEqual(webhook.events, { articles: ["created"], users: ["created"] });
});

Deno.test("webhooks get each document that is written during a rename exactly once", async () => {
  await using hooks = await openWebhooks();
  const { services } = hooks.app;
  await hooks.create({ events: { posts: ["created"] } });
  const headers = { "x-api-key": hooks.owner.project.secretKey };
  const names = ["posts", "articles"];
  const created: string[] = [];
  const writers = times(4, async () => {
    for (let [name, n] = [0, 0]; n < 10; n++) {
      const path = `/api/data/${names[name]}`;
      const answer = await hooks.app.send({ path, headers, body: {} });
      if (answer.status === 201) created.push(answer.body.data._id);
      else name = 1;
    }
  });
  await until("something is written", () => created.length > 4);
  ok(await hooks.owner.asOwner(rename("posts", "articles")));
  await Promise.all(writers);
  await services.webhookDispatcher.idle();
  await services.jobRunner.idle();
  const deliveredIds = hooks.server.received.map(({ json }) => json.data.id);
  assert.deepEqual(deliveredIds.toSorted(), created.toSorted());
});

Deno.test("live lists end on a rename as on a deletion", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await project.collection({ name: "posts", ...RLS_OFF });
  await using reader = await openList({ app, project, path: "posts/live" });
  await reader.expect("list");
  const names = { from: "posts", to: "articles" };
  await renameCollection(app.services, project.projectId, names);
  const end = await reader.expect("unauthorized");
  assert.equal(end.data.code, "COLLECTION_NOT_FOUND");
  assert.equal(await reader.next(), null);
});

Deno.test("writes during a rename are stored or 404; of two concurrent renames one takes effect", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts", ...RLS_OFF });
  const { services } = app;
  const caller = { kind: "secret", projectId: owner.projectId } as const;
  let isOver = false;
  let written = 0;
  const writers = times(8, async () => {
    while (!isOver) {
      try {
        const target = await openForWriting(services, caller, "posts");
        await writeDocument(services, target, { action: "create", body: {} });
        written++;
      } catch (error) {
        assert.equal((error as { code?: string }).code, "COLLECTION_NOT_FOUND");
        return;
      }
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const answers = await Promise.all([
    owner.asOwner(rename("posts", "articles")),
    owner.asOwner(rename("posts", "notes")),
  ]);
  isOver = true;
  await Promise.all(writers);
  assert.deepEqual(tally(answers), { 200: 1, 404: 1 });
  const { name } = ok(answers.find(({ status }) => status === 200)!);
  const { total } = ok(await owner.project.asSecret({ path: `/api/data/${name}` }));
  assert.equal(total, written);
  assert.ok(written > 0);
});
