import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/accounts/records.ts";
import { eq } from "@/lib/store/filter.ts";
import { openTeam } from "../api/team.ts";
import { openAccount, ownedProject, type TestAccount } from "../support/dashboard.ts";
import { assertHarmless, HOSTILE, openDashboard, type PageAnswer } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";

const labels = ({ document }: PageAnswer) =>
  [...document.querySelectorAll("main button")].map((one) =>
    one.getAttribute("aria-label") ?? one.textContent
  );
const row = ({ document }: PageAnswer, email: string) =>
  [...document.querySelectorAll(".rows > li")].find((one) => one.textContent.includes(email))!;

async function opened(app: TestApp) {
  const team = await openTeam(app);
  const path = `/dashboard/projects/${team.projectId}/members`;
  const of = (account: TestAccount) => openDashboard(app, account);
  return { ...team, path, of };
}

Deno.test("members are listed with their roles, and each role sees what it may do", async () => {
  await using app = await openTestApp();
  const { owner, admin, viewer, path, of } = await opened(app);
  for (const account of [owner, admin, viewer]) {
    const page = await of(account).get(path);
    for (const [one, role] of [[owner, "owner"], [admin, "admin"], [viewer, "viewer"]] as const) {
      assert.equal(row(page, one.email).querySelector(".badge")!.textContent, role);
    }
    assert.match(row(page, account.email).textContent, /you/);
  }
  assert.deepEqual(labels(await of(viewer).get(path)), ["Leave the project"]);
  assert.deepEqual(labels(await of(admin).get(path)), [
    `Change role of ${viewer.email}`,
    `Remove ${viewer.email}`,
    `Change role of ${admin.email}`,
    "Leave the project",
    "Invite",
  ]);
  assert.deepEqual(labels(await of(owner).get(path)), [
    `Change role of ${viewer.email}`,
    `Transfer to ${viewer.email}`,
    `Remove ${viewer.email}`,
    `Change role of ${admin.email}`,
    `Transfer to ${admin.email}`,
    `Remove ${admin.email}`,
    "Invite",
  ]);
});

Deno.test("the roles are told in words, as the operations have them", async () => {
  await using app = await openTestApp();
  const { viewer, path, of } = await opened(app);
  const page = await of(viewer).get(path);
  const rows = [...page.document.querySelectorAll("table.who tbody tr")].map((one) => [
    one.querySelector("th")!.textContent,
    ...[...one.querySelectorAll("td")].map((cell) => cell.textContent),
  ]);
  assert.deepEqual(rows.at(0), ["See documents, users, files and settings", "yes", "yes", "yes"]);
  assert.deepEqual(rows.at(-1)!.slice(1), ["no", "no", "yes"]);
});

Deno.test("an account is invited by its e-mail, as what is chosen", async () => {
  await using app = await openTestApp();
  const { owner, stranger, path, of, roles } = await opened(app);
  const page = await of(owner).get(path);
  const done = await of(owner).fill(page, "Invite", {
    email: ` ${stranger.email.toUpperCase()} `,
    role: "admin",
  });
  assert.equal(done.location, `${path}?done=invited`);
  const after = await of(owner).follow(done);
  assert.match(after.words, /They are a member now/);
  assert.equal((await roles())[stranger.accountId], "admin");
});

Deno.test("an invitation that is refused says why, and keeps what was typed", async () => {
  await using app = await openTestApp();
  const { owner, viewer, path, of, roles } = await opened(app);
  const before = await roles();
  const page = await of(owner).get(path);
  const refusals = [
    ["nobody@example.com", "admin", 404, /no account with this e-mail/],
    [viewer.email, "admin", 409, /member/],
    [HOSTILE[1], "viewer", 404, /no account/],
    [viewer.email, "owner", 400, /viewer or admin/],
  ] as const;
  for (const [email, role, status, why] of refusals) {
    const refused = await of(owner).fill(page, "Invite", { email, role });
    assert.equal(refused.status, status);
    const form = refused.document.querySelector("[role=alert]")!.closest("form")!;
    assert.match(form.textContent, why);
    assert.equal(form.querySelector("input")!.getAttribute("value"), email);
    const chosen = form.querySelector("option[selected]")?.getAttribute("value") ?? "viewer";
    assert.equal(chosen, role === "admin" ? "admin" : "viewer");
    assertHarmless(refused);
  }
  assert.deepEqual(await roles(), before);
});

