import assert from "node:assert/strict";
import { listSlowQuestions } from "@/lib/documents/list_slow_questions.ts";
import { QUESTIONS } from "@/lib/documents/question_records.ts";
import { PROJECT_TRASH_MS, QUESTION_SHAPES_MAX } from "@/lib/limits.ts";
import { removeExpiredTrash } from "@/lib/operations/project_trash.ts";
import { QueryTooSlow } from "@/lib/store/errors.ts";
import { maintain } from "@/routes/maintenance.ts";
import { joinProject, openAccount } from "../support/dashboard.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { database } from "../support/test_store.ts";
import { slowedApp, storedText } from "./slow_questions.ts";
import { ok, refused, times } from "./test_collection.ts";

const FIELDS = [
  { key: "status", type: "String" },
  { key: "views", type: "Number" },
  { key: "meta", type: "Object", fields: [{ key: "lang", type: "String" }] },
];
const DAY_MS = 86_400_000;

const slowQuestionsPath = ({ projectId }: TestProject) =>
  `/api/projects/${projectId}/slow-questions`;

async function listQuestions(project: TestProject) {
  return ok(await (await project.owner()).send({ path: slowQuestionsPath(project) })).items;
}

async function openPosts(app: TestApp) {
  const project = await app.project();
  await project.collection({ name: "posts", rls: { mode: "public-read" }, fields: FIELDS });
  return { project, slowed: slowedApp(app) };
}

Deno.test("listSlowQuestions groups queries that differ in values, with cost and advice", async () => {
  await using app = await openTestApp();
  const { project, slowed } = await openPosts(app);
  for (const views of times(20, (n) => n)) {
    await project.asSecret({ path: "/api/data/posts", body: { status: "a", views } });
  }
  slowed.takes(20);
  for (const n of times(19, (n) => n)) {
    const query = n % 2 ? `status=a&views_gt=${n}` : `views_gt=${n}&status=b`;
    assert.equal(await slowed.asSecret(project, `posts?${query}&sort=-views&limit=5`), 200);
  }
  slowed.takes(120);
  assert.equal(
    await slowed.asSecret(project, "posts?status=a&views_gt=0&sort=-views&limit=5"),
    200,
  );
  assert.deepEqual(await listQuestions(project), [], "not stored so far");
  await slowed.store();
  const [question, ...others] = await listQuestions(project);
  assert.deepEqual(others, []);
  const { examined, ...figures } = question;
  assert.deepEqual(figures, {
    collection: "posts",
    filter: {
      and: [{ isDeleted: { eq: "?" } }, { status: { eq: "?" } }, { views: { gt: "?" } }],
    },
    sort: "-views",
    total: "exact",
    asked: 20,
    refused: 0,
    meanMs: 25,
    p95Ms: 23,
    answered: 46,
    advice: ["status", "-views"],
  });
  if (database === "sqlite") assert.ok(examined >= 46, String(examined));
  else assert.equal(examined, null);
});

Deno.test("listSlowQuestions attributes populated documents to their own collection", async () => {
  await using app = await openTestApp();
  const { project, slowed } = await openPosts(app);
  const fields = [{ key: "postId", type: "Ref", ref: "posts" }];
  await project.collection({ name: "comments", rls: { mode: "public-read" }, fields });
  const post = ok(await project.asSecret({ path: "/api/data/posts", body: {} }), 201);
  for (const _ of times(3, (n) => n)) {
    await project.asSecret({ path: "/api/data/comments", body: { postId: post._id } });
  }
  const path = `posts/${post._id}?populate=comments(postId)`;
  slowed.takes(150);
  assert.equal(await slowed.asSecret(project, path), 200);
  slowed.takes(new QueryTooSlow("postId"));
  assert.equal(await slowed.asPublic(project, path), 503);
  await slowed.store();
  const [question, ...others] = await listQuestions(project);
  assert.deepEqual(others, []);
  assert.deepEqual(question, {
    collection: "comments",
    filter: { and: [{ isDeleted: { eq: "?" } }, { postId: { eq: "?" } }] },
    sort: "-createdAt",
    total: "none",
    asked: 2,
    refused: 1,
    meanMs: 75,
    p95Ms: question.p95Ms,
    answered: 3,
    examined: null,
    advice: ["postId", "-createdAt"],
  });
});

