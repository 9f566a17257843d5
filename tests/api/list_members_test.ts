import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";
import { openTeam } from "./team.ts";

Deno.test("listMembers returns all members with e-mail and role to every member", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const expected = (["owner", "admin", "viewer"] as const).map((role) => ({
    accountId: team[role].accountId,
    email: team[role].email,
    name: null,
    role,
    invitedAs: null,
    createdAt: "2026-01-31T12:00:00.000Z",
  }));
  for (const role of ["owner", "admin", "viewer"] as const) {
    const answer = await team[role].send({ path: team.path("/members") });
    const { items, nextCursor } = ok(answer);
    assert.deepEqual(items.toSorted(byId), expected.toSorted(byId));
    assert.equal(nextCursor, null);
    assert.ok(!/argon2|hash|plan/i.test(answer.text));
  }
});

const byId = (a: { accountId: string }, b: { accountId: string }) =>
  a.accountId < b.accountId ? -1 : 1;

Deno.test("listMembers returns each member once over all pages", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const seen: string[] = [];
  for (let cursor: string | null = null;;) {
    const query = `?limit=1${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = ok(await team.viewer.send({ path: team.path(`/members${query}`) }));
    seen.push(...page.items.map(({ accountId }: { accountId: string }) => accountId));
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  const all = [team.owner, team.admin, team.viewer].map(({ accountId }) => accountId);
  assert.deepEqual(seen.toSorted(), all.toSorted());
});

Deno.test("listMembers refuses a foreign cursor and unknown parameters", async () => {
  await using app = await openTestApp();
  const [team, other] = [await openTeam(app), await openTeam(app)];
  const { nextCursor } = ok(await other.owner.send({ path: other.path("/members?limit=1") }));
  for (const cursor of [nextCursor, "x"]) {
    const path = team.path(`/members?cursor=${encodeURIComponent(cursor)}`);
    refused(await team.owner.send({ path }), 400, "INVALID_CURSOR");
  }
  for (const query of ["limit=x", "role=owner"]) {
    const path = team.path(`/members?${query}`);
    refused(await team.owner.send({ path }), 400, "INVALID_QUERY");
  }
});
