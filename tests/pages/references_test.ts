import assert from "node:assert/strict";
import { createUser } from "@/lib/auth/create_user.ts";
import { writeDocument } from "@/lib/documents/write_document.ts";
import { openForWriting } from "@/lib/documents/access.ts";
import { parseJson } from "@/lib/store/json_text.ts";
import { assertHarmless, HOSTILE_TEXTS, type PageAnswer } from "../support/pages.ts";
import { openPosts, type Posts, texts } from "./posts.ts";
import { updateCollection } from "@/tests/support/given.ts";

const FIELDS = [
  { key: "title", type: "String" },
  { key: "author", type: "Ref", ref: "authors" },
  { key: "reader", type: "Ref", ref: "users" },
  { key: "shelf", type: "Ref", ref: "shelves" },
];

async function openBooks(): Promise<Posts> {
  const posts = await openPosts();
  await posts.define({ name: "shelves" });
  await posts.define({
    name: "authors",
    fields: [{ key: "age", type: "Number" }, { key: "name", type: "String" }],
  });
  await updateCollection(posts.app.services, posts.projectId, { name: "posts", fields: FIELDS });
  return posts;
}

async function author({ app, projectId }: Posts, body: Record<string, string>): Promise<string> {
  const caller = { kind: "secret", projectId } as const;
  const target = await openForWriting(app.services, caller, "authors");
  const { json: text } = await writeDocument(app.services, target, { action: "create", body });
  return (parseJson(text) as { _id: string })._id;
}

const options = (page: PageAnswer, name: string) =>
  [...page.document.querySelectorAll(`select[name="${name}"] option`)]
    .map((one) => [one.getAttribute("value"), one.textContent, one.hasAttribute("selected")]);

Deno.test("a reference is selected by name, and shown as a link with that name", async () => {
  await using posts = await openBooks();
  const { dashboard, path, app, projectId } = posts;
  const [zoe, ann] = [await author(posts, { name: "Zoe" }), await author(posts, { name: "Ann" })];
  const reader = await createUser(app.services, projectId, {
    email: "ada@example.com",
    verified: true,
  });
  const form = await dashboard.get(`${path}/new`);
  assert.deepEqual(options(form, "f.author"), [
    ["", "—", false],
    [ann, "Ann", false],
    [zoe, "Zoe", false],
  ]);
  assert.deepEqual(options(form, "f.reader")[1], [reader, "ada@example.com", false]);
  assert.equal(
    form.document.querySelector("[name='f.shelf']")?.tagName,
    "INPUT",
    "a missing collection offers no options",
  );
  await dashboard.fill(form, "Create document", {
    "f.title": "A",
    "f.author": ann,
    "f.reader": reader,
  });
  const [book] = await posts.list();
  assert.deepEqual([book.author, book.reader], [ann, reader]);
  const grid = await dashboard.get(path);
  const home = path.slice(0, path.indexOf("/collections"));
  const links = [...grid.document.querySelectorAll("tbody td a[title]")]
    .map((one) => [one.getAttribute("href"), one.textContent]);
  assert.deepEqual(links, [
    [`${home}/collections/authors/documents/${ann}`, "Ann"],
    [`${home}/users/${reader}`, `${reader.slice(0, 10)}…`],
  ]);
  assert.equal((await dashboard.get(links[1]![0]!)).status, 200);
  const page = await dashboard.get(`${path}/documents/${book._id}`);
  assert.deepEqual(options(page, "f.author").filter(([, , isChosen]) => isChosen), [
    [ann, "Ann", true],
  ]);
});

Deno.test("a repeated page shows the new name of a referenced document", async () => {
  await using posts = await openBooks();
  const { dashboard, path, app, projectId } = posts;
  const ann = await author(posts, { name: "Ann" });
  await posts.add({ title: "A", author: ann }, { title: "B", author: "b".repeat(24) });
  const authorCells = async () => texts(await dashboard.get(path), "tbody td:nth-child(3)");
  assert.deepEqual(await authorCells(), ["bbbbbbbbbb…", "Ann"]);
  assert.deepEqual(await authorCells(), ["bbbbbbbbbb…", "Ann"]);
  const at = `/dashboard/projects/${projectId}/collections/authors/documents/${ann}`;
  app.clock.advance(1000);
  await dashboard.fill(await dashboard.get(at), "Save", { "f.name": "Anna" });
  assert.deepEqual(await authorCells(), ["bbbbbbbbbb…", "Anna"]);
});

