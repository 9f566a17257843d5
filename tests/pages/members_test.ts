import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { eq } from "@/lib/store/filter.ts";
import { openTeam } from "../api/team.ts";
import { createOwnedProject, openAccount, type TestAccount } from "../support/dashboard.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard, type PageAnswer } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";

const labels = ({ document }: PageAnswer) =>
  [...document.querySelectorAll("main button")].map((one) =>
    one.getAttribute("aria-label") ?? one.textContent
  );
const linkOn = ({ document }: PageAnswer) =>
  document.querySelector("[role=status] input[readonly]")?.getAttribute("value") ?? undefined;
const row = ({ document }: PageAnswer, email: string) =>
  [...document.querySelectorAll(".rows > li")].find((one) => one.textContent.includes(email))!;

async function openMembers(app: TestApp) {
  const team = await openTeam(app);
  const path = `/dashboard/projects/${team.projectId}/members`;
  const of = (account: TestAccount) => openDashboard(app, account);
  return { ...team, path, of };
}

Deno.test("members are listed with their roles, and each role sees its actions", async () => {
  await using app = await openTestApp();
  const { owner, admin, viewer, path, of } = await openMembers(app);
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
    `Offer the project to ${viewer.email}`,
    `Remove ${viewer.email}`,
    `Change role of ${admin.email}`,
    `Offer the project to ${admin.email}`,
    `Remove ${admin.email}`,
    "Invite",
  ]);
});

Deno.test("the roles are described in words that match the operations", async () => {
  await using app = await openTestApp();
  const { viewer, path, of } = await openMembers(app);
  const page = await of(viewer).get(path);
  const rows = [...page.document.querySelectorAll("table.who tbody tr")].map((one) => [
    one.querySelector("th")!.textContent,
    ...[...one.querySelectorAll("td")].map((cell) => cell.textContent),
  ]);
  assert.deepEqual(rows.at(0), ["See documents, users, files and settings", "yes", "yes", "yes"]);
  assert.deepEqual(rows.at(-1)!.slice(1), ["no", "no", "yes"]);
});

Deno.test("an invitation's link is shown once, and can be withdrawn", async () => {
  await using app = await openTestApp();
  const { owner, admin, stranger, path, of, roles } = await openMembers(app);
  const before = await roles();
  const page = await of(owner).get(path);
  assert.doesNotMatch(page.words, /Open invitations/);
  const typed = { email: ` ${stranger.email.toUpperCase()} `, role: "admin" };
  const sent = await of(owner).fill(page, "Invite", typed);
  assert.equal(sent.status, 200);
  assert.equal(sent.headers.get("cache-control"), "no-store");
  assert.match(linkOn(sent)!, /^http:\/\/localhost:8000\/dashboard\/invitations\/[\w-]{43}$/);
  assert.match(sent.words, /A mail with it is on its way.*shown this once: copy it now/);
  assert.deepEqual(await roles(), before);

  const after = await of(admin).get(path);
  assert.equal(linkOn(after), undefined);
  const email = stranger.email.toUpperCase();
  assert.match(row(after, email).textContent, /admin.*until/);
  const withdraw = `Withdraw the invitation of ${email}`;
  const done = await of(admin).fill(after, withdraw);
  assert.match((await of(admin).follow(done)).words, /withdrawn: its link no longer works/);
  const late = await of(owner).fill(after, withdraw);
  assert.equal(late.status, 404);
  assert.match(late.words, /This invitation is not valid/);
  const away = await of(owner).get(path.replace("/members", "/invitations/x"));
  assert.equal((await of(owner).follow(away)).status, 200);
});

Deno.test("without a mail server the page says so, before and after inviting", async () => {
  await using app = await openTestApp();
  const { owner, path, of } = await openMembers(app);
  assert.match((await of(owner).get(path)).words, /They get a mail with a link, which you get/);
  const { store, clock } = app;
  await using silent = await openTestApp({ store, clock, env: { MAIL_URL: "" } });
  const dashboard = openDashboard(silent, owner);
  const page = await dashboard.get(path);
  assert.match(page.words, /You get a link to hand over; no mail is sent/);
  const sent = await dashboard.fill(page, "Invite", { email: "ada@example.com" });
  assert.match(sent.words, /No mail is sent.*hand it over yourself/);
  assert.ok(linkOn(sent));
});

