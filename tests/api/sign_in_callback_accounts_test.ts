import assert from "node:assert/strict";
import { createUser } from "@/lib/auth/create_user.ts";
import { IDENTITIES, identityOf, type IdentityRecord } from "@/lib/auth/identities.ts";
import { issueToken } from "@/lib/auth/issue_token.ts";
import { type SessionRecord, SESSIONS } from "@/lib/auth/sessions.ts";
import { type UserRecord, USERS } from "@/lib/auth/users.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Change, Id } from "@/lib/store/port.ts";
import { verifiedEmail } from "../support/github_fake.ts";
import { times } from "./test_collection.ts";
import {
  assertTraceless,
  claimsOf,
  declareFields,
  setAuth,
  signUp,
  storedUser,
} from "./user_email.ts";
import {
  assertFailedWith,
  openSignInFixture,
  type ProviderName,
  type SignInFixture,
  type SignInProject,
} from "./sign_in_fixture.ts";

const BOTH: readonly ProviderName[] = ["github", "google"];

const changeUser = async (
  fixture: SignInFixture,
  { projectId }: SignInProject,
  id: Id,
  change: Change,
) =>
  await fixture.app.services.engine.records<UserRecord>(projectId, USERS)
    .updateOne(eq("_id", id), change);

const sessionsOf = ({ app }: SignInFixture, { projectId }: SignInProject) =>
  app.services.engine.records<SessionRecord>(projectId, SESSIONS);

Deno.test("a second sign-in finds the same user and changes only the time of sign-in", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  for (const provider of BOTH) {
    const who = provider === "github" ? "ann" : "bob";
    const first = await fixture.browser().signIn(project, provider, who);
    const before = await project.userByEmail(`${who}@example.com`);
    fixture.app.clock.advance(60_000);
    const { parameters } = await fixture.browser().signIn(project, provider, who);
    assert.equal(parameters.userId, first.parameters.userId);
    assert.deepEqual([parameters.isNewUser, parameters.linkedByEmail], ["false", "false"]);
    const lastSignInAt = new Date(fixture.app.clock.now()).toISOString();
    assert.deepEqual(await project.userByEmail(`${who}@example.com`), {
      ...before,
      lastSignInAt,
    });
  }
});

Deno.test("20 concurrent first sign-ins of one person create one user", async () => {
  await using fixture = await openSignInFixture();
  for (const provider of BOTH) {
    const project = await fixture.project();
    const arrivals = await Promise.all(
      times(20, () => fixture.browser().signIn(project, provider, "ann")),
    );
    assert.equal(new Set(arrivals.map(({ parameters }) => parameters.userId)).size, 1);
    const fresh = arrivals.filter(({ parameters }) => parameters.isNewUser === "true");
    assert.equal(fresh.length, 1);
    assert.deepEqual([(await project.users()).length, (await project.identities()).length], [1, 1]);
    assert.equal(await sessionsOf(fixture, project).count(ALL), 20);
  }
});

Deno.test("concurrent first sign-ins of one person in two processes create one user", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const apps = [fixture.app, await fixture.another()];
  const arrivals = await Promise.all(
    times(20, (i) => fixture.browser(apps[i % 2]).signIn(project, "github", "ann")),
  );
  for (const { token } of arrivals) assert.ok(token);
  const fresh = arrivals.filter(({ parameters }) => parameters.isNewUser === "true");
  assert.equal(fresh.length, 1);
  assert.deepEqual([(await project.users()).length, (await project.identities()).length], [1, 1]);
});

Deno.test("concurrent first sign-ins of one person with two providers create one user with both", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const arrivals = await Promise.all(
    times(20, (i) => fixture.browser().signIn(project, BOTH[i % 2]!, "ann")),
  );
  for (const { token } of arrivals) assert.ok(token);
  const count = (name: string) =>
    arrivals.filter(({ parameters }) => parameters[name] === "true").length;
  assert.deepEqual([count("isNewUser"), count("linkedByEmail")], [1, 1]);
  const [user, ...others] = await project.users();
  assert.deepEqual(others, []);
  assert.deepEqual(user!.providers.map(({ provider }) => provider).toSorted(), BOTH);
  assert.equal((await project.identities()).length, 2);
});

