import assert from "node:assert/strict";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { ok, refused, testCollectionOf } from "./test_collection.ts";

const FIELDS = [
  { key: "status", type: "String", index: true },
  { key: "views", type: "Number" },
  { key: "open", type: "Boolean" },
  { key: "due", type: "Date" },
  { key: "tags", type: "Array", items: { type: "String" } },
  { key: "place", type: "Object", fields: [{ key: "city", type: "String" }] },
  { key: "count", type: "Number" },
];

async function openPosts(app: TestApp, rls: object = { mode: "public-read" }) {
  const project = await app.project();
  await project.collection({ name: "posts", fields: FIELDS, strict: false, rls });
  const posts = testCollectionOf(app, project, "posts");
  return { project, posts };
}

type Posts = Awaited<ReturnType<typeof openPosts>>["posts"];
const groupsOf = async (posts: Posts, query: string) =>
  ok(await posts.asSecret({ path: `/aggregate?${query}` })).groups;

Deno.test("aggregateDocuments returns the keys and the requested figures of each group only", async () => {
  await using app = await openTestApp();
  const { posts } = await openPosts(app);
  await posts.insert(
    { status: "draft", views: 1, due: "2026-03-01", place: { city: "Rome" } },
    { status: "draft", views: 3, due: "2026-01-01" },
    { status: "live", views: 10.5, place: { city: "Oslo" } },
    { views: null },
    { status: null, views: 2 },
  );
  const answer = await posts.asPublic({
    path: "/aggregate?group=status&count=true&sum=views&avg=views&min=views,due&max=due",
  });
  assert.equal(answer.body.message, "Documents aggregated");
  const early = "2026-01-01T00:00:00.000Z";
  const late = "2026-03-01T00:00:00.000Z";
  assert.deepEqual(ok(answer), {
    groups: [
      {
        key: { status: null },
        count: 2,
        sum: { views: 2 },
        avg: { views: 2 },
        min: { views: 2, due: null },
        max: { due: null },
      },
      {
        key: { status: "draft" },
        count: 2,
        sum: { views: 4 },
        avg: { views: 2 },
        min: { views: 1, due: early },
        max: { due: late },
      },
      {
        key: { status: "live" },
        count: 1,
        sum: { views: 10.5 },
        avg: { views: 10.5 },
        min: { views: 10.5, due: null },
        max: { due: null },
      },
    ],
    more: false,
  });
  assert.deepEqual(await groupsOf(posts, "group=status"), [
    { key: { status: null } },
    { key: { status: "draft" } },
    { key: { status: "live" } },
  ]);
  assert.deepEqual(await groupsOf(posts, "group=place.city,isDeleted&count=true&limit=1"), [
    { key: { "place.city": null, isDeleted: false }, count: 3 },
  ]);
  assert.deepEqual(await groupsOf(posts, "count=true&sum=views&status=none"), [
    { key: {}, count: 0, sum: { views: 0 } },
  ]);
});

Deno.test("aggregateDocuments groups dates by days and months of a time zone", async () => {
  await using app = await openTestApp();
  const { posts } = await openPosts(app);
  await posts.insert(
    { due: "2026-03-28T22:30:00Z" },
    { due: "2026-03-28T23:30:00Z" },
    { due: "2026-03-29T20:00:00Z" },
    {},
  );
  assert.deepEqual(await groupsOf(posts, "group=due:day&timeZone=Europe/Berlin&count=true"), [
    { key: { due: null }, count: 1 },
    { key: { due: "2026-03-27T23:00:00.000Z" }, count: 1 },
    { key: { due: "2026-03-28T23:00:00.000Z" }, count: 2 },
  ]);
  assert.deepEqual(await groupsOf(posts, "group=due:day&count=true&due_exists=true&sort=-due"), [
    { key: { due: "2026-03-29T00:00:00.000Z" }, count: 1 },
    { key: { due: "2026-03-28T00:00:00.000Z" }, count: 2 },
  ]);
  assert.deepEqual(
    await groupsOf(posts, "group=due:month&count=true&due_exists=true&timeZone=asia/kolkata"),
    [{ key: { due: "2026-02-28T18:30:00.000Z" }, count: 3 }],
  );
});

