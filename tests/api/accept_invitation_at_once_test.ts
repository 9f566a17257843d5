import assert from "node:assert/strict";
import { type MemberRecord, MEMBERS } from "@/lib/projects/members.ts";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import { and, eq } from "@/lib/store/filter.ts";
import type { Answer } from "../support/conforming_client.ts";
import { joinProject, openAccount, type TestAccount } from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { accept, answer, invite, offer, offering } from "./invitations.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import { openTeam, patched, removed, type Team } from "./team.ts";

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

/** Offers the project, and accepts it if the offer was made. */
async function transfer(team: Team, from: TestAccount, to: TestAccount): Promise<Answer> {
  const offered = await from.send(offering(team, to.accountId));
  return offered.status === 200 ? await accept(to, offered.body.data.token) : offered;
}

Deno.test("of 50 accounts that accept one link at once one is a member", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const crowd: TestAccount[] = [];
  for (const _ of times(50, () => 0)) crowd.push(await openAccount(app));
  const { token } = await invite(team, "ada@example.com");
  const answers = await Promise.all(crowd.map((account) => accept(account, token)));
  assert.deepEqual(tally(answers), { 200: 1, 404: 49 });
  const losers = answers.filter(({ status }) => status === 404);
  for (const one of losers) refused(one, 404, "INVITATION_NOT_FOUND");
  assert.equal(Object.keys(await team.roles()).length, 4);
});

Deno.test("of 50 acceptances of one account one takes effect, and all answer the same", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { token } = await invite(team, "ada@example.com");
  const answers = await Promise.all(times(50, () => accept(team.stranger, token)));
  assert.deepEqual(tally(answers), { 200: 50 });
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal(Object.keys(await team.roles()).length, 4);
});

Deno.test("two links of one account in the same moment make one membership, and one is left", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const [a, b] = [await invite(team, "a@example.com"), await invite(team, "b@example.com")];
  const answers = await Promise.all([a, b].map(({ token }) => accept(team.stranger, token)));
  assert.deepEqual(tally(answers), { 200: 1, 409: 1 });
  const { items } = ok(await team.owner.send({ path: team.path("/invitations") }));
  assert.equal(items.length, 1);
});

Deno.test("accepted and withdrawn, or declined, in the same moment: one of both", async () => {
  await using app = await openTestApp();
  for (let round = 0; round < 6; round++) {
    const team = await openTeam(app);
    const { token, invitationId } = await invite(team, "ada@example.com");
    const ended = round % 2 === 0
      ? team.owner.send(removed(team.path(`/invitations/${invitationId}`)))
      : answer(team.admin, "decline", token);
    const [accepted, other] = await Promise.all([accept(team.stranger, token), ended]);
    assert.deepEqual(tally([accepted, other]), { 200: 1, 404: 1 });
    assert.equal(team.stranger.accountId in await team.roles(), accepted.status === 200);
  }
});

Deno.test("accepted while the inviter, or the project, goes: nobody joins by a dead hand", async () => {
  await using app = await openTestApp();
  for (let round = 0; round < 6; round++) {
    const team = await openTeam(app);
    const body = { email: "ada@example.com", role: "viewer" };
    const sent = ok(await team.admin.send({ path: team.path("/members"), body }), 201);
    const path = team.path(`/members/${team.admin.accountId}`);
    const end = [
      removed(path),
      patched(path, { role: "viewer" }),
      removed(team.path(), {
        name: "Test",
      }),
    ][round % 3]!;
    const [accepted, ended] = await Promise.all([
      accept(team.stranger, sent.token),
      team.owner.send(end),
    ]);
    ok(ended);
    assert.ok([200, 404].includes(accepted.status), accepted.text);
    const late = await accept(await openAccount(app), sent.token);
    refused(late, 404, "INVITATION_NOT_FOUND");
  }
});

Deno.test("transfers, removals and changes of roles at once leave one owner, at any time", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { owner, admin, viewer, projectId } = team;
  const everybody = [owner, admin, viewer];
  for (let round = 0; round < 4; round++) {
    const seen: string[][][] = [];
    const watched = (async () => {
      for (const _ of times(10, () => null)) seen.push(await owners(app, projectId));
    })();
    const calls = everybody.flatMap((from) =>
      everybody.filter((to) => to !== from).flatMap((to) => [
        transfer(team, from, to),
        from.send(patched(team.path(`/members/${to.accountId}`), { role: "admin" })),
      ])
    );
    const answers = await Promise.all(calls);
    await watched;
    for (const { status, text } of answers) assert.ok([200, 403, 404, 409].includes(status), text);
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
  const answers = await Promise.all(others.map((to) => transfer(team, team.owner, to)));
  const winners = others.filter((_, i) => answers[i]!.status === 200);
  assert.equal(winners.length, 1);
  const [{ accountId }] = winners as [typeof winners[0] & object];
  assert.deepEqual(await owners(app, team.projectId), [[accountId], [accountId]]);
  for (const { status, text } of answers) assert.ok([200, 403, 404].includes(status), text);
});

Deno.test("concurrent acceptance of ownership and leaving admit one of both", async () => {
  await using app = await openTestApp();
  for (let round = 0; round < 5; round++) {
    const team = await openTeam(app);
    const { accountId } = team.viewer;
    const { token } = await offer(team, team.viewer);
    const [moved, left] = await Promise.all([
      accept(team.viewer, token),
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
