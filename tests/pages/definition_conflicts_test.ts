import assert from "node:assert/strict";
import { getCollection } from "@/lib/documents/save_collection.ts";
import type { PageAnswer } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { openProjectPages } from "./project_pages.ts";

async function openPosts(app: TestApp) {
  const pages = await openProjectPages(app);
  const { project, home } = pages;
  await project.collection({
    name: "posts",
    rls: { enabled: false },
    fields: [{ key: "title", type: "String" }],
  });
  return {
    path: `${home}/collections/posts`,
    mine: pages.dashboard,
    theirs: await pages.as("admin"),
    stored: () => getCollection(app.services, project.projectId, "posts"),
  };
}

const keysIn = ({ document }: PageAnswer): (string | null)[] =>
  [...document.querySelectorAll(`input[name$=".key"]`)].map((one) => one.getAttribute("value"));

const ADDED = { "1.key": "mine", "1.type": "Number" };

Deno.test("fields that another person changed are not overwritten, and entries are kept", async () => {
  await using app = await openTestApp();
  const { path, mine, theirs, stored } = await openPosts(app);
  const keys = async () => (await stored()).fields.map(({ key }) => key);
  const page = await mine.get(`${path}/fields`);
  const other = await theirs.get(`${path}/fields`);
  await theirs.fill(other, "Save fields", { "1.key": "theirs", "1.type": "Date" });
  assert.deepEqual(await keys(), ["title", "theirs"]);
  // A button that adds a row keeps the version that the form was made from.
  const longer = await mine.fill(page, "Add field", {});
  const refused = await mine.fill(longer, "Save fields", ADDED);
  assert.equal(refused.status, 412);
  const alert = refused.document.querySelector("[role=alert]")!;
  assert.match(alert.textContent, /This collection has changed/);
  assert.equal(alert.querySelector("a")!.getAttribute("href"), `${path}/fields`);
  assert.deepEqual(keysIn(refused), ["title", "mine"]);
  assert.deepEqual(await keys(), ["title", "theirs"]);
  const again = await mine.fill(refused, "Save fields");
  assert.equal(again.status, 412, "saving it again does not overwrite");
  assert.equal((await mine.fill(again, "Save mine in its place")).status, 303);
  assert.deepEqual(await keys(), ["title", "mine"]);
});

Deno.test("overwriting one change does not overwrite the next one", async () => {
  await using app = await openTestApp();
  const { path, mine, theirs, stored } = await openPosts(app);
  const page = await mine.get(`${path}/fields`);
  await theirs.fill(await theirs.get(`${path}/fields`), "Save fields", { strict: "on" });
  const refused = await mine.fill(page, "Save fields", ADDED);
  await theirs.fill(await theirs.get(`${path}/fields`), "Save fields", {
    "1.key": "later",
    "1.type": "Date",
  });
  assert.equal((await mine.fill(refused, "Save mine in its place")).status, 412);
  assert.deepEqual((await stored()).fields.map(({ key }) => key), ["title", "later"]);
});

Deno.test("access that another person changed is not overwritten", async () => {
  await using app = await openTestApp();
  const { path, mine, theirs, stored } = await openPosts(app);
  const page = await mine.get(`${path}/access`);
  await theirs.fill(await theirs.get(`${path}/access`), "Save access", { access: "private" });
  const refused = await mine.fill(page, "Save access", { access: "public-read" });
  assert.equal(refused.status, 412);
  assert.match(refused.words, /This collection has changed/);
  const chosen = refused.document.querySelector("[name=access][checked]")!;
  assert.equal(chosen.getAttribute("value"), "public-read");
  assert.equal((await stored()).rls.mode, "private");
  assert.equal((await mine.fill(refused, "Save mine in its place")).status, 303);
  assert.equal((await stored()).rls.mode, "public-read");
});

Deno.test("an index is added to the current fields", async () => {
  await using app = await openTestApp();
  const { path, mine, theirs, stored } = await openPosts(app);
  const page = await mine.get(`${path}/access`);
  await theirs.fill(await theirs.get(`${path}/fields`), "Save fields", {
    "1.key": "theirs",
    "1.type": "Date",
  });
  assert.equal((await mine.fill(page, "Add index", { field: "title" })).status, 303);
  const { fields } = await stored();
  assert.deepEqual(fields.map(({ key, index }) => [key, index]), [
    ["title", true],
    ["theirs", false],
  ]);
});
