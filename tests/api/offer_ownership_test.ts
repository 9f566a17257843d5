import assert from "node:assert/strict";
import { ACCOUNTS } from "@/lib/projects/account_records.ts";
import { PENDING_INVITATIONS_MAX } from "@/lib/limits.ts";
import { eq } from "@/lib/store/filter.ts";
import { createOwnedProject } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { accept, invite, offer, offerCall, storedInvitations } from "./invitations.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";
import { openTeam, putCall } from "./team.ts";

Deno.test("offerOwnership returns a link and changes nothing until it is accepted", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = await team.roles();
  const answer = await team.owner.send(offerCall(team, team.viewer.accountId));
  const { token, url, role, email } = ok(answer);
  assert.deepEqual([role, email], ["owner", team.viewer.email]);
  assert.ok(url.endsWith(`/dashboard/invitations/${token}`));
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.deepEqual(await team.roles(), before);
});

Deno.test("a new offer replaces the open one, even if it is for another member", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const first = await offer(team, team.viewer);
  const second = await offer(team, team.admin);
  refused(await accept(team.viewer, first.token), 404, "INVITATION_NOT_FOUND");
  assert.equal(ok(await accept(team.admin, second.token)).role, "owner");
});

Deno.test("an offer to a stranger or a deleted account is 404, to the owner themself 400", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  for (const id of [UNKNOWN_ID, team.stranger.accountId]) {
    refused(await team.owner.send(offerCall(team, id)), 404, "MEMBER_NOT_FOUND");
  }
  await app.services.engine.records("control", ACCOUNTS)
    .deleteOne(eq("_id", team.viewer.accountId));
  const gone = offerCall(team, team.viewer.accountId);
  refused(await team.owner.send(gone), 404, "MEMBER_NOT_FOUND");
  const self = offerCall(team, team.owner.accountId);
  refused(await team.owner.send(self), 400, "INVALID_BODY", "You own this project already.");
  for (const body of [{}, { accountId: "x" }, { accountId: null }]) {
    refused(await team.owner.send(putCall(team.path("/owner"), body)), 400, "INVALID_BODY");
  }
  assert.equal(await storedInvitations(app), "");
});

Deno.test("an offer counts toward the project's 50 open invitations", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  for (let n = 1; n < PENDING_INVITATIONS_MAX; n++) await invite(team, `${n}@example.com`);
  await offer(team, team.viewer);
  await offer(team, team.admin);
  refused(
    await team.owner.send({
      path: team.path("/members"),
      body: { email: "late@example.com", role: "viewer" },
    }),
    409,
    "INVITATION_LIMIT_REACHED",
  );
});

Deno.test("an offer does not reveal whether the member's plan has room for the project", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  for (const name of ["a", "b", "c"]) await createOwnedProject(team.admin, { name });
  await offer(team, team.admin);
});
