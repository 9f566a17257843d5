import assert from "node:assert/strict";
import { INVITATION_MS } from "@/lib/limits.ts";
import { openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import {
  accept,
  answer,
  invite,
  inviting,
  NO_TOKEN,
  offer,
  storedInvitations,
} from "./invitations.ts";
import { ok, refused } from "./test_collection.ts";
import { openTeam, patched } from "./team.ts";

Deno.test("the preview of an invitation shows who invites to what, and changes nothing", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { token } = await invite(team, "ada@example.com", "admin");
  const before = await storedInvitations(app);
  assert.deepEqual(ok(await answer(team.stranger, "preview", token)), {
    projectName: "Test",
    role: "admin",
    email: "ada@example.com",
    invitedBy: { name: null, email: team.owner.email },
    expiresAt: "2026-02-07T12:00:00.000Z",
  });
  assert.equal(await storedInvitations(app), before);
  refused(await team.stranger.send({ path: team.path() }), 404, "PROJECT_NOT_FOUND");
});

Deno.test("an offer is seen by the named member alone", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { token } = await offer(team, team.viewer);
  assert.equal(ok(await answer(team.viewer, "preview", token)).role, "owner");
  for (const account of [team.stranger, team.admin, team.owner]) {
    refused(await answer(account, "preview", token), 404, "INVITATION_NOT_FOUND");
  }
});

Deno.test("what cannot be accepted cannot be seen", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const gone = async (token: string) =>
    refused(await answer(team.viewer, "preview", token), 404, "INVITATION_NOT_FOUND");
  await gone(NO_TOKEN);
  const { token } = await invite(team, "ada@example.com");
  ok(await accept(team.stranger, token));
  await gone(token);
  const byAdmin = ok(await team.admin.send(inviting(team, "b@example.com")), 201);
  const path = team.path(`/members/${team.admin.accountId}`);
  ok(await team.owner.send(patched(path, { role: "viewer" })));
  await gone(byAdmin.token);
  const late = await invite(team, "c@example.com");
  app.clock.advance(INVITATION_MS);
  const account = await openAccount(app);
  refused(await answer(account, "preview", late.token), 404, "INVITATION_NOT_FOUND");
});
