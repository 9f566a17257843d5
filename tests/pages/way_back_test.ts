import assert from "node:assert/strict";
import { linkOf, openPosts, texts } from "./posts.ts";

const VIEW = "status=draft&sort=views&.columns=title,views";
const LISTED = "status=draft&sort=views&.columns=title%2Cviews";

Deno.test("a document that is opened from a view leads back to the same view", async () => {
  await using posts = await openPosts();
  const { dashboard, path } = posts;
  await posts.add({ title: "A", status: "draft", views: 1 }, { title: "B", status: "draft" });
  const grid = await dashboard.get(`${path}?${VIEW}`);
  const page = await dashboard.get(linkOf(grid, "A"));
  assert.equal(linkOf(page, "Back to the list"), `${path}?${LISTED}`);
  const json = await dashboard.get(linkOf(page, "JSON"));
  const refused = await dashboard.fill(json, "Save", { json: "{" });
  assert.equal(linkOf(refused, "Back to the list"), `${path}?${LISTED}`);
  const stayed = await dashboard.follow(
    await dashboard.fill(refused, "Save and stay", { json: '{"title":"A","status":"draft"}' }),
  );
  assert.deepEqual(texts(stayed, "[role=status]"), ["Saved."]);
  assert.equal(stayed.document.querySelector(".tabs [aria-current]")?.textContent, "Documents");
  const saved = await dashboard.fill(stayed, "Save", { json: '{"title":"C","status":"draft"}' });
  assert.equal(saved.location, `${path}?${LISTED}&.done=saved`);
  const back = await dashboard.follow(saved);
  assert.deepEqual(texts(back, "[role=status]"), ["Saved."]);
  const other = await dashboard.get(linkOf(back, "C"));
  const deleted = await dashboard.fill(other, "Delete this document");
  assert.equal(deleted.location, `${path}?${LISTED}&.done=deleted`);
});

Deno.test("a created document is shown, or the form for the next one", async () => {
  await using posts = await openPosts();
  const { dashboard, path } = posts;
  await posts.add(...Array.from({ length: 26 }, (_, i) => ({ title: `Post ${i}` })));
  const second = await dashboard.get(linkOf(await dashboard.get(path), "Older ›"));
  const form = await dashboard.get(linkOf(second, "New document"));
  const more = await dashboard.fill(form, "Create and add another", { "f.title": "A" });
  const next = await dashboard.follow(more);
  assert.match(texts(next, "[role=status]")[0]!, /^Created\./);
  assert.equal(next.document.querySelector("[name='f.title']")?.textContent, "");
  const created = await dashboard.follow(
    await dashboard.fill(next, "Create document", { "f.title": "B" }),
  );
  assert.deepEqual(texts(created, "tbody tr td:nth-child(2)").slice(0, 2), ["B", "A"]);
  const trash = await dashboard.get(`${path}?isDeleted=true&include_deleted=true`);
  const left = await dashboard.fill(
    await dashboard.get(linkOf(trash, "New document")),
    "Create document",
    { "f.title": "C" },
  );
  assert.equal(left.location, `${path}?.done=created`, "it is not in the trash");
});

Deno.test("a way back leads only to the same grid", async () => {
  await using posts = await openPosts();
  const { dashboard, path } = posts;
  const [id] = await posts.add({ title: "A" });
  for (const view of ["//evil.example", "https://evil.example/?x=1", "javascript:alert(1)"]) {
    const query = new URLSearchParams({ view });
    const page = await dashboard.get(`${path}/documents/${id}?${query}`);
    assert.ok(linkOf(page, "Back to the list").startsWith(`${path}?`));
    const saved = await dashboard.fill(page, "Save");
    assert.ok(saved.location!.startsWith(`${path}?`), saved.location!);
  }
});

Deno.test("the first empty field has the focus, and after a refusal the first wrong one", async () => {
  await using posts = await openPosts();
  const { dashboard, path } = posts;
  const [id] = await posts.add({ title: "A" });
  const focusedFields = (page: Awaited<ReturnType<typeof dashboard.get>>) =>
    [...page.document.querySelectorAll("[autofocus]")].map((one) => one.getAttribute("name"));
  assert.deepEqual(focusedFields(await dashboard.get(`${path}/new`)), ["f.title"]);
  const page = await dashboard.get(`${path}/documents/${id}`);
  assert.deepEqual(focusedFields(page), [], "a read-only page focuses no field");
  assert.deepEqual(focusedFields(await dashboard.fill(page, "Save", { "f.views": "x" })), [
    "f.views",
  ]);
  assert.deepEqual(focusedFields(await dashboard.get("/dashboard/sign-in")), ["email"]);
  const collections = path.slice(0, path.lastIndexOf("/"));
  assert.deepEqual(focusedFields(await dashboard.get(collections)), ["name"]);
});