Deno.test("equal names are distinguishable, and names are shown as text", async () => {
  await using posts = await openBooks();
  const { dashboard, path } = posts;
  const same = [await author(posts, { name: "Ann" }), await author(posts, { name: "Ann" })];
  for (const name of HOSTILE_TEXTS) await author(posts, { name });
  const nameless = await author(posts, {});
  const [id] = await posts.add({ author: "c".repeat(24) });
  const page = await dashboard.get(`${path}/documents/${id}`);
  const names = options(page, "f.author").map(([, name]) => name);
  for (const one of same) assert.ok(names.includes(`Ann (${one})`), names.join());
  assert.ok(names.includes(nameless));
  assertHarmless(page);
  await dashboard.fill(page, "Save", { "f.title": "A" });
  assert.equal((await posts.get(id!)).author, "c".repeat(24), "a dangling reference stays");
});

Deno.test("with too many documents an id is entered, which can be looked up", async () => {
  await using posts = await openBooks();
  const { dashboard, path } = posts;
  for (let i = 0; i < 50; i++) await author(posts, { name: `Author ${i}` });
  assert.equal(options(await dashboard.get(`${path}/new`), "f.author").length, 51);
  await author(posts, { name: "One more" });
  const page = await dashboard.get(`${path}/new`);
  const field = page.document.querySelector("[name='f.author']")!;
  assert.equal(field.tagName, "INPUT");
  const link = field.closest(".member")!.querySelector("a")!;
  assert.match(link.getAttribute("href")!, /\/collections\/authors$/);
  const viewer = await posts.other("viewer");
  const [id] = await posts.add({ title: "A" });
  const read = await viewer.get(`${path}/documents/${id}`);
  assert.ok(read.document.querySelector("[name='f.author']")!.hasAttribute("readonly"));
});

Deno.test("a document among many is found by its name, and all entries are kept", async () => {
  await using posts = await openBooks();
  const { dashboard, path } = posts;
  for (let i = 0; i < 50; i++) await author(posts, { name: `Author ${i}` });
  const ann = await author(posts, { name: "Ann Other" });
  const form = await dashboard.get(`${path}/new`);
  const typed = { "f.title": "A", "q.author": "nn Oth" };
  const found = await dashboard.fill(form, "Find for author", typed);
  assert.equal(found.status, 200);
  assert.equal((await posts.list()).length, 0, "searching saves nothing");
  assert.deepEqual(options(found, "f.author"), [["", "—", false], [ann, "Ann Other", false]]);
  assert.match(texts(found, ".member [role=status]")[0]!, /^1 to choose from/);
  await dashboard.fill(found, "Create document", { "f.author": ann });
  const [book] = await posts.list();
  assert.deepEqual([book.title, book.author], ["A", ann]);

  const page = await dashboard.get(`${path}/documents/${book._id}`);
  const none = await dashboard.fill(page, "Find for author", { "q.author": "Zoe" });
  assert.match(texts(none, ".member [role=status]")[0]!, /^Nothing is found for “Zoe”/);
  assert.equal(none.document.querySelector("[name='f.author']")!.getAttribute("value"), ann);
  // Enter presses the first button, which has no name.
  const entered = await dashboard.submit(`${path}/documents/${book._id}`, {
    etag: "*",
    "f.title": "B",
    "q.author": "Author 7",
  });
  assert.deepEqual(texts(entered, "select[name='f.author'] option").slice(2), ["Author 7"]);
  assert.equal((await posts.get(book._id)).title, "A");
  assertHarmless(await dashboard.fill(page, "Find for author", { "q.author": HOSTILE_TEXTS[0]! }));
});

Deno.test("users are found by their addresses, including the owner", async () => {
  await using posts = await openBooks();
  const { dashboard, path, app, projectId } = posts;
  const add = (email: string) => createUser(app.services, projectId, { email, verified: true });
  const ada = await add("ada@example.com");
  const few = await dashboard.get(`${path}/new`);
  assert.deepEqual(options(few, "f.userId"), [["", "—", false], [ada, "ada@example.com", false]]);
  for (let i = 0; i < 50; i++) await add(`user${i}@example.com`);
  const form = await dashboard.get(`${path}/new`);
  const found = await dashboard.fill(form, "Find for userId", { "q.userId": "ADA@" });
  assert.deepEqual(options(found, "f.userId").slice(1), [[ada, "ada@example.com", false]]);
  const reader = await dashboard.fill(form, "Find for reader", { "q.reader": "user49" });
  assert.deepEqual(options(reader, "f.reader").slice(1).map(([, name]) => name), [
    "user49@example.com",
  ]);
});