Deno.test("aggregateDocuments sorts groups by keys and figures, and cuts them at the limit", async () => {
  await using app = await openTestApp();
  const { posts } = await openPosts(app);
  await posts.insert(
    { status: "a", views: 1 },
    { status: "b", views: 5 },
    { status: "b", views: 1 },
    { status: "c", views: 9, count: 4 },
  );
  const order = async (query: string) =>
    (await groupsOf(posts, `group=status&count=true&sum=views&${query}`))
      .map(({ key }: { key: { status: string } }) => key.status).join("");
  assert.equal(await order(""), "abc");
  assert.equal(await order("sort=-status"), "cba");
  assert.equal(await order("sort=-count"), "bac");
  assert.equal(await order("sort=count:desc,-status"), "bca");
  assert.equal(await order("sort=-sum.views"), "cba");
  const cut = ok(await posts.asSecret({ path: "/aggregate?group=status&limit=2" }));
  assert.equal(cut.more, true);
  assert.equal(cut.groups.length, 2);
  // A group field takes precedence over a figure of the same name.
  assert.deepEqual(await groupsOf(posts, "group=count&count=true&sort=-count"), [
    { key: { count: 4 }, count: 1 },
    { key: { count: null }, count: 3 },
  ]);
});

Deno.test("aggregateDocuments takes every filter of a list and leaves out the trash by default", async () => {
  await using app = await openTestApp();
  const { posts } = await openPosts(app);
  const [first] = await posts.insert(
    { status: "a", views: 1, tags: ["x"] },
    { status: "b", views: 5, tags: ["x", "y"] },
    { status: "a", views: 9 },
  );
  await posts.remove(first!._id);
  const count = async (query: string) => (await groupsOf(posts, `count=true&${query}`))[0].count;
  assert.equal(await count(""), 2);
  assert.equal(await count("include_deleted=true"), 3);
  assert.equal(await count("views_gt=5"), 1);
  assert.equal(await count("filter[status]=b"), 1);
  assert.equal(await count('filter={"views_lte":5}'), 1);
  assert.equal(await count("status_in=a,b&tags=y"), 1);
  assert.equal(await count("status_contains=B"), 1);
  assert.equal(await count(`where=${encodeURIComponent('{"or":[{"views":5},{"views":9}]}')}`), 2);
  assert.equal(await count(`where=${encodeURIComponent('{"count":{"gt":1}}')}`), 0);
});

Deno.test("aggregateDocuments uses only documents that the caller may read, in every mode", async () => {
  await using app = await openTestApp();
  const modes = {
    off: { enabled: false },
    "public-read": { mode: "public-read" },
    private: { mode: "private" },
  };
  for (const [mode, rls] of Object.entries(modes)) {
    const { project, posts } = await openPosts(app, rls);
    const [ann, bob] = [await project.user(), await project.user()];
    const [, hers] = await posts.insert(
      { userId: ann.id, views: 1 },
      { userId: ann.id, views: 2 },
      { userId: bob.id, views: 4 },
      { views: 8 },
    );
    await posts.remove(hers!._id);
    const path = "/aggregate?sum=views";
    const sum = async (answer: Promise<Awaited<ReturnType<typeof posts.asSecret>>>) =>
      ok(await answer).groups[0].sum.views;
    assert.equal(await sum(posts.asSecret({ path })), 13, mode);
    const trash = `${path}&include_deleted=true`;
    assert.equal(await sum(posts.asSecret({ path: trash })), 15, mode);
    if (mode === "private") {
      refused(await posts.asPublic({ path }), 401, "ACCESS_TOKEN_REQUIRED");
      assert.equal(await sum(posts.asPublic({ path }, ann)), 1);
      assert.equal(await sum(posts.asPublic({ path: trash }, ann)), 3);
      assert.equal(await sum(posts.asPublic({ path: `${path}&userId=${ann.id}` }, bob)), 0);
      continue;
    }
    assert.equal(await sum(posts.asPublic({ path })), 13, mode);
    assert.equal(await sum(posts.asPublic({ path: trash })), 13, mode);
    assert.equal(await sum(posts.asPublic({ path: trash }, ann)), mode === "off" ? 13 : 15, mode);
    assert.equal(await sum(posts.asPublic({ path: trash }, bob)), 13, mode);
  }
});

