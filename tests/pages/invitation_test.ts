import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { PROJECTS } from "@/lib/projects/records.ts";
import { eq } from "@/lib/store/filter.ts";
import { accept, invite, NO_TOKEN, offer } from "../api/invitations.ts";
import { openTeam } from "../api/team.ts";
import {
  createOwnedProject,
  openAccount,
  PASSWORD,
  type TestAccount,
} from "../support/dashboard.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";

const pageOf = (token: string) => `/dashboard/invitations/${token}`;

async function openInvitation(app: TestApp) {
  const team = await openTeam(app);
  return { ...team, of: (account: TestAccount) => openDashboard(app, account), team };
}

Deno.test("the link shows who invites to which project, and accepting leads to the project", async () => {
  await using app = await openTestApp();
  const { team, owner, stranger, of, projectId } = await openInvitation(app);
  const { token } = await invite(team, "ada@example.com", "admin");
  const page = await of(stranger).get(pageOf(token));
  assert.match(page.words, /Join Test/);
  assert.ok(page.words.includes(owner.email));
  assert.match(page.words, /As an admin you change everything/);
  assert.match(page.words, new RegExp(`Invited asada@example.comSigned in as${stranger.email}`));
  assert.match(page.words, /sign out and open the link again/);
  assert.equal(page.headers.get("referrer-policy"), "same-origin");
  const accepted = await of(stranger).fill(page, "Accept");
  assert.equal(accepted.location, `/dashboard/projects/${projectId}`);
  assert.equal((await of(stranger).follow(accepted)).status, 200);
  // Sent twice, it redirects to the same address.
  assert.equal((await of(stranger).fill(page, "Accept")).location, accepted.location);
  const members = await of(owner).get(`/dashboard/projects/${projectId}/members`);
  assert.match(members.words, /invited as ada@example\.com/);
});

Deno.test("a visitor without an account registers and returns to the invitation", async () => {
  await using app = await openTestApp();
  const { team } = await openInvitation(app);
  const { token } = await invite(team, "ada@example.com");
  const visitor = openDashboard(app);
  const signIn = await visitor.follow(await visitor.get(pageOf(token)));
  assert.match(signIn.words, /You are invited to a project/);
  const links = [...signIn.document.querySelectorAll("a")].map((one) => one.getAttribute("href")!);
  const register = await visitor.get(links.find((href) => href.includes("register"))!);
  assert.match(register.words, /You are invited to a project/);
  const credentials = { email: "ada@example.com", password: PASSWORD };
  const done = await visitor.fill(register, "Create account", credentials);
  assert.equal(done.location, pageOf(token));
});

Deno.test("declining asks first, and then the link is invalid", async () => {
  await using app = await openTestApp();
  const { team, stranger, of } = await openInvitation(app);
  const { token } = await invite(team, "ada@example.com");
  const page = await of(stranger).get(pageOf(token));
  const ask = page.document.querySelector("details.ask")!;
  assert.match(ask.textContent, /link stops working/);
  const declined = await of(stranger).fill(page, "Decline the invitation");
  assert.match((await of(stranger).follow(declined)).words, /The invitation is declined/);
  for (
    const late of [
      await of(stranger).get(pageOf(token)),
      await of(stranger).fill(page, "Accept"),
      await of(stranger).fill(page, "Decline the invitation"),
      await of(stranger).get(pageOf(NO_TOKEN)),
    ]
  ) {
    assert.equal(late.status, 404);
    assert.match(late.words, /Invalid invitationThis invitation is not valid/);
  }
});

Deno.test("only the named member can take over the project, if their plan allows it", async () => {
  await using app = await openTestApp();
  const { team, owner, viewer, stranger, of, roles } = await openInvitation(app);
  const { token } = await offer(team, viewer);
  assert.equal((await of(stranger).get(pageOf(token))).status, 404);
  const page = await of(viewer).get(pageOf(token));
  assert.match(page.words, /Take over Test/);
  assert.match(page.words, /your plan rules it/);
  assert.doesNotMatch(page.words, /sign out and open the link again/);
  const owned = [];
  for (const name of ["a", "b", "c"]) owned.push(await createOwnedProject(viewer, { name }));
  const refused = await of(viewer).fill(page, "Accept");
  assert.equal(refused.status, 403);
  assert.match(refused.document.querySelector("[role=alert]")!.textContent, /allows 3 projects/);
  await app.services.engine.records<AccountRecord>("control", ACCOUNTS)
    .updateOne(eq("_id", viewer.accountId), { set: { plan: "pro" } });
  await of(viewer).fill(refused, "Accept");
  const after = await roles();
  assert.deepEqual([after[owner.accountId], after[viewer.accountId]], ["admin", "owner"]);
});

Deno.test("a member who opens a link gets a note, and the link stays valid", async () => {
  await using app = await openTestApp();
  const { team, admin, stranger, of } = await openInvitation(app);
  const { token } = await invite(team, "ada@example.com");
  const refused = await of(admin).fill(await of(admin).get(pageOf(token)), "Accept");
  assert.equal(refused.status, 409);
  assert.match(refused.words, /a member of the project already/);
  assert.equal((await accept(stranger, token)).status, 200);
});

Deno.test("names on the page of an invitation are shown as text", async () => {
  await using app = await openTestApp();
  const { team, owner, projectId } = await openInvitation(app);
  const { token } = await invite(team, "ada@example.com");
  const { engine } = app.services;
  const looker = await openAccount(app);
  for (const name of HOSTILE_TEXTS) {
    await engine.records("control", PROJECTS).updateOne(eq("_id", projectId), { set: { name } });
    await engine.records("control", ACCOUNTS).updateOne(eq("_id", owner.accountId), {
      set: { name },
    });
    const page = await openDashboard(app, looker).get(pageOf(token));
    assertHarmless(page);
    assert.ok(page.words.includes(name));
  }
});
