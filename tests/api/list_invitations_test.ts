import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { accept, invite, offer } from "./invitations.ts";
import { ok, refused } from "./test_collection.ts";
import { openTeam } from "./team.ts";

Deno.test("listInvitations returns open invitations without links and without account data", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const email = team.stranger.email.toUpperCase();
  const sent = await invite(team, email, "admin");
  const offered = await offer(team, team.viewer);
  const answer = await team.admin.send({ path: team.path("/invitations") });
  const { items, nextCursor } = ok(answer);
  const times = {
    createdAt: "2026-01-31T12:00:00.000Z",
    expiresAt: "2026-02-07T12:00:00.000Z",
  };
  assert.deepEqual(items.toReversed(), [
    { invitationId: sent.invitationId, email, role: "admin", ...times },
    { invitationId: offered.invitationId, email: team.viewer.email, role: "owner", ...times },
  ]);
  assert.equal(nextCursor, null);
  assert.ok(!answer.text.includes(sent.token));
  assert.ok(!answer.text.includes(team.stranger.accountId));
  ok(await accept(team.stranger, sent.token));
  assert.equal(ok(await team.admin.send({ path: team.path("/invitations") })).items.length, 1);
});

Deno.test("listInvitations returns pages and refuses a foreign cursor", async () => {
  await using app = await openTestApp();
  const [team, other] = [await openTeam(app), await openTeam(app)];
  for (const n of [1, 2, 3]) await invite(team, `${n}@example.com`);
  const page = ok(await team.owner.send({ path: team.path("/invitations?limit=2") }));
  assert.equal(page.items.length, 2);
  const query = `?cursor=${encodeURIComponent(page.nextCursor)}`;
  const rest = ok(await team.owner.send({ path: team.path(`/invitations${query}`) }));
  assert.deepEqual(rest.items.map(({ email }: { email: string }) => email), ["1@example.com"]);
  const foreign = other.path(`/invitations${query}`);
  refused(await other.owner.send({ path: foreign }), 400, "INVALID_CURSOR");
  refused(await team.owner.send({ path: team.path("/invitations?limit=x") }), 400, "INVALID_QUERY");
});
