import assert from "node:assert/strict";
import { listCollections } from "@/lib/documents/save_collection.ts";
import { assertHarmless, HOSTILE_TEXTS } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";
import { openProjectPages } from "./project_pages.ts";

Deno.test("a project without collections gives instructions, and a new one opens its fields", async () => {
  await using app = await openTestApp();
  const { home, dashboard, project } = await openProjectPages(app);
  const empty = await dashboard.get(`${home}/collections`);
  assert.match(empty.words, /Name your first/);
  const created = await dashboard.fill(empty, "Create collection", { name: "posts" });
  assert.deepEqual([created.status, created.location], [
    303,
    `${home}/collections/posts/fields?done=created`,
  ]);
  const fields = await dashboard.follow(created);
  assert.equal(fields.document.querySelector("h1")!.textContent, "posts");
  assert.match(fields.words, /The collection is created/);
  const [stored] = await listCollections(app.services, project.projectId);
  assert.deepEqual(stored!.rls, { enabled: true, mode: "private", ownerField: "userId" });
});

Deno.test("the list shows each collection with its access, documents and fields", async () => {
  await using app = await openTestApp();
  const { home, dashboard, project } = await openProjectPages(app);
  const text = { key: "text", type: "String" };
  await project.collection({ name: "notes", rls: { enabled: false }, fields: [text] });
  await project.collection({ name: "posts", rls: { mode: "public-read" }, fields: [] });
  await project.asSecret({ path: "/api/data/notes", body: { text: "a" } });
  const page = await dashboard.get(`${home}/collections`);
  const rows = [...page.document.querySelectorAll("tbody tr")]
    .map((row) => [...row.querySelectorAll("th, td")].map((cell) => cell.textContent));
  assert.deepEqual(rows, [
    ["notes", "no row rules", "1", "1 field"],
    ["posts", "public, read-only", "0", "1 field"],
  ]);
  const tabs = (await dashboard.get(`${home}/collections/notes/api`)).document
    .querySelectorAll(".tabs a");
  assert.deepEqual([...tabs].map((tab) => tab.getAttribute("href")), [
    `${home}/collections/notes`,
    `${home}/collections/notes/fields`,
    `${home}/collections/notes/access`,
    `${home}/collections/notes/api`,
  ]);
});

Deno.test("a refused name is kept next to the reason, and nothing is created", async () => {
  await using app = await openTestApp();
  const { home, dashboard, project } = await openProjectPages(app);
  const page = await dashboard.get(`${home}/collections`);
  for (const name of [...HOSTILE_TEXTS, "users2", "9lives", ""]) {
    const refused = await dashboard.fill(page, "Create collection", { name });
    assert.equal(refused.status, 400, name);
    assert.equal(refused.document.querySelector("[name=name]")!.getAttribute("value"), name);
    assert.match(refused.document.querySelector("[role=alert]")!.textContent, /collection name/);
    assertHarmless(refused);
  }
  await project.collection({ name: "posts" });
  const taken = await dashboard.fill(page, "Create collection", { name: "Posts" });
  assert.equal(taken.status, 409);
  assert.match(taken.words, /exists already/);
  assert.equal((await listCollections(app.services, project.projectId)).length, 1);
});

Deno.test("a collection is deleted with its content by typing its name", async () => {
  await using app = await openTestApp();
  const { home, dashboard, project } = await openProjectPages(app);
  await project.collection({ name: "posts", rls: { enabled: false } });
  await project.collection({
    name: "comments",
    fields: [{ key: "post", type: "Ref", ref: "posts" }],
  });
  await project.asSecret({ path: "/api/data/posts", body: { title: "a" } });
  const path = `${home}/collections/posts/fields`;
  const page = await dashboard.get(path);
  assert.match(page.words, /posts and its 1 document will be lost/);
  const mistyped = await dashboard.fill(page, "Delete posts", { name: "post" });
  assert.equal(mistyped.status, 400);
  const used = await dashboard.fill(page, "Delete posts", { name: "posts" });
  assert.equal(used.status, 409);
  assert.match(
    used.document.querySelector("[role=alert]")!.textContent,
    /refer to this one.*comments/,
  );
  assert.equal((await listCollections(app.services, project.projectId)).length, 2);

  const comments = await dashboard.get(`${home}/collections/comments/fields`);
  await dashboard.fill(comments, "Delete comments", { name: "comments" });
  const deleted = await dashboard.fill(page, "Delete posts", { name: "posts" });
  assert.equal(deleted.location, `${home}/collections?done=deleted`);
  assert.match((await dashboard.follow(deleted)).words, /The collection is deleted/);
  assert.deepEqual(await listCollections(app.services, project.projectId), []);
});