Deno.test("an identity is the provider's id: a login that is reused is another person", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { parameters: ann } = await fixture.browser().signIn(project, "github", "ann");
  fixture.github.join({ login: "ann-of-old", id: 1, emails: verifiedEmail("ann@example.com") });
  fixture.github.join({ login: "ann", id: 99, name: "Not Ann", emails: [] });
  const { parameters: taker } = await fixture.browser().signIn(project, "github", "ann");
  assert.equal(taker.isNewUser, "true");
  assert.notEqual(taker.userId, ann.userId);
  const { parameters: again } = await fixture.browser().signIn(project, "github", "ann-of-old");
  assert.equal(again.userId, ann.userId);
});

Deno.test("equal ids at two providers are two people", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  fixture.github.join({ login: "one", id: 555, emails: [] });
  fixture.google.join("other", { sub: "555" });
  const { parameters: one } = await fixture.browser().signIn(project, "github", "one");
  const { parameters: other } = await fixture.browser().signIn(project, "google", "other");
  assert.notEqual(one.userId, other.userId);
});

Deno.test("a GitHub id that is not a positive integer is refused", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const ids = ["1", 1.5, -1, 0, 2 ** 53, null, true, [1], { id: 1 }, { $ne: null }];
  for (const id of ids) {
    fixture.github.join({ login: "mallory", id, emails: verifiedEmail("ann@example.com") });
    const arrival = await fixture.browser().signIn(project, "github", "mallory");
    assertFailedWith(arrival, "The provider's answer could not be verified");
  }
  assert.deepEqual(await project.users(), []);
});

Deno.test("only GitHub's primary address counts, and only if it is verified", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const [mine, other] = ["carol@example.com", "ann@example.com"];
  const table: [{ email: string; primary: boolean; verified: boolean }[], string | null][] = [
    [[], null],
    [[{ email: mine, primary: true, verified: false }], null],
    [[{ email: mine, primary: false, verified: true }], null],
    [[
      { email: other, primary: false, verified: true },
      { email: mine, primary: true, verified: false },
    ], null],
    [[{ email: "carol@example.com, eve@example.com", primary: true, verified: true }], null],
    [[
      { email: other, primary: false, verified: true },
      { email: mine, primary: true, verified: true },
    ], mine],
  ];
  for (const [i, [emails, expected]] of table.entries()) {
    fixture.github.join({ login: "carol", id: 200 + i, publicEmail: other, emails });
    const { parameters } = await fixture.browser().signIn(project, "github", "carol");
    const user = (await project.users()).find(({ _id }) => _id === parameters.userId)!;
    assert.deepEqual([user.email, user.emailVerified], [expected, expected !== null]);
  }
});

Deno.test("a verified address links to its account in any letter case, and keeps the sessions", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const first = await fixture.browser().signIn(project, "github", "ann");
  fixture.google.join("ann", { sub: "sub-1", email: "ANN@Example.com", emailVerified: true });
  fixture.app.clock.advance(1000);
  const second = await fixture.browser().signIn(project, "google", "ann");
  assert.equal(second.parameters.userId, first.parameters.userId);
  assert.deepEqual(
    [second.parameters.isNewUser, second.parameters.linkedByEmail],
    ["false", "true"],
  );
  const user = await project.userByEmail("ann@example.com");
  assert.equal(user.email, "ann@example.com", "the first spelling stays");
  assert.deepEqual(user.providers.map(({ provider }) => provider), BOTH);
  const { tokens } = fixture.app.services;
  assert.ok(await tokens.verify(project.projectId, first.token!));
  const third = await fixture.browser().signIn(project, "google", "ann");
  assert.equal(third.parameters.linkedByEmail, "false", "linked once");
});

