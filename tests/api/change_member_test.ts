import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { NOBODY, ok, refused } from "./test_collection.ts";
import { openTeam, patched } from "./team.ts";

Deno.test("a role changes at once, up and down, also one's own", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { admin, viewer } = team;
  const rename = patched(team.path(), { name: "New" });
  refused(await viewer.send(rename), 403, "ROLE_REQUIRED");
  const of = ({ accountId }: { accountId: string }) => team.path(`/members/${accountId}`);
  assert.equal(ok(await admin.send(patched(of(viewer), { role: "admin" }))).role, "admin");
  ok(await viewer.send(rename));
  assert.equal(ok(await admin.send(patched(of(admin), { role: "viewer" }))).role, "viewer");
  refused(await admin.send(rename), 403, "ROLE_REQUIRED");
});

Deno.test("the owner's role changes by transfer only, whoever asks", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = await team.roles();
  const path = team.path(`/members/${team.owner.accountId}`);
  for (const one of [team.owner, team.admin]) {
    refused(await one.send(patched(path, { role: "viewer" })), 409, "OWNER_STAYS");
  }
  assert.deepEqual(await team.roles(), before);
});

Deno.test("PATCH of a member answers 404 for a stranger, 400 for a malformed id or another role", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = await team.roles();
  const change = (id: string, body: unknown) =>
    team.owner.send(patched(team.path(`/members/${id}`), body));
  for (const id of [NOBODY, team.stranger.accountId, team.projectId]) {
    refused(await change(id, { role: "admin" }), 404, "MEMBER_NOT_FOUND");
  }
  refused(await change("x", { role: "admin" }), 400, "INVALID_ID");
  const bodies = [{}, { role: "owner" }, { role: 1 }, { role: "admin", more: "x" }, []];
  for (const body of bodies) {
    refused(await change(team.viewer.accountId, body), 400, "INVALID_BODY");
  }
  assert.deepEqual(await team.roles(), before);
});
