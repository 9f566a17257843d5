import assert from "node:assert/strict";
import { ModelFailure } from "@/lib/ai/model.ts";
import { createApp } from "@/routes/app.ts";
import { joinProject, openAccount } from "../support/dashboard.ts";
import { send } from "../support/conforming_client.ts";
import { openAi, POSTS } from "./ai.ts";
import { refused } from "./test_collection.ts";

const filter = (field: string, operator: string, value: unknown) => ({ field, operator, value });

Deno.test("buildQuery returns a query string that listDocuments accepts", async () => {
  await using ai = await openAi();
  await ai.define(POSTS);
  const headers = { "x-api-key": ai.secretKey };
  for (const views of [1, 5, 9]) {
    const body = { title: `t${views}`, status: views > 1 ? "live" : "draft", views, sort: "a,b" };
    assert.equal((await ai.app.send({ path: "/api/data/posts", headers, body })).status, 201);
  }
  const filters = [
    filter("status", "=", "live"),
    filter("views", "_gte", "5"),
    filter("sort", "eq", "a,b"),
    filter("at", "exists", false),
  ];
  ai.fake.reply({ writes: { filters, sort: "-views" } });
  const answer = await ai.ask({ prompt: "live ones with five views or more" });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.message, "Query built");
  const { query, preview, ...built } = answer.body.data;
  assert.deepEqual(built, {
    filters: [
      filter("status", "eq", "live"),
      filter("views", "gte", 5),
      filter("sort", "eq", "a,b"),
      filter("at", "exists", false),
    ],
    sort: "-views",
    dropped: [],
  });
  assert.equal(preview, undefined);
  assert.match(query, /where=/, "a field with a reserved name is in where");
  const list = await ai.app.send({ path: `/api/data/posts?${query}`, headers });
  assert.equal(list.status, 200, list.text);
  assert.deepEqual(list.body.data.items.map(({ views }: { views: number }) => views), [9, 5]);
});

Deno.test("buildQuery drops invalid filters and sorts with a reason, and keeps the rest", async () => {
  await using ai = await openAi();
  await ai.define(POSTS);
  const wrong = [
    filter("author", "eq", "Ada"),
    filter("title", "contains", "x"),
    filter("views", "gt", "many"),
    filter("title", "regex", "(a+)+"),
    filter("views", "eq", [1, 2]),
    filter("at", "gt", "some day"),
    filter("meta", "eq", "x"),
    filter("__proto__", "eq", "x"),
    filter("$where", "eq", "1"),
    filter("users", "exists", true),
  ];
  ai.fake.reply({
    writes: { filters: [...wrong, filter("meta.lang", "eq", "de")], sort: "-author,views" },
  });
  const { body } = await ai.ask();
  assert.deepEqual(body.data.filters, [filter("meta.lang", "eq", "de")]);
  assert.equal(body.data.sort, "views");
  assert.deepEqual(
    body.data.dropped.map((
      { field, operator }: { field: string; operator: string },
    ) => [field, operator]),
    [...wrong.map(({ field, operator }) => [field, operator]), ["-author", null]],
  );
  for (const { reason } of body.data.dropped) assert.ok(reason.length > 5);
});

Deno.test("buildQuery reads dates by the request's clock and time zone", async () => {
  await using ai = await openAi();
  await ai.define(POSTS);
  ai.fake.reply({
    writes: {
      filters: [filter("at", "gte", "yesterday"), filter("at", "lt", "2026-01-31")],
      sort: null,
    },
  });
  const { body } = await ai.ask({ timeZone: "America/New_York" });
  assert.deepEqual(body.data.filters, [
    filter("at", "gte", "2026-01-30T05:00:00.000Z"),
    filter("at", "lt", "2026-01-31T05:00:00.000Z"),
  ]);
  const question = JSON.parse(ai.fake.asked[0]!.messages[0]!.content);
  assert.equal(question.now, "Saturday 2026-01-31T07:00:00-05:00");
  assert.equal(question.timeZone, "America/New_York");
  await ai.ask();
  assert.equal(
    JSON.parse(ai.fake.asked[1]!.messages[0]!.content).now,
    "Saturday 2026-01-31T12:00:00+00:00",
  );
});

