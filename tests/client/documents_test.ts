import assert from "node:assert/strict";
import { openClients } from "./fixture.ts";

Deno.test("a user creates, reads, changes, deletes and recovers documents", async () => {
  await using fixture = await openClients();
  const corbel = fixture.client();
  const ada = await corbel.auth.signInAnonymously();
  const posts = corbel.from("posts");
  const created = await posts.create({ title: "Hello" });
  assert.deepEqual([created.title, created.views, created.userId], ["Hello", 0, ada._id]);
  assert.deepEqual(await posts.get(created._id), created);
  assert.equal((await posts.patch(created._id, { views: { $inc: 2 } })).views, 2);
  assert.equal((await posts.replace(created._id, { title: "Changed" })).title, "Changed");
  await posts.delete(created._id);
  await assert.rejects(posts.get(created._id), { code: "DOCUMENT_NOT_FOUND", status: 404 });
  assert.equal((await posts.recover(created._id)).title, "Changed");
});

Deno.test("a list takes conditions, order, fields and populate, and returns consecutive pages", async () => {
  await using fixture = await openClients();
  const server = fixture.client(fixture.project.secretKey);
  const posts = server.from("posts");
  await posts.createMany([1, 2, 3, 4, 5].map((views) => ({ title: `Post ${views}`, views })));
  const page = await posts.list({
    where: { or: [{ views: { gt: 3 } }, { title: "Post 1" }] },
    sort: "-views",
    limit: 2,
    fields: ["title"],
  });
  assert.deepEqual(page.items.map(({ title }) => title), ["Post 5", "Post 4"]);
  assert.deepEqual(Object.keys(page.items[0]!).toSorted(), ["_id", "title"]);
  assert.equal(page.total, 3);
  const seen: number[][] = [];
  for await (const { items } of posts.pages({ sort: ["views"], limit: 2, total: "none" })) {
    seen.push(items.map(({ views }) => views));
  }
  assert.deepEqual(seen, [[1, 2], [3, 4], [5]]);
  assert.equal(await posts.count({ where: { views: { lte: 2 } } }), 2);
  assert.equal((await posts.list({ search: "post 3" })).items[0]!.views, 3);
  const { groups } = await posts.aggregate({ count: true, sum: ["views"] });
  assert.deepEqual(groups, [{ key: {}, count: 5, sum: { views: 15 } }]);
  const post = page.items[0]!;
  await server.from("comments").create({ post: post._id, text: "Yes" });
  const [comment] = (await server.from("comments").list({ populate: ["post"] })).items;
  assert.equal(comment!.post.title, "Post 5");
  const populatedPost = await posts.get(post._id, { populate: ["comments(post)"] });
  assert.equal(populatedPost.comments![0]!.text, "Yes");
});

Deno.test("query warnings are in the result, and printed once for a local server", async (t) => {
  await using fixture = await openClients();
  const posts = fixture.client(fixture.project.secretKey).from("posts");
  const printed: unknown[] = [];
  const { warn } = console;
  console.warn = (...given: unknown[]) => void printed.push(...given);
  try {
    await t.step("in results", async () => {
      const message = 'The collection does not declare "titel". Did you mean "title"?';
      for (const where of [{ titel: "a" }, { titel: "b" }]) {
        const { warnings } = await posts.list({ where });
        assert.deepEqual(warnings, [{ parameter: "where", message }]);
        const aggregate = await posts.aggregate({ where, count: true });
        assert.deepEqual(aggregate.warnings, [{ parameter: "where", message }]);
        assert.equal(await posts.count({ where }), 0);
      }
      assert.deepEqual((await posts.list()).warnings, []);
      assert.deepEqual(printed, [
        `/api/data/posts: ${message}`,
        `/api/data/posts/aggregate: ${message}`,
      ]);
    });
    await t.step("are not printed for a remote server", async () => {
      const client = fixture.client(fixture.project.secretKey, "https://api.example.com");
      const { warnings } = await client.from("posts").list({ where: { name: "a" } });
      assert.equal(warnings.length, 1);
      assert.equal(printed.length, 2);
    });
  } finally {
    console.warn = warn;
  }
});

Deno.test("a batch of writes is applied completely or not at all", async () => {
  await using fixture = await openClients();
  const server = fixture.client(fixture.project.secretKey);
  const posts = server.from("posts");
  const [one] = await posts.createMany([{ title: "One", slug: "one" }]);
  const results = await server.batch([
    { action: "create", collection: "posts", document: { title: "Two" } },
    { action: "patch", collection: "posts", id: one!, document: { views: { $inc: 1 } } },
  ]);
  assert.deepEqual(results.map(({ document }) => document!.title), ["Two", "One"]);
  const refused = server.batch([
    { action: "delete", collection: "posts", id: one! },
    { action: "create", collection: "posts", document: { views: 1 } },
  ]);
  await assert.rejects(refused, { code: "INVALID_DOCUMENT", operation: 1 });
  assert.equal(await posts.count(), 2);
});

Deno.test("a write with the tag of an older version is refused", async () => {
  await using fixture = await openClients();
  const server = fixture.client(fixture.project.secretKey);
  const posts = server.from("posts");
  const created = await posts.create({ title: "One" });
  const ifMatch = server.etagOf(created)!;
  assert.ok(ifMatch);
  const changed = await posts.patch(created._id, { title: "Two" }, { ifMatch });
  await assert.rejects(posts.patch(created._id, { title: "Three" }, { ifMatch }), {
    code: "PRECONDITION_FAILED",
  });
  await posts.delete(created._id, { ifMatch: server.etagOf(changed)! });
});

Deno.test("upsert creates once and then changes; create with a key is answered again", async () => {
  await using fixture = await openClients();
  const server = fixture.client(fixture.project.secretKey);
  const posts = server.from("posts");
  const first = await posts.create({ title: "One", slug: "one" }, { upsert: "slug" });
  const second = await posts.create({ title: "Two", slug: "one" }, { upsert: "slug" });
  assert.equal(second._id, first._id);
  const id = "66f1a0c2e4b0a1b2c3d4e5f6";
  await posts.replace(id, { title: "Put" }, { upsert: true });
  const idempotencyKey = "once";
  const created = await posts.create({ title: "Once" }, { idempotencyKey });
  assert.equal((await posts.create({ title: "Once" }, { idempotencyKey }))._id, created._id);
  await posts.delete(id, { permanent: true });
  assert.equal(await posts.count({ includeDeleted: true }), 2);
});

Deno.test("a refusal has its code, its invalid fields and its request", async () => {
  await using fixture = await openClients();
  const server = fixture.client(fixture.project.secretKey);
  await assert.rejects(server.from("posts").create({ views: "3" }), (error) => {
    assert.equal((error as Error).name, "CorbelError");
    const { code, status, requestId, faults } = error as never as Record<string, unknown>;
    assert.deepEqual([code, status], ["INVALID_DOCUMENT", 400]);
    assert.match(requestId as string, /./);
    assert.deepEqual(
      (faults as { path: string }[]).map(({ path }) => path).toSorted(),
      ["title", "views"],
    );
    return true;
  });
});
