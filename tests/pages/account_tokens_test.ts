import assert from "node:assert/strict";
import { createOwnedProject, createToken, openAccount } from "../support/dashboard.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard, type PageAnswer } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";

const ACCOUNT = "/dashboard/account";
const CREATE = "Create token";

const card = ({ document }: PageAnswer) =>
  [...document.querySelectorAll(".card")]
    .find((one) => one.querySelector("h2")!.textContent === "Personal access tokens")!;

const rows = (page: PageAnswer) =>
  [...card(page).querySelectorAll("li")].map((one) => one.textContent.replaceAll(/\s+/g, " "));

Deno.test("a token is created by the form, shown once, used, and deleted", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId } = await createOwnedProject(account, { name: "Blog" });
  const dashboard = openDashboard(app, account);
  const page = await dashboard.get(ACCOUNT);
  assert.deepEqual(rows(page), []);
  const created = await dashboard.fill(page, CREATE, {
    name: "Deployment",
    access: "write",
    reach: "some",
    project: projectId,
    expiresInDays: "30",
  });
  assert.equal(created.status, 200);
  const token = card(created).querySelector("[role=status] input")!.getAttribute("value")!;
  assert.match(token, /^corbel_pat_/);
  const ask = () =>
    app.send({
      path: `/api/projects/${projectId}`,
      headers: { authorization: `Bearer ${token}` },
    });
  assert.equal((await ask()).status, 200);

  const again = await dashboard.get(ACCOUNT);
  assert.ok(!again.text.includes(token));
  const [row] = rows(again);
  assert.match(row!, /Deployment reads and writes ?…[\w-]{4} · Blog · used 2026-01-31 12:00 UTC/);
  assert.ok(row!.includes(`…${token.slice(-4)}`));
  const deleted = await dashboard.fill(again, "Delete Deployment");
  assert.equal(deleted.status, 303);
  const after = await dashboard.follow(deleted);
  assert.match(after.document.querySelector("[role=status]")!.textContent, /token is deleted/);
  assert.equal((await ask()).status, 401);
  const repeated = await dashboard.fill(again, "Delete Deployment");
  assert.equal(repeated.status, 404);
  assert.match(card(repeated).querySelector("[role=alert]")!.textContent, /no such token/);
});

Deno.test("a refused token keeps the entered values of its form", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const dashboard = openDashboard(app, account);
  const page = await dashboard.get(ACCOUNT);
  const entered = { name: "Nightly", access: "write", reach: "some", expiresInDays: "400" };
  const refused = await dashboard.fill(page, CREATE, entered);
  assert.equal(refused.status, 400);
  assert.match(card(refused).querySelector("[role=alert]")!.textContent, /projects|expiresInDays/);
  const value = (name: string) =>
    card(refused).querySelector(`[name=${name}]`)!.getAttribute("value");
  assert.equal(value("name"), "Nightly");
  assert.equal(value("expiresInDays"), "400");
  const checked = card(refused).querySelector("[name=access][checked]")!.getAttribute("value");
  assert.equal(checked, "write");
  assert.deepEqual(rows(await dashboard.get(ACCOUNT)), []);
});

Deno.test("a token's name is shown as text, with the projects that it is for", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId } = await createOwnedProject(account, { name: "Old" });
  await createToken(account, { access: "read" });
  await createToken(account, { projects: [projectId] });
  const path = `/api/projects/${projectId}`;
  await account.send({ method: "DELETE", path, body: { name: "Old" } });
  for (const name of HOSTILE_TEXTS) {
    const body = { name: name.slice(0, 100), access: "read", projects: "all" };
    await account.send({ path: "/api/auth/tokens", body });
  }
  const page = await openDashboard(app, account).get(ACCOUNT);
  assertHarmless(page);
  const texts = rows(page);
  assert.match(texts.at(-1)!, /Test reads ?…[\w-]{4} · all projects · never used · expires/);
  assert.match(texts.at(-2)!, /· 1 other project ·/);
});

Deno.test("an account cannot delete the token of another account", async () => {
  await using app = await openTestApp();
  const [account, other] = [await openAccount(app), await openAccount(app)];
  const token = await createToken(other);
  const refused = await openDashboard(app, account).submit(`${ACCOUNT}/tokens/${token.id}`);
  assert.equal(refused.status, 404);
  assert.equal((await token.send({ path: "/api/auth/me" })).status, 200);
});
