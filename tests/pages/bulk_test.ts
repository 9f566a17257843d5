import assert from "node:assert/strict";
import { BULK_STEP_DOCUMENTS } from "@/lib/limits.ts";
import { type Dashboard, type Fields, type PageAnswer } from "../support/pages.ts";
import { manyDocuments, openPosts, type Posts, texts } from "./posts.ts";

/** Presses the button of each page that asks for the next step. Resolves to the last page. */
async function finishSteps(dashboard: Dashboard, first: PageAnswer) {
  let page = first;
  let steps = 1;
  while (page.document.querySelector("next-step") !== null) {
    assert.ok(++steps < 20, "too many steps");
    page = await dashboard.fill(page, "Continue");
  }
  return { page, steps };
}

const openSelection = async (
  posts: Posts,
  view: string,
  fields: Fields,
  button = "Edit selected",
) => await posts.dashboard.fill(await posts.dashboard.get(`${posts.path}?${view}`), button, fields);

Deno.test("a field of the selected documents is set to a value, and others are unchanged", async () => {
  await using posts = await openPosts();
  const ids = await posts.add(...manyDocuments(4));
  const { dashboard, path } = posts;
  const which = await openSelection(posts, "sort=views", { id: ids.slice(1, 3) });
  assert.match(which.words, /Edit 2 documents/);
  const asked = await dashboard.fill(which, "views");
  assert.match(texts(asked, ".member label")[0]!, /^views number/);
  const done = await dashboard.fill(asked, "Change 2 documents", { "f.views": "7" });
  assert.equal(done.location, `${path}?sort=views&.done=changed`);
  assert.deepEqual((await posts.list("sort=title")).map(({ views }) => views), [0, 7, 7, 300]);
  const emptied = await openSelection(posts, "", { id: ids[0]! });
  await dashboard.fill(await dashboard.fill(emptied, "status"), "Change 1 document");
  assert.equal((await posts.get(ids[0]!)).status, null);
});