Deno.test("listSlowQuestions omits a list of which only the populated documents were slow", async () => {
  await using app = await openTestApp();
  const { project, slowed } = await openPosts(app);
  const fields = [{ key: "postId", type: "Ref", ref: "posts" }];
  await project.collection({ name: "comments", rls: { mode: "public-read" }, fields });
  await project.asSecret({ path: "/api/data/posts", body: {} });
  slowed.referrersTake(new QueryTooSlow("postId"));
  assert.equal(await slowed.asSecret(project, "posts?populate=comments(postId)"), 503);
  await slowed.store();
  const collections = (await listQuestions(project)).map((one: { collection: string }) =>
    one.collection
  );
  assert.deepEqual(collections, ["comments"]);
});

Deno.test("listSlowQuestions separates operators, fields, sorts and totals, slowest first", async () => {
  await using app = await openTestApp();
  const { project, slowed } = await openPosts(app);
  const user = await project.user();
  const bearer = { authorization: `Bearer ${user.token}` };
  const queries = ["status=a", "status_ne=a", "sort=views", "total=none", "count=true", "views=1"];
  for (const [i, query] of queries.entries()) {
    slowed.takes(100 + i);
    assert.equal(await slowed.asSecret(project, `posts?${query}`), 200);
  }
  slowed.takes(200);
  await project.collection({ name: "notes" });
  assert.equal(await slowed.asPublic(project, "notes", bearer), 200);
  await slowed.store();
  const rows = (await listQuestions(project)).map((
    { collection, total, sort, meanMs, advice }: Record<string, unknown>,
  ) => [collection, total, sort, meanMs, advice]);
  assert.deepEqual(rows, [
    ["notes", "exact", "-createdAt", 200, null],
    ["posts", "exact", "-createdAt", 105, ["views", "-createdAt"]],
    ["posts", "only", "-createdAt", 104, null],
    ["posts", "none", "-createdAt", 103, null],
    ["posts", "exact", "views", 102, ["views"]],
    ["posts", "exact", "-createdAt", 101, null],
    ["posts", "exact", "-createdAt", 100, ["status", "-createdAt"]],
  ]);
});

Deno.test("listSlowQuestions neither stores nor returns values and undeclared names", async () => {
  await using app = await openTestApp();
  const { project, slowed } = await openPosts(app);
  const secret = "sk-hunter2";
  const where = {
    or: [
      { status: secret },
      { not: { views: { gte: 48_151_623 } } },
      { [secret]: 1 },
      { "meta.hunter2": { exists: false } },
    ],
  };
  slowed.takes(100);
  const queries = [
    "status=",
    "status_ne=",
    "status_gt=",
    "status_lte=",
    "status_in=x,",
    "status_nin=x,",
    "status_regex=",
    "status_contains=",
    "status_startswith=",
    "meta.lang=",
    `${secret}=`,
    `meta.${secret}_exists=true&status=`,
  ].map((query) => query + secret);
  for (const query of [...queries, `where=${encodeURIComponent(JSON.stringify(where))}`]) {
    assert.equal(await slowed.asSecret(project, `posts?${query}`), 200, query);
  }
  await slowed.store();
  const questions = await listQuestions(project);
  const stored = await storedText(app.services.engine, QUESTIONS);
  for (const text of [stored, JSON.stringify(questions)]) {
    assert.match(text, /status/);
    assert.doesNotMatch(text, /hunter2|48151623/);
  }
  const paths = questions.flatMap(({ filter }: { filter: object }) =>
    JSON.stringify(filter).match(/"(?:meta\.)?\*"/g) ?? []
  );
  assert.deepEqual(new Set(paths), new Set(['"*"', '"meta.*"']));
});

