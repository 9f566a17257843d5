import assert from "node:assert/strict";
import { signInAgain } from "../support/dashboard.ts";
import { type Dashboard, type Fields, openDashboard } from "../support/pages.ts";
import { faults, testUnless } from "../support/server_faults.ts";
import { column, linkOf, manyDocuments, openPosts, texts } from "./posts.ts";

Deno.test("selected documents are deleted after a question, recovered, and removed permanently", async () => {
  await using posts = await openPosts();
  const ids = await posts.add(...manyDocuments(3));
  const { dashboard, path } = posts;
  const page = await dashboard.get(`${path}?sort=views`);
  const chosen = ids.slice(0, 2);
  const asked = await dashboard.fill(page, "Delete selected", { id: chosen });
  assert.equal(asked.status, 200);
  assert.match(asked.words, /Delete 2 documents\?\s*They go to the trash/);
  assert.equal((await posts.list()).length, 3, "the question deletes nothing");
  const deleted = await dashboard.fill(asked, "Delete 2 documents");
  assert.equal(deleted.location, `${path}?sort=views&.done=deleted`);
  assert.deepEqual((await posts.list()).map(({ _id }) => _id), [ids[2]]);
  const after = await dashboard.follow(deleted);
  assert.match(texts(after, "[role=status]")[0]!, /^Deleted\./);
  const trash = await dashboard.get(linkOf(after, "Trash"));
  assert.equal(column(trash, 2).length, 2);
  assert.deepEqual(texts(trash, ".chip"), []);
  await dashboard.fill(trash, "Recover selected", { id: ids[0]! });
  assert.equal((await posts.list()).length, 2);
  const sure = await dashboard.fill(trash, "Remove selected for good", { id: ids[1]! });
  assert.match(sure.words, /Remove 1 document for good\?/);
  await dashboard.fill(sure, "Remove 1 document for good");
  assert.equal((await posts.list("include_deleted=true")).length, 2);
});

testUnless(
  faults.staysTaken,
  "a recovery that conflicts with another document is reported, and the others succeed",
  async () => {
    await using posts = await openPosts();
    const [a, b] = await posts.add({ title: "A", slug: "same" }, { title: "B", slug: "other" });
    const { dashboard, path } = posts;
    await dashboard.submit(`${path}/documents`, { act: "delete", sure: "yes", id: [a!, b!] });
    await posts.add({ title: "C", slug: "same" });
    const view = "isDeleted=true&include_deleted=true";
    const answer = await dashboard.submit(`${path}/documents`, {
      act: "recover",
      id: [a!, b!],
      view,
    });
    assert.equal(answer.status, 409);
    assert.match(texts(answer, "[role=alert]")[0]!, /^1 of 2 documents recovered\. Not these:/);
    const [row] = texts(answer, "[role=alert] li");
    assert.match(row!, new RegExp(`^${a}: .*unique field "slug"`));
    assert.equal(linkOf(answer, a!), `${path}/documents/${a}`);
    assert.deepEqual((await posts.list("sort=title")).map(({ title }) => title), ["B", "C"]);
  },
);

Deno.test("an empty selection is reported, and unknown actions do nothing", async () => {
  await using posts = await openPosts();
  const [id] = await posts.add(...manyDocuments(1));
  const { dashboard, path } = posts;
  for (
    const fields of [{ act: "delete" }, { act: "burn", id: id! }, { act: "toString", id: id! }]
  ) {
    const said = await dashboard.submit(`${path}/documents`, { sure: "yes", ...fields });
    assert.equal(said.status, 400);
    assert.match(said.words, /Select documents first/);
  }
  assert.equal((await posts.list()).length, 1);
});

Deno.test("each document that cannot be recovered is reported with the reason", async () => {
  await using posts = await openPosts();
  const [old, fine, gone] = await posts.add({ title: "A" }, { title: "B" }, { title: "C" });
  const { path, app, owner } = posts;
  const act = (dashboard: Dashboard, fields: Fields) =>
    dashboard.submit(`${path}/documents`, { sure: "yes", ...fields });
  await act(posts.dashboard, { act: "delete", id: [old!, gone!] });
  app.clock.advance(31 * 86_400_000);
  const later = openDashboard(app, await signInAgain(owner));
  await act(later, { act: "delete", id: fine! });
  await act(later, { act: "remove", id: gone! });
  const answer = await act(later, { act: "recover", id: [old!, fine!, gone!] });
  assert.equal(answer.status, 404);
  assert.match(texts(answer, "[role=alert]")[0]!, /^1 of 3 documents recovered\./);
  const rows = texts(answer, "[role=alert] li");
  assert.deepEqual(rows.map((row) => row.slice(0, 24)), [old, gone]);
  for (const row of rows) assert.match(row, /: \S/);
  assert.deepEqual((await posts.list()).map(({ title }) => title), ["B"]);
  const again = await act(later, { act: "delete", id: [fine!, gone!] });
  assert.equal(again.status, 303, "documents that are already deleted count as done");
});