Deno.test("buildQuery sends the model field names and types, the time and the prompt, but no data", async () => {
  await using ai = await openAi();
  await ai.define(POSTS);
  const headers = { "x-api-key": ai.secretKey };
  await ai.app.send({ path: "/api/data/posts", headers, body: { title: "planted-in-a-row" } });
  await ai.ask({ prompt: "my wish", preview: true });
  const [asked] = ai.fake.asked;
  const question = JSON.parse(asked!.messages[0]!.content);
  assert.deepEqual(Object.keys(question), ["collection", "now", "timeZone", "request"]);
  assert.equal(question.request, "my wish");
  assert.equal(question.collection.name, "posts");
  assert.ok(
    question.collection.fields.some((one: object) =>
      JSON.stringify(one) === '{"path":"meta.lang","type":"String"}'
    ),
  );
  assert.equal(asked!.schemaName, "query");
  for (const secret of ["planted-in-a-row", ai.owner.email, ai.projectId, ai.owner.accountId]) {
    assert.ok(!asked!.text.includes(secret), secret);
  }
});

Deno.test("buildQuery previews the first five rows and the total with the owner's rights", async () => {
  await using ai = await openAi();
  await ai.define({ ...POSTS, rls: { mode: "private" } });
  const headers = { "x-api-key": ai.secretKey };
  for (let views = 0; views < 7; views++) {
    await ai.app.send({ path: "/api/data/posts", headers, body: { views } });
  }
  ai.fake.reply({ writes: { filters: [filter("views", "gt", 0)], sort: "views" } });
  const { body } = await ai.ask({ preview: true });
  const { items, total } = body.data.preview;
  assert.deepEqual(items.map(({ views }: { views: number }) => views), [1, 2, 3, 4, 5]);
  assert.equal(total, 6);
});

Deno.test("buildQuery previews the trash for a query about deleted documents", async () => {
  await using ai = await openAi();
  await ai.define(POSTS);
  const headers = { "x-api-key": ai.secretKey };
  const created = await ai.app.send({ path: "/api/data/posts", headers, body: { title: "gone" } });
  const path = `/api/data/posts/${created.body.data._id}`;
  await ai.app.send({ method: "DELETE", path, headers });
  ai.fake.reply({ writes: { filters: [filter("isDeleted", "eq", true)], sort: null } });
  const { body } = await ai.ask({ preview: true });
  assert.equal(body.data.preview.total, 1);
});

Deno.test("buildQuery refuses an invalid request without asking the provider or counting it", async () => {
  await using ai = await openAi();
  await ai.define(POSTS);
  const wrong: object[] = [
    ...[undefined, null, "", "  ", 7, [], {}, "x".repeat(1001), "a\0b"].map((prompt) => ({
      prompt,
    })),
    ...[undefined, null, "", 7].map((collectionName) => ({ collectionName })),
    ...["yes", 1, null].map((preview) => ({ preview })),
    ...["Mars/Olympus", "", 7, null].map((timeZone) => ({ timeZone })),
  ];
  for (const change of wrong) {
    refused(await ai.ask(change), 400, "INVALID_BODY", Object.keys(change)[0]);
  }
  for (const collectionName of ["nothing", "POSTS", "users", "x".repeat(1000)]) {
    refused(await ai.ask({ collectionName }), 404, "COLLECTION_NOT_FOUND");
  }
  assert.equal(ai.fake.asked.length, 0);
  assert.deepEqual(await ai.usage(), { queries: 0, designs: 0, turns: 0 });
  assert.equal((await ai.ask({ prompt: "x".repeat(1000) })).status, 200);
});