Deno.test("listSlowQuestions counts queries refused as too slow, and no failed ones", async () => {
  await using app = await openTestApp();
  const { project, slowed } = await openPosts(app);
  slowed.takes(new QueryTooSlow(null));
  assert.equal(await slowed.asSecret(project, "posts?status=a"), 503);
  assert.equal(await slowed.asSecret(project, "posts?status=a&count=true"), 503);
  slowed.takes(new Error("gone"));
  assert.equal(await slowed.asSecret(project, "posts?views=1"), 500);
  await slowed.store();
  const questions = await listQuestions(project);
  assert.deepEqual(
    questions.map(({ asked, refused, total }: Record<string, unknown>) => [asked, refused, total]),
    [[1, 1, "exact"], [1, 1, "only"]],
  );
});

Deno.test("listSlowQuestions omits a query that is fast on average", async () => {
  await using app = await openTestApp();
  const { project, slowed } = await openPosts(app);
  const runQuery = () => slowed.asSecret(project, "posts?status=a");
  slowed.takes(9);
  for (const _ of times(9, () => 0)) await runQuery();
  await slowed.store();
  assert.deepEqual(await listQuestions(project), []);
  slowed.takes(99);
  await runQuery();
  await slowed.store();
  slowed.takes(0);
  for (const _ of times(10, () => 0)) await runQuery();
  await slowed.store();
  const [{ asked, meanMs }] = await listQuestions(project);
  assert.deepEqual([asked, meanMs], [20, 9]);
});

Deno.test("listSlowQuestions adds up the counts of concurrent processes", async () => {
  await using app = await openTestApp();
  const { project } = await openPosts(app);
  const processes = times(20, () => slowedApp(app));
  for (const { takes, asSecret } of processes) {
    takes(50);
    await asSecret(project, "posts?status=a");
  }
  await Promise.all(processes.map(({ store }) => store()));
  const [question, ...others] = await listQuestions(project);
  assert.deepEqual(others, []);
  assert.deepEqual([question.asked, question.meanMs], [20, 50]);
});

Deno.test("listSlowQuestions starts again after an index was added, without its advice", async () => {
  await using app = await openTestApp();
  const { project, slowed } = await openPosts(app);
  slowed.takes(100);
  const runQuery = async () => {
    await slowed.asSecret(project, "posts?status=a");
    await slowed.store();
  };
  await runQuery();
  const [before] = await listQuestions(project);
  assert.deepEqual(before.advice, ["status", "-createdAt"]);
  const owner = await project.owner();
  const definition = {
    rls: { mode: "public-read" },
    fields: FIELDS,
    indexes: [{ fields: before.advice }],
  };
  const path = `/api/projects/${project.projectId}/collections/posts`;
  ok(await owner.send({ method: "PUT", path, body: definition }));
  assert.deepEqual(await listQuestions(project), []);
  app.services.catalog.forget(project.projectId, "posts");
  await runQuery();
  const [after] = await listQuestions(project);
  assert.deepEqual([after.asked, after.advice], [1, null]);
});

Deno.test("listSlowQuestions omits a deleted collection, also if its name is reused", async () => {
  await using app = await openTestApp();
  const { project, slowed } = await openPosts(app);
  slowed.takes(100);
  await slowed.asSecret(project, "posts?status=a");
  await slowed.store();
  const owner = await project.owner();
  const path = `/api/projects/${project.projectId}/collections/posts`;
  ok(await owner.send({ method: "DELETE", path }));
  assert.deepEqual(await listQuestions(project), []);
  await project.collection({ name: "posts", rls: { mode: "public-read" }, fields: FIELDS });
  assert.deepEqual(await listQuestions(project), []);
});

