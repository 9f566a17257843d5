import assert from "node:assert/strict";
import { createAccount } from "@/lib/accounts/register_account.ts";
import { ACCOUNTS } from "@/lib/projects/account_records.ts";
import { INVITATION_MS } from "@/lib/limits.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Answer } from "../support/conforming_client.ts";
import { openAccount, PASSWORD } from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { accept, invite, NO_TOKEN, offer, type SentInvitation } from "./invitations.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import { deleteCall, openTeam, type Team } from "./team.ts";

let people = 0;

const register = (app: TestApp, given: Record<string, unknown> = {}): Promise<Answer> => {
  const body = { email: `p${people}@example.com`, password: PASSWORD, ...given };
  // Each from its own address, because only few passwords of one address may wait at once.
  return app.send({ path: "/api/auth/register", body, peer: `198.51.100.${people++}` });
};

const accountsOf = ({ services }: TestApp): Promise<number> =>
  services.engine.records("control", ACCOUNTS).count(ALL);

/** Runs `work` under another registration rule, after the team has registered. */
async function underRule(
  rule: string,
  work: (app: TestApp, team: Team, before: TestApp) => Promise<void>,
): Promise<void> {
  await using before = await openTestApp();
  const team = await openTeam(before);
  const { store, clock } = before;
  await using app = await openTestApp({ store, clock, env: { REGISTRATION: rule } });
  await work(app, team, before);
}

Deno.test("REGISTRATION empty: the first registers freely, all others by invitation", async () => {
  await using app = await openTestApp({ env: { REGISTRATION: "" } });
  ok(await register(app), 201);
  refused(await register(app), 403, "REGISTRATION_INVITED");
  assert.equal(await accountsOf(app), 1);
});

Deno.test("of twenty concurrent first registrations one succeeds", async () => {
  await using app = await openTestApp({ env: { REGISTRATION: "" } });
  const answers = await Promise.all(times(20, () => register(app)));
  assert.deepEqual(tally(answers), { 201: 1, 403: 19 });
  for (const answer of answers.filter(({ status }) => status === 403)) {
    refused(answer, 403, "REGISTRATION_INVITED");
  }
  assert.equal(await accountsOf(app), 1);
});

Deno.test("after an account made by command, even a deleted one, registering needs an invitation", async () => {
  await using app = await openTestApp({ env: { REGISTRATION: "" } });
  const given = { email: "cli@example.com", password: PASSWORD, name: null, plan: "free" } as const;
  await createAccount(app.services, given);
  refused(await register(app), 403, "REGISTRATION_INVITED");
  await app.services.engine.records("control", ACCOUNTS).deleteOne(eq("email", given.email));
  refused(await register(app), 403, "REGISTRATION_INVITED");
  assert.equal(await accountsOf(app), 0);
});

Deno.test("a first registration refused for another reason does not use up the first place", async () => {
  await using app = await openTestApp({ env: { REGISTRATION: "" } });
  refused(await register(app, { password: "password" }), 400, "INVALID_PASSWORD");
  refused(await register(app, { email: "no" }), 400, "INVALID_BODY");
  ok(await register(app), 201);
});

Deno.test("invited: a link lets one account register, with any address, and must still be accepted", async () => {
  await underRule("invited", async (app, team) => {
    const { token: invitation } = await invite(team, "ada@example.com");
    const answer = await register(app, { invitation });
    ok(answer, 201);
    assert.equal(Object.keys(await team.roles()).length, 3);
    refused(await register(app, { invitation }), 403, "REGISTRATION_INVITED");
    // The invited person, who has an account by now, can still use the link.
    ok(await accept(team.stranger, invitation));
  });
});

Deno.test("invited: of ten concurrent registrations with one link one succeeds", async () => {
  await underRule("invited", async (app, team) => {
    const { token: invitation } = await invite(team, "ada@example.com");
    const before = await accountsOf(app);
    const answers = await Promise.all(times(10, () => register(app, { invitation })));
    assert.deepEqual(tally(answers), { 201: 1, 403: 9 });
    assert.equal(await accountsOf(app), before + 1);
  });
});

Deno.test("invited: a known e-mail is 409 and does not use up the link", async () => {
  await underRule("invited", async (app, team) => {
    const { token: invitation } = await invite(team, "ada@example.com");
    const { email } = team.owner;
    refused(await register(app, { email, invitation }), 409, "ACCOUNT_EXISTS");
    // Without a link the response does not reveal who has an account.
    refused(await register(app, { email }), 403, "REGISTRATION_INVITED");
    ok(await register(app, { invitation }), 201);
  });
});

Deno.test("invited: an invitation that cannot be accepted admits no registration", async () => {
  await underRule("invited", async (app, team) => {
    const assertDead = async ({ token: invitation }: Pick<SentInvitation, "token">) =>
      refused(await register(app, { invitation }), 403, "REGISTRATION_INVITED");
    const before = await accountsOf(app);
    refused(await register(app), 403, "REGISTRATION_INVITED");
    refused(await register(app, { invitation: null }), 403, "REGISTRATION_INVITED");
    await assertDead({ token: NO_TOKEN });
    const accepted = await invite(team, "a@example.com");
    ok(await accept(team.stranger, accepted.token));
    await assertDead(accepted);
    await assertDead(await offer(team, team.viewer));
    const withdrawn = await invite(team, "b@example.com");
    ok(await team.owner.send(deleteCall(team.path(`/invitations/${withdrawn.invitationId}`))));
    await assertDead(withdrawn);
    const byAdmin = ok(
      await team.admin.send({
        path: team.path("/members"),
        body: { email: "c@example.com", role: "viewer" },
      }),
      201,
    );
    ok(await team.owner.send(deleteCall(team.path(`/members/${team.admin.accountId}`))));
    await assertDead(byAdmin);
    const late = await invite(team, "d@example.com");
    app.clock.advance(INVITATION_MS);
    await assertDead(late);
    assert.equal(await accountsOf(app), before);
  });
});

Deno.test("REGISTRATION=invited: not even the first may register without an invitation", async () => {
  await using app = await openTestApp({ env: { REGISTRATION: "invited" } });
  refused(await register(app), 403, "REGISTRATION_INVITED");
});

Deno.test("closed: no registration is accepted, invited or not", async () => {
  await underRule("closed", async (app, team) => {
    const { token: invitation } = await invite(team, "ada@example.com");
    refused(await register(app), 403, "REGISTRATION_CLOSED");
    refused(await register(app, { invitation }), 403, "REGISTRATION_CLOSED");
    ok(await accept(team.stranger, invitation));
  });
  await using empty = await openTestApp({ env: { REGISTRATION: "closed" } });
  refused(await register(empty), 403, "REGISTRATION_CLOSED");
});

Deno.test("open: an invitation is neither checked nor used up", async () => {
  await underRule("open", async (app, team) => {
    const { token: invitation } = await invite(team, "ada@example.com");
    ok(await register(app, { invitation }), 201);
    ok(await register(app, { invitation: NO_TOKEN }), 201);
    const ada = await openAccount(app);
    ok(await accept(ada, invitation));
  });
});
