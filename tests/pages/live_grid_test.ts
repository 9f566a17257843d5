import assert from "node:assert/strict";
import { deleteCollection } from "@/lib/documents/delete_collection.ts";
import { LIVE_STREAMS_SHARE_MAX } from "@/lib/limits.ts";
import { MEMBERS } from "@/lib/projects/members.ts";
import { eq } from "@/lib/store/filter.ts";
import { joinProject, openAccount, type TestAccount } from "../support/dashboard.ts";
import { LiveReader } from "../support/live_reader.ts";
import type { PageAnswer } from "../support/pages.ts";
import { FIELDS, openPosts, type Posts } from "./posts.ts";

/** Returns the address from which the grid on a page receives changes; null if it does not. */
const sourceOf = ({ document }: PageAnswer): string | null =>
  document.querySelector("live-changes")?.getAttribute("src") ?? null;

const follow = async (
  { app }: Posts,
  account: TestAccount,
  path: string,
  headers: readonly [string, string][] = [],
): Promise<Response> =>
  await app.open({
    path,
    headers: [["cookie", account.cookie], ["accept", "text/event-stream"], ...headers],
  });

async function listenOn(...asked: Parameters<typeof follow>): Promise<LiveReader> {
  const response = await follow(...asked);
  if (response.status !== 200) assert.fail(`${response.status}: ${await response.text()}`);
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.equal(response.headers.get("access-control-allow-origin"), null);
  return new LiveReader(response.body!);
}

async function change(
  { projectId, owner }: Posts,
  id: string,
  call: { method: "PATCH"; body: object } | { method: "DELETE" },
): Promise<void> {
  const path = `/api/projects/${projectId}/collections/posts/documents/${id}`;
  const { status, text } = await owner.send({ path, ...call });
  assert.equal(status, 200, text);
}

const patch = (posts: Posts, id: string, body: object) =>
  change(posts, id, { method: "PATCH", body });

const remove = (posts: Posts, id: string) => change(posts, id, { method: "DELETE" });

Deno.test("a grid receives changes that match its filter, and no others", async () => {
  await using posts = await openPosts();
  const { owner, dashboard, path } = posts;
  const [one, other] = await posts.add({ title: "one", status: "draft" }, { title: "other" });
  const page = await dashboard.get(`${path}?status=draft&sort=-views&limit=5&.columns=title`);
  const source = sourceOf(page)!;
  assert.match(source, /\/collections\/posts\/documents\/live\?status=draft&\.after=[\w.-]+$/);
  await using reader = await listenOn(posts, owner, source);
  await posts.add({ title: "elsewhere", status: "published" });
  await patch(posts, other!, { title: "still elsewhere" });
  await patch(posts, one!, { title: "changed" });
  await patch(posts, one!, { status: "published" });
  await patch(posts, other!, { status: "draft" });
  const changes = await reader.changes(3);
  assert.deepEqual(changes.map(({ data }) => data), [
    { action: "changed", id: one, document: { _id: one } },
    { action: "removed", id: one },
    { action: "added", id: other, document: { _id: other } },
  ]);
});

Deno.test("a grid receives changes between its page and its first connection", async () => {
  await using posts = await openPosts();
  const { owner, dashboard, path } = posts;
  await posts.add({ title: "shown" });
  const source = sourceOf(await dashboard.get(path))!;
  const [late, later] = await posts.add({ title: "late" }, { title: "later" });
  await using reader = await listenOn(posts, owner, source);
  const [first] = await reader.changes(2);
  assert.deepEqual(first!.data, { action: "added", id: late, document: { _id: late } });
  await using again = await listenOn(posts, owner, source, [["last-event-id", first!.id!]]);
  const { data } = await again.expect("change");
  assert.equal(data.id, later, "the browser's last event id takes precedence");
  await using unknown = await listenOn(posts, owner, source.replace(/\.after=.*/, ".after=x"));
  await unknown.expect("reset");
});

