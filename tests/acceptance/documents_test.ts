import assert from "node:assert/strict";
import {
  type Answer,
  type Call,
  createCollection,
  createProject,
  listAll,
  send,
} from "./project.ts";
import { startServer } from "./server.ts";

const AUTHORS = {
  name: "authors",
  fields: [{ key: "name", type: "String" }],
  rls: { enabled: false },
};

const POSTS = {
  name: "posts",
  fields: [
    { key: "title", type: "String", required: true },
    { key: "slug", type: "String", unique: true },
    { key: "views", type: "Number", default: 0, index: true },
    { key: "tags", type: "Array", items: { type: "String" } },
    { key: "publishedAt", type: "Date" },
    { key: "author", type: "Ref", ref: "authors" },
    { key: "meta", type: "Object", fields: [{ key: "lang", type: "String" }] },
  ],
  rls: { enabled: false },
};

const PATH = "/api/data/posts";

type Item = { _id: string; title: string; views: number };

async function openPosts() {
  const server = await startServer();
  try {
    const project = await createProject(server.settings);
    await createCollection(server.settings, project, AUTHORS);
    await createCollection(server.settings, project, POSTS);
    return {
      server,
      project,
      ask: (call: Call) => send(server, { key: project.secretKey, ...call }),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

const refusal = ({ status, body }: Answer) => [status, body.code];
const titles = ({ body }: Answer): string[] => body.data.items.map((item: Item) => item.title);

Deno.test("lists filter, sort, page and follow references", async (t) => {
  await using posts = await openPosts();
  const { ask } = posts;
  const author = (await ask({ path: "/api/data/authors", body: { name: "Ann" } })).body.data;
  const documents = Array.from({ length: 25 }, (_, i) => ({
    title: `Post ${String(i).padStart(2, "0")}`,
    views: i % 5,
    tags: [i % 2 === 0 ? "even" : "odd"],
    publishedAt: `2026-01-${String(i + 1).padStart(2, "0")}`,
    ...(i === 7 && { author: author._id, meta: { lang: "en" } }),
  }));
  const bulk = await ask({ path: `${PATH}/bulk`, body: { documents } });
  assert.deepEqual([bulk.status, bulk.body.data.insertedCount], [201, 25]);

  await t.step("cursors go forwards and back over the same pages", async () => {
    const query = `${PATH}?sort=-views,title&limit=10`;
    const follow = (cursor: string) =>
      ask({ path: `${query}&cursor=${encodeURIComponent(cursor)}` });
    const first = await ask({ path: query });
    assert.deepEqual([first.body.data.page, first.body.data.prevCursor], [1, null]);
    const second = await follow(first.body.data.nextCursor);
    const third = await follow(second.body.data.nextCursor);
    assert.equal(third.body.data.nextCursor, null);
    const pages = [first, second, third].map(titles);
    assert.deepEqual(pages.map((page) => page.length), [10, 10, 5]);
    const expected = documents.toSorted((a, b) =>
      b.views - a.views || (a.title < b.title ? -1 : 1)
    );
    assert.deepEqual(pages.flat(), expected.map(({ title }) => title));
    const back = await follow(third.body.data.prevCursor);
    assert.deepEqual(titles(back), pages[1]);
    const start = await follow(back.body.data.prevCursor);
    assert.deepEqual(titles(start), pages[0]);
    assert.equal(start.body.data.prevCursor, null);
    for (const { body } of [first, second, third, back, start]) assert.equal(body.data.total, 25);

    const cursor = encodeURIComponent(first.body.data.nextCursor);
    const end = cursor.at(-1) === "A" ? "B" : "A";
    for (
      const path of [
        `${query}&cursor=${cursor.slice(0, -1)}${end}`,
        `${PATH}?sort=views&cursor=${cursor}`,
        `${query}&views=1&cursor=${cursor}`,
        `${PATH}?cursor=nonsense`,
      ]
    ) assert.deepEqual(refusal(await ask({ path })), [400, "INVALID_CURSOR"], path);
    assert.deepEqual(refusal(await ask({ path: `${query}&page=2&cursor=${cursor}` })), [
      400,
      "INVALID_QUERY",
    ]);
  });

  await t.step("filters, operators and where trees select the expected documents", async () => {
    const where = (tree: unknown) => `where=${encodeURIComponent(JSON.stringify(tree))}`;
    const cases: Record<string, (one: (typeof documents)[number]) => boolean> = {
      "views=3": ({ views }) => views === 3,
      "views_gte=3&tags=odd": ({ views, tags }) => views >= 3 && tags[0] === "odd",
      "views_in=0,4&title_ne=Post 00": ({ views, title }) =>
        (views === 0 || views === 4) && title !== "Post 00",
      "title_regex=^post 1[0-3]": ({ title }) => /^Post 1[0-3]/.test(title),
      "publishedAt_lt=2026-01-03T00:00:00Z": ({ publishedAt }) => publishedAt < "2026-01-03",
      "author_exists=true": ({ author }) => author !== undefined,
      "meta.lang=en": ({ meta }) => meta?.lang === "en",
      [where({ or: [{ views: { gt: 3 } }, { title: "Post 00" }] })]: ({ views, title }) =>
        views > 3 || title === "Post 00",
      [where({ not: { tags: "even" } })]: ({ tags }) => tags[0] !== "even",
    };
    for (const [query, matches] of Object.entries(cases)) {
      const path = `${PATH}?sort=title&${query.replaceAll(" ", "%20").replace("^", "%5E")}`;
      const expected = documents.filter(matches).map(({ title }) => title);
      assert.ok(expected.length > 0, query);
      const answer = await ask({ path });
      assert.deepEqual(titles(answer), expected, query);
      assert.equal(answer.body.data.total, expected.length, query);
      const { body } = await ask({ path: `${path}&count=true` });
      assert.deepEqual([body.data.count, body.data.items], [expected.length, []]);
    }
  });

  await t.step("fields, meta and populate select what a response contains", async () => {
    const { body } = await ask({
      path: `${PATH}?title=Post%2007&fields=title,author&populate=author`,
    });
    const [item] = body.data.items;
    assert.deepEqual(Object.keys(item).sort(), ["_id", "author", "title"]);
    assert.deepEqual([item.author._id, item.author.name], [author._id, "Ann"]);
    const bare = await ask({ path: `${PATH}?limit=1&meta=false` });
    for (const name of ["createdAt", "updatedAt", "isDeleted", "deletedAt"]) {
      assert.ok(!(name in bare.body.data.items[0]), name);
    }
  });

  await t.step("an invalid query is a 400 that names the parameter", async () => {
    for (
      const [query, named] of [
        ["page=0", "page"],
        ["limit=0", "limit"],
        ["limit=1001", "limit"],
        ["limit=abc", "limit"],
        ["views_above=3", "views_above"],
        ["views=many", "views"],
        ["$where=1", "$where"],
        ["views[$gt]=1", "views[$gt]"],
        ["sort=tags", "sort"],
        ["title_regex=(", "title_regex"],
        [`title_regex=${"a".repeat(129)}`, "title_regex"],
        ["where={", "where"],
      ]
    ) {
      const { status, body } = await ask({ path: `${PATH}?${query}` });
      assert.equal(status, 400, query);
      assert.ok(body.message.includes(named), `${query}: ${body.message}`);
    }
  });
});

Deno.test("a stale change is refused, and an unchanged document is not sent again", async () => {
  await using posts = await openPosts();
  const { ask, server, project } = posts;
  const created = await ask({ path: PATH, body: { title: "One" } });
  const path = `${PATH}/${created.body.data._id}`;
  const etag = created.headers.get("etag")!;
  assert.equal((await ask({ path })).headers.get("etag"), etag);
  const same = await ask({ path, headers: { "if-none-match": etag } });
  assert.deepEqual([same.status, same.text], [304, ""]);
  const change = (title: string) => ({
    method: "PATCH",
    path,
    body: { title },
    headers: { "if-match": etag },
  });
  const changed = await ask(change("Two"));
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.get("etag"), etag);
  assert.deepEqual(refusal(await ask(change("Three"))), [412, "PRECONDITION_FAILED"]);
  const removal = { method: "DELETE", path, headers: { "if-match": etag } };
  assert.deepEqual(refusal(await ask(removal)), [412, "PRECONDITION_FAILED"]);
  assert.deepEqual((await listAll(server, project, "posts")).items, [changed.body.data]);
});

Deno.test("a repeated Idempotency-Key has one effect and one response", async () => {
  await using posts = await openPosts();
  const { ask } = posts;
  const headers = { "idempotency-key": "order-1" };
  const first = await ask({ path: PATH, body: { title: "One" }, headers });
  const again = await ask({ path: PATH, body: { title: "One" }, headers });
  assert.deepEqual([first.status, again.status], [201, 201]);
  assert.deepEqual(again.body, first.body);
  const other = await ask({ path: PATH, body: { title: "Two" }, headers });
  assert.deepEqual(refusal(other), [422, "IDEMPOTENCY_KEY_REUSED"]);
  const bulk = { path: `${PATH}/bulk`, body: { documents: [{ title: "One" }] }, headers };
  assert.deepEqual(refusal(await ask(bulk)), [422, "IDEMPOTENCY_KEY_REUSED"]);
  assert.equal((await ask({ path: PATH })).body.data.total, 1);
});

Deno.test("documents are replaced, patched, deleted, recovered and deleted permanently", async () => {
  await using posts = await openPosts();
  const { ask, server, project } = posts;
  const created = await ask({
    path: PATH,
    body: { title: "One", views: 3, meta: { lang: "en", more: true } },
  });
  const id: string = created.body.data._id;
  const path = `${PATH}/${id}`;
  const part = await ask({ method: "PATCH", path, body: { "meta.lang": "fr" } });
  assert.deepEqual(part.body.data.meta, { lang: "fr", more: true });
  const replaced = await ask({ method: "PUT", path, body: { title: "New" } });
  assert.deepEqual([replaced.body.data.views, replaced.body.data.meta], [0, undefined]);
  assert.equal(replaced.body.data.createdAt, created.body.data.createdAt);

  const removed = await ask({ method: "DELETE", path });
  assert.deepEqual([removed.status, removed.body.data], [200, { id }]);
  for (const call of [{ path }, { method: "DELETE", path }]) {
    assert.deepEqual(refusal(await ask(call)), [404, "DOCUMENT_NOT_FOUND"]);
  }
  assert.equal((await ask({ path: PATH })).body.data.total, 0);
  const trash = await ask({ path: `${PATH}?include_deleted=true` });
  assert.deepEqual([trash.body.data.total, trash.body.data.items[0].isDeleted], [1, true]);
  const recovered = await ask({ method: "PATCH", path: `${path}/recover` });
  assert.deepEqual([recovered.status, recovered.body.data.deletedAt], [200, null]);
  assert.equal((await ask({ path })).body.data.title, "New");

  const forGood = { method: "DELETE", path: `${path}?permanent=true` };
  const refused = await ask({ ...forGood, key: project.publishableKey });
  assert.deepEqual(refusal(refused), [403, "SECRET_KEY_REQUIRED"]);
  assert.equal((await ask(forGood)).status, 200);
  assert.equal((await ask({ path: `${PATH}?include_deleted=true` })).body.data.total, 0);
  assert.deepEqual(await listAll(server, project, "posts"), { items: [], total: 0 });
});

Deno.test("a refused write stores nothing", async () => {
  await using posts = await openPosts();
  const { ask, server, project } = posts;
  const { body: { data: kept } } = await ask({ path: PATH, body: { title: "One", slug: "one" } });
  const path = `${PATH}/${kept._id}`;
  const cases: [Call, number, string][] = [
    [{ path: PATH, body: {} }, 400, "INVALID_DOCUMENT"],
    [{ path: PATH, body: { title: 1 } }, 400, "INVALID_DOCUMENT"],
    [{ path: PATH, body: [] }, 400, "INVALID_BODY"],
    [{ path: PATH, body: "" }, 400, "INVALID_JSON"],
    [{ path: PATH, body: "{" }, 400, "INVALID_JSON"],
    [{ path: PATH, body: { title: "x", _id: kept._id } }, 400, "FIELD_READ_ONLY"],
    [{ path: PATH, body: { title: "x", $set: 1 } }, 400, "INVALID_DOCUMENT"],
    [{ path: PATH, body: { title: "x", slug: "one" } }, 409, "DUPLICATE_VALUE"],
    [
      { path: PATH, body: "{}", headers: { "content-type": "text/plain" } },
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    [{ path: PATH, body: { title: "x".repeat(2 ** 20) } }, 413, "DOCUMENT_TOO_LARGE"],
    [{ path: PATH, body: { title: "x".repeat(2 ** 21) } }, 413, "BODY_TOO_LARGE"],
    [{ path: `${PATH}/bulk`, body: { documents: [{ title: "a" }, {}] } }, 400, "INVALID_DOCUMENT"],
    [
      { path: `${PATH}/bulk`, body: { documents: [{ title: "a" }, { title: "b", slug: "one" }] } },
      409,
      "DUPLICATE_VALUE",
    ],
    [
      { path: `${PATH}/bulk`, body: { documents: Array(101).fill({ title: "a" }) } },
      400,
      "INVALID_BODY",
    ],
    [{ method: "PATCH", path, body: { _id: null } }, 400, "FIELD_READ_ONLY"],
    [{ method: "PUT", path, body: { slug: "two" } }, 400, "INVALID_DOCUMENT"],
    [{ method: "PATCH", path: `${PATH}/xyz`, body: {} }, 400, "INVALID_ID"],
    [
      { method: "PUT", path: `${PATH}/${"0".repeat(24)}`, body: { title: "x" } },
      404,
      "DOCUMENT_NOT_FOUND",
    ],
    [{ path: "/api/data/nothing", body: {} }, 404, "COLLECTION_NOT_FOUND"],
  ];
  for (const [call, status, code] of cases) {
    const answer = await ask(call);
    assert.deepEqual(refusal(answer), [status, code], answer.text.slice(0, 200));
    assert.deepEqual([answer.body.success, answer.body.data], [false, {}]);
  }
  assert.deepEqual(await listAll(server, project, "posts"), { items: [kept], total: 1 });
});

Deno.test("every response has the headers that browsers, caches and support need", async () => {
  await using posts = await openPosts();
  const { ask } = posts;
  const schema = await ask({ path: "/api/schemas/posts" });
  const { collection } = schema.body.data;
  assert.equal(collection.name, "posts");
  assert.deepEqual(collection.model, collection.fields);
  assert.equal(collection.fields[0].key, "title");

  const origin = "https://app.example";
  const ids = new Set<string>();
  const calls: [Call, number][] = [
    [{ path: PATH }, 200],
    [{ path: "/api/nothing" }, 404],
    [{ path: PATH, key: "nonsense" }, 401],
    [{ path: PATH, method: "DELETE" }, 405],
    [{ path: PATH, method: "HEAD" }, 200],
  ];
  for (const [call, status] of calls) {
    const answer = await ask({ ...call, headers: { origin } });
    assert.equal(answer.status, status, call.path);
    assert.equal(answer.headers.get("cache-control"), "private, no-cache");
    assert.equal(answer.headers.get("vary"), "Origin, Authorization, x-api-key");
    assert.equal(answer.headers.get("access-control-allow-origin"), origin);
    assert.equal(answer.headers.get("access-control-allow-credentials"), "true");
    ids.add(answer.headers.get("x-request-id")!);
    if (status === 405) assert.match(answer.headers.get("allow") ?? "", /GET.*POST|POST.*GET/);
    if (call.method === "HEAD") assert.equal(answer.text, "");
  }
  assert.equal(ids.size, calls.length);

  const preflight = await ask({
    method: "OPTIONS",
    path: PATH,
    headers: {
      origin,
      "access-control-request-method": "PATCH",
      "access-control-request-headers": "x-api-key,idempotency-key",
    },
  });
  assert.ok(preflight.status === 204 || preflight.status === 200);
  assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /PATCH/);
  assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /idempotency-key/);
  assert.equal(preflight.headers.get("access-control-max-age"), "7200");
});
