import assert from "node:assert/strict";
import { PROJECT_TRASH_MS } from "@/lib/limits.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import { restoreProject } from "@/lib/operations/project_trash.ts";
import { createOwnedProject, joinProject, openAccount } from "../support/dashboard.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard, type PageAnswer } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";

const PROJECTS = "/dashboard";

const cards = ({ document }: PageAnswer) => [...document.querySelectorAll(".cards .card")];
const namesOf = (page: PageAnswer) =>
  cards(page).map((card) => card.querySelector("h2")!.textContent.trim());

Deno.test("an empty list explains projects and how to create one", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const page = await openDashboard(app, account).get(PROJECTS);
  assert.equal(cards(page).length, 0);
  const empty = page.document.querySelector(".empty")!.textContent;
  assert.match(empty, /Make your first one here/);
  assert.ok(empty.includes(account.email), "the e-mail to use for an invitation");
});

Deno.test("a project is created by its name, its keys work, and the secret key is shown once", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const dashboard = openDashboard(app, account);
  const page = await dashboard.get(PROJECTS);
  const input = { name: "  Blog ", siteUrl: "https://blog.example/" };
  const created = await dashboard.fill(page, "Create project", input);
  assert.equal(created.status, 201);
  assert.equal(created.headers.get("cache-control"), "no-store");
  const [publishable, secret] = [...created.document.querySelectorAll("input[readonly]")]
    .map((one) => one.getAttribute("value")!);
  assert.match(publishable!, /^pk_live_/);
  assert.match(secret!, /^sk_live_/);
  for (const key of [publishable!, secret!]) {
    const list = await app.send({ path: "/api/data/posts", headers: { "x-api-key": key } });
    assert.equal(list.status, 404, "the key is valid, and the collection does not exist");
  }
  const snippets = [...created.document.querySelectorAll("pre")].map((one) => one.textContent);
  assert.equal(snippets.length, 1, "no call of a missing collection");
  for (const text of snippets) {
    assert.ok(text.includes(publishable!) && text.includes("http://localhost:8000/api/"), text);
    assert.ok(!text.includes(secret!));
  }
  const home = created.document.querySelector(".sheet > [role=button]")!.getAttribute("href")!;
  const overview = await dashboard.get(home);
  assert.deepEqual(
    [publishable!, secret!].map((key) => overview.text.includes(key)),
    [true, false],
  );
  const { projectId } = (await account.send({ path: "/api/projects" })).body.data.items[0];
  const { name, siteUrl } = (await account.send({ path: `/api/projects/${projectId}` })).body.data;
  assert.deepEqual([name, siteUrl], ["Blog", "https://blog.example"]);
});

Deno.test("a refused project shows the reason, keeps the entries, and is not created", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const dashboard = openDashboard(app, account);
  const page = await dashboard.get(PROJECTS);
  const refusals = [
    [{ name: "   ", siteUrl: "" }, 400, /1 to 100 characters/],
    [{ name: HOSTILE_TEXTS[0], siteUrl: HOSTILE_TEXTS[3] }, 400, /https/],
    [{ name: "x".repeat(101), siteUrl: "" }, 400, /1 to 100 characters/],
  ] as const;
  for (const [fields, status, why] of refusals) {
    const refused = await dashboard.fill(page, "Create project", fields);
    assert.equal(refused.status, status);
    const form = refused.document.querySelector("[role=alert]")!.closest("form")!;
    assert.match(form.textContent, why);
    for (const [name, value] of Object.entries(fields)) {
      assert.equal(form.querySelector(`input[name=${name}]`)!.getAttribute("value"), value);
    }
    assertHarmless(refused);
  }
  assert.deepEqual((await account.send({ path: "/api/projects" })).body.data.items, []);
  for (let i = 0; i < 3; i++) await createOwnedProject(account);
  const beyond = await dashboard.fill(page, "Create project", { name: "Fourth" });
  assert.equal(beyond.status, 403);
  assert.match(beyond.words, /free plan allows 3 projects/);
  assert.equal(cards(beyond).length, 3);
});

