import assert from "node:assert/strict";
import { assertHarmless, HOSTILE_TEXTS } from "../support/pages.ts";
import { column, linkOf, manyDocuments, openPosts, texts } from "./posts.ts";

Deno.test("the view of a grid is saved under a name, used by all members, and deleted", async () => {
  await using posts = await openPosts();
  await posts.add(...manyDocuments(60));
  const { dashboard, path } = posts;
  const query = "status=draft&sort=views&limit=5";
  const page = await dashboard.get(`${path}?${query}&.columns=title,views`);
  const second = await dashboard.get(linkOf(page, "Next ›"));
  const saved = await dashboard.fill(second, "Save view", { name: " Drafts " });
  assert.match((await dashboard.follow(saved)).words, /The view is saved/);
  const viewer = await posts.other("viewer");
  const plain = await viewer.get(path);
  assert.equal(plain.document.querySelector("[aria-current=true]") === null, true);
  const link = linkOf(plain, "Drafts");
  assert.equal(link, `${path}?${query}&.columns=title%2Cviews`);
  const shown = await viewer.get(link);
  assert.deepEqual(column(shown, 1), ["Post 000", "Post 003", "Post 006", "Post 009", "Post 012"]);
  assert.deepEqual(texts(shown, ".views [aria-current=true]"), ["Drafts"]);
  assert.doesNotMatch(shown.words, /Save this view|Delete/);
  const submitted = { act: "save", name: "Mine", view: "" };
  assert.equal((await viewer.submit(`${path}/views`, submitted)).status, 403);
  const deleted = await dashboard.fill(await dashboard.get(link), "Delete the view Drafts");
  assert.match((await dashboard.follow(deleted)).words, /The view is deleted/);
  assert.deepEqual(texts(await dashboard.get(path), ".views a"), []);
});

Deno.test("an invalid name is reported, and hostile names are shown as text", async () => {
  await using posts = await openPosts();
  const { dashboard, path } = posts;
  const page = await dashboard.get(`${path}?status=draft`);
  const refused = await dashboard.fill(page, "Save view", { name: "a/b" });
  assert.equal(refused.status, 400);
  assert.match(texts(refused, "[role=alert]")[0]!, /A view's name/);
  assert.deepEqual(texts(refused, ".chip"), ["status is draft×"], "the view stays");
  for (const name of HOSTILE_TEXTS) {
    const answer = await dashboard.fill(page, "Save view", { name });
    assertHarmless(await dashboard.follow(answer));
  }
});
