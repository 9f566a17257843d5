import assert from "node:assert/strict";
import { createAccount } from "@/lib/accounts/register_account.ts";
import { ACCOUNTS } from "@/lib/projects/account_records.ts";
import { INVITATION_MS } from "@/lib/limits.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Answer } from "../support/conforming_client.ts";
import { openAccount, PASSWORD } from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { accept, invite, NO_TOKEN, offer, type Sent } from "./invitations.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import { openTeam, removed, type Team } from "./team.ts";

let people = 0;

const register = (app: TestApp, given: Record<string, unknown> = {}): Promise<Answer> => {
  const body = { email: `p${people}@example.com`, password: PASSWORD, ...given };
  // Each from an address of their own: of one address few passwords wait at once.
  return app.send({ path: "/api/auth/register", body, peer: `198.51.100.${people++}` });
};

const accountsOf = ({ services }: TestApp): Promise<number> =>
  services.engine.records("control", ACCOUNTS).count(ALL);

/** The same deployment under another rule: its team was made while anybody could register. */
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

Deno.test("left out: the first registers, and everybody else by invitation", async () => {
  await using app = await openTestApp({ env: { REGISTRATION: "" } });
  ok(await register(app), 201);
  refused(await register(app), 403, "REGISTRATION_INVITED");
  assert.equal(await accountsOf(app), 1);
});

Deno.test("of twenty first registrations at once one is the first", async () => {
  await using app = await openTestApp({ env: { REGISTRATION: "" } });
  const answers = await Promise.all(times(20, () => register(app)));
  assert.deepEqual(tally(answers), { 201: 1, 403: 19 });
  for (const answer of answers.filter(({ status }) => status === 403)) {
    refused(answer, 403, "REGISTRATION_INVITED");
  }
  assert.equal(await accountsOf(app), 1);
});

Deno.test("nobody is the first after an account of the command line, nor when all are gone", async () => {
  await using app = await openTestApp({ env: { REGISTRATION: "" } });
  const given = { email: "cli@example.com", password: PASSWORD, name: null, plan: "free" } as const;
  await createAccount(app.services, given);
  refused(await register(app), 403, "REGISTRATION_INVITED");
  await app.services.engine.records("control", ACCOUNTS).deleteOne(eq("email", given.email));
  refused(await register(app), 403, "REGISTRATION_INVITED");
  assert.equal(await accountsOf(app), 0);
});

Deno.test("a first registration that is refused for another reason leaves the place free", async () => {
  await using app = await openTestApp({ env: { REGISTRATION: "" } });
  refused(await register(app, { password: "password" }), 400, "INVALID_PASSWORD");
  refused(await register(app, { email: "no" }), 400, "INVALID_BODY");
  ok(await register(app), 201);
});

Deno.test("invited: a link makes one account, with any address, which still has to accept", async () => {
  await underRule("invited", async (app, team) => {
    const { token: invitation } = await invite(team, "ada@example.com");
    const answer = await register(app, { invitation });
    ok(answer, 201);
    assert.equal(Object.keys(await team.roles()).length, 3);
    refused(await register(app, { invitation }), 403, "REGISTRATION_INVITED");
    // The link is left for whom it was meant, who has an account now.
    ok(await accept(team.stranger, invitation));
  });
});

Deno.test("invited: of ten registrations by one link at once one makes an account", async () => {
  await underRule("invited", async (app, team) => {
    const { token: invitation } = await invite(team, "ada@example.com");
    const before = await accountsOf(app);
    const answers = await Promise.all(times(10, () => register(app, { invitation })));
    assert.deepEqual(tally(answers), { 201: 1, 403: 9 });
    assert.equal(await accountsOf(app), before + 1);
  });
});

Deno.test("invited: a known e-mail is 409, and the link is not used up by it", async () => {
  await underRule("invited", async (app, team) => {
    const { token: invitation } = await invite(team, "ada@example.com");
    const { email } = team.owner;
    refused(await register(app, { email, invitation }), 409, "ACCOUNT_EXISTS");
    // Without one nobody learns who has an account.
    refused(await register(app, { email }), 403, "REGISTRATION_INVITED");
    ok(await register(app, { invitation }), 201);
  });
});

Deno.test("invited: what cannot be accepted registers nobody", async () => {
  await underRule("invited", async (app, team) => {
    const dead = async ({ token: invitation }: Pick<Sent, "token">) =>
      refused(await register(app, { invitation }), 403, "REGISTRATION_INVITED");
    const before = await accountsOf(app);
    refused(await register(app), 403, "REGISTRATION_INVITED");
    refused(await register(app, { invitation: null }), 403, "REGISTRATION_INVITED");
    await dead({ token: NO_TOKEN });
    const accepted = await invite(team, "a@example.com");
    ok(await accept(team.stranger, accepted.token));
    await dead(accepted);
    await dead(await offer(team, team.viewer));
    const withdrawn = await invite(team, "b@example.com");
    ok(await team.owner.send(removed(team.path(`/invitations/${withdrawn.invitationId}`))));
    await dead(withdrawn);
    const byAdmin = ok(
      await team.admin.send({
        path: team.path("/members"),
        body: { email: "c@example.com", role: "viewer" },
      }),
      201,
    );
    ok(await team.owner.send(removed(team.path(`/members/${team.admin.accountId}`))));
    await dead(byAdmin);
    const late = await invite(team, "d@example.com");
    app.clock.advance(INVITATION_MS);
    await dead(late);
    assert.equal(await accountsOf(app), before);
  });
});

Deno.test("invited, said aloud, has no first visitor", async () => {
  await using app = await openTestApp({ env: { REGISTRATION: "invited" } });
  refused(await register(app), 403, "REGISTRATION_INVITED");
});

Deno.test("closed: nobody registers, invited or not", async () => {
  await underRule("closed", async (app, team) => {
    const { token: invitation } = await invite(team, "ada@example.com");
    refused(await register(app), 403, "REGISTRATION_CLOSED");
    refused(await register(app, { invitation }), 403, "REGISTRATION_CLOSED");
    ok(await accept(team.stranger, invitation));
  });
  await using empty = await openTestApp({ env: { REGISTRATION: "closed" } });
  refused(await register(empty), 403, "REGISTRATION_CLOSED");
});

Deno.test("open: an invitation is not looked at, nor used up", async () => {
  await underRule("open", async (app, team) => {
    const { token: invitation } = await invite(team, "ada@example.com");
    ok(await register(app, { invitation }), 201);
    ok(await register(app, { invitation: NO_TOKEN }), 201);
    const ada = await openAccount(app);
    ok(await accept(ada, invitation));
  });
});