Deno.test("a project that never links keeps two users, and the address with the first", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project({ linking: "never" });
  const { parameters: one } = await fixture.browser().signIn(project, "github", "ann");
  const { parameters: two } = await fixture.browser().signIn(project, "google", "ann");
  assert.notEqual(two.userId, one.userId);
  assert.deepEqual([two.isNewUser, two.linkedByEmail], ["true", "false"]);
  assert.equal((await project.userByEmail("ann@example.com"))._id, one.userId);
  const other = (await project.users()).find(({ _id }) => _id === two.userId)!;
  assert.deepEqual([other.email, other.emailVerified], [null, false]);
  const { parameters: again } = await fixture.browser().signIn(project, "google", "ann");
  assert.equal(again.userId, two.userId);
});

Deno.test("verified sign-in revokes sessions of a pre-registered unverified account", async () => {
  let logged = "";
  using log = createLog("warn", (text) => void (logged += text));
  await using fixture = await openSignInFixture({ log });
  const { services } = fixture.app;
  const project = await fixture.project();
  const { projectId } = project;
  // The attacker has a password, a session, and a linked provider with the victim's address.
  const userId = await createUser(services, projectId, {
    email: "ann@example.com",
    verified: false,
  });
  await changeUser(fixture, project, userId, {
    set: {
      passwordHash: "$argon2id$attacker",
      name: "Send money to Eve",
      ownMembers: ["name"],
      providers: [{
        provider: "github",
        providerUserId: "3",
        linkedAt: "2026-01-01T00:00:00.000Z",
      }],
    },
  });
  await services.engine.records<IdentityRecord>(projectId, IDENTITIES).insert({
    _id: services.newId(),
    identity: identityOf("github", "3"),
    userId,
    seen: { email: null, name: "Eve", username: "eve", avatarUrl: null },
  });
  const stolen = await issueToken(services, projectId, { userId, seconds: 900 });
  assert.ok(await services.tokens.verify(projectId, stolen));

  const { parameters, token } = await fixture.browser().signIn(project, "google", "ann");
  assert.deepEqual([parameters.userId, parameters.linkedByEmail], [userId, "true"]);
  const user = await project.userByEmail("ann@example.com");
  assert.deepEqual(
    [user.passwordHash, user.emailVerified, user.name, user.ownMembers],
    [null, true, "Ann", []],
  );
  assert.deepEqual(user.providers.map(({ provider }) => provider), ["google"]);
  assert.equal(await services.tokens.verify(projectId, stolen), null, "revoked immediately");
  assert.ok(await services.tokens.verify(projectId, token!));
  const { parameters: eve } = await fixture.browser().signIn(project, "github", "eve");
  assert.deepEqual([eve.isNewUser, eve.userId === userId], ["true", false]);
  log.flush();
  const events = logged.trim().split("\n").map((line) => JSON.parse(line))
    .filter(({ event }) => event !== undefined);
  assert.deepEqual(events.map(({ event, project, user }) => [event, project, user]), [
    ["account_reclaimed", projectId, userId],
  ]);
});

Deno.test("changed provider data replaces what users have not set themselves", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { parameters } = await fixture.browser().signIn(project, "github", "ann");
  const id = parameters.userId!;
  await changeUser(fixture, project, id, { set: { name: "Anna", ownMembers: ["name"] } });
  fixture.github.join({
    login: "ann2",
    id: 1,
    name: "Ann II",
    avatarUrl: "https://avatars.example/new",
    emails: verifiedEmail("ann2@example.com"),
  });
  fixture.app.clock.advance(1000);
  await fixture.browser().signIn(project, "github", "ann2");
  const user = await project.userByEmail("ann2@example.com");
  assert.equal(user._id, id);
  assert.deepEqual(
    [user.name, user.username, user.avatarUrl, user.emailVerified],
    ["Anna", "ann2", "https://avatars.example/new", true],
  );
  assert.equal(user.updatedAt, new Date(fixture.app.clock.now()).toISOString());
});

