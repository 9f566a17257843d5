import assert from "node:assert/strict";
import { openTeam } from "../api/team.ts";
import { createOwnedProject, joinProject, openAccount } from "../support/dashboard.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard, type PageAnswer } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";

const labels = ({ document }: PageAnswer) =>
  [...document.querySelectorAll("main button")].map((one) => one.textContent);

Deno.test("the settings show the plan and the usage next to its limits", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app, { plan: "pro" });
  const project = await app.project();
  await joinProject(app.services, project.projectId, owner.accountId, "owner");
  await project.collection({ name: "posts", fields: [{ key: "title", type: "String" }] });
  const body = { title: "x".repeat(2000), userId: app.services.newId() };
  await project.asSecret({ path: "/api/data/posts", body });
  const path = `/dashboard/projects/${project.projectId}/settings`;
  const page = await openDashboard(app, owner).get(path);
  assert.match(page.words, /The project has the plan of its owner: pro\./);
  const { data } = (await owner.send({ path: `/api/projects/${project.projectId}/usage` })).body;
  const bars = [...page.document.querySelectorAll("progress")].map((bar) => [
    Number(bar.getAttribute("value")),
    Number(bar.getAttribute("max")),
  ]);
  assert.deepEqual(bars, [
    [1, data.collections.limit],
    [data.documents.bytes, data.documents.limit],
    [0, data.storage.limit],
    [0, data.ai.queries.limit],
    [0, data.ai.designs.limit],
    [0, data.ai.turns.limit],
  ]);
  assert.ok(data.documents.bytes > 2000);
  assert.match(page.words, /Documents \(1\) 2(?:\.\d)? KB of/);
});

Deno.test("a project is renamed, and a refused name stays as entered", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId } = await createOwnedProject(account);
  const dashboard = openDashboard(app, account);
  const path = `/dashboard/projects/${projectId}/settings`;
  const page = await dashboard.get(path);
  for (const name of ["", "x".repeat(101), `${HOSTILE_TEXTS[1]}\u0007`]) {
    const refused = await dashboard.fill(page, "Rename", { name });
    assert.equal(refused.status, 400);
    const form = refused.document.querySelector("[role=alert]")!.closest("form")!;
    assert.equal(form.querySelector("input")!.getAttribute("value"), name);
    assertHarmless(refused);
  }
  const renamed = await dashboard.follow(await dashboard.fill(page, "Rename", { name: "Journal" }));
  assert.match(renamed.words, /The name is saved/);
  assert.equal(renamed.document.querySelector(".project b")!.textContent, "Journal");
  const { body } = await account.send({ path: `/api/projects/${projectId}` });
  assert.equal(body.data.name, "Journal");
});

Deno.test("the Site URL is set in the settings, and a refused one stays as entered", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId } = await createOwnedProject(account);
  const dashboard = openDashboard(app, account);
  const page = await dashboard.get(`/dashboard/projects/${projectId}/settings`);
  const refused = await dashboard.fill(page, "Save Site URL", { siteUrl: "http://blog.example" });
  assert.equal(refused.status, 400);
  assert.match(refused.words, /must be https/);
  const field = refused.document.querySelector("[name=siteUrl]")!;
  assert.equal(field.getAttribute("value"), "http://blog.example");
  const cut = await dashboard.fill(page, "Save Site URL", {
    siteUrl: "https://blog.example/notes",
  });
  assert.equal(cut.status, 400);
  assert.match(cut.words, /without a path.*send "https:\/\/blog\.example"/);
  const siteUrlOf = async () =>
    (await account.send({ path: `/api/projects/${projectId}` })).body.data.siteUrl;
  for (const [typed, stored] of [[" https://blog.example ", "https://blog.example"], ["", null]]) {
    const answer = await dashboard.fill(page, "Save Site URL", { siteUrl: typed! });
    const saved = await dashboard.follow(answer);
    assert.match(saved.words, /The Site URL is saved/);
    assert.equal(await siteUrlOf(), stored);
  }
});

Deno.test("a project is deleted by typing its name, after a question that says what is lost", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId, secretKey } = await createOwnedProject(account, { name: "Blog" });
  const dashboard = openDashboard(app, account);
  const path = `/dashboard/projects/${projectId}/settings`;
  const page = await dashboard.get(path);
  const ask = page.document.querySelector("details.ask")!.textContent;
  assert.match(ask, /Its keys stop working at once.*For 7 days/);
  assert.match(ask, /Type Blog to be sure/);
  const refused = await dashboard.fill(page, "Delete the project", { name: "blog" });
  assert.equal(refused.status, 400);
  const details = refused.document.querySelector("details.ask")!;
  assert.ok(details.hasAttribute("open"));
  assert.match(details.querySelector("[role=alert]")!.textContent, /not the project's name/);
  assert.equal(details.querySelector("input")!.getAttribute("value"), "blog");

  const deleted = await dashboard.fill(page, "Delete the project", { name: "Blog" });
  assert.equal(deleted.location, "/dashboard?done=deleted");
  const list = await dashboard.follow(deleted);
  assert.match(list.words, /The project is in the trash/);
  assert.match(list.words, /can be restored until 2026-02-07 12:00 UTC/);
  assert.equal((await dashboard.get(path)).status, 404);
  const answer = await app.send({ path: "/api/data/posts", headers: { "x-api-key": secretKey } });
  assert.equal(answer.status, 401);
});

Deno.test("each role sees what it may change, and is refused the rest", async () => {
  await using app = await openTestApp();
  const { owner, admin, viewer, stranger, projectId, read } = await openTeam(app);
  const path = `/dashboard/projects/${projectId}/settings`;
  const shown = [
    [owner, ["Rename", "Save Site URL", "Delete the project"]],
    [admin, ["Rename", "Save Site URL"]],
    [viewer, []],
  ] as const;
  for (const [account, buttons] of shown) {
    assert.deepEqual(labels(await openDashboard(app, account).get(path)), buttons);
  }
  const tries = [
    [viewer, path, 403],
    [viewer, `${path}/delete`, 403],
    [admin, `${path}/delete`, 403],
    [stranger, path, 404],
    [stranger, `${path}/delete`, 404],
  ] as const;
  for (const [account, target, status] of tries) {
    const refused = await openDashboard(app, account).submit(target, { name: "Test" });
    assert.equal(refused.status, status);
  }
  assert.equal((await read()).body.data.name, "Test");
});
