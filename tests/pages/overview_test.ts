import assert from "node:assert/strict";
import type { Id } from "@/lib/store/port.ts";
import { openTeam } from "../api/team.ts";
import { createOwnedProject, openAccount } from "../support/dashboard.ts";
import {
  assertHarmless,
  HOSTILE_TEXTS,
  openDashboard,
  type PageAnswer,
  textAreaValue,
} from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";

const homeOf = (projectId: Id) => `/dashboard/projects/${projectId}`;

const labels = ({ document }: PageAnswer) =>
  [...document.querySelectorAll("main button")].map((one) => one.textContent);
const snippets = ({ document }: PageAnswer) =>
  [...document.querySelectorAll("pre")].map((one) => one.textContent);
const freshKeyOf = ({ document }: PageAnswer) =>
  document.querySelector("[role=status] input")?.getAttribute("value") ?? null;

const publishableOf = ({ document }: PageAnswer) =>
  document.querySelector("input[readonly][value^=pk_live_]")?.getAttribute("value") ?? null;

/** Returns the status of the project's list operation with a key. */
const operationStatus = async (app: TestApp, key: string) =>
  (await app.send({ path: "/api/data/nothing", headers: { "x-api-key": key } })).status === 404;

Deno.test("a key is rotated after a question, and a new secret key is shown once", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId, publishableKey, secretKey } = await createOwnedProject(account);
  const dashboard = openDashboard(app, account);
  const page = await dashboard.get(homeOf(projectId));
  assert.ok(page.text.includes(publishableKey));
  assert.ok(!page.text.includes(secretKey));
  const asked = [...page.document.querySelectorAll("details.ask")].map((one) => one.textContent);
  assert.equal(asked.length, 2);
  for (const text of asked) assert.match(text, /is refused at once/);
  app.clock.advance(60_000);

  const old = { publishable: publishableKey, secret: secretKey };
  for (const kind of ["publishable", "secret"] as const) {
    const rotated = await dashboard.fill(page, `Create a new ${kind} key`);
    assert.equal(rotated.status, 200);
    assert.equal(rotated.headers.get("cache-control"), "no-store");
    const fresh = (kind === "secret" ? freshKeyOf : publishableOf)(rotated)!;
    assert.match(fresh, kind === "secret" ? /^sk_live_/ : /^pk_live_/);
    assert.deepEqual([await operationStatus(app, fresh), await operationStatus(app, old[kind])], [
      true,
      false,
    ]);
    const isPasted = snippets(rotated).every((text) => text.includes(fresh));
    assert.equal(isPasted, kind === "publishable", "no snippet contains a secret key");
    const after = await dashboard.get(homeOf(projectId));
    assert.equal(after.text.includes(fresh), kind === "publishable");
    assert.ok(!after.text.includes(old[kind]));
    assert.ok(after.document.querySelector("time[datetime='2026-01-31T12:01:00.000Z']"));
  }
});

Deno.test("a rotated key works for the selected time, and can be ended earlier by a form", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId, publishableKey, secretKey } = await createOwnedProject(account);
  const dashboard = openDashboard(app, account);
  const page = await dashboard.get(homeOf(projectId));
  assert.ok(page.text.includes(`${secretKey.slice(0, 12)}…`));
  assert.ok(!page.text.includes(secretKey.slice(0, 13)));
  const old = { publishable: publishableKey, secret: secretKey };
  for (const kind of ["publishable", "secret"] as const) {
    const rotated = await dashboard.fill(page, `Create a new ${kind} key`, { graceHours: "24" });
    assert.match(rotated.words, /The one before works until/);
    assert.ok(await operationStatus(app, old[kind]));
    const after = await dashboard.get(homeOf(projectId));
    assert.match(after.words, /The old key is valid until/);
    assert.ok(after.document.querySelector("time[datetime='2026-02-01T12:00:00.000Z']"));
    const ended = await dashboard.fill(after, `End the old ${kind} key now`);
    const done = await dashboard.follow(ended);
    assert.match(done.words, /The old key is refused from now on/);
    assert.ok(!labels(done).includes(`End the old ${kind} key now`));
    assert.ok(!await operationStatus(app, old[kind]));
  }
  const refusedPost = { kind: "secret", graceHours: "73" };
  assert.equal((await dashboard.submit(`${homeOf(projectId)}/keys`, refusedPost)).status, 400);
});

Deno.test("another kind of key is refused, and nothing is rotated", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId, secretKey } = await createOwnedProject(account);
  const dashboard = openDashboard(app, account);
  for (const kind of ["", "master", "__proto__"]) {
    assert.equal((await dashboard.submit(`${homeOf(projectId)}/keys`, { kind })).status, 400);
  }
  assert.ok(await operationStatus(app, secretKey));
});

