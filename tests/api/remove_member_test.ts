import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";
import { deleteCall, openTeam } from "./team.ts";

Deno.test("an admin removes others, who can no longer see the project", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { accountId } = team.viewer;
  const answer = await team.admin.send(deleteCall(team.path(`/members/${accountId}`)));
  assert.deepEqual(ok(answer), { accountId });
  refused(await team.viewer.send({ path: team.path() }), 404, "PROJECT_NOT_FOUND");
  assert.deepEqual(ok(await team.viewer.send({ path: "/api/projects" })).items, []);
  assert.ok(!(accountId in await team.roles()));
});

Deno.test("a viewer can leave but remove no other member", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = await team.roles();
  for (const { accountId } of [team.owner, team.admin, team.stranger]) {
    const call = deleteCall(team.path(`/members/${accountId}`));
    refused(await team.viewer.send(call), 403, "ROLE_REQUIRED");
  }
  assert.deepEqual(await team.roles(), before);
  ok(await team.viewer.send(deleteCall(team.path(`/members/${team.viewer.accountId}`))));
  refused(await team.viewer.send({ path: team.path() }), 404, "PROJECT_NOT_FOUND");
});

Deno.test("the owner can neither be removed nor leave", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = await team.roles();
  const call = deleteCall(team.path(`/members/${team.owner.accountId}`));
  for (const one of [team.owner, team.admin]) {
    refused(await one.send(call), 409, "OWNER_STAYS");
  }
  assert.deepEqual(await team.roles(), before);
});

Deno.test("removeMember is 404 for a stranger and 400 for a malformed id", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const ids = [UNKNOWN_ID, team.stranger.accountId];
  for (const id of ids) {
    const call = deleteCall(team.path(`/members/${id}`));
    refused(await team.admin.send(call), 404, "MEMBER_NOT_FOUND");
  }
  refused(await team.admin.send(deleteCall(team.path("/members/x"))), 400, "INVALID_ID");
});

Deno.test("a member of another project is not found in this one", async () => {
  await using app = await openTestApp();
  const [team, other] = [await openTeam(app), await openTeam(app)];
  const call = deleteCall(team.path(`/members/${other.viewer.accountId}`));
  refused(await team.owner.send(call), 404, "MEMBER_NOT_FOUND");
  assert.equal(Object.keys(await other.roles()).length, 3);
});