Deno.test("buildQuery admits owners and admins, and refuses viewers and strangers", async () => {
  await using ai = await openAi();
  await ai.define(POSTS);
  const accounts = [
    await openAccount(ai.app),
    await openAccount(ai.app),
    await openAccount(ai.app),
  ];
  const [admin, viewer, stranger] = accounts;
  await joinProject(ai.app.services, ai.projectId, admin!.accountId, "admin");
  await joinProject(ai.app.services, ai.projectId, viewer!.accountId, "viewer");
  assert.equal((await ai.ask({}, admin)).status, 200);
  refused(await ai.ask({}, viewer), 403, "ROLE_REQUIRED");
  refused(await ai.ask({}, stranger), 404, "PROJECT_NOT_FOUND");
  const call = { path: "/api/projects/1/ai/query-builder", body: {} };
  refused(await ai.owner.send(call), 400, "INVALID_PROJECT_ID");
  assert.equal(ai.fake.asked.length, 1);
  assert.deepEqual(await ai.usage(admin), { queries: 1, designs: 0, turns: 0 });
  assert.deepEqual(
    await ai.usage(),
    { queries: 0, designs: 0, turns: 0 },
    "each account is counted separately",
  );
});

Deno.test("buildQuery refuses API keys", async () => {
  await using ai = await openAi();
  await ai.define(POSTS);
  const path = `/api/projects/${ai.projectId}/ai/query-builder`;
  const body = { collectionName: "posts", prompt: "all" };
  const headers = { "x-api-key": ai.secretKey };
  refused(await ai.app.send({ path, body, headers }), 401, "SIGN_IN_REQUIRED");
  assert.equal(ai.fake.asked.length, 0);
});

Deno.test("buildQuery refuses a malformed answer of the provider with 502 and counts it", async () => {
  await using ai = await openAi({ plan: "pro" });
  await ai.define(POSTS);
  const wrong = [
    {},
    [],
    null,
    "all of them",
    { filters: [], sort: 7 },
    { filters: [{ field: "a", operator: "eq" }], sort: null },
    { filters: [filter("views", "eq", { $gt: 0 })], sort: null },
    { filters: [], sort: null, query: "limit=1000" },
    '{"filters":[',
  ];
  for (const writes of wrong) {
    ai.fake.reply({ writes });
    refused(await ai.ask(), 502, "AI_ANSWER_INVALID");
  }
  assert.deepEqual(await ai.usage(), { queries: wrong.length, designs: 0, turns: 0 });
});

Deno.test("buildQuery is 502 if the provider fails, without counting or quoting it", async () => {
  await using ai = await openAi();
  await ai.define(POSTS);
  const headers = { "retry-after": "0" };
  for (const status of [400, 403, 404, 413, 422, 429, 500, 503]) {
    ai.fake.reply({ status, headers, body: '{"error":{"message":"planted by the provider"}}' });
    const answer = await ai.ask();
    refused(answer, 502, "AI_UNAVAILABLE");
    assert.ok(!answer.text.includes("planted"));
  }
  ai.fake.reply({ status: 429, headers: { "retry-after": "77" } });
  assert.equal((await ai.ask()).headers.get("retry-after"), "77");
  ai.fake.revoke(ai.fake.key);
  refused(await ai.ask(), 502, "AI_UNAVAILABLE");
  assert.deepEqual(await ai.usage(), { queries: 0, designs: 0, turns: 0 });
});

Deno.test("buildQuery is 504 if the provider does not answer in time, without counting it", async () => {
  await using ai = await openAi();
  await ai.define(POSTS);
  const model = { ask: () => Promise.reject(new ModelFailure("late")) };
  const services = { ...ai.app.services, model };
  const answer = await send(createApp(services), {
    path: `/api/projects/${ai.projectId}/ai/query-builder`,
    headers: { cookie: ai.owner.cookie },
    body: { collectionName: "posts", prompt: "all" },
  });
  refused(answer, 504, "AI_TIMEOUT");
  assert.deepEqual(await ai.usage(), { queries: 0, designs: 0, turns: 0 });
});

Deno.test("buildQuery without a platform key is 503, unless the user has a key", async () => {
  await using ai = await openAi({ plan: "pro", env: { AI_API_KEY: "" } });
  await ai.define(POSTS);
  refused(await ai.ask(), 503, "AI_NOT_CONFIGURED", "no AI key of its own");
  const own = { method: "PUT", path: "/api/user/me/byok", body: { aiKey: ai.fake.key } };
  assert.equal((await ai.owner.send(own)).status, 200);
  assert.equal((await ai.ask()).status, 200);
});