Deno.test("the Site URL and the allowed origins are saved and cleared by their forms", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId } = await createOwnedProject(account);
  const dashboard = openDashboard(app, account);
  const read = async () => {
    const { body } = await account.send({ path: `/api/projects/${projectId}` });
    return [body.data.siteUrl, body.data.allowedOrigins];
  };
  const page = await dashboard.get(homeOf(projectId));
  const origins = "https://a.example\r\n\r\n  http://localhost:3000/  \r\n";
  const saved = [
    await dashboard.fill(page, "Save Site URL", { siteUrl: " https://blog.example/ " }),
    await dashboard.fill(page, "Save origins", { allowedOrigins: origins }),
  ];
  for (const one of saved) assert.equal(one.status, 303);
  assert.match((await dashboard.follow(saved[0]!)).words, /The Site URL is saved/);
  const shown = await dashboard.follow(saved[1]!);
  assert.match(shown.words, /The allowed origins are saved/);
  const both = ["https://a.example", "http://localhost:3000"];
  assert.deepEqual(await read(), ["https://blog.example", both]);
  assert.equal(shown.document.querySelector("textarea")!.textContent, both.join("\n"));
  const site = shown.document.querySelector("input[name=siteUrl]")!;
  assert.equal(site.getAttribute("value"), "https://blog.example");

  await dashboard.fill(shown, "Save Site URL", { siteUrl: "" });
  await dashboard.fill(shown, "Save origins", { allowedOrigins: "\n" });
  assert.deepEqual(await read(), [null, []]);
});

Deno.test("a refused address stays as entered, with the reason next to it, and changes nothing", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId } = await createOwnedProject(account, { siteUrl: "https://blog.example" });
  const dashboard = openDashboard(app, account);
  const page = await dashboard.get(homeOf(projectId));
  for (const text of [...HOSTILE_TEXTS, "http://blog.example", "https://*.example"]) {
    const site = await dashboard.fill(page, "Save Site URL", { siteUrl: text });
    assert.equal(site.status, 400, text);
    const form = site.document.querySelector("[role=alert]")!.closest("form")!;
    assert.match(form.textContent, /The Site URL must be https/);
    assert.equal(form.querySelector("input[name=siteUrl]")!.getAttribute("value"), text);
    assertHarmless(site);

    const typed = `https://good.example\n${text}`;
    const list = await dashboard.fill(page, "Save origins", { allowedOrigins: typed });
    assert.equal(list.status, 400, text);
    const alert = list.document.querySelector("[role=alert]")!;
    assert.match(alert.textContent, /An allowed origin must be https/);
    const area = alert.closest("form")!.querySelector("textarea")!;
    assert.equal(textAreaValue(area), typed);
    assertHarmless(list);
  }
  const { body } = await account.send({ path: `/api/projects/${projectId}` });
  assert.deepEqual([body.data.siteUrl, body.data.allowedOrigins], ["https://blog.example", []]);
});

Deno.test("snippets have the project's address, its first collection and the required key", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const owner = await project.owner();
  const dashboard = openDashboard(app, owner);
  const empty = await dashboard.get(homeOf(project.projectId));
  assert.match(empty.document.querySelector(".empty")!.textContent, /Create a collection/);
  assert.equal(snippets(empty).length, 1, "no call of a missing collection");
  const making = await dashboard.fill(empty, "Create the collection posts");
  assert.equal(making.status, 303);
  const [priv] = snippets(await dashboard.get(homeOf(project.projectId)));
  assert.match(priv!, /^curl "http:\/\/localhost:8000\/api\/data\/posts\?limit=10"/);
  assert.match(priv!, /Bearer \$ACCESS_TOKEN/);
  const fields = [
    { key: "title", type: "String", required: true },
    { key: "views", type: "Number" },
    { key: "owner", type: "String", required: true },
  ];
  await project.collection({
    name: "articles",
    fields,
    rls: { enabled: true, mode: "public-read", ownerField: "owner" },
  });
  const [list, create, signIn] = snippets(await dashboard.get(homeOf(project.projectId)));
  assert.equal(
    list,
    'curl "http://localhost:8000/api/data/articles?limit=10" \\\n' +
      `  -H "x-api-key: ${project.publishableKey}"`,
  );
  assert.match(create!, /JSON\.stringify\(\{ "title": "text" \}\)/);
  assert.match(create!, /Bearer \$\{accessToken\}/);
  assert.match(
    signIn!,
    /^<a href="http:\/\/localhost:8000\/api\/userAuth\/social\/github\/start\?/,
  );
});

