import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import {
  accept,
  answerInvitation,
  invite,
  NO_TOKEN,
  offer,
  storedInvitations,
} from "./invitations.ts";
import { ok, refused } from "./test_collection.ts";
import { openTeam } from "./team.ts";

Deno.test("declineInvitation deletes the invitation, and its address can be invited again", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = await team.roles();
  const { token } = await invite(team, "ada@example.com");
  assert.deepEqual(ok(await answerInvitation(team.stranger, "decline", token)), {});
  refused(await answerInvitation(team.stranger, "decline", token), 404, "INVITATION_NOT_FOUND");
  refused(await accept(team.stranger, token), 404, "INVITATION_NOT_FOUND");
  assert.equal(await storedInvitations(app), "");
  assert.deepEqual(await team.roles(), before);
  await invite(team, "ada@example.com");
});

Deno.test("declineInvitation of an offer admits the named member only", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { token } = await offer(team, team.viewer);
  for (const account of [team.stranger, team.admin]) {
    refused(await answerInvitation(account, "decline", token), 404, "INVITATION_NOT_FOUND");
  }
  ok(await answerInvitation(team.viewer, "decline", token));
  refused(await accept(team.viewer, token), 404, "INVITATION_NOT_FOUND");
});

Deno.test("declineInvitation refuses accepted and unknown invitations", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { token } = await invite(team, "ada@example.com");
  ok(await accept(team.stranger, token));
  for (const one of [token, NO_TOKEN]) {
    refused(await answerInvitation(team.stranger, "decline", one), 404, "INVITATION_NOT_FOUND");
  }
  assert.equal((await team.roles())[team.stranger.accountId], "viewer");
});