Deno.test("a value that fits no document is reported once, and changes none", async () => {
  await using posts = await openPosts();
  const ids = await posts.add(...manyDocuments(3));
  const { dashboard } = posts;
  const before = await posts.list();
  const table = [["views", "many", /views must be a Number/], ["title", "", /title is required/], [
    "tags",
    "[",
    /tags is not valid JSON \(line 1, column 2: /,
  ]] as const;
  for (const [field, text, why] of table) {
    const asked = await dashboard.fill(await openSelection(posts, "", { id: ids }), field);
    const refused = await dashboard.fill(asked, "Change 3 documents", { [`f.${field}`]: text });
    assert.equal(refused.status, 400);
    assert.match(texts(refused, ".member-fault")[0]!, why);
  }
  assert.deepEqual(await posts.list(), before);
});

Deno.test("if a value fits only some documents, the others are reported with the reason", async () => {
  await using posts = await openPosts();
  const ids = await posts.add(...manyDocuments(13));
  const { dashboard } = posts;
  const asked = await dashboard.fill(await openSelection(posts, "", { id: ids }), "slug");
  const failed = await dashboard.fill(asked, "Change 13 documents", { "f.slug": "same" });
  assert.equal(failed.status, 409);
  const alert = texts(failed, "[role=alert]")[0]!;
  assert.match(alert, /^1 of 13 documents changed\. Not these:/);
  assert.equal(texts(failed, "[role=alert] li").length, 10);
  assert.match(texts(failed, "[role=alert] li")[0]!, /unique field "slug"/);
  assert.match(alert, /And 2 more\.$/);
  assert.equal((await posts.list("slug=same")).length, 1);
});

Deno.test("all matches are changed in bounded steps, even if they leave the view", async () => {
  await using posts = await openPosts();
  const count = 2 * BULK_STEP_DOCUMENTS + 20;
  await posts.add(...manyDocuments(count), { title: "other", status: "kept" });
  const { dashboard, path } = posts;
  const view = "status_in=draft,published&sort=-views";
  const which = await openSelection(posts, view, { all: "yes", id: [] });
  assert.match(which.words, new RegExp(`Edit all ${count} documents that match`));
  const asked = await dashboard.fill(which, "status");
  const first = await dashboard.fill(asked, `Change all ${count} documents that match`, {
    "f.status": "done",
  });
  assert.match(first.words, /100 documents changed\. There are more\./);
  assert.equal((await posts.list("status=done&limit=1000")).length, BULK_STEP_DOCUMENTS);
  const { page, steps } = await finishSteps(dashboard, first);
  assert.equal(steps, 3);
  assert.equal(page.location, `${path}?${view.replace(",", "%2C")}&.done=changed`);
  assert.equal((await posts.list("status=done&limit=1000")).length, count);
  assert.equal((await posts.list("status=kept")).length, 1);
});

Deno.test("the failures of all steps are reported at the end", async () => {
  await using posts = await openPosts();
  await posts.add(...manyDocuments(BULK_STEP_DOCUMENTS + 5));
  const { dashboard } = posts;
  const which = await openSelection(posts, "", { all: "yes" });
  const asked = await dashboard.fill(which, "slug");
  const button = "Change all 105 documents that match";
  const first = await dashboard.fill(asked, button, { "f.slug": "x" });
  assert.match(first.words, /1 document changed, 99 not\. There are more\./);
  const { page } = await finishSteps(dashboard, first);
  assert.equal(page.status, 409);
  assert.match(texts(page, "[role=alert]")[0]!, /^1 of 105 documents changed\..*And 94 more\.$/);
});

Deno.test("the complete trash is recovered, or removed permanently after a question", async () => {
  await using posts = await openPosts();
  const count = BULK_STEP_DOCUMENTS + 10;
  const ids = await posts.add(...manyDocuments(count));
  const { dashboard } = posts;
  const sure = await openSelection(posts, "", { all: "yes" }, "Delete selected");
  assert.match(sure.words, new RegExp(`Delete all ${count} documents that match\\?`));
  assert.equal((await posts.list("limit=1000")).length, count, "the question deletes nothing");
  const button = `Delete all ${count} documents that match`;
  const first = await dashboard.fill(sure, button);
  assert.match(first.words, /100 documents deleted\. There are more/);
  await finishSteps(dashboard, first);
  assert.equal((await posts.list()).length, 0);
  const trash = "isDeleted=true&include_deleted=true&sort=-deletedAt";
  const back = await openSelection(posts, trash, { all: "yes" }, "Recover selected");
  await finishSteps(dashboard, back);
  assert.equal((await posts.list("limit=1000")).length, count);
  await finishSteps(
    dashboard,
    await dashboard.submit(`${posts.path}/documents`, { act: "delete", sure: "yes", id: ids[0]! }),
  );
  const one = await dashboard.get(`${posts.path}?${trash}`);
  assert.equal(one.document.querySelector("input[name=all]") === null, true, "there are no others");
});

Deno.test("a viewer changes nothing, and values that a form carries between steps are texts", async () => {
  await using posts = await openPosts();
  const [id] = await posts.add(...manyDocuments(1));
  const fields = { act: "edit", all: "yes", field: "title", "f.title": "B", sure: "yes" };
  const viewer = await posts.other("viewer");
  assert.equal((await viewer.submit(`${posts.path}/documents`, fields)).status, 403);
  assert.equal((await posts.get(id!)).title, "Post 000");
  const said = await posts.dashboard.submit(`${posts.path}/documents`, {
    ...fields,
    failed: "1",
    done: "x",
    told: [`409 ${id} <script>alert(1)</script>`, "<b>"],
  });
  assert.equal(said.status, 409);
  assert.equal(said.document.querySelector("[role=alert] script"), null);
  assert.match(texts(said, "[role=alert]")[0]!, /^1 of 2 documents changed/);
});