Deno.test("a collection is renamed with its documents, and an invalid name is refused at its field", async () => {
  await using app = await openTestApp();
  const { home, dashboard, project } = await openProjectPages(app);
  await project.collection({ name: "posts", rls: { enabled: false } });
  await project.collection({ name: "tags" });
  await project.asSecret({ path: "/api/data/posts", body: { title: "a" } });
  const page = await dashboard.get(`${home}/collections/posts/fields`);
  for (
    const [name, status, why] of [["Tags", 409, /exists already/], ["a b", 400, /letter/]] as const
  ) {
    const refused = await dashboard.fill(page, "Rename collection", { name });
    assert.equal(refused.status, status);
    assert.match(refused.document.querySelector("[role=alert]")!.textContent, why);
  }
  const renamed = await dashboard.fill(page, "Rename collection", { name: "articles" });
  assert.equal(renamed.location, `${home}/collections/articles/fields?done=renamed`);
  assert.match((await dashboard.follow(renamed)).words, /The collection is renamed/);
  const { body } = await project.asSecret({ path: "/api/data/articles" });
  assert.equal(body.data.total, 1);
});

Deno.test("viewers cannot change collections, and strangers see no project", async () => {
  await using app = await openTestApp();
  const { home, as, project } = await openProjectPages(app);
  await project.collection({ name: "posts", fields: [{ key: "title", type: "String" }] });
  const before = await listCollections(app.services, project.projectId);
  const one = `${home}/collections/posts`;
  const pages = [`${home}/collections`, `${one}/fields`, `${one}/access`, `${one}/api`];
  const forms: readonly (readonly [string, Record<string, string>])[] = [
    [`${home}/collections`, { name: "more" }],
    [`${one}/fields`, { act: "save" }],
    [`${one}/access`, { act: "save", access: "off" }],
    [`${one}/access`, { act: "index", field: "title" }],
    [`${one}/rename`, { name: "other" }],
    [`${one}/delete`, { name: "posts" }],
  ];
  const viewer = await as("viewer");
  for (const path of pages) {
    const page = await viewer.get(path);
    assert.equal(page.status, 200, path);
    // A call that is run from a page is allowed to everyone with the publishable key.
    const buttons = [...page.document.querySelectorAll("main button")]
      .filter((one) => one.closest("run-call") === null);
    assert.deepEqual(buttons.map((one) => one.textContent), [], path);
  }
  for (const [path, fields] of forms) {
    assert.equal((await viewer.submit(path, fields)).status, 403, path);
  }
  const stranger = await as(null);
  for (const path of pages) assert.equal((await stranger.get(path)).status, 404, path);
  for (const [path, fields] of forms) {
    assert.equal((await stranger.submit(path, fields)).status, 404, path);
  }
  assert.deepEqual(await listCollections(app.services, project.projectId), before);
});

Deno.test("an unknown collection has no pages", async () => {
  await using app = await openTestApp();
  const { home, dashboard, project } = await openProjectPages(app);
  await project.collection({ name: "posts" });
  for (const name of ["nothing", "Posts", encodeURIComponent(HOSTILE_TEXTS[1])]) {
    for (const tab of ["fields", "access", "api"]) {
      const page = await dashboard.get(`${home}/collections/${name}/${tab}`);
      assert.equal(page.status, 404, name);
      assertHarmless(page);
    }
  }
});