Deno.test("the grid of a search, of the trash and without rows receives changes", async () => {
  await using posts = await openPosts({ fields: [...FIELDS.slice(1), SEARCHED] });
  const { owner, dashboard, path } = posts;
  const sources = await Promise.all(
    ["search=bread", "isDeleted=true&include_deleted=true", "views_gt=5"]
      .map(async (query) => sourceOf(await dashboard.get(`${path}?${query}`))!),
  );
  const [bread] = await posts.add({ title: "fresh bread" });
  await remove(posts, bread!);
  const [seen] = await posts.add({ title: "seen", views: 6 });
  const changes = [];
  for (const source of sources) {
    await using reader = await listenOn(posts, owner, source);
    changes.push((await reader.expect("change")).data);
  }
  assert.deepEqual(changes, [
    { action: "added", id: bread, document: { _id: bread } },
    { action: "added", id: bread, document: { _id: bread } },
    { action: "added", id: seen, document: { _id: seen } },
  ]);
});

Deno.test("a grid with a refused query or unrecorded changes does not connect", async () => {
  await using posts = await openPosts();
  const { owner, dashboard, path } = posts;
  assert.equal(sourceOf(await dashboard.get(`${path}?views_gt=x`)), null);
  await posts.define({ name: "silent", events: false });
  const silent = path.replace(/posts$/, "silent");
  assert.equal(sourceOf(await dashboard.get(silent)), null);
  const refusals = {
    [`${path}/documents/live?views_gt=x`]: 400,
    [`${silent}/documents/live`]: 409,
  };
  for (const [refused, status] of Object.entries(refusals)) {
    const response = await follow(posts, owner, refused);
    assert.equal(response.status, status, refused);
    await response.body?.cancel();
  }
});

Deno.test("a HEAD of a grid's live list leaves no list open", async () => {
  await using posts = await openPosts();
  const { app, owner, path, dashboard } = posts;
  const source = sourceOf(await dashboard.get(path))!;
  const headers = [["cookie", owner.cookie]] as [string, string][];
  for (let i = 0; i < 2 * LIVE_STREAMS_SHARE_MAX; i++) {
    const { status, body } = await app.open({ method: "HEAD", path: source, headers });
    assert.deepEqual([status, body], [200, null]);
  }
  await using reader = await listenOn(posts, owner, source);
  await posts.add({ title: "heard" });
  await reader.expect("change");
});

const SEARCHED = { key: "title", type: "String", search: true };

Deno.test("without a session, and for strangers, there is no live list", async () => {
  await using posts = await openPosts();
  const { app, path, dashboard } = posts;
  const source = sourceOf(await dashboard.get(path))!;
  const withoutSession = await app.open({
    path: source,
    headers: [["accept", "text/event-stream"]],
  });
  assert.equal(withoutSession.status, 401);
  await withoutSession.body?.cancel();
  const stranger = await follow(posts, await openAccount(app), source);
  assert.equal(stranger.status, 404);
  await stranger.body?.cancel();
});

/** Events that end the access of a member who follows a grid. */
const ENDS: Readonly<Record<string, (posts: Posts, viewer: TestAccount) => Promise<unknown>>> = {
  "they sign out": (_, viewer) => viewer.send({ path: "/api/auth/logout", body: {} }),
  "they are removed from the project": ({ app }, viewer) =>
    app.services.engine.records("control", MEMBERS).deleteOne(eq("accountId", viewer.accountId)),
  "their session expires": ({ app }) => Promise.resolve(app.clock.advance(8 * 86_400_000)),
  "the project is deleted": ({ owner, projectId }) =>
    owner.send({ method: "DELETE", path: `/api/projects/${projectId}`, body: { name: "Test" } }),
  "the collection is deleted": ({ app, projectId }) =>
    deleteCollection(app.services, projectId, "posts"),
};

for (const [when, end] of Object.entries(ENDS)) {
  Deno.test(`a member receives no more changes after ${when}`, async () => {
    await using posts = await openPosts();
    const { app, path, dashboard } = posts;
    const viewer = await openAccount(app);
    await joinProject(app.services, posts.projectId, viewer.accountId, "viewer");
    await using reader = await listenOn(posts, viewer, sourceOf(await dashboard.get(path))!);
    await posts.add({ title: "heard" });
    await reader.expect("change");
    await end(posts, viewer);
    app.clock.advance(5_000);
    await reader.expect("unauthorized");
    assert.equal(await reader.next(), null);
  });
}