Deno.test("aggregateDocuments refuses invalid parameters by name", async () => {
  await using app = await openTestApp();
  const { posts } = await openPosts(app);
  const fields = (n: number) => Array.from({ length: n }, (_, i) => `f${i}`).join();
  const cases: readonly (readonly [string, RegExp])[] = [
    ["", /^Nothing is requested/],
    ["count=false", /min or max\.$/],
    ["groupBy=status", /min or max\. Did you mean "group"\?$/],
    ["counts=true", /min or max\. Did you mean "count"\?$/],
    ["group=status,views,open,due", /"group" names more than 3 fields/],
    ["group=status,status", /"group" names a field twice/],
    ["group=due:day,due:month", /"group" names a field twice/],
    ["group=none", /"group" cannot use "none"/],
    ["group=tags", /"group" cannot use "tags"/],
    ["group=place", /"group" cannot use "place"/],
    ["group=", /"group" cannot use ""/],
    ["group=status:day", /"group" cannot take days of "status", which is declared String/],
    ["group=due:minute", /"group" must be a list of field/],
    ["group=due:day:hour", /"group" must be a list of field/],
    [`group=${"a.".repeat(200)}b`, /longer than 300 characters/],
    ["group=due:day&timeZone=Mars/Base", /"timeZone" must be an IANA name/],
    ["group=due:day&timeZone=%2B02:00", /"timeZone" must be an IANA name/],
    ["sum=status", /"sum" needs a field declared Number: "status" is declared String/],
    ["avg=due", /"avg" needs a field declared Number/],
    ["min=open", /"min" needs a field declared Number or Date/],
    ["max=tags", /"max" cannot use "tags"/],
    ["sum=views,views", /"sum" names a field twice/],
    [`sum=${fields(21)}`, /"sum" names more than 20 fields/],
    ["count=maybe", /"count" must be true or false/],
    ["count=true&sort=status", /"sort" cannot sort by "status"/],
    ["count=true&sort=-sum.views", /"sort" cannot sort by "sum.views"/],
    ["count=true&sort=count,count", /"sort" names a field twice/],
    ["count=true&sort=a:b", /"sort" must be a list/],
    [`count=true&sort=${fields(9)}`, /"sort" names more than 8 fields/],
    ["count=true&limit=1001", /"limit" must be a whole number from 1 to 1000/],
    ["count=true&limit=0", /"limit" must be a whole number/],
    ["count=true&count=true", /"count" is given more than once/],
    ["count=true&page=2", /"page" is not a parameter of aggregates/],
    ["count=true&cursor=x", /"cursor" is not a parameter of aggregates/],
    ["count=true&populate=status", /"populate" is not a parameter of aggregates/],
    ["count=true&offset=2", /"offset" is not a parameter of aggregates/],
    ["count=true&views_gt=x", /"views_gt" must be a number/],
    ["count=true&where={", /"where"/],
  ];
  for (const [query, message] of cases) {
    const answer = await posts.asSecret({ path: `/aggregate?${query}` });
    refused(answer, 400, "INVALID_QUERY");
    assert.match(answer.body.message, message, query);
  }
  const unknown = await posts.asSecret({ path: "/aggregate?count=true&views_between=1" });
  refused(unknown, 400, "UNKNOWN_OPERATOR");
});

Deno.test("aggregateDocuments refuses filters on undeclared fields of a strict collection", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await project.collection({ name: "posts", fields: FIELDS, strict: true });
  const answer = await project.asSecret({ path: "/api/data/posts/aggregate?count=true&nope=1" });
  refused(answer, 400, "INVALID_QUERY");
});

Deno.test("aggregateDocuments refuses unknown collections and the users collection", async () => {
  await using app = await openTestApp();
  const { project } = await openPosts(app);
  const none = await project.asSecret({ path: "/api/data/none/aggregate?count=true" });
  refused(none, 404, "COLLECTION_NOT_FOUND");
  const users = await project.asSecret({ path: "/api/data/users/aggregate?count=true" });
  refused(users, 403, "USERS_RESERVED");
});

Deno.test("aggregateDocuments returns keys of over 1 MB, and refuses responses beyond 16 MiB", async () => {
  await using app = await openTestApp();
  const { posts } = await openPosts(app);
  const long = "x".repeat(900_000);
  for (let n = 0; n < 20; n++) await posts.insertOne({ status: `${n}${long}` });
  const some = ok(await posts.asSecret({ path: "/aggregate?group=status&limit=3" }));
  assert.equal(some.groups.length, 3);
  const all = await posts.asSecret({ path: "/aggregate?group=status&count=true" });
  refused(all, 413, "ANSWER_TOO_LARGE");
});

Deno.test("the aggregate path takes GET and HEAD only, and documents are still read by id", async () => {
  await using app = await openTestApp();
  const { posts } = await openPosts(app);
  const { _id } = await posts.insertOne({ views: 1 });
  assert.equal(ok(await posts.asPublic({ path: `/${_id}` })).views, 1);
  refused(await posts.asPublic({ path: "/aggregates" }), 400, "INVALID_ID");
  for (const method of ["PUT", "PATCH", "DELETE"]) {
    const body = method === "DELETE" ? {} : { body: {} };
    const answer = await posts.asSecret({ method, path: "/aggregate", ...body });
    refused(answer, 400, "INVALID_ID");
  }
  const head = await posts.asSecret({ method: "HEAD", path: "/aggregate?count=true" });
  assert.equal(head.status, 200);
});
