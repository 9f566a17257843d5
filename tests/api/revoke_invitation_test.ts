import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { accept, invite, offer } from "./invitations.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";
import { deleteCall, openTeam } from "./team.ts";

Deno.test("an admin revokes any member's invitation, and its link stops working", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { invitationId, token } = await invite(team, "ada@example.com");
  const call = deleteCall(team.path(`/invitations/${invitationId}`));
  assert.deepEqual(ok(await team.admin.send(call)), { invitationId });
  refused(await team.admin.send(call), 404, "INVITATION_NOT_FOUND");
  refused(await accept(team.stranger, token), 404, "INVITATION_NOT_FOUND");
});

Deno.test("only the owner can revoke the offer of the project", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { invitationId, token } = await offer(team, team.viewer);
  const call = deleteCall(team.path(`/invitations/${invitationId}`));
  refused(await team.admin.send(call), 403, "ROLE_REQUIRED");
  ok(await team.owner.send(call));
  refused(await accept(team.viewer, token), 404, "INVITATION_NOT_FOUND");
});

Deno.test("an accepted, unknown or foreign invitation is 404; an invalid id is 400", async () => {
  await using app = await openTestApp();
  const [team, other] = [await openTeam(app), await openTeam(app)];
  const [foreign, accepted] = [await invite(other, "a@b.c"), await invite(team, "a@b.c")];
  ok(await accept(team.stranger, accepted.token));
  for (const id of [foreign.invitationId, accepted.invitationId, UNKNOWN_ID]) {
    const call = deleteCall(team.path(`/invitations/${id}`));
    refused(await team.owner.send(call), 404, "INVITATION_NOT_FOUND");
  }
  refused(await team.owner.send(deleteCall(team.path("/invitations/x"))), 400, "INVALID_ID");
  ok(await accept(other.stranger, foreign.token));
});
