import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import { eq } from "@/lib/store/filter.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";
import { openTeam, patched } from "./team.ts";

Deno.test("each member reads the project with the role that is theirs", async () => {
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

Deno.test("the plan shown is the owner's, and a change of it is seen within 5 s", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  assert.equal(ok(await team.read()).plan, "free");
  await app.services.engine.records<AccountRecord>("control", ACCOUNTS)
    .updateOne(eq("_id", team.owner.accountId), { set: { plan: "pro" } });
  app.clock.advance(5000);
  assert.equal(ok(await team.viewer.send({ path: team.path() })).plan, "pro");
});

Deno.test("that there is an AI key is told, never the key, sealed or open", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  await app.services.engine.records<ProjectRecord>("control", PROJECTS)
    .updateOne(eq("_id", team.projectId), { set: { sealedAiKey: "sealed-text" } });
  const answer = await team.read();
  assert.equal(ok(answer).hasAiKey, true);
  assert.ok(!answer.text.includes("sealed"));
});

Deno.test("the auth settings shown are the defaults, with what was set in their place", async () => {
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
  ok(await team.owner.send(patched(team.path(), { auth: set })));
  assert.deepEqual(ok(await team.viewer.send({ path: team.path() })).auth, { ...defaults, ...set });
});

Deno.test("a project of an earlier version, which knows no AI key, trash or owner, is read too", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  await app.services.engine.records<ProjectRecord>("control", PROJECTS)
    .updateOne(eq("_id", team.projectId), { unset: ["sealedAiKey", "deletedAt", "ownerId"] });
  const { hasAiKey, plan } = ok(await team.read());
  assert.deepEqual([hasAiKey, plan], [false, "free"]);
});

Deno.test("an API key is no account, and the refusal says so", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const path = `/api/projects/${project.projectId}`;
  const says = /takes an account and no API key: .* personal access token/;
  refused(await project.asSecret({ path }), 401, "SIGN_IN_REQUIRED", says);
  refused(await project.asPublic({ path }), 401, "SIGN_IN_REQUIRED", says);
  refused(await app.send({ path }), 401, "SIGN_IN_REQUIRED", /^Sign in to the dashboard first/);
});
