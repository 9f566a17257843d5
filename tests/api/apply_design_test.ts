import assert from "node:assert/strict";
import { listCollections } from "@/lib/documents/save_collection.ts";
import { joinProject, openAccount, type TestAccount } from "../support/dashboard.ts";
import { type AiFixture, openAi } from "./ai.ts";
import { refused, tally, times } from "./test_collection.ts";
import { createCollection } from "@/tests/support/given.ts";

const field = (key: string, change: object = {}) => ({
  key,
  type: "String",
  required: false,
  unique: false,
  index: false,
  search: false,
  ref: null,
  items: null,
  fields: null,
  ...change,
});

const refTo = (ref: string) => field(ref, { type: "Ref", ref });

const propose = async (ai: AiFixture, collections: Record<string, object[]>): Promise<void> => {
  ai.fake.reply({
    writes: {
      type: "schema",
      message: "Here.",
      collections: Object.entries(collections)
        .map(([name, fields]) => ({ name, fields, access: "private" })),
    },
  });
  const answer = await ai.say("design it");
  assert.equal(answer.status, 200, answer.text);
};

const apply = (ai: AiFixture, who: TestAccount = ai.owner) =>
  who.send({ method: "POST", path: `/api/projects/${ai.projectId}/ai/collection-creator/apply` });

const names = async (ai: AiFixture) =>
  (await listCollections(ai.app.services, ai.projectId)).map(({ name }) => name);

Deno.test("applyDesign creates all proposed collections, even those that refer to each other", async () => {
  await using ai = await openAi();
  await propose(ai, {
    posts: [refTo("comments"), field("title", { unique: true })],
    comments: [refTo("posts")],
  });
  const answer = await apply(ai);
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.body.message, "Collections created");
  const created = answer.body.data.collections;
  assert.deepEqual(created.map(({ name }: { name: string }) => name), ["posts", "comments"]);
  assert.deepEqual(await names(ai), ["comments", "posts"]);
  const headers = { "x-api-key": ai.secretKey };
  const write = () => ai.app.send({ path: "/api/data/posts", headers, body: { title: "once" } });
  assert.equal((await write()).status, 201);
  refused(await write(), 409, "DUPLICATE_VALUE");
  assert.equal((await ai.app.send({ path: "/api/data/comments", headers })).status, 200);
});

Deno.test("applyDesign creates no collection if one of them cannot be created", async () => {
  await using ai = await openAi();
  await propose(ai, { posts: [field("title", { index: true })], comments: [refTo("posts")] });
  await ai.define({ name: "Comments" });
  refused(await apply(ai), 409, "COLLECTION_EXISTS", '"comments"');
  assert.deepEqual(await names(ai), ["Comments"]);
  const headers = { "x-api-key": ai.secretKey };
  const posts = await ai.app.send({ path: "/api/data/posts", headers });
  refused(posts, 404, "COLLECTION_NOT_FOUND");
});

Deno.test("applyDesign creates no collection of a proposal beyond the plan", async () => {
  await using ai = await openAi();
  for (const i of times(19, (i) => i)) await ai.define({ name: `c${i}` });
  await propose(ai, { posts: [], comments: [refTo("posts")] });
  refused(await apply(ai), 403, "PLAN_LIMIT_REACHED", "free");
  assert.equal((await names(ai)).length, 19);
  await propose(ai, { posts: [] });
  assert.equal((await apply(ai)).status, 201);
});

Deno.test("applyDesign refuses a reference to a collection that was deleted since the proposal", async () => {
  await using ai = await openAi();
  await ai.define({ name: "authors" });
  await propose(ai, { posts: [refTo("authors")] });
  const path = `/api/projects/${ai.projectId}/collections/authors`;
  assert.equal((await ai.owner.send({ method: "DELETE", path })).status, 200);
  refused(await apply(ai), 400, "INVALID_DEFINITION", "authors");
  assert.deepEqual(await names(ai), []);
});

Deno.test("exactly one of 10 concurrent applyDesign requests creates the collections", async () => {
  await using ai = await openAi();
  await propose(ai, { posts: [field("title")], comments: [refTo("posts")] });
  const answers = await Promise.all(times(10, () => apply(ai)));
  assert.deepEqual(tally(answers), { 201: 1, 409: 9 });
  assert.deepEqual(await names(ai), ["comments", "posts"]);
});

Deno.test("applyDesign applies the account's last proposal, and is 404 without one", async () => {
  await using ai = await openAi();
  refused(await apply(ai), 404, "PROPOSAL_NOT_FOUND");
  await propose(ai, { posts: [] });
  await propose(ai, { pages: [] });
  ai.fake.reply({ writes: { type: "clarify", message: "And?", collections: null } });
  await ai.say("hm");
  const admin = await openAccount(ai.app);
  await joinProject(ai.app.services, ai.projectId, admin.accountId, "admin");
  refused(await apply(ai, admin), 404, "PROPOSAL_NOT_FOUND");
  assert.equal((await apply(ai)).status, 201);
  assert.deepEqual(await names(ai), ["pages"]);
});

Deno.test("applyDesign refuses two collections if the plan leaves room for one", async () => {
  await using ai = await openAi();
  const { services } = ai.app;
  for (const n of times(19, (n) => n)) {
    await createCollection(services, ai.projectId, { name: `c${n}`, fields: [] });
  }
  await propose(ai, Object.fromEntries(times(2, (n) => [`new${n}`, [field("title")]])));
  refused(await apply(ai), 403, "PLAN_LIMIT_REACHED");
  assert.equal((await names(ai)).length, 19);
});