Deno.test("listSlowQuestions keeps only the slowest queries of a project and day", async () => {
  await using app = await openTestApp();
  const { project } = await openPosts(app);
  const fields = times(QUESTION_SHAPES_MAX, (n) => ({ key: `f${n}`, type: "String" }));
  await project.collection({ name: "wide", rls: { mode: "public-read" }, fields });
  const [one, other] = [slowedApp(app), slowedApp(app)];
  const paths = fields.map(({ key }) => `wide?${key}=x`);
  for (const [i, path] of paths.entries()) {
    for (const [slowed, ms] of [[one, 100 + i], [other, 200 + i]] as const) {
      slowed.takes(ms);
      await slowed.asSecret(project, `${path}&total=${slowed === one ? "none" : "exact"}`);
    }
  }
  one.takes(1_000);
  await one.asSecret(project, "wide?sort=f1");
  await one.store();
  const meanTimes = async () =>
    (await listQuestions(project)).map(({ meanMs }: { meanMs: number }) => meanMs);
  assert.equal((await meanTimes()).length, QUESTION_SHAPES_MAX);
  assert.deepEqual([(await meanTimes())[0], Math.min(...await meanTimes())], [1_000, 101]);
  await other.store();
  assert.equal((await meanTimes()).length, QUESTION_SHAPES_MAX);
  assert.deepEqual([(await meanTimes())[0], Math.min(...await meanTimes())], [1_000, 201]);
  const stored = JSON.parse(await storedText(app.services.engine, QUESTIONS));
  assert.equal(stored.length, QUESTION_SHAPES_MAX);
});

Deno.test("listSlowQuestions does not count a query with too many conditions", async () => {
  await using app = await openTestApp();
  const { project, slowed } = await openPosts(app);
  slowed.takes(100);
  const long = times(40, (n) => ({ key: `${"f".repeat(60)}${n}`, type: "String" }));
  await project.collection({ name: "wide", rls: { mode: "public-read" }, fields: long });
  const query = long.map(({ key }) => `${key}=x`).join("&");
  assert.equal(await slowed.asSecret(project, `wide?${query}`), 200);
  await slowed.store();
  assert.deepEqual(await listQuestions(project), []);
});

Deno.test("listSlowQuestions adds up the days of a week, and maintenance deletes older ones", async () => {
  await using app = await openTestApp();
  const { project, slowed } = await openPosts(app);
  for (const _ of times(3, () => 0)) {
    slowed.takes(100);
    await slowed.asSecret(project, "posts?status=a");
    await slowed.store();
    app.clock.advance(3 * DAY_MS);
  }
  const [{ asked, meanMs, p95Ms }] = await listQuestions(project);
  assert.deepEqual([asked, meanMs, p95Ms], [2, 100, 128]);
  await maintain(app.services);
  const stored = JSON.parse(await storedText(app.services.engine, QUESTIONS));
  assert.equal(stored.length, 2);
  app.clock.advance(8 * DAY_MS);
  assert.deepEqual(await listSlowQuestions(app.services, project.projectId), []);
});

Deno.test("permanent deletion of a project deletes its slow queries", async () => {
  await using app = await openTestApp();
  const { project, slowed } = await openPosts(app);
  slowed.takes(100);
  await slowed.asSecret(project, "posts?status=a");
  await slowed.store();
  const { projectId } = project;
  const path = `/api/projects/${projectId}`;
  const owner = await project.owner();
  ok(await owner.send({ method: "DELETE", path, body: { name: "Test" } }));
  refused(await owner.send({ path: slowQuestionsPath(project) }), 404, "PROJECT_NOT_FOUND");
  assert.match(await storedText(app.services.engine, QUESTIONS), new RegExp(projectId));
  app.clock.advance(PROJECT_TRASH_MS + 1);
  assert.equal(await removeExpiredTrash(app.services), 1);
  assert.equal(await storedText(app.services.engine, QUESTIONS), "[]");
});

Deno.test("listSlowQuestions refuses callers who are not members", async () => {
  await using app = await openTestApp();
  const { project, slowed } = await openPosts(app);
  slowed.takes(100);
  await slowed.asSecret(project, "posts?status=a");
  await slowed.store();
  const [viewer, stranger] = [await openAccount(app), await openAccount(app)];
  await joinProject(app.services, project.projectId, viewer.accountId, "viewer");
  assert.equal(ok(await viewer.send({ path: slowQuestionsPath(project) })).items.length, 1);
  refused(await stranger.send({ path: slowQuestionsPath(project) }), 404, "PROJECT_NOT_FOUND");
  const other = await app.project();
  assert.deepEqual(await listQuestions(other), []);
});
