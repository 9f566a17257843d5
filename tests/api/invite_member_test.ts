import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused, tally, times } from "./shelf.ts";
import { openTeam } from "./team.ts";

Deno.test("who is invited has a part at once, as viewer or admin, by whatever case of his e-mail", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  refused(await team.stranger.send({ path: team.path() }), 404, "PROJECT_NOT_FOUND");
  const email = team.stranger.email.toUpperCase();
  const answer = await team.admin.send({
    path: team.path("/members"),
    body: { email, role: "viewer" },
  });
  assert.deepEqual(ok(answer, 201), {
    accountId: team.stranger.accountId,
    email: team.stranger.email,
    name: null,
    role: "viewer",
    createdAt: "2026-01-31T12:00:00.000Z",
  });
  assert.equal(ok(await team.stranger.send({ path: team.path() })).role, "viewer");
});

Deno.test("an unknown e-mail is 404, a member is 409 and keeps his role", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = await team.roles();
  const invite = (email: string) =>
    team.owner.send({ path: team.path("/members"), body: { email, role: "viewer" } });
  for (const email of ["nobody@example.com", "", "*", `${team.admin.email},x`]) {
    refused(await invite(email), 404, "ACCOUNT_NOT_FOUND");
  }
  for (const { email } of [team.admin, team.owner]) {
    refused(await invite(email), 409, "MEMBER_EXISTS");
  }
  assert.deepEqual(await team.roles(), before);
});

Deno.test("nobody is made an owner by an invitation; bodies of another shape are 400", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = await team.roles();
  const { email } = team.stranger;
  const bodies = [
    {},
    { email },
    { role: "viewer" },
    { email, role: "owner" },
    { email, role: "Admin" },
    { email, role: null },
    { email: [email], role: "viewer" },
    { email: { $ne: "" }, role: "viewer" },
    { email, role: "viewer", accountId: team.stranger.accountId },
  ];
  for (const body of bodies) {
    refused(await team.owner.send({ path: team.path("/members"), body }), 400, "INVALID_BODY");
  }
  assert.deepEqual(await team.roles(), before);
});

Deno.test("of ten invitations of one account at once one makes a member", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const body = { email: team.stranger.email, role: "viewer" };
  const answers = await Promise.all(
    times(10, () => team.owner.send({ path: team.path("/members"), body })),
  );
  assert.deepEqual(tally(answers), { 201: 1, 409: 9 });
  assert.equal(Object.keys(await team.roles()).length, 4);
});

Deno.test("invitations tell who has an account, so an address makes 20 of them a minute, sign-ins included", async () => {
  await using app = await openTestApp({ env: { RATE_LIMITS: "on" } });
  const team = await openTeam(app);
  // The four of the team came from this address too.
  const body = { email: "nobody@example.com", role: "viewer" };
  const path = team.path("/members");
  for (const _ of times(16, () => null)) {
    refused(await team.owner.send({ path, body }), 404, "ACCOUNT_NOT_FOUND");
  }
  const late = await team.owner.send({ path, body });
  refused(late, 429, "RATE_LIMITED");
  assert.match(late.headers.get("retry-after")!, /^[1-9]\d*$/);
  refused(await team.owner.send({ path, body, peer: "10.0.0.2" }), 404, "ACCOUNT_NOT_FOUND");
  app.clock.advance(60_000);
  refused(await team.owner.send({ path, body }), 404, "ACCOUNT_NOT_FOUND");
});
