import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import { eq } from "@/lib/store/filter.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";
import { openTeam, patchCall } from "./team.ts";

Deno.test("getProject returns each member the project with the member's role", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const call = { path: team.path() };
  const read = ok(await team.read());
  for (const role of ["owner", "admin", "viewer"] as const) {
    assert.deepEqual(ok(await team[role].send(call)), { ...read, role });
  }
  const upper = { path: `/api/projects/${team.projectId.toUpperCase()}` };
  assert.deepEqual(ok(await team.owner.send(upper)), read);
});

Deno.test("getProject returns the owner's plan and follows its change within 5 s", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  assert.equal(ok(await team.read()).plan, "free");
  await app.services.engine.records<AccountRecord>("control", ACCOUNTS)
    .updateOne(eq("_id", team.owner.accountId), { set: { plan: "pro" } });
  app.clock.advance(5000);
  assert.equal(ok(await team.viewer.send({ path: team.path() })).plan, "pro");
});

Deno.test("getProject returns whether an AI key is set, and never the key", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  await app.services.engine.records<ProjectRecord>("control", PROJECTS)
    .updateOne(eq("_id", team.projectId), { set: { sealedAiKey: "sealed-text" } });
  const answer = await team.read();
  assert.equal(ok(answer).hasAiKey, true);
  assert.ok(!answer.text.includes("sealed"));
});

Deno.test("getProject returns the default auth settings with the changed ones applied", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const defaults = {
    signUp: "open",
    password: true,
    emailCode: true,
    anonymous: false,
    requireVerifiedEmail: false,
    passwordLengthMin: 8,
  };
  assert.deepEqual(ok(await team.read()).auth, defaults);
  const set = { signUp: "closed", passwordLengthMin: 12 };
  ok(await team.owner.send(patchCall(team.path(), { auth: set })));
  assert.deepEqual(ok(await team.viewer.send({ path: team.path() })).auth, { ...defaults, ...set });
});

Deno.test("getProject reads a record of an earlier version without AI key, trash and owner", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  await app.services.engine.records<ProjectRecord>("control", PROJECTS)
    .updateOne(eq("_id", team.projectId), { unset: ["sealedAiKey", "deletedAt", "ownerId"] });
  const { hasAiKey, plan } = ok(await team.read());
  assert.deepEqual([hasAiKey, plan], [false, "free"]);
});

Deno.test("getProject refuses an API key and explains that an account is required", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const path = `/api/projects/${project.projectId}`;
  const reason = /takes an account and no API key: .* personal access token/;
  refused(await project.asSecret({ path }), 401, "SIGN_IN_REQUIRED", reason);
  refused(await project.asPublic({ path }), 401, "SIGN_IN_REQUIRED", reason);
  refused(await app.send({ path }), 401, "SIGN_IN_REQUIRED", /^Sign in to the dashboard first/);
});
