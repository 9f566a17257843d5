import assert from "node:assert/strict";
import { INVITATION_MS } from "@/lib/limits.ts";
import { openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import {
  accept,
  answerInvitation,
  invite,
  inviteCall,
  NO_TOKEN,
  offer,
  storedInvitations,
} from "./invitations.ts";
import { ok, refused } from "./test_collection.ts";
import { openTeam, patchCall } from "./team.ts";

Deno.test("previewInvitation shows the inviter and the project, and changes nothing", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { token } = await invite(team, "ada@example.com", "admin");
  const before = await storedInvitations(app);
  assert.deepEqual(ok(await answerInvitation(team.stranger, "preview", token)), {
    projectName: "Test",
    role: "admin",
    email: "ada@example.com",
    invitedBy: { name: null, email: team.owner.email },
    expiresAt: "2026-02-07T12:00:00.000Z",
  });
  assert.equal(await storedInvitations(app), before);
  refused(await team.stranger.send({ path: team.path() }), 404, "PROJECT_NOT_FOUND");
});

Deno.test("only the named member can preview an offer", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { token } = await offer(team, team.viewer);
  assert.equal(ok(await answerInvitation(team.viewer, "preview", token)).role, "owner");
  for (const account of [team.stranger, team.admin, team.owner]) {
    refused(await answerInvitation(account, "preview", token), 404, "INVITATION_NOT_FOUND");
  }
});

Deno.test("an invitation that cannot be accepted cannot be previewed", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const assertGone = async (token: string) =>
    refused(await answerInvitation(team.viewer, "preview", token), 404, "INVITATION_NOT_FOUND");
  await assertGone(NO_TOKEN);
  const { token } = await invite(team, "ada@example.com");
  ok(await accept(team.stranger, token));
  await assertGone(token);
  const byAdmin = ok(await team.admin.send(inviteCall(team, "b@example.com")), 201);
  const path = team.path(`/members/${team.admin.accountId}`);
  ok(await team.owner.send(patchCall(path, { role: "viewer" })));
  await assertGone(byAdmin.token);
  const late = await invite(team, "c@example.com");
  app.clock.advance(INVITATION_MS);
  const account = await openAccount(app);
  refused(await answerInvitation(account, "preview", late.token), 404, "INVITATION_NOT_FOUND");
});