Deno.test("a provider's username is adopted only if it is valid and free, in any letter case", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  await signUp(project, { username: "ANN" });
  const { parameters } = await fixture.browser().signIn(project, "github", "ann");
  const read = () => storedUser(fixture.app, project, parameters.userId!);
  const before = await read();
  assert.equal(before.username, null);
  fixture.app.clock.advance(60_000);
  await fixture.browser().signIn(project, "github", "ann");
  const { lastSignInAt: _at, ...same } = await read();
  const { lastSignInAt: _before, ...expected } = before;
  assert.deepEqual(same, expected, "a taken username changes nothing");
  for (const login of ["an", "ann b", "änn-b"]) {
    fixture.github.join({ login, id: 1, name: "Ann", emails: verifiedEmail("ann@example.com") });
    await fixture.browser().signIn(project, "github", login);
    assert.equal((await read()).username, null, login);
  }
  fixture.github.join({ login: "Ann-2", id: 1, emails: verifiedEmail("ann@example.com") });
  await fixture.browser().signIn(project, "github", "Ann-2");
  const { username, usernameLower } = await read();
  assert.deepEqual([username, usernameLower], ["Ann-2", "ann-2"]);
});

Deno.test("while sign-up is closed a provider creates no user, and signs existing ones in", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { parameters: ann } = await fixture.browser().signIn(project, "github", "ann");
  await setAuth(fixture.app, project, { signUp: "closed" });
  await assertTraceless(fixture.app, project, async () => {
    const arrival = await fixture.browser().signIn(project, "github", "bob");
    assertFailedWith(arrival, "This project takes no new users");
  });
  const { parameters: again } = await fixture.browser().signIn(project, "github", "ann");
  assert.equal(again.userId, ann.userId);
  const linked = await fixture.browser().signIn(project, "google", "ann");
  assert.deepEqual([linked.parameters.userId, linked.parameters.linkedByEmail], [
    ann.userId,
    "true",
  ]);
});

Deno.test("a new user gets the defaults of declared fields, and roles are in the next token", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  await declareFields(
    fixture.app,
    project,
    { key: "company", type: "String", required: true },
    { key: "theme", type: "String", default: "dark" },
  );
  const { parameters, token } = await fixture.browser().signIn(project, "github", "ann");
  const id = parameters.userId!;
  assert.deepEqual((await storedUser(fixture.app, project, id)).fields, { theme: "dark" });
  assert.equal(claimsOf(token!).roles, undefined);
  await changeUser(fixture, project, id, { set: { roles: ["editor"], claims: { plan: "pro" } } });
  const again = await fixture.browser().signIn(project, "github", "ann");
  const { roles, claims } = claimsOf(again.token!);
  assert.deepEqual([roles, claims], [["editor"], { plan: "pro" }]);
});

Deno.test("two providers with different data do not undo each other at every sign-in", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  await fixture.browser().signIn(project, "github", "ann");
  fixture.google.join("ann", {
    sub: "sub-1",
    name: "Ann of Google",
    email: "ann@example.com",
    emailVerified: true,
  });
  await fixture.browser().signIn(project, "google", "ann");
  for (const provider of [...BOTH, ...BOTH]) {
    await fixture.browser().signIn(project, provider, "ann");
  }
  assert.equal((await project.userByEmail("ann@example.com")).name, "Ann");
  fixture.google.join("ann", {
    sub: "sub-1",
    name: "Ann again",
    email: "ann.new@example.com",
    emailVerified: true,
  });
  await fixture.browser().signIn(project, "google", "ann");
  for (const provider of BOTH) await fixture.browser().signIn(project, provider, "ann");
  const user = await project.userByEmail("ann.new@example.com");
  assert.equal(user.name, "Ann again");
});

Deno.test("an address that now belongs to another user stays theirs", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { parameters: ann } = await fixture.browser().signIn(project, "github", "ann");
  const { parameters: bob } = await fixture.browser().signIn(project, "github", "bob");
  for (const email of ["bob@example.com", "BOB@example.com"]) {
    fixture.github.join({ login: "ann", id: 1, name: "Ann", emails: verifiedEmail(email) });
    const { parameters } = await fixture.browser().signIn(project, "github", "ann");
    assert.equal(parameters.userId, ann.userId);
  }
  assert.equal((await project.userByEmail("bob@example.com"))._id, bob.userId);
  assert.equal((await project.userByEmail("ann@example.com"))._id, ann.userId);
  await changeUser(fixture, project, bob.userId!, { set: { email: null, emailLower: null } });
  await fixture.browser().signIn(project, "github", "ann");
  assert.equal(
    (await project.userByEmail("bob@example.com"))._id,
    ann.userId,
    "the address is free now",
  );
});

