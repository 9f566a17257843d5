import assert from "node:assert/strict";
import { type MemberRecord, MEMBERS } from "@/lib/projects/members.ts";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import { and, eq } from "@/lib/store/filter.ts";
import type { Answer } from "../support/conforming_client.ts";
import { joinProject, openAccount, type TestAccount } from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { accept, answerInvitation, invite, offer, offerCall } from "./invitations.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import { deleteCall, openTeam, patchCall, type Team } from "./team.ts";

/** Returns the owner's account id according to the project's record and to the member records. */
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

async function transfer(team: Team, from: TestAccount, to: TestAccount): Promise<Answer> {
  const offered = await from.send(offerCall(team, to.accountId));
  return offered.status === 200 ? await accept(to, offered.body.data.token) : offered;
}

Deno.test("50 accounts that accept one link concurrently make exactly one of them a member", async () => {
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

Deno.test("50 concurrent acceptances by one account take effect once and get one response", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { token } = await invite(team, "ada@example.com");
  const answers = await Promise.all(times(50, () => accept(team.stranger, token)));
  assert.deepEqual(tally(answers), { 200: 50 });
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal(Object.keys(await team.roles()).length, 4);
});

Deno.test("concurrent acceptance of two links makes one membership and leaves one invitation", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const [a, b] = [await invite(team, "a@example.com"), await invite(team, "b@example.com")];
  const answers = await Promise.all([a, b].map(({ token }) => accept(team.stranger, token)));
  assert.deepEqual(tally(answers), { 200: 1, 409: 1 });
  const { items } = ok(await team.owner.send({ path: team.path("/invitations") }));
  assert.equal(items.length, 1);
});

Deno.test("an invitation that is accepted and withdrawn or declined concurrently ends one way only", async () => {
  await using app = await openTestApp();
  for (let round = 0; round < 6; round++) {
    const team = await openTeam(app);
    const { token, invitationId } = await invite(team, "ada@example.com");
    const ending = round % 2 === 0
      ? team.owner.send(deleteCall(team.path(`/invitations/${invitationId}`)))
      : answerInvitation(team.admin, "decline", token);
    const [accepted, other] = await Promise.all([accept(team.stranger, token), ending]);
    assert.deepEqual(tally([accepted, other]), { 200: 1, 404: 1 });
    assert.equal(team.stranger.accountId in await team.roles(), accepted.status === 200);
  }
});

Deno.test("acceptInvitation refuses an invitation whose inviter or project has gone", async () => {
  await using app = await openTestApp();
  for (let round = 0; round < 6; round++) {
    const team = await openTeam(app);
    const body = { email: "ada@example.com", role: "viewer" };
    const sent = ok(await team.admin.send({ path: team.path("/members"), body }), 201);
    const path = team.path(`/members/${team.admin.accountId}`);
    const endingCall = [
      deleteCall(path),
      patchCall(path, { role: "viewer" }),
      deleteCall(team.path(), {
        name: "Test",
      }),
    ][round % 3]!;
    const [accepted, ended] = await Promise.all([
      accept(team.stranger, sent.token),
      team.owner.send(endingCall),
    ]);
    ok(ended);
    assert.ok([200, 404].includes(accepted.status), accepted.text);
    const late = await accept(await openAccount(app), sent.token);
    refused(late, 404, "INVITATION_NOT_FOUND");
  }
});

Deno.test("concurrent transfers and role changes leave exactly one owner at any time", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { owner, admin, viewer, projectId } = team;
  const accounts = [owner, admin, viewer];
  for (let round = 0; round < 4; round++) {
    const seen: string[][][] = [];
    const watching = (async () => {
      for (const _ of times(10, () => null)) seen.push(await owners(app, projectId));
    })();
    const calls = accounts.flatMap((from) =>
      accounts.filter((to) => to !== from).flatMap((to) => [
        transfer(team, from, to),
        from.send(patchCall(team.path(`/members/${to.accountId}`), { role: "admin" })),
      ])
    );
    const answers = await Promise.all(calls);
    await watching;
    for (const { status, text } of answers) assert.ok([200, 403, 404, 409].includes(status), text);
    seen.push(await owners(app, projectId));
    for (const [byProject, byMembers] of seen) {
      assert.equal(byMembers!.length, 1, "one member is the owner");
      assert.deepEqual(byMembers, byProject);
    }
  }
});

Deno.test("exactly one of several concurrent transfers succeeds", async () => {
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

Deno.test("accepting ownership and leaving the project concurrently: exactly one succeeds", async () => {
  await using app = await openTestApp();
  for (let round = 0; round < 5; round++) {
    const team = await openTeam(app);
    const { accountId } = team.viewer;
    const { token } = await offer(team, team.viewer);
    const [moved, left] = await Promise.all([
      accept(team.viewer, token),
      team.viewer.send(deleteCall(team.path(`/members/${accountId}`))),
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
