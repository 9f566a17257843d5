/** Attacks that gain a membership or a project without consent. */

import assert from "node:assert/strict";
import { createOwnedProject, openAccount, PASSWORD } from "../support/dashboard.ts";
import { openDashboard } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused } from "../api/test_collection.ts";
import { deleteCall, openTeam, putCall } from "../api/team.ts";

Deno.test("an invitation is not available to the first account that registers its address", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const squatter = await openAccount(app, { email: "ada@example.com" });
  const body = { email: "Ada@example.com", role: "admin" };
  const { token } = ok(await team.owner.send({ path: team.path("/members"), body }), 201);
  refused(await squatter.send({ path: team.path() }), 404, "PROJECT_NOT_FOUND");
  assert.deepEqual(ok(await squatter.send({ path: "/api/projects" })).items, []);
  const page = await openDashboard(app, squatter).get("/dashboard");
  assert.doesNotMatch(page.words, /Blog|invites you/);
  // The link admits any account that has it, with any address.
  const ada = await openAccount(app, { email: "ada.lovelace@example.com" });
  const accepted = await ada.send({ path: "/api/invitations/accept", body: { token } });
  assert.equal(ok(accepted).role, "admin");
  refused(await squatter.send({ path: team.path() }), 404, "PROJECT_NOT_FOUND");
});

Deno.test("inviting does not reveal whether the address has an account", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const known = await openAccount(app, { email: "known@example.com" });
  const answers = [];
  for (const email of [known.email, "nobody@example.com"]) {
    const body = { email, role: "viewer" };
    const answer = await team.owner.send({ path: team.path("/members"), body });
    assert.equal(answer.status, 201, answer.text);
    assert.ok(!answer.text.includes(known.accountId));
    const { invitationId: _id, token: _token, url: _url, ...rest } = answer.body.data;
    answers.push({ ...rest, email: null });
  }
  assert.deepEqual(answers[0], answers[1]);
  const members = ok(await team.owner.send({ path: team.path("/members") })).items;
  assert.ok(!members.some(({ email }: { email: string }) => email === known.email));
});

Deno.test("no account becomes an owner without consent, and no plan changes before it", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const mark = { path: team.path() };
  for (const name of ["One", "Two"]) await createOwnedProject(team.viewer, { name });
  await team.owner.send(putCall(team.path("/owner"), { accountId: team.viewer.accountId }));
  assert.equal(ok(await team.viewer.send(mark)).role, "viewer");
  assert.equal(ok(await team.owner.send(mark)).role, "owner");
  // The named account can still use its plan's capacity.
  await createOwnedProject(team.viewer, { name: "Three" });
});

Deno.test("a server with its first account does not let everyone register", async () => {
  await using app = await openTestApp({ env: { REGISTRATION: "" } });
  const register = (name: string) =>
    app.send({
      path: "/api/auth/register",
      body: { email: `${name}@example.com`, password: PASSWORD },
      peer: `198.51.100.${name.length}`,
    });
  ok(await register("ada"), 201);
  refused(await register("mallory"), 403, "REGISTRATION_INVITED");
});

Deno.test("a removed admin cannot return by an invitation they made", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const body = { email: "second@example.com", role: "admin" };
  const sent = ok(await team.admin.send({ path: team.path("/members"), body }), 201);
  ok(await team.owner.send(deleteCall(team.path(`/members/${team.admin.accountId}`))));
  for (const account of [team.admin, team.stranger]) {
    const answer = await account.send({
      path: "/api/invitations/accept",
      body: { token: sent.token },
    });
    refused(answer, 404, "INVITATION_NOT_FOUND");
  }
});