Deno.test("an address that a provider no longer confirms stays stored and verified", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { parameters: ann } = await fixture.browser().signIn(project, "github", "ann");
  fixture.github.join({ login: "ann", id: 1, name: "Ann", emails: [] });
  await fixture.browser().signIn(project, "github", "ann");
  const user = await project.userByEmail("ann@example.com");
  assert.deepEqual([user._id, user.emailVerified], [ann.userId, true]);
});

Deno.test("a disabled user gets an error from every provider, and nothing changes", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { parameters } = await fixture.browser().signIn(project, "github", "ann");
  await changeUser(fixture, project, parameters.userId!, { set: { disabled: true } });
  const before = JSON.stringify([await project.users(), await project.identities()]);
  const sessions = await sessionsOf(fixture, project).count(ALL);
  fixture.app.clock.advance(1000);
  for (const provider of BOTH) {
    const arrival = await fixture.browser().signIn(project, provider, "ann");
    assertFailedWith(arrival, "This account is disabled");
  }
  assert.equal(JSON.stringify([await project.users(), await project.identities()]), before);
  assert.equal(await sessionsOf(fixture, project).count(ALL), sessions);
});

Deno.test("a deleted user who signs in again is a new user", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { parameters: first } = await fixture.browser().signIn(project, "github", "ann");
  const users = fixture.app.services.engine.records<UserRecord>(project.projectId, USERS);
  await users.deleteOne(eq("_id", first.userId!));
  const { parameters: second } = await fixture.browser().signIn(project, "github", "ann");
  assert.deepEqual([second.isNewUser, second.userId === first.userId], ["true", false]);
  assert.equal((await project.identities()).length, 1);
});

Deno.test("a person is a separate user in each project, and tokens do not cross projects", async () => {
  await using fixture = await openSignInFixture();
  const [one, two] = [await fixture.project(), await fixture.project()];
  const here = await fixture.browser().signIn(one, "github", "ann");
  const there = await fixture.browser().signIn(two, "github", "ann");
  assert.notEqual(here.parameters.userId, there.parameters.userId);
  const { tokens } = fixture.app.services;
  assert.equal(await tokens.verify(two.projectId, here.token!), null);
  assert.equal(await tokens.verify(one.projectId, there.token!), null);
});

Deno.test("50 concurrent sign-ins in two projects never mix their applications", async () => {
  await using fixture = await openSignInFixture();
  const projects = [
    await fixture.project(),
    await fixture.project({ siteUrl: "https://other.example" }),
  ];
  assert.notEqual(projects[0]!.clientId, projects[1]!.clientId);
  // Each provider checks that id, secret, address and verifier belong together.
  await Promise.all(times(50, async (i) => {
    const project = projects[i % 2]!;
    const provider = BOTH[Math.floor(i / 2) % 2]!;
    const who = `user-${i}`;
    fixture.github.join({ login: who, id: 1000 + i, emails: verifiedEmail(`${who}@example.com`) });
    fixture.google.join(who, {
      sub: `sub-${1000 + i}`,
      email: `${who}@example.com`,
      emailVerified: true,
    });
    const browser = fixture.browser();
    const begun = new URL((await browser.start(project, provider)).headers.get("location")!);
    assert.equal(begun.searchParams.get("client_id"), project.clientId);
    const answer = await browser.comeBack(await fixture[provider].approve(begun, who));
    const back = new URL(answer.headers.get("location")!);
    const site = i % 2 === 0 ? "https://app.example" : "https://other.example";
    assert.equal(back.origin, site, back.href);
    assert.equal(back.searchParams.get("projectId"), project.projectId);
    assert.equal(back.searchParams.get("error"), null);
  }));
  for (const [parity, project] of projects.entries()) {
    const emails = (await project.users()).map(({ email }) => email);
    const expected = times(25, (n) => `user-${2 * n + parity}@example.com`);
    assert.deepEqual(emails.toSorted(), expected.toSorted());
  }
});