Deno.test("cards show the content of a project and the account's role in it", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const project = await app.project();
  await joinProject(app.services, project.projectId, account.accountId, "viewer");
  await project.collection({ name: "posts", fields: [{ key: "title", type: "String" }] });
  await project.user();
  await project.user();
  for (const title of ["a", "b", "c"]) {
    const userId = app.services.newId();
    await project.asSecret({ path: "/api/data/posts", body: { title, userId } });
  }
  const [card] = cards(await openDashboard(app, account).get(PROJECTS));
  assert.match(card!.textContent, /3 documents in 1 collection, 2 users/);
  assert.match(card!.textContent, /0 bytes of 20 MB/);
  assert.match(card!.textContent, /viewer.*free plan/s);
  assert.equal(card!.querySelector("progress")!.getAttribute("max"), String(20 * 1024 * 1024));
  const link = card!.querySelector("a")!.getAttribute("href");
  assert.equal(link, `/dashboard/projects/${project.projectId}`);
});

Deno.test("a stranger's project is not among the cards", async () => {
  await using app = await openTestApp();
  await createOwnedProject(await openAccount(app), { name: "Theirs" });
  const page = await openDashboard(app, await openAccount(app)).get(PROJECTS);
  assert.ok(!page.words.includes("Theirs"));
});

Deno.test("projects beyond a page are behind a link, and each is on one page", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const names: string[] = [];
  for (let i = 0; i < 26; i++) {
    const project = { name: `P${i}`, siteUrl: null };
    const { projectId } = await createProject(app.services, project);
    app.clock.advance(1000);
    await joinProject(app.services, projectId, account.accountId, "viewer");
    names.unshift(`P${i}`);
  }
  const dashboard = openDashboard(app, account);
  const seen: string[] = [];
  let path: string | null = PROJECTS;
  let pages = 0;
  while (path !== null) {
    const page: PageAnswer = await dashboard.get(path);
    seen.push(...namesOf(page));
    const links = [...page.document.querySelectorAll(".pages a")];
    const first = links.some((one) => one.textContent === "First projects");
    assert.equal(first, pages > 0);
    path = links.find((one) => one.textContent === "More projects")?.getAttribute("href") ?? null;
    pages++;
  }
  assert.deepEqual(seen, names);
  assert.equal(pages, 2);
});

Deno.test("a project's name is shown as text everywhere", async () => {
  await using app = await openTestApp();
  for (const name of HOSTILE_TEXTS) {
    const account = await openAccount(app);
    const dashboard = openDashboard(app, account);
    const created = await dashboard.fill(await dashboard.get(PROJECTS), "Create project", { name });
    assertHarmless(created);
    const list = await dashboard.get(PROJECTS);
    assertHarmless(list);
    assert.deepEqual(namesOf(list), [name]);
    const home = cards(list)[0]!.querySelector("a")!.getAttribute("href")!;
    for (const rest of ["", "/members", "/settings"]) {
      const page = await dashboard.get(home + rest);
      assertHarmless(page);
      assert.ok(page.words.includes(name));
    }
  }
});

Deno.test("deleted projects stay visible to their owner, with instructions to restore them", async () => {
  await using app = await openTestApp();
  const [owner, other] = [await openAccount(app), await openAccount(app)];
  const { projectId } = await createOwnedProject(owner, { name: HOSTILE_TEXTS[0] });
  await joinProject(app.services, projectId, other.accountId, "admin");
  const dashboard = openDashboard(app, owner);
  await owner.send({
    method: "DELETE",
    path: `/api/projects/${projectId}`,
    body: { name: HOSTILE_TEXTS[0] },
  });
  const until = new Date(app.clock.now() + PROJECT_TRASH_MS).toISOString();
  const page = await dashboard.get(PROJECTS);
  assertHarmless(page);
  assert.deepEqual(namesOf(page), []);
  assert.ok(page.document.querySelector(`time[datetime='${until}']`));
  assert.ok(page.words.includes(`admin project restore --project ${projectId}`));
  assert.ok(page.words.includes(HOSTILE_TEXTS[0]));
  const others = await openDashboard(app, other).get(PROJECTS);
  assert.ok(!others.words.includes("Trash"), "only the owner sees the trash");
  await restoreProject(app.services, projectId);
  const restored = await dashboard.get(PROJECTS);
  assert.ok(!restored.words.includes("Trash"));
  assert.deepEqual(namesOf(restored), [HOSTILE_TEXTS[0]]);
});