Deno.test("a refused invitation shows the reason and keeps the entries", async () => {
  await using app = await openTestApp();
  const { owner, viewer, path, of, roles } = await openMembers(app);
  const before = await roles();
  const page = await of(owner).get(path);
  const refusals = [
    ["nobody", "admin", 400, /one plain address/],
    [viewer.email, "admin", 409, /member/],
    [HOSTILE_TEXTS[1], "viewer", 400, /one plain address/],
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

Deno.test("invitations count towards the sign-in limit", async () => {
  await using app = await openTestApp({ env: { RATE_LIMITS: "on" } });
  const account = await openAccount(app);
  const { projectId } = await createOwnedProject(account);
  const dashboard = openDashboard(app, account);
  const path = `/dashboard/projects/${projectId}/members`;
  const input = { email: "nobody@example.com", role: "viewer" };
  // The registration was the first request.
  for (let i = 0; i < 19; i++) assert.equal((await dashboard.submit(path, input)).status, 200);
  assert.equal((await dashboard.submit(path, input)).status, 429);
});

Deno.test("a role is changed, a member is removed, and a member can leave", async () => {
  await using app = await openTestApp();
  const { owner, admin, viewer, path, of, roles } = await openMembers(app);
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
  assert.match((await of(owner).follow(removed)).words, /The member is removed/);
  assert.deepEqual(await roles(), { [owner.accountId]: "owner" });
  assert.match((await of(owner).get(path)).words, /Only you so far: invite others/);
});

Deno.test("the project is offered to another member after a question that explains it", async () => {
  await using app = await openTestApp();
  const { owner, admin, viewer, path, of, roles } = await openMembers(app);
  const before = await roles();
  const page = await of(owner).get(path);
  const ask = row(page, admin.email).querySelector("details.ask")!.textContent;
  assert.match(ask, /plan rules it/);
  assert.match(ask, /cannot take it back/);
  assert.match(ask, /Until then nothing changes/);
  const offered = await of(owner).fill(page, `Offer the project to ${admin.email}`);
  assert.match(offered.words, /becomes theirs when they accept/);
  assert.match(linkOn(offered)!, /\/dashboard\/invitations\//);
  assert.deepEqual(await roles(), before);
  // An admin sees the offer and cannot withdraw it; a viewer does not see it.
  assert.ok(!labels(await of(admin).get(path)).some((label) => label.startsWith("Withdraw")));
  assert.doesNotMatch((await of(viewer).get(path)).words, /Open invitations/);
  const after = await of(owner).get(path);
  const done = await of(owner).fill(after, `Withdraw the invitation of ${admin.email}`);
  assert.equal(done.location, `${path}?done=withdrawn`);
});

Deno.test("a refused offer shows the reason next to the member", async () => {
  await using app = await openTestApp();
  const { owner, admin, path, of } = await openMembers(app);
  const page = await of(owner).get(path);
  const { email } = owner;
  for (let n = 0; n < 50; n++) {
    await of(owner).submit(path, { email: `${n}${email}`, role: "viewer" });
  }
  const refused = await of(owner).fill(page, `Offer the project to ${admin.email}`);
  assert.equal(refused.status, 409);
  const alert = row(refused, admin.email).querySelector("[role=alert]")!;
  assert.match(alert.textContent, /maximum number of open invitations/);
});

Deno.test("an action that a role may not take is refused, whatever the page shows", async () => {
  await using app = await openTestApp();
  const { owner, admin, viewer, stranger, path, of, roles } = await openMembers(app);
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

Deno.test("members' names are shown as text", async () => {
  await using app = await openTestApp();
  const { owner, admin, path, of } = await openMembers(app);
  const accounts = app.services.engine.records<AccountRecord>("control", ACCOUNTS);
  for (const name of HOSTILE_TEXTS) {
    await accounts.updateOne(eq("_id", admin.accountId), { set: { name } });
    const page = await of(owner).get(path);
    assertHarmless(page);
    assert.ok(page.words.includes(name));
  }
});
