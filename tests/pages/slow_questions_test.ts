import assert from "node:assert/strict";
import { definitionTags, getCollection } from "@/lib/documents/save_collection.ts";
import { INDEXES_MAX } from "@/lib/limits.ts";
import { slowedApp } from "../api/slow_questions.ts";
import { assertHarmless, HOSTILE_TEXTS, type PageAnswer } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { openProjectPages } from "./project_pages.ts";

const FIELDS = [{ key: "status", type: "String" }, { key: "views", type: "Number" }];

async function openSlow(app: TestApp, ...queries: string[]) {
  const pages = await openProjectPages(app);
  const { project, home, dashboard } = pages;
  await project.collection({ name: "posts", rls: { mode: "public-read" }, fields: FIELDS });
  const slowed = slowedApp(app);
  slowed.takes(120);
  for (const query of queries) {
    assert.equal(await slowed.asSecret(project, `posts?${query}`), 200, query);
  }
  await slowed.store();
  const path = `${home}/slow-questions`;
  return {
    ...pages,
    path,
    look: () => dashboard.get(path),
    stored: () => getCollection(app.services, project.projectId, "posts"),
  };
}

/** Returns the query, its count and the index of each row of the table. */
const rows = ({ document }: PageAnswer) =>
  [...document.querySelectorAll(".lines tbody tr")].map((row) => [
    row.querySelector("th code")?.textContent ?? "",
    row.querySelector("th small")!.textContent,
    row.querySelector("td:last-child code")?.textContent ?? null,
  ]);

Deno.test("a project without slow queries says so, in a tab of its overview", async () => {
  await using app = await openTestApp();
  const { dashboard, home, path, look } = await openSlow(app);
  const overview = await dashboard.get(home);
  const links = [...overview.document.querySelectorAll(".tabs a")];
  assert.ok(links.some((link) => link.getAttribute("href") === path));
  const page = await look();
  assert.equal(page.status, 200);
  assert.match(page.words, /No list or count was slow/);
});

Deno.test("slow queries are shown with the recommended index, without values", async () => {
  await using app = await openTestApp();
  const { look, as, path } = await openSlow(
    app,
    "status=hunter2&sort=-views",
    "views_gt=4815162342&total=none",
    "count=true&status_regex=hunter2",
  );
  const page = await look();
  assert.deepEqual(rows(page).toSorted(), [
    ["status = ?", "by -views, with total", "status, -views"],
    ["status matches ?", "count", null],
    ["views > ?", "by -createdAt", "views"],
  ]);
  assert.doesNotMatch(page.text, /hunter2|4815162342/);
  const viewers = await (await as("viewer")).get(path);
  assert.deepEqual(rows(viewers), rows(page));
  assert.equal([...viewers.document.querySelectorAll(".lines button")].length, 0);
  assert.equal((await (await as(null)).get(path)).status, 404);
});

Deno.test("the button creates the index, by its flag for a single field, and resets the figures", async () => {
  await using app = await openTestApp();
  const { look, dashboard, stored } = await openSlow(app, "status=a&sort=-views");
  const before = await stored();
  const created = await dashboard.follow(await dashboard.fill(await look(), "Add index"));
  assert.match(created.words, /The index is created/);
  assert.deepEqual(rows(created), []);
  const indexes = [{ fields: ["status", "-views"], unique: false }];
  assert.deepEqual(await stored(), { ...before, indexes });
  const other = await openSlow(app, "views_gt=1");
  await other.dashboard.fill(await other.look(), "Add index");
  const { fields, indexes: none } = await other.stored();
  assert.deepEqual(none, []);
  assert.deepEqual(fields.filter(({ index }) => index).map(({ key }) => key), ["views"]);
});

Deno.test("a collection that has changed since, or is gone, is not changed, and the page says so", async () => {
  await using app = await openTestApp();
  const { look, dashboard, project, home, path, stored } = await openSlow(app, "status=a");
  const page = await look();
  const fields = [...FIELDS, { key: "more", type: "String" }];
  const owner = await project.owner();
  const at = `/api/projects/${project.projectId}/collections/posts`;
  const body = { rls: { mode: "public-read" }, fields };
  assert.equal((await owner.send({ method: "PUT", path: at, body })).status, 200);
  const before = await stored();
  const refused = await dashboard.fill(page, "Add index");
  assert.equal(refused.status, 412);
  assert.match(refused.document.querySelector("[role=alert]")!.textContent, /has changed since/);
  assert.deepEqual(await stored(), before);
  assert.equal((await dashboard.submit(path, {})).status, 404);
  for (const index of ["", "gone", ...HOSTILE_TEXTS]) {
    const tag = (await look()).document.querySelector("[name=tag]")!.getAttribute("value")!;
    const odd = await dashboard.submit(path, { collection: "posts", index, tag });
    assert.equal(odd.status, 400, index);
    assertHarmless(odd);
  }
  assert.deepEqual(await stored(), before);
  await owner.send({ method: "DELETE", path: at });
  assert.equal((await dashboard.fill(page, "Add index")).status, 404);
  assert.equal((await dashboard.get(`${home}/collections/posts/fields`)).status, 404);
});

Deno.test("with the maximum number of indexes, the page says to remove one", async () => {
  await using app = await openTestApp();
  const { dashboard, project, home, path, look, stored } = await openSlow(app);
  const pairs = ["status", "-status"].flatMap((a) =>
    ["views", "-views", "createdAt", "-createdAt", "updatedAt"].map((b) => ({ fields: [a, b] }))
  );
  const indexes = pairs.slice(0, INDEXES_MAX);
  const fields = [...FIELDS, { key: "other", type: "String" }];
  await project.collection({ name: "full", rls: { mode: "public-read" }, fields, indexes });
  const slowed = slowedApp(app);
  slowed.takes(120);
  await slowed.asSecret(project, "full?other=a");
  await slowed.store();
  const page = await look();
  assert.match(page.words, /full has 10 indexes: remove one first/);
  assert.equal([...page.document.querySelectorAll(".lines button")].length, 0);
  const link = page.document.querySelector(".lines td:last-child a")!.getAttribute("href");
  assert.equal(link, `${home}/collections/full/fields`);
  const full = await getCollection(app.services, project.projectId, "full");
  const sent = { collection: "full", index: "other,-createdAt", tag: definitionTags(full).fields };
  const refused = await dashboard.submit(path, sent);
  assert.equal(refused.status, 400);
  assert.match(refused.words, /more than 10/);
  assert.deepEqual((await stored()).indexes, []);
});