Deno.test("the first snippet succeeds unchanged, and the second creates a document", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await project.collection({
    name: "posts",
    fields: [{ key: "title", type: "String", required: true }, { key: "at", type: "Date" }],
    rls: { enabled: true, mode: "public-read", ownerField: "userId" },
  });
  const dashboard = openDashboard(app, await project.owner());
  const page = await dashboard.get(homeOf(project.projectId));
  const [list, create] = snippets(page);
  const [, path, key] = /8000(\/[^"]+)"[^]*x-api-key: ([^"]+)"/.exec(list!)!;
  const read = await app.send({ path: path!, headers: { "x-api-key": key! } });
  assert.equal(read.status, 200, read.text);
  const { token } = await project.user();
  const body = JSON.parse(/JSON\.stringify\((.*)\),/.exec(create!)![1]!);
  const headers = { "x-api-key": key!, authorization: `Bearer ${token}` };
  const created = await app.send({ path: "/api/data/posts", headers, body });
  assert.equal(created.status, 201, created.text);
});

Deno.test("requests are shown in a chart and a table, without those of the dashboard", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const dashboard = openDashboard(app, await project.owner());
  const home = homeOf(project.projectId);
  const none = await dashboard.get(home);
  assert.match(none.words, /Last hour 0 requests/);
  assert.match(none.words, /No requests yet/);
  for (let i = 0; i < 3; i++) await project.asSecret({ path: "/api/data/nothing" });
  app.clock.advance(2 * 60_000);
  await project.asSecret({ path: "/api/storage/usage" });
  await app.services.requestCounts.store();

  const fullPage = await dashboard.get(home);
  const part = await dashboard.get(`${home}/request-counts`);
  for (const { document } of [fullPage, part]) {
    const [hour, month] = [...document.querySelectorAll("svg[role=img]")];
    assert.equal(hour!.getAttribute("aria-label"), "Last hour: 4 requests, 3 refused or failed");
    assert.equal(
      month!.getAttribute("aria-label"),
      "Last 30 days: 4 requests, 3 refused or failed",
    );
    assert.equal([...hour!.querySelectorAll("title")].length, 60);
    assert.equal([...month!.querySelectorAll("title")].length, 30);
    const titles = [...hour!.querySelectorAll("g")].filter((one) => one.querySelector(".all"));
    assert.deepEqual(titles.map((one) => one.querySelector("title")!.textContent), [
      "12:00 UTC: 3 requests, 3 refused or failed",
      "12:02 UTC: 1 request",
    ]);
    const heights = titles.map((one) => Number(one.querySelector(".all")!.getAttribute("height")));
    assert.deepEqual(heights, [100, 33]);
    const rows = [...document.querySelectorAll("#request-tables tbody tr")]
      .map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent));
    assert.deepEqual(rows, [
      ["2026-01-31 12:02 UTC", "1", "0"],
      ["2026-01-31 12:00 UTC", "3", "3"],
      ["2026-01-31", "4", "3"],
    ]);
  }
  const charts = fullPage.document.querySelector(".charts")!;
  assert.equal(charts.getAttribute("hx-get"), `${home}/request-counts`);
  assert.equal(charts.getAttribute("hx-trigger"), "every 10s");
  assert.ok(!part.text.includes("<!DOCTYPE"), "a part is not a page");
  const tables = part.document.querySelector("#request-tables")!;
  assert.equal(
    tables.getAttribute("hx-swap-oob"),
    "innerHTML",
    "they replace another part of the page",
  );
  assertHarmless(part);
});

Deno.test("a viewer sees no buttons that change a project, and is refused", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const home = homeOf(team.projectId);
  const changes = [[home, { siteUrl: "https://x.example" }], [`${home}/keys`, { kind: "secret" }]];
  for (const [account, role] of [[team.viewer, "viewer"], [team.admin, "admin"]] as const) {
    const page = await openDashboard(app, account).get(home);
    assert.equal(page.status, 200);
    assert.equal(labels(page).length > 0, role === "admin", role);
    assert.match(page.words, /Site URL/);
  }
  const viewer = openDashboard(app, team.viewer);
  for (const [path, fields] of changes as [string, Record<string, string>][]) {
    assert.equal((await viewer.submit(path, fields)).status, 403);
    assert.equal((await openDashboard(app, team.stranger).submit(path, fields)).status, 404);
  }
  assert.ok(await operationStatus(app, team.secretKey));
  assert.equal((await team.read()).body.data.siteUrl, null);
  for (const rest of ["", "/requests", "/members", "/settings"]) {
    const stranger = await openDashboard(app, team.stranger).get(home + rest);
    assert.equal(stranger.status, 404, rest);
    assert.match(stranger.words, /Project not found or access denied/);
  }
  assert.equal((await openDashboard(app, team.admin).submit(home, { siteUrl: "" })).status, 303);
});
