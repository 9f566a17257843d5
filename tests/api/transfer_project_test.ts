import assert from "node:assert/strict";
import { ACCOUNTS } from "@/lib/accounts/records.ts";
import { type MemberRecord, MEMBERS } from "@/lib/projects/members.ts";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import { and, eq } from "@/lib/store/filter.ts";
import { joinProject, openAccount, ownedProject } from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { NOBODY, ok, refused, times } from "./shelf.ts";
import { openTeam, patched, put, removed, type Team } from "./team.ts";

const transfer = (team: Team, from: { send: Team["owner"]["send"] }, accountId: string) =>
  from.send(put(team.path("/owner"), { accountId }));

/** Who owns the project by its own record, and by its members'. */
async function owners({ services: { engine } }: TestApp, projectId: string): Promise<string[][]> {
  return await engine.transaction("control", async (tx) => {
    const project = await tx.records<ProjectRecord>(PROJECTS).get(projectId);
    const members = await tx.records<MemberRecord>(MEMBERS).list({
      filter: and(eq("projectId", projectId), eq("role", "owner")),
      sort: [],
      limit: 10,
    });
    const named = JSON.parse(`[${members.items}]`) as MemberRecord[];
    return [[project!.value.ownerId!], named.map(({ accountId }) => accountId)];
  });
}

Deno.test("another member owns the project from now on; who did stays as an admin", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { owner, viewer } = team;
  const shown = ok(await transfer(team, owner, viewer.accountId));
  assert.equal(shown.role, "admin");
  assert.equal(ok(await viewer.send({ path: team.path() })).role, "owner");
  assert.deepEqual(await owners(app, team.projectId), [[viewer.accountId], [viewer.accountId]]);
  const deletion = removed(team.path(), { name: "Test" });
  refused(await owner.send(deletion), 403, "ROLE_REQUIRED");
  ok(await viewer.send(deletion));
});

Deno.test("the project has the new owner's plan at once", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const rich = await openAccount(app, { plan: "pro" });
  await joinProject(app.services, team.projectId, rich.accountId, "viewer");
  assert.equal(ok(await team.read()).plan, "free");
  assert.equal(ok(await transfer(team, team.owner, rich.accountId)).plan, "pro");
});

Deno.test("a transfer to oneself changes nothing", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  assert.equal(ok(await transfer(team, team.owner, team.owner.accountId)).role, "owner");
  assert.equal((await team.roles())[team.owner.accountId], "owner");
});

Deno.test("who is no member, or has no account any more, is 404; and nothing changes", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = await team.roles();
  for (const id of [NOBODY, team.stranger.accountId]) {
    refused(await transfer(team, team.owner, id), 404, "MEMBER_NOT_FOUND");
  }
  await app.services.engine.records("control", ACCOUNTS)
    .deleteOne(eq("_id", team.viewer.accountId));
  refused(await transfer(team, team.owner, team.viewer.accountId), 404, "MEMBER_NOT_FOUND");
  for (const body of [{}, { accountId: "x" }, { accountId: null }]) {
    refused(await team.owner.send(put(team.path("/owner"), body)), 400, "INVALID_BODY");
  }
  const { [team.viewer.accountId]: _gone, ...kept } = before;
  assert.deepEqual(await team.roles(), kept);
});

Deno.test("the new owner's plan must allow one more project", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  for (const name of ["a", "b", "c"]) await ownedProject(team.admin, { name });
  const answer = await transfer(team, team.owner, team.admin.accountId);
  refused(answer, 403, "PLAN_LIMIT_REACHED", "The free plan allows 3 projects");
  assert.equal((await team.roles())[team.owner.accountId], "owner");
  assert.equal((await team.roles())[team.admin.accountId], "admin");
});

Deno.test("transfers, removals and changes of roles at once leave one owner, at any time", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { owner, admin, viewer, projectId } = team;
  const everybody = [owner, admin, viewer];
  for (let round = 0; round < 6; round++) {
    const seen: string[][][] = [];
    const watched = (async () => {
      for (const _ of times(10, () => null)) seen.push(await owners(app, projectId));
    })();
    const calls = everybody.flatMap((from) =>
      everybody.flatMap(({ accountId }) => [
        transfer(team, from, accountId),
        from.send(patched(team.path(`/members/${accountId}`), { role: "admin" })),
      ])
    );
    const answers = await Promise.all(calls);
    await watched;
    for (const { status, text } of answers) assert.ok([200, 403, 409].includes(status), text);
    seen.push(await owners(app, projectId));
    for (const [byProject, byMembers] of seen) {
      assert.equal(byMembers!.length, 1, "one member is the owner");
      assert.deepEqual(byMembers, byProject);
    }
  }
});

Deno.test("of transfers to many at once one wins", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const others = await Promise.all(times(8, () => openAccount(app)));
  for (const { accountId } of others) {
    await joinProject(app.services, team.projectId, accountId, "viewer");
  }
  const answers = await Promise.all(
    others.map(({ accountId }) => transfer(team, team.owner, accountId)),
  );
  const winners = others.filter((_, i) => answers[i]!.status === 200);
  assert.equal(winners.length, 1);
  const [{ accountId }] = winners as [typeof winners[0] & object];
  assert.deepEqual(await owners(app, team.projectId), [[accountId], [accountId]]);
  for (const { status, text } of answers) assert.ok([200, 403].includes(status), text);
});

Deno.test("who is made the owner and leaves in the same moment does one of both", async () => {
  await using app = await openTestApp();
  for (let round = 0; round < 5; round++) {
    const team = await openTeam(app);
    const { accountId } = team.viewer;
    const [moved, left] = await Promise.all([
      transfer(team, team.owner, accountId),
      team.viewer.send(removed(team.path(`/members/${accountId}`))),
    ]);
    const outcome = [moved.status, left.status];
    assert.ok(
      JSON.stringify([[200, 409], [404, 200]]).includes(JSON.stringify(outcome)),
      JSON.stringify(outcome),
    );
    const owner = moved.status === 200 ? accountId : team.owner.accountId;
    assert.deepEqual(await owners(app, team.projectId), [[owner], [owner]]);
  }
});
