import assert from "node:assert/strict";
import { INVITATION_MS } from "@/lib/limits.ts";
import { createOwnedProject, joinProject, openAccount, PASSWORD } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { accept, invite, inviteCall, NO_TOKEN, offer, storedInvitations } from "./invitations.ts";
import { ok, refused } from "./test_collection.ts";
import { deleteCall, openTeam, patchCall } from "./team.ts";

const findMember = (items: { accountId: string }[], accountId: string) =>
  items.find((one) => one.accountId === accountId);

Deno.test("acceptInvitation makes the account a member, whatever its address", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  refused(await team.stranger.send({ path: team.path() }), 404, "PROJECT_NOT_FOUND");
  const { token } = await invite(team, "ada@example.com", "admin");
  const accepted = ok(await accept(team.stranger, token));
  assert.deepEqual(accepted, ok(await team.stranger.send({ path: team.path() })));
  assert.equal(accepted.role, "admin");
  const { items } = ok(await team.owner.send({ path: team.path("/members") }));
  assert.deepEqual(findMember(items, team.stranger.accountId), {
    accountId: team.stranger.accountId,
    email: team.stranger.email,
    name: null,
    role: "admin",
    invitedAs: "ada@example.com",
    createdAt: "2026-01-31T12:00:00.000Z",
  });
});

Deno.test("a link admits one account, which gets an identical response when it accepts again", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { token } = await invite(team, team.stranger.email);
  const first = await accept(team.stranger, token);
  assert.equal((await accept(team.stranger, token)).text, first.text);
  const other = await openAccount(app);
  refused(await accept(other, token), 404, "INVITATION_NOT_FOUND");
  // A member who was removed cannot come back by the old link.
  ok(await team.owner.send(deleteCall(team.path(`/members/${team.stranger.accountId}`))));
  refused(await accept(team.stranger, token), 404, "INVITATION_NOT_FOUND");
  const again = await invite(team, team.stranger.email);
  ok(await accept(team.stranger, again.token));
});

Deno.test("acceptInvitation refuses every invalid link with an identical response", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { admin, owner } = team;
  const texts = new Set<string>();
  const assertRefused = async (token: string, account = team.stranger) => {
    const answer = await accept(account, token);
    refused(answer, 404, "INVITATION_NOT_FOUND");
    texts.add(answer.text);
  };
  for (const token of [NO_TOKEN, "", " ", "ÿ".repeat(1000)]) await assertRefused(token);

  const withdrawn = await invite(team, "a@example.com");
  ok(await owner.send(deleteCall(team.path(`/invitations/${withdrawn.invitationId}`))));
  await assertRefused(withdrawn.token);

  const inviteAsAdmin = async () =>
    ok(await admin.send(inviteCall(team, "b@example.com")), 201).token;
  const path = team.path(`/members/${admin.accountId}`);
  const demoted = await inviteAsAdmin();
  ok(await owner.send(patchCall(path, { role: "viewer" })));
  await assertRefused(demoted);
  ok(await owner.send(patchCall(path, { role: "admin" })));
  await assertRefused(demoted);
  const orphaned = await inviteAsAdmin();
  ok(await owner.send(deleteCall(path)));
  await assertRefused(orphaned);
  await joinProject(app.services, team.projectId, admin.accountId, "admin");
  await assertRefused(orphaned);
  const ofDeletedAdmin = await inviteAsAdmin();
  const body = { password: PASSWORD };
  ok(await admin.send({ method: "DELETE", path: "/api/auth/account", body }));
  await assertRefused(ofDeletedAdmin);

  const late = await invite(team, "c@example.com");
  app.clock.advance(INVITATION_MS - 1);
  const [fresh, other] = [await openAccount(app), await openAccount(app)];
  ok(await accept(fresh, late.token));
  app.clock.advance(1);
  await assertRefused(late.token, other);
  assert.equal(texts.size, 1);
});

Deno.test("an invitation expires after exactly 7 days", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { token } = await invite(team, "ada@example.com");
  app.clock.advance(INVITATION_MS);
  const late = await openAccount(app);
  refused(await accept(late, token), 404, "INVITATION_NOT_FOUND");
});

Deno.test("deleting a project deletes its invitations", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { token } = await invite(team, "ada@example.com");
  ok(await team.owner.send(deleteCall(team.path(), { name: "Test" })));
  refused(await accept(team.stranger, token), 404, "INVITATION_NOT_FOUND");
  assert.equal(await storedInvitations(app), "");
});

Deno.test("acceptInvitation refuses a member and leaves the link usable", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = await team.roles();
  const { token } = await invite(team, "ada@example.com", "admin");
  for (const account of [team.owner, team.viewer]) {
    refused(await accept(account, token), 409, "MEMBER_EXISTS");
  }
  assert.deepEqual(await team.roles(), before);
  ok(await accept(team.stranger, token));
});

Deno.test("accepting an offer makes the named member the owner and the former owner an admin", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { owner, viewer } = team;
  const { token } = await offer(team, viewer);
  const first = await accept(viewer, token);
  assert.equal(ok(first).role, "owner");
  assert.equal(ok(await owner.send({ path: team.path() })).role, "admin");
  assert.equal((await accept(viewer, token)).text, first.text);
  const deletion = deleteCall(team.path(), { name: "Test" });
  refused(await owner.send(deletion), 403, "ROLE_REQUIRED");
  ok(await viewer.send(deletion));
});

Deno.test("acceptInvitation refuses an offer to accounts other than the named member", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = await team.roles();
  const { token } = await offer(team, team.viewer);
  for (const account of [team.admin, team.stranger, team.owner]) {
    refused(await accept(account, token), 404, "INVITATION_NOT_FOUND");
  }
  assert.deepEqual(await team.roles(), before);
  ok(await team.viewer.send(deleteCall(team.path(`/members/${team.viewer.accountId}`))));
  refused(await accept(team.viewer, token), 404, "INVITATION_NOT_FOUND");
});

Deno.test("acceptInvitation refuses an offer of a former owner, even one accepted before", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { owner, admin, viewer } = team;
  const first = await offer(team, viewer);
  ok(await accept(viewer, first.token));
  const back = ok(
    await viewer.send({
      method: "PUT",
      path: team.path("/owner"),
      body: { accountId: admin.accountId },
    }),
  );
  ok(await accept(admin, back.token));
  refused(await accept(viewer, first.token), 404, "INVITATION_NOT_FOUND");
  assert.deepEqual(
    [owner, admin, viewer].map(({ accountId }) => accountId).sort(),
    Object.keys(await team.roles()).sort(),
  );
});

Deno.test("accepting an offer gives the project the new owner's plan, and not before", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const rich = await openAccount(app, { plan: "pro" });
  await joinProject(app.services, team.projectId, rich.accountId, "viewer");
  const { token } = await offer(team, rich);
  assert.equal(ok(await team.read()).plan, "free");
  assert.equal(ok(await accept(rich, token)).plan, "pro");
});

Deno.test("acceptInvitation refuses an offer beyond the new owner's plan and changes no role", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const owned = [];
  for (const name of ["a", "b", "c"]) owned.push(await createOwnedProject(team.admin, { name }));
  const { token } = await offer(team, team.admin);
  const answer = await accept(team.admin, token);
  refused(answer, 403, "PLAN_LIMIT_REACHED", "The free plan allows 3 projects");
  assert.equal((await team.roles())[team.owner.accountId], "owner");
  assert.equal((await team.roles())[team.admin.accountId], "admin");
});
