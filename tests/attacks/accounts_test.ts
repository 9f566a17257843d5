import assert from "node:assert/strict";
import { admin } from "../acceptance/server.ts";
import { issueToken } from "../acceptance/project.ts";
import {
  assertSentBack,
  type Fixture,
  openFixture,
  type ProviderName,
  PROVIDERS,
  type SignInProject,
  userIdOfToken,
} from "./fixture.ts";

function createPerson(fixture: Fixture, provider: ProviderName, email: string, verified: unknown) {
  if (provider === "google") return fixture.googlePerson({ email, emailVerified: verified }).login;
  const emails = [{ email, primary: true, verified: verified as boolean }];
  return fixture.githubPerson({ emails }).login;
}

async function createLocalUser(
  fixture: Fixture,
  { projectId }: SignInProject,
  email: string,
  verified: boolean,
) {
  const { settings } = fixture.server;
  const words = ["user", "create", "--project", projectId, "--email", email];
  const { userId } = await admin(verified ? [...words, "--verified"] : words, settings);
  const token = fixture.secret(await issueToken(settings, { projectId }, userId));
  return { userId: userId as string, token };
}

Deno.test("attacks on accounts", async (t) => {
  await using fixture = await openFixture();
  const project = await fixture.project();
  const signIn = (provider: ProviderName, login: string, at = project) =>
    fixture.visitor().signIn(at, provider, login);
  const userOf = async (id: string, at = project) =>
    (await fixture.users(at)).find(({ _id }) => _id === id)!;

  for (const provider of PROVIDERS) {
    await t.step(
      `e-mail pre-hijack: an unverified account loses its sessions to ${provider}'s proof`,
      async () => {
        const email = `victim-${provider}@example.com`;
        const planted = await createLocalUser(fixture, project, email, false);
        assert.equal(await userIdOfToken(fixture, project, planted.token), planted.userId);
        const back = await signIn(provider, createPerson(fixture, provider, email, true));
        assert.deepEqual([back.userId, back.linkedByEmail], [planted.userId, true]);
        assert.equal(
          await userIdOfToken(fixture, project, planted.token),
          null,
          "the attacker's session has ended",
        );
        const user = await userOf(back.userId);
        assert.equal(user.emailVerified, true);
        assert.equal((user.providers as unknown[]).length, 1);
      },
    );

    await t.step(
      `e-mail pre-hijack: an e-mail that ${provider} has not verified is never stored`,
      async () => {
        const email = `waiting-${provider}@example.com`;
        const attacker = await signIn(provider, createPerson(fixture, provider, email, false));
        assert.equal((await userOf(attacker.userId)).email, null);
        const other = provider === "github" ? "google" : "github";
        const victim = await signIn(other, createPerson(fixture, other, email, true));
        assert.deepEqual([victim.isNewUser, victim.linkedByEmail], [true, false]);
        assert.notEqual(victim.userId, attacker.userId);
        assert.equal(await userIdOfToken(fixture, project, attacker.token), attacker.userId);
      },
    );

    await t.step(
      `unverified provider e-mail: only a literal true from ${provider} counts`,
      async () => {
        const email = `owner-${provider}@example.com`;
        const owner = await createLocalUser(fixture, project, email, true);
        // GitHub's flag is in its list, and either provider might send another type.
        for (const verified of [false, "true", "yes", 1, null, {}, [true]]) {
          const back = await signIn(provider, createPerson(fixture, provider, email, verified));
          assert.notEqual(back.userId, owner.userId, JSON.stringify(verified));
          assert.equal(back.linkedByEmail, false);
          assert.equal((await userOf(back.userId)).email, null);
        }
        assert.equal(await userIdOfToken(fixture, project, owner.token), owner.userId);
        const back = await signIn(provider, createPerson(fixture, provider, email, true));
        assert.deepEqual([back.userId, back.linkedByEmail], [owner.userId, true]);
      },
    );
  }

  await t.step("e-mail of the profile: GitHub's public address proves nothing", async () => {
    const owner = await createLocalUser(fixture, project, "public@example.com", true);
    const publicEmail = "public@example.com";
    const { login } = fixture.githubPerson({ publicEmail, emails: [] });
    const back = await signIn("github", login);
    assert.notEqual(back.userId, owner.userId);
  });

  await t.step("secondary e-mail: only the primary address links", async () => {
    const owner = await createLocalUser(fixture, project, "second@example.com", true);
    const { login } = fixture.githubPerson({
      emails: [
        { email: "second@example.com", primary: false, verified: true },
        { email: "first-of-two@example.com", primary: true, verified: true },
      ],
    });
    assert.notEqual((await signIn("github", login)).userId, owner.userId);
  });

  await t.step(
    "look-alike e-mail: addresses are equal only up to letter case",
    async () => {
      const owner = await createLocalUser(fixture, project, "mike.sky@example.com", true);
      for (
        const email of [
          "mi\u212Ae.sky@example.com", // The Kelvin sign, which becomes k in lower case.
          "mike.\u017Fky@example.com", // The long s, which becomes S in upper case.
          "m\u0456ke.sky@example.com",
          "m\u0131ke.sky@example.com",
          "mike.sky@ex\u0430mple.com",
          "mike.sky@example\u3002com",
          "mike.sky\u200B@example.com",
          "\uFF4Dike.sky@example.com",
          "mike.sky+x@example.com",
          " mike.sky@example.com",
          "mike.sky@example.com.",
          "mike.sky@example.com\u0000",
          "mike.sky@example.com,evil@evil.example",
        ]
      ) {
        for (const provider of PROVIDERS) {
          const back = await signIn(provider, createPerson(fixture, provider, email, true));
          assert.notEqual(back.userId, owner.userId, JSON.stringify(email));
        }
      }
      const same = await signIn(
        "github",
        createPerson(fixture, "github", "Mike.Sky@Example.com", true),
      );
      assert.equal(same.userId, owner.userId);
    },
  );

  await t.step("a provider's user id may not be an object, an array or another type", async () => {
    const victim = fixture.githubPerson();
    const own = await signIn("github", victim.login);
    const before = (await fixture.users(project)).length;
    const odd = [
      { $ne: 0 },
      { $gt: 0 },
      [victim.id],
      [],
      {},
      String(victim.id),
      victim.id + 0.5,
      -victim.id,
      0,
      null,
      true,
      1e21,
      2 ** 53,
      "",
    ];
    for (const id of odd) {
      const { login } = fixture.githubPerson({ id });
      const visitor = fixture.visitor();
      const answer = await visitor.open(await visitor.approveSignIn(project, "github", login));
      assertSentBack(answer, project);
    }
    const oddSubjects = [
      { $ne: "" },
      ["x"],
      7,
      null,
      true,
      "",
      " x",
      "a b",
      "x\u0000",
      "é",
      "x".repeat(256),
    ];
    for (const sub of oddSubjects) {
      const { login } = fixture.googlePerson({ sub });
      const visitor = fixture.visitor();
      const answer = await visitor.open(await visitor.approveSignIn(project, "google", login));
      assertSentBack(answer, project);
    }
    assert.equal((await fixture.users(project)).length, before, "no user was created");
    assert.equal((await signIn("github", victim.login)).userId, own.userId);
  });

  await t.step("one id at two providers belongs to two users", async () => {
    const { id, login } = fixture.githubPerson();
    const googleTwin = fixture.googlePerson({ sub: String(id) });
    const [first, second] = [
      await signIn("github", login),
      await signIn("google", googleTwin.login),
    ];
    assert.notEqual(first.userId, second.userId);
  });

  await t.step("a reused provider login belongs to a new user", async () => {
    const former = fixture.githubPerson();
    const first = await signIn("github", former.login);
    fixture.githubPerson({ login: former.login, id: former.id + 1_000_000 });
    const second = await signIn("github", former.login);
    assert.notEqual(second.userId, first.userId);
    assert.equal(second.isNewUser, true);
  });

  await t.step("a sign-in does not take an e-mail that now belongs to another user", async () => {
    const email = "moved@example.com";
    const person = fixture.githubPerson();
    const first = await signIn("github", person.login);
    const owner = await createLocalUser(fixture, project, email, true);
    fixture.githubPerson({ ...person, emails: [{ email, primary: true, verified: true }] });
    const again = await signIn("github", person.login);
    assert.deepEqual([again.userId, again.linkedByEmail], [first.userId, false]);
    assert.equal((await userOf(owner.userId)).email, email);
    assert.notEqual((await userOf(first.userId)).email, email);
  });

  await t.step(
    "the policy `never`: an e-mail does not link accounts of two providers",
    async () => {
      const strict = await fixture.project({ linking: "never" });
      const email = "never@example.com";
      const first = await signIn("github", createPerson(fixture, "github", email, true), strict);
      const second = await signIn("google", createPerson(fixture, "google", email, true), strict);
      assert.notEqual(first.userId, second.userId);
      assert.equal(second.linkedByEmail, false);
    },
  );

  await t.step("mass assignment: users set only the fields that they may set", async () => {
    const { token, userId } = await signIn("github", fixture.githubPerson().login);
    const before = await userOf(userId);
    const { publishableKey: key } = project;
    for (
      const body of [
        { email: "president@example.com" },
        { emailVerified: true },
        { disabled: false },
        { providers: [{ provider: "github", providerUserId: "1", linkedAt: "2026-01-01" }] },
        { passwordHash: "x" },
        { _id: "0".repeat(24) },
        { ownMembers: [] },
        { lastSignInAt: null },
        { name: "Nice", emailLower: "president@example.com" },
        { name: { $set: 1 } },
        { "providers.0.provider": "google" },
        '{"__proto__":{"email":"x"}}',
        { avatarUrl: "javascript:alert(1)" },
      ]
    ) {
      const call = { method: "PATCH", path: "/api/userAuth/me", key, token, body };
      assert.equal((await fixture.send(call)).status, 400, JSON.stringify(body));
    }
    assert.deepEqual(await userOf(userId), before);
  });

  await t.step("a user's token does not read or manage other users", async () => {
    const mallory = await signIn("github", fixture.githubPerson().login);
    const victim = await signIn("github", fixture.githubPerson().login);
    const { publishableKey: key } = project;
    const path = `/api/userAuth/users/${victim.userId}`;
    for (
      const call of [
        { path: "/api/userAuth/users" },
        { path },
        { method: "PATCH", path, body: { disabled: true } },
        { method: "DELETE", path },
        { method: "DELETE", path: `${path}/sessions` },
      ]
    ) {
      for (const token of [mallory.token, victim.token]) {
        const { status, body } = await fixture.send({ ...call, key, token });
        assert.deepEqual([status, body.code], [403, "SECRET_KEY_REQUIRED"], call.path);
      }
    }
    assert.equal(await userIdOfToken(fixture, project, victim.token), victim.userId);
  });

  await t.step("records about users are not reachable as a collection with any key", async () => {
    const names = ["_users", "users", "Users", "_sessions", "_refreshTokens", "_exchangeCodes"];
    for (const name of [...names, "_identities", "_signInStates", "_providers", "%5Fusers"]) {
      for (const key of [project.secretKey, project.publishableKey]) {
        for (const path of [`/api/data/${name}`, `/api/schemas/${name}`]) {
          const { status } = await fixture.send({ path, key });
          assert.ok([400, 403, 404].includes(status), `${path}: ${status}`);
        }
      }
    }
  });

  await t.step(
    "one person in two projects is two users, and no token is valid in both",
    async () => {
      const other = await fixture.project();
      const { login } = fixture.githubPerson();
      const [here, there] = [await signIn("github", login), await signIn("github", login, other)];
      assert.notEqual(here.userId, there.userId);
      assert.equal(await userIdOfToken(fixture, other, here.token), null);
      assert.equal(await userIdOfToken(fixture, project, there.token), null);
    },
  );

  await t.step("twenty concurrent first sign-ins of one person create one user", async () => {
    const fresh = await fixture.project();
    for (const provider of PROVIDERS) {
      const login = createPerson(fixture, provider, `crowd-${provider}@example.com`, true);
      const backs = await Promise.all(
        Array.from({ length: 20 }, () => signIn(provider, login, fresh)),
      );
      assert.equal(new Set(backs.map(({ userId }) => userId)).size, 1);
      assert.equal(backs.filter(({ isNewUser }) => isNewUser).length, 1);
    }
    assert.equal((await fixture.users(fresh)).length, 2);
  });
});
