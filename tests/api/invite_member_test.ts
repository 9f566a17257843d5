import assert from "node:assert/strict";
import { sha256 } from "@/lib/crypto/hashes.ts";
import { PENDING_INVITATIONS_MAX } from "@/lib/limits.ts";
import { openTestApp } from "../support/test_app.ts";
import { accept, invite, inviteCall, storedInvitations } from "./invitations.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import { deleteCall, openTeam, patchCall } from "./team.ts";

Deno.test("inviteMember returns a link once and adds no member yet", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = await team.roles();
  const answer = await team.admin.send(inviteCall(team, "Ada@Example.com", "admin"));
  const { invitationId, token, url, ...rest } = ok(answer, 201);
  assert.match(invitationId, /^[0-9a-f]{24}$/);
  assert.match(token, /^[\w-]{43}$/);
  assert.equal(url, `http://localhost:8000/dashboard/invitations/${token}`);
  assert.deepEqual(rest, {
    email: "Ada@Example.com",
    role: "admin",
    createdAt: "2026-01-31T12:00:00.000Z",
    expiresAt: "2026-02-07T12:00:00.000Z",
    mailed: true,
  });
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const stored = await storedInvitations(app);
  assert.ok(!stored.includes(token));
  assert.ok(stored.includes(sha256(token)));
  assert.deepEqual(await team.roles(), before);
});

Deno.test("inviteMember refuses the address of a member in any case, and keeps their role", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = await team.roles();
  for (const { email } of [team.admin, team.owner]) {
    const call = inviteCall(team, email.toUpperCase());
    refused(await team.owner.send(call), 409, "MEMBER_EXISTS");
  }
  assert.deepEqual(await team.roles(), before);
  assert.equal(await storedInvitations(app), "");
});

Deno.test("inviteMember refuses an invalid address, role or body", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const email = "ada@example.com";
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
    ...["", "*", `${email},x@y.z`, " ", "a@b\u0000", `${"a".repeat(65)}@b.c`]
      .map((email) => ({ email, role: "viewer" })),
  ];
  for (const body of bodies) {
    refused(await team.owner.send({ path: team.path("/members"), body }), 400, "INVALID_BODY");
  }
  assert.equal(await storedInvitations(app), "");
});

Deno.test("inviteMember replaces an open invitation of the same address", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const first = await invite(team, "ada@example.com");
  const second = await invite(team, "ADA@example.com", "admin");
  const other = await invite(team, "charles@example.com");
  refused(await accept(team.stranger, first.token), 404, "INVITATION_NOT_FOUND");
  const { items } = ok(await team.owner.send({ path: team.path("/invitations") }));
  assert.deepEqual(
    items.map(({ invitationId }: { invitationId: string }) => invitationId).toSorted(),
    [second.invitationId, other.invitationId].toSorted(),
  );
  assert.equal(ok(await accept(team.stranger, second.token)).role, "admin");
});

Deno.test("inviteMember leaves one open invitation after ten concurrent ones of one address", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const call = inviteCall(team, "ada@example.com");
  const answers = await Promise.all(times(10, () => team.owner.send(call)));
  assert.deepEqual(tally(answers), { 201: 10 });
  const { items } = ok(await team.owner.send({ path: team.path("/invitations") }));
  assert.equal(items.length, 1);
});

Deno.test("inviteMember allows 50 open invitations per project, also concurrently", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  for (const n of times(PENDING_INVITATIONS_MAX - 3, (n) => n)) {
    await invite(team, `${n}@example.com`);
  }
  const furtherCalls = times(5, (n) => inviteCall(team, `late${n}@example.com`));
  const answers = await Promise.all(furtherCalls.map((call) => team.owner.send(call)));
  assert.deepEqual(tally(answers), { 201: 3, 409: 2 });
  for (const answer of answers.filter(({ status }) => status === 409)) {
    refused(answer, 409, "INVITATION_LIMIT_REACHED");
  }
  await invite(team, "0@example.com", "admin"); // Replaces an open invitation.
  app.clock.advance(7 * 86_400_000); // All invitations and sessions have expired.
  const other = await openTeam(app);
  await invite(other, "late@example.com");
});

Deno.test("inviteMember creates no valid invitation if the member loses the role concurrently", async () => {
  await using app = await openTestApp();
  for (let round = 0; round < 5; round++) {
    const team = await openTeam(app);
    const path = team.path(`/members/${team.admin.accountId}`);
    const call = round % 2 === 0 ? deleteCall(path) : patchCall(path, { role: "viewer" });
    const [sent] = await Promise.all([
      team.admin.send(inviteCall(team, "ada@example.com", "admin")),
      team.owner.send(call),
    ]);
    assert.ok([201, 403, 404].includes(sent.status), sent.text);
    const { items } = ok(await team.owner.send({ path: team.path("/invitations") }));
    assert.deepEqual(items, []);
    if (sent.status !== 201) continue;
    const { token } = sent.body.data;
    refused(await accept(team.stranger, token), 404, "INVITATION_NOT_FOUND");
  }
});

Deno.test("inviteMember is limited to 20 requests a minute per client address, with sign-ins", async () => {
  await using app = await openTestApp({ env: { RATE_LIMITS: "on" } });
  const team = await openTeam(app);
  // The four sign-ins of the team came from this address too.
  const call = inviteCall(team, "ada@example.com");
  for (const _ of times(16, () => null)) ok(await team.owner.send(call), 201);
  const excess = await team.owner.send(call);
  refused(excess, 429, "RATE_LIMITED");
  assert.match(excess.headers.get("retry-after")!, /^[1-9]\d*$/);
  ok(await team.owner.send({ ...call, peer: "10.0.0.2" }), 201);
  app.clock.advance(60_000);
  ok(await team.owner.send(call), 201);
});
