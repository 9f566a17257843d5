import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";
import { openTeam, patchCall } from "./team.ts";

Deno.test("changeMember changes a role immediately, including the caller's own", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { admin, viewer } = team;
  const rename = patchCall(team.path(), { name: "New" });
  refused(await viewer.send(rename), 403, "ROLE_REQUIRED");
  const memberPath = ({ accountId }: { accountId: string }) => team.path(`/members/${accountId}`);
  assert.equal(
    ok(await admin.send(patchCall(memberPath(viewer), { role: "admin" }))).role,
    "admin",
  );
  ok(await viewer.send(rename));
  assert.equal(
    ok(await admin.send(patchCall(memberPath(admin), { role: "viewer" }))).role,
    "viewer",
  );
  refused(await admin.send(rename), 403, "ROLE_REQUIRED");
});

Deno.test("changeMember refuses to change the owner's role", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = await team.roles();
  const path = team.path(`/members/${team.owner.accountId}`);
  for (const one of [team.owner, team.admin]) {
    refused(await one.send(patchCall(path, { role: "viewer" })), 409, "OWNER_STAYS");
  }
  assert.deepEqual(await team.roles(), before);
});

Deno.test("changeMember refuses strangers, malformed ids and invalid roles", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = await team.roles();
  const change = (id: string, body: unknown) =>
    team.owner.send(patchCall(team.path(`/members/${id}`), body));
  for (const id of [UNKNOWN_ID, team.stranger.accountId, team.projectId]) {
    refused(await change(id, { role: "admin" }), 404, "MEMBER_NOT_FOUND");
  }
  refused(await change("x", { role: "admin" }), 400, "INVALID_ID");
  const bodies = [{}, { role: "owner" }, { role: 1 }, { role: "admin", more: "x" }, []];
  for (const body of bodies) {
    refused(await change(team.viewer.accountId, body), 400, "INVALID_BODY");
  }
  assert.deepEqual(await team.roles(), before);
});
