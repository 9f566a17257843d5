import assert from "node:assert/strict";
import { StoreUnavailable } from "@/lib/store/errors.ts";
import type { ChangeLog, Id } from "@/lib/store/port.ts";
import { listen as openList, type ListenInput, type LiveEvent } from "../support/live_reader.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { deleteCollection } from "@/lib/documents/delete_collection.ts";
import { updateCollection } from "@/lib/documents/save_collection.ts";
import { parseDefinition } from "@/lib/documents/definition.ts";
import { LIVE_STREAMS_MAX, LIVE_STREAMS_SHARE_MAX } from "@/lib/limits.ts";

const POSTS = {
  name: "posts",
  rls: { mode: "public-read" },
  fields: [{ key: "n", type: "Number" }, { key: "status", type: "String" }],
};

async function openPosts(definition: object = POSTS) {
  const app = await openTestApp();
  const project = await app.project();
  await project.collection(definition);
  const listen = (path: string, more: Partial<ListenInput> = {}) =>
    openList({ app, project, path: `posts/${path}`, ...more });
  const create = async (body: object): Promise<Id> =>
    (await project.asSecret({ path: "/api/data/posts", body })).body.data._id;
  const patch = (id: Id, body: object) =>
    project.asSecret({ method: "PATCH", path: `/api/data/posts/${id}`, body });
  return {
    app,
    project,
    listen,
    create,
    patch,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

const redefine = ({ services }: TestApp, { projectId }: TestProject, definition: object) =>
  updateCollection(services, projectId, parseDefinition({ strict: false, ...definition }));

/** Returns a summary such as `added 3 of 5`. */
const summarize = ({ data: { action, document, total } }: LiveEvent): string =>
  `${action} ${document?.n ?? "-"} of ${total}`;

Deno.test("a live list sends the list and then each change that its filter sees", async () => {
  await using posts = await openPosts();
  const { create, patch, listen } = posts;
  const first = await create({ n: 1, status: "published" });
  await create({ n: 2, status: "draft" });
  await using reader = await listen("live?status=published");
  const { data, id } = await reader.expect("list");
  assert.deepEqual([data.total, data.items.map(({ _id }: { _id: Id }) => _id)], [1, [first]]);
  const third = await create({ n: 3, status: "published" });
  await patch(first, { n: 10 });
  await patch(third, { status: "draft" });
  await patch(third, { n: 30 });
  await patch(third, { status: "published" });
  const events = await reader.changes(4);
  assert.deepEqual(events.map(summarize), [
    "added 3 of 2",
    "changed 10 of 2",
    "removed - of 1",
    "added 30 of 2",
  ]);
  assert.deepEqual(events.map(({ data }) => data.id), [third, first, third, third]);
  const ids = [id, ...events.map(({ id }) => id)];
  assert.equal(new Set(ids).size, 5);
  const [added] = events;
  assert.deepEqual(Object.keys(added!.data.document), [
    "_id",
    "n",
    "status",
    "createdAt",
    "updatedAt",
    "isDeleted",
    "deletedAt",
  ]);
});

Deno.test("a live list sends the changes of every write operation, also bulk, batch and members", async () => {
  await using posts = await openPosts();
  const { project, create, listen } = posts;
  const { projectId } = project;
  const owner = await project.owner();
  await using reader = await listen("live");
  await reader.expect("list");
  const id = await create({ n: 1 });
  const at = `/api/data/posts/${id}`;
  const operations = [
    { action: "create", collection: "posts", document: { n: 5 } },
    { action: "patch", collection: "posts", id, document: { n: { $inc: 1 } } },
  ];
  const bulk = { documents: [{ n: 3 }, { n: 4 }] };
  const writes = [
    await project.asSecret({ method: "PUT", path: at, body: { n: 2 } }),
    await project.asSecret({ method: "DELETE", path: at }),
    await project.asSecret({ method: "PATCH", path: `${at}/recover` }),
    await project.asSecret({ path: "/api/data/posts/bulk", body: bulk }),
    await project.asSecret({ path: "/api/batch", body: { operations } }),
    await owner.send({
      path: `/api/projects/${projectId}/collections/posts/documents`,
      body: { n: 6 },
    }),
    await project.asSecret({ method: "DELETE", path: `${at}?permanent=true` }),
  ];
  assert.deepEqual(writes.map(({ status }) => status), [200, 200, 200, 201, 200, 201, 200]);
  const events = await reader.changes(9);
  assert.deepEqual(events.map(summarize), [
    "added 1 of 1",
    "changed 2 of 1",
    "removed - of 0",
    "added 2 of 1",
    "added 3 of 2",
    "added 4 of 3",
    "added 5 of 4",
    "changed 3 of 4",
    "added 6 of 5",
  ]);
  assert.equal(summarize(await reader.expect("change")), "removed - of 4");
});

Deno.test("a live list applies fields and meta, and omits the total with total=none", async () => {
  await using posts = await openPosts();
  await using reader = await posts.listen("live?fields=n&meta=false&total=none");
  const { data } = await reader.expect("list");
  assert.equal("total" in data, false);
  const id = await posts.create({ n: 1, status: "draft" });
  const change = await reader.expect("change");
  assert.deepEqual(change.data, { action: "added", id, document: { _id: id, n: 1 } });
});

Deno.test("snapshot=false sends only changes", async () => {
  await using posts = await openPosts();
  await posts.create({ n: 1 });
  await using reader = await posts.listen("live?snapshot=false");
  await posts.create({ n: 2 });
  const { data } = await reader.expect("change");
  assert.deepEqual([data.action, data.document.n, "total" in data], ["added", 2, false]);
});

Deno.test("snapshot=false sends the list after a reset", async () => {
  await using posts = await openPosts();
  const { app, project, listen, create } = posts;
  await create({ n: 1 });
  await using late = await listen("live?snapshot=false", { lastEventId: "x" });
  await using open = await listen("live?snapshot=false");
  await redefine(app, project, { ...POSTS, fields: [{ key: "n", type: "Number", index: true }] });
  await late.expect("reset");
  assert.equal((await late.expect("list")).data.total, 1);
  await create({ n: 2 });
  for (const reader of [late, open]) {
    await reader.expect("reset");
    assert.equal((await reader.expect("list")).data.total, 2);
  }
  await create({ n: 3 });
  for (const reader of [late, open]) {
    assert.equal(summarize(await reader.expect("change")), "added 3 of 3");
  }
});

Deno.test("a live list that cannot be read again ends with a comment, and can be resumed", async () => {
  await using posts = await openPosts();
  const { app: { services }, listen, create, patch } = posts;
  const changes = services.engine.changes as { head: ChangeLog["head"] };
  const head = changes.head.bind(changes);
  await using reader = await listen("live?limit=1");
  const { id } = await reader.expect("list");
  await using quick = await listen("live?fields=n&snapshot=false");
  changes.head = () => Promise.reject(new StoreUnavailable());
  // The reader is now too far behind, so its list starts again when it reads on.
  for (let n = 1; n <= 6; n++) await create({ n, text: "x".repeat(400_000) });
  await quick.changes(6);
  for (let event = await reader.next(); event !== null; event = await reader.next()) {
    assert.equal(event.event, "change");
  }
  assert.match(reader.comments.at(-1)!, /continue after the last event/);
  changes.head = head;
  await using again = await listen("live?limit=1&fields=n", { lastEventId: id });
  const missed = await again.changes(6);
  assert.deepEqual(missed.map(({ data }) => data.document.n), [1, 2, 3, 4, 5, 6]);
  assert.equal(missed.at(-1)!.data.total, 6);
  await patch(missed[0]!.data.id, { n: 7 });
  assert.equal(summarize(await again.expect("change")), "changed 7 of 6");
});

Deno.test("a change that the list may already count is sent without a total, then with it", async () => {
  await using posts = await openPosts();
  const { app: { services }, listen, create } = posts;
  const changes = services.engine.changes as { head: ChangeLog["head"] };
  const head = changes.head.bind(changes);
  // The process already follows changes, so only `reader` calls `changes.head` below.
  await using first = await listen("live?snapshot=false");
  await create({ n: 1 });
  await first.changes(1);
  let isWriting = true;
  changes.head = async (space) => {
    const position = await head(space);
    if (isWriting) {
      isWriting = false;
      await create({ n: 2 });
    }
    return position;
  };
  await using reader = await listen("live");
  assert.equal((await reader.expect("list")).data.total, 2);
  assert.equal(summarize(await reader.expect("change")), "added 2 of undefined");
  assert.equal(summarize(await reader.expect("change")), "added 2 of 2");
  await create({ n: 3 });
  assert.equal(summarize(await reader.expect("change")), "added 3 of 3");
});

Deno.test("a live list without events sends a comment every fifteen seconds", async () => {
  await using posts = await openPosts();
  const { app: { clock, services }, listen } = posts;
  await using reader = await listen("live");
  await reader.expect("list");
  const end = reader.next();
  const waitForCheck = () => new Promise((resolve) => setTimeout(resolve, 1_200));
  for (const comments of [1, 2]) {
    clock.advance(13_000);
    await waitForCheck();
    assert.equal(reader.comments.length, comments - 1);
    // With the second until the next check, 15 s have passed.
    clock.advance(1_000);
    await waitForCheck();
    assert.equal(reader.comments.length, comments);
  }
  services.liveLists.stop();
  assert.equal(await end, null);
});

Deno.test("a client that returns with the last event id receives every later change", async () => {
  await using posts = await openPosts();
  const { listen, create, patch } = posts;
  const id = await create({ n: 1 });
  await using first = await listen("live");
  const { id: position } = await first.expect("list");
  await patch(id, { n: 2 });
  await patch(id, { n: 3 });
  const [change] = await first.changes(1);
  await first[Symbol.asyncDispose]();
  await create({ n: 4 });
  await using again = await listen("live", { lastEventId: change!.id });
  const missed = await again.changes(2);
  assert.deepEqual(missed.map(({ data }) => [data.action, data.document.n]), [
    ["changed", 3],
    ["added", 4],
  ]);
  assert.equal(missed[1]!.data.total, 2);
  await create({ n: 5 });
  assert.equal(summarize(await again.expect("change")), "added 5 of 3");
  await using fromTheList = await listen("live", { lastEventId: position });
  const all = await fromTheList.changes(4);
  assert.deepEqual(all.map(({ data }) => data.document.n), [2, 3, 4, 5]);
});

Deno.test("an invalid or foreign last event id leads to a reset and a new list", async () => {
  await using posts = await openPosts();
  const { app, project, listen, create } = posts;
  await project.collection({ ...POSTS, name: "others" });
  await create({ n: 1 });
  await using reader = await listen("live");
  const { id } = await reader.expect("list");
  await using others = await openList({ app, project, path: "others/live" });
  const { id: foreign } = await others.expect("list");
  const another = await app.project();
  await another.collection(POSTS);
  await using elsewhere = await openList({ app, project: another, path: "posts/live" });
  const { id: ofAnotherProject } = await elsewhere.expect("list");
  const altered = `9${id!.slice(1)}`;
  for (const lastEventId of [foreign!, ofAnotherProject!, altered, "", "x", "a".repeat(5_000)]) {
    await using again = await listen("live", { lastEventId });
    await again.expect("reset");
    assert.equal((await again.expect("list")).data.total, 1);
  }
});

Deno.test("a live list starts again if the definition changes", async () => {
  await using posts = await openPosts();
  const { app, project, listen, create } = posts;
  await using reader = await listen("live?n_gte=1");
  await reader.expect("list");
  await redefine(app, project, { ...POSTS, fields: [{ key: "n", type: "Number", index: true }] });
  await create({ n: 1 });
  await reader.expect("reset");
  assert.equal((await reader.expect("list")).data.total, 1);
  await create({ n: 2 });
  assert.equal(summarize(await reader.expect("change")), "added 2 of 2");
});

Deno.test("a live list ends if its caller may no longer read the collection", async () => {
  await using posts = await openPosts();
  const { app, project, listen } = posts;
  await using anonymous = await listen("live", { user: null });
  await using server = await listen("live");
  for (const reader of [anonymous, server]) await reader.expect("list");
  await redefine(app, project, { ...POSTS, rls: { mode: "private" } });
  assert.equal((await anonymous.expect("unauthorized")).data.code, "ACCESS_TOKEN_REQUIRED");
  assert.equal(await anonymous.next(), null);
  await server.expect("reset");
  await server.expect("list");
  await deleteCollection(app.services, project.projectId, "posts");
  const end = await server.expect("unauthorized");
  assert.equal(end.data.code, "COLLECTION_NOT_FOUND");
  assert.equal(await server.next(), null);
});

Deno.test("a live list refuses unsupported parameters with an explanation", async () => {
  await using posts = await openPosts({
    ...POSTS,
    fields: [...POSTS.fields, { key: "author", type: "Ref", ref: "users" }],
  });
  const refusedFor = async (query: string) => {
    const { status, body } = await posts.project.asSecret({
      path: `/api/data/posts/live?${query}`,
    });
    assert.equal(status, 400, query);
    assert.equal(body.code, "INVALID_QUERY", query);
    return body.message as string;
  };
  for (
    const [name, query] of [
      ["page", "page=2"],
      ["cursor", "cursor=abc"],
      ["offset", "offset=10"],
      ["offset", "skip=10"],
      ["populate", "populate=author"],
      ["populate", "expand=author"],
      ["count", "count=true"],
      ["explain", "explain=true"],
    ] as const
  ) {
    const message = await refusedFor(query);
    assert.ok(message.startsWith(`"${name}" cannot be used with a live list`), message);
  }
  assert.match(await refusedFor("snapshot=perhaps"), /"snapshot" must be true or false/);
  assert.match(await refusedFor("limit=0"), /limit/);
  const search = await posts.project.asSecret({ path: "/api/data/posts/live?search=word" });
  assert.deepEqual([search.status, search.body.code], [400, "SEARCH_NOT_DECLARED"]);
  const ticket = await posts.app.send({ path: "/api/data/posts/live?ticket=x" });
  assert.deepEqual([ticket.status, ticket.body.code], [401, "TICKET_INVALID"]);
  const missing = await posts.project.asSecret({ path: "/api/data/nothing/live" });
  assert.deepEqual([missing.status, missing.body.code], [404, "COLLECTION_NOT_FOUND"]);
});

Deno.test("a collection with events: false records no changes and has no live lists", async () => {
  await using posts = await openPosts({ ...POSTS, events: false });
  const { app, project } = posts;
  const { changes } = app.services.engine;
  const before = await changes.head(project.projectId);
  const id = await posts.create({ n: 1 });
  await posts.patch(id, { n: 2 });
  await project.asSecret({ method: "DELETE", path: `/api/data/posts/${id}?permanent=true` });
  await using feed = changes.follow(project.projectId, before);
  for await (const batch of feed) {
    assert.deepEqual(batch.changes, []);
    break;
  }
  const { status, body } = await project.asSecret({ path: "/api/data/posts/live" });
  assert.deepEqual([status, body.code], [409, "EVENTS_OFF"]);
  assert.match(body.message, /set events: true/);
});

Deno.test("a live list without row-level security sends every caller all documents but the trash", async () => {
  await using posts = await openPosts({ ...POSTS, rls: { enabled: false } });
  const { project, listen, create, patch } = posts;
  const user = await project.user();
  await using anonymous = await listen("live", { user: null });
  await using bearer = await listen("live?include_deleted=true", { user });
  for (const reader of [anonymous, bearer]) await reader.expect("list");
  const id = await create({ n: 1, userId: user.id });
  await patch(id, { n: 2 });
  await project.asSecret({ method: "DELETE", path: `/api/data/posts/${id}` });
  await patch(await create({ n: 3 }), { n: 4 });
  for (const reader of [anonymous, bearer]) {
    assert.deepEqual((await reader.changes(5)).map(summarize), [
      "added 1 of 1",
      "changed 2 of 1",
      "removed - of 0",
      "added 3 of 1",
      "changed 4 of 1",
    ]);
  }
});

Deno.test("a public live list with include_deleted sends trashed documents to their owner only", async () => {
  await using posts = await openPosts();
  const { project, listen, create } = posts;
  const [ann, bob] = [await project.user(), await project.user()];
  const query = "live?include_deleted=true";
  await using annList = await listen(query, { user: ann });
  await using bobList = await listen(query, { user: bob });
  await using anonymousList = await listen(query, { user: null });
  await using serverList = await listen(query);
  const others = [bobList, anonymousList];
  for (const reader of [annList, serverList, ...others]) await reader.expect("list");
  const at = `/api/data/posts/${await create({ n: 1, userId: ann.id })}`;
  for (const path of [at, `${at}?permanent=true`]) {
    assert.equal((await project.asSecret({ method: "DELETE", path })).status, 200);
  }
  for (const reader of [annList, serverList]) {
    const events = await reader.changes(3);
    assert.deepEqual(events.map(summarize), ["added 1 of 1", "changed 1 of 1", "removed - of 0"]);
    assert.equal(events[1]!.data.document.isDeleted, true);
  }
  for (const reader of others) {
    assert.deepEqual((await reader.changes(2)).map(summarize), ["added 1 of 1", "removed - of 0"]);
  }
  await create({ n: 2 });
  // The other callers received no changes of documents in the trash.
  for (const one of others) assert.equal(summarize(await one.expect("change")), "added 2 of 1");
});

Deno.test("a live list with search sends documents that gain or lose the words", async () => {
  const text = { key: "text", type: "String", search: true };
  await using posts = await openPosts({ ...POSTS, fields: [...POSTS.fields, text] });
  const { listen, create, patch } = posts;
  const first = await create({ n: 1, text: "Red apples" });
  await using reader = await listen("live?search=apples");
  assert.equal((await reader.expect("list")).data.total, 1);
  await create({ n: 2, text: "Pears" });
  const third = await create({ n: 3, text: "Apples, green" });
  await patch(first, { text: "Red pears" });
  await patch(first, { n: 5 });
  await patch(third, { n: 4 });
  await patch(third, { text: "None" });
  assert.deepEqual((await reader.changes(4)).map(summarize), [
    "added 3 of 2",
    "removed - of 1",
    "changed 4 of 1",
    "removed - of 0",
  ]);
});

Deno.test("a user may have twenty open live lists, and closing one allows another", async () => {
  await using posts = await openPosts();
  const { app, project, listen } = posts;
  const [user, other] = [await project.user(), await project.user()];
  await using open = new AsyncDisposableStack();
  const readers = [];
  for (let i = 0; i < LIVE_STREAMS_SHARE_MAX; i++) {
    readers.push(open.use(await listen("live", { user })));
  }
  const call = {
    path: "/api/data/posts/live",
    headers: [["x-api-key", project.publishableKey], ["authorization", `Bearer ${user.token}`]],
  } as const;
  const refused = await app.send({ ...call, headers: [...call.headers] as [string, string][] });
  assert.deepEqual([refused.status, refused.body.code], [429, "TOO_MANY_STREAMS"]);
  assert.ok(Number(refused.headers.get("retry-after")) > 0);
  assert.ok(refused.body.message.includes(`${LIVE_STREAMS_SHARE_MAX}`));
  open.use(await listen("live", { user: other }));
  await readers[0]![Symbol.asyncDispose]();
  open.use(await listen("live", { user }));
});

Deno.test("a project may have a thousand open live lists, counted per project", async () => {
  await using posts = await openPosts();
  const { app, project, listen } = posts;
  const addressOf = (i: number) => `10.0.${Math.floor(i / 20)}.1`;
  await using open = new AsyncDisposableStack();
  for (let i = 0; i < LIVE_STREAMS_MAX; i++) {
    open.use(await listen("live?limit=1&snapshot=false", { peer: addressOf(i) }));
  }
  const refused = await project.asSecret({ path: "/api/data/posts/live", peer: "10.1.1.1" });
  assert.deepEqual([refused.status, refused.body.code], [429, "TOO_MANY_STREAMS"]);
  const another = await app.project();
  await another.collection(POSTS);
  open.use(await openList({ app, project: another, path: "posts/live" }));
});

Deno.test("a reader that falls too far behind receives a reset and a new list", async () => {
  await using posts = await openPosts();
  const { listen, create } = posts;
  await using reader = await listen("live?limit=1");
  await reader.expect("list");
  await using quick = await listen("live?fields=n&snapshot=false");
  for (let n = 1; n <= 6; n++) await create({ n, text: "x".repeat(400_000) });
  await quick.changes(6);
  const events: string[] = [];
  for (let event = await reader.next(); event !== null; event = await reader.next()) {
    events.push(event.event);
    if (event.event === "list") {
      assert.equal(event.data.total, 6);
      break;
    }
  }
  assert.equal(events.at(-2), "reset");
  assert.ok(events.length < 8, events.join());
  await create({ n: 7 });
  assert.equal(summarize(await reader.expect("change")), "added 7 of 7");
});

Deno.test("a server that stops ends the live list with a comment", async () => {
  await using posts = await openPosts();
  await using reader = await posts.listen("live");
  await reader.expect("list");
  posts.app.services.liveLists.stop();
  assert.equal(await reader.next(), null);
  assert.match(reader.comments.at(-1)!, /The server stops/);
});