Deno.test("invitations count against the sign-in limit: they tell who has an account", async () => {
  await using app = await openTestApp({ env: { RATE_LIMITS: "on" } });
  const account = await openAccount(app);
  const { projectId } = await ownedProject(account);
  const dashboard = openDashboard(app, account);
  const path = `/dashboard/projects/${projectId}/members`;
  const given = { email: "nobody@example.com", role: "viewer" };
  // Registering was the first.
  for (let i = 0; i < 19; i++) assert.equal((await dashboard.submit(path, given)).status, 404);
  assert.equal((await dashboard.submit(path, given)).status, 429);
});

Deno.test("a role is changed, a member removed, and whoever wants leaves", async () => {
  await using app = await openTestApp();
  const { owner, admin, viewer, path, of, roles } = await opened(app);
  const page = await of(admin).get(path);
  const changed = await of(admin).fill(page, `Change role of ${viewer.email}`, { role: "admin" });
  assert.equal(changed.location, `${path}?done=role`);
  assert.equal((await roles())[viewer.accountId], "admin");

  const left = await of(viewer).fill(await of(viewer).get(path), "Leave the project");
  assert.equal(left.location, "/dashboard?done=left");
  assert.match((await of(viewer).follow(left)).words, /You left the project/);
  assert.equal((await of(viewer).get(path)).status, 404);

  const list = await of(owner).get(path);
  assert.match(row(list, admin.email).textContent, /Keys they know stay good/);
  const removed = await of(owner).fill(list, `Remove ${admin.email}`);
  assert.match((await of(owner).follow(removed)).words, /no member any more/);
  assert.deepEqual(await roles(), { [owner.accountId]: "owner" });
  assert.match((await of(owner).get(path)).words, /Nobody but you so far: invite somebody/);
});

Deno.test("the project is given to another member, and what that means is said first", async () => {
  await using app = await openTestApp();
  const { owner, admin, path, of, roles } = await opened(app);
  const page = await of(owner).get(path);
  const ask = row(page, admin.email).querySelector("details.ask")!.textContent;
  assert.match(ask, /plan rules it/);
  assert.match(ask, /cannot take it back/);
  const given = await of(owner).fill(page, `Transfer to ${admin.email}`);
  assert.match((await of(owner).follow(given)).words, /another owner/);
  const after = await roles();
  assert.deepEqual([after[owner.accountId], after[admin.accountId]], ["admin", "owner"]);
});

Deno.test("a transfer beyond the new owner's plan is refused beside that member", async () => {
  await using app = await openTestApp();
  const { owner, admin, path, of, roles } = await opened(app);
  for (let i = 0; i < 3; i++) await ownedProject(admin);
  const page = await of(owner).get(path);
  const refused = await of(owner).fill(page, `Transfer to ${admin.email}`);
  assert.equal(refused.status, 403);
  const alert = row(refused, admin.email).querySelector("[role=alert]")!;
  assert.match(alert.textContent, /free plan allows 3 projects/);
  assert.equal((await roles())[owner.accountId], "owner");
});

Deno.test("what a role may not do is refused, whatever the page shows", async () => {
  await using app = await openTestApp();
  const { owner, admin, viewer, stranger, path, of, roles } = await opened(app);
  const before = await roles();
  const at = (account: TestAccount, rest = "") => `${path}/${account.accountId}${rest}`;
  const tries = [
    [viewer, path, { email: stranger.email, role: "viewer" }, 403],
    [viewer, at(viewer), { role: "admin" }, 403],
    [viewer, at(admin, "/remove"), {}, 403],
    [viewer, at(viewer, "/owner"), {}, 403],
    [admin, at(admin, "/owner"), {}, 403],
    [admin, at(owner, "/remove"), {}, 409],
    [admin, at(owner), { role: "viewer" }, 409],
    [owner, at(owner, "/remove"), {}, 409],
    [owner, at(stranger, "/remove"), {}, 404],
    [owner, at(viewer), { role: "owner" }, 400],
    [owner, `${path}/nonsense/remove`, {}, 400],
    [stranger, path, { email: stranger.email, role: "admin" }, 404],
    [stranger, at(viewer, "/remove"), {}, 404],
  ] as const;
  for (const [account, target, fields, status] of tries) {
    const refused = await of(account).submit(target, fields);
    assert.equal(refused.status, status, `${target} ${JSON.stringify(fields)}`);
    assert.match(refused.headers.get("content-type")!, /^text\/html/);
  }
  assert.deepEqual(await roles(), before);
});

Deno.test("members' names are texts", async () => {
  await using app = await openTestApp();
  const { owner, admin, path, of } = await opened(app);
  const accounts = app.services.engine.records<AccountRecord>("control", ACCOUNTS);
  for (const name of HOSTILE) {
    await accounts.updateOne(eq("_id", admin.accountId), { set: { name } });
    const page = await of(owner).get(path);
    assertHarmless(page);
    assert.ok(page.words.includes(name));
  }
});
