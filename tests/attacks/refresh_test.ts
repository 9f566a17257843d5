import assert from "node:assert/strict";
import { isSignedIn, refresh, refreshed, signIn } from "../api/signed_in.ts";
import { type Answer, createCollection } from "../acceptance/project.ts";
import { until } from "../acceptance/until.ts";
import { openTestApp } from "../support/test_app.ts";
import {
  type Fixture,
  openFixture,
  refusal,
  type SignInProject,
  userIdOfToken,
  Visitor,
} from "./fixture.ts";

const INVALID = [401, "REFRESH_TOKEN_INVALID"];

/** Milliseconds after a token's first use in which a repeat is accepted as a lost response. */
const GRACE_MS = 10_000;
const LOG_MS = 10_000;
const REPLAYS_MAX = 50;
const RACERS = 20;

const FOREIGN_ORIGINS = [
  "https://evil.example",
  "https://app.example.evil.example",
  "https://evil-app.example",
  "https://app.example:8443",
  "http://app.example",
  "https://app.example/",
  "https://APP.example",
  "https://app.example.",
  "https://user@app.example",
  "null",
  "https://app.example https://evil.example",
  "file://",
  "",
];

const inHeader = (token: string) => ({ "x-refresh-token": token });

async function signInNewUser(fixture: Fixture, project: SignInProject) {
  const visitor = fixture.visitor();
  const { login } = fixture.githubPerson();
  return { visitor, login, ...await visitor.signInAndExchange(project, "github", login) };
}

/** Renews a session with a token in the body, like a thief or an application without cookies. */
const renew = (fixture: Fixture, project: SignInProject, token: string) =>
  fixture.visitor().post(project, "refresh-token", {}, inHeader(token));

function tokensOf(fixture: Fixture, { status, body, text }: Answer) {
  assert.equal(status, 200, text);
  return {
    access: fixture.secret(body.data.accessToken as string),
    refresh: fixture.secret(body.data.refreshToken as string),
  };
}

Deno.test("attacks on refresh tokens", async (t) => {
  await using fixture = await openFixture();
  const [project, other] = await Promise.all([fixture.project(), fixture.project()]);
  await createCollection(fixture.server.settings, project, { name: "notes", fields: [] });

  /** Asserts that neither the account nor a private list accepts the token. */
  async function assertNoAccess(token: string): Promise<void> {
    assert.equal(await userIdOfToken(fixture, project, token), null);
    const { publishableKey: key } = project;
    const { status } = await fixture.send({ path: "/api/data/notes", key, token });
    assert.equal(status, 401);
  }

  await t.step(
    "refresh reuse: a late replay ends the session for the thief and the owner",
    async () => {
      const { refreshToken: stolen, token, userId } = await signInNewUser(fixture, project);
      const bystander = await signInNewUser(fixture, project);
      const owners = tokensOf(fixture, await renew(fixture, project, stolen));
      const usedAt = performance.now();
      // The server process uses real time, so the test has to wait.
      await until(
        "the grace period is over",
        () => performance.now() - usedAt > GRACE_MS,
        2 * GRACE_MS,
      );
      assert.equal(await userIdOfToken(fixture, project, owners.access), userId);
      assert.deepEqual(refusal(await renew(fixture, project, stolen)), INVALID);
      await assertNoAccess(token);
      await assertNoAccess(owners.access);
      assert.deepEqual(refusal(await renew(fixture, project, owners.refresh)), INVALID);
      await until("the log has a security event", () => {
        const lines = fixture.server.stdout().split("\n");
        return lines.some((line) =>
          line.includes("refresh_token_replayed") && line.includes(userId)
        );
      }, LOG_MS);
      assert.equal(await userIdOfToken(fixture, project, bystander.token), bystander.userId);
    },
  );

  await t.step(
    "refresh race: concurrent renewals all succeed with one successor",
    async () => {
      const { refreshToken, userId } = await signInNewUser(fixture, project);
      const answers = await Promise.all(
        Array.from({ length: RACERS }, () => renew(fixture, project, refreshToken)),
      );
      const won = answers.map((answer) => tokensOf(fixture, answer));
      assert.equal(new Set(won.map(({ refresh }) => refresh)).size, 1);
      for (const { access } of won) {
        assert.equal(await userIdOfToken(fixture, project, access), userId);
      }
      // They share a session: signing out one ends all.
      const [first] = won;
      const out = await fixture.visitor().post(project, "logout", {}, inHeader(first!.refresh));
      assert.equal(out.status, 200);
      for (const { access, refresh } of won) {
        await assertNoAccess(access);
        assert.deepEqual(refusal(await renew(fixture, project, refresh)), INVALID);
      }
    },
  );

  await t.step(
    "refresh flood: renewals with one token are limited, and its session remains valid",
    async () => {
      const { refreshToken, userId } = await signInNewUser(fixture, project);
      const answers = await Promise.all(
        Array.from({ length: REPLAYS_MAX + 20 }, () => renew(fixture, project, refreshToken)),
      );
      const won = answers.filter(({ status }) => status === 200);
      assert.equal(won.length, REPLAYS_MAX + 1, "the first use and the allowed repeats");
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        assert.deepEqual(refusal(answer), INVALID);
      }
      const { refresh } = tokensOf(fixture, won.at(-1)!);
      const { access } = tokensOf(fixture, await renew(fixture, project, refresh));
      assert.equal(await userIdOfToken(fixture, project, access), userId);
    },
  );

  await t.step(
    "guessed secrets: a correct id does not help, and failed attempts change nothing",
    async () => {
      const { refreshToken, token, userId } = await signInNewUser(fixture, project);
      const [id, secret] = refreshToken.split(".") as [string, string];
      for (
        const guess of [
          `${id}.${"A".repeat(secret.length)}`,
          `${id}.${secret.slice(0, -1)}`,
          `${id}.`,
          id,
          `.${secret}`,
          `${"0".repeat(24)}.${secret}`,
          `${refreshToken}.${secret}`,
          `${refreshToken}A`,
          `${id.toUpperCase()}.${secret}x`,
          secret,
        ]
      ) assert.deepEqual(refusal(await renew(fixture, project, guess)), INVALID, guess);
      for (const odd of [{ $ne: "" }, [refreshToken], 1, true]) {
        const answer = await fixture.visitor().post(project, "refresh-token", {
          refreshToken: odd,
        });
        assert.ok([400, 401].includes(answer.status), JSON.stringify(odd));
      }
      assert.equal(await userIdOfToken(fixture, project, token), userId);
      tokensOf(fixture, await renew(fixture, project, refreshToken));
    },
  );

  await t.step("refresh of another project: it is refused and changes nothing", async () => {
    const { refreshToken } = await signInNewUser(fixture, project);
    assert.deepEqual(refusal(await renew(fixture, other, refreshToken)), INVALID);
    const out = await fixture.visitor().post(other, "logout", {}, inHeader(refreshToken));
    assert.equal(out.status, 200);
    tokensOf(fixture, await renew(fixture, project, refreshToken));
  });

  await t.step(
    "cookie of another project: neither its name nor its value is accepted",
    async () => {
      const { visitor, refreshToken } = await signInNewUser(fixture, project);
      const kept = visitor.cookies.get(Visitor.refreshCookie(project));
      assert.equal(kept, refreshToken);
      // The browser sends all its cookies, but the other project's key accepts none of them.
      assert.deepEqual(refusal(await visitor.post(other, "refresh-token")), INVALID);
      const planted = fixture.visitor();
      planted.cookies.set(Visitor.refreshCookie(other), refreshToken);
      assert.deepEqual(refusal(await planted.post(other, "refresh-token")), INVALID);
      assert.deepEqual(refusal(await planted.post(project, "refresh-token")), INVALID);
      assert.equal((await visitor.post(project, "refresh-token")).status, 200);
    },
  );

  await t.step(
    "credentialed refresh from a foreign origin: the cookie is ignored",
    async () => {
      const { visitor } = await signInNewUser(fixture, project);
      const before = visitor.cookies.get(Visitor.refreshCookie(project));
      for (const origin of [...FOREIGN_ORIGINS, fixture.publicUrl, fixture.server.url]) {
        const answer = await visitor.post(project, "refresh-token", {}, { origin });
        assert.deepEqual(refusal(answer), INVALID, origin);
        assert.deepEqual(answer.headers.getSetCookie(), [], origin);
      }
      // A browser request without an origin belongs to an unknown page.
      const { publishableKey: key } = project;
      const path = "/api/userAuth/refresh-token";
      const headers = { "sec-fetch-site": "cross-site" };
      const bare = await visitor.send({ method: "POST", path, key, headers, body: {} });
      assert.deepEqual(refusal(bare), INVALID);
      assert.equal(visitor.cookies.get(Visitor.refreshCookie(project)), before);
      const { status, body } = await visitor.post(project, "refresh-token");
      assert.equal(status, 200);
      assert.equal(body.data.refreshToken, undefined, "a page cannot read its refresh token");
    },
  );

  await t.step("credentialed logout from a foreign origin: it signs no user out", async () => {
    const { visitor, token, userId } = await signInNewUser(fixture, project);
    for (const origin of [...FOREIGN_ORIGINS, fixture.publicUrl]) {
      const out = await visitor.post(project, "logout", {}, { origin });
      assert.equal(out.status, 200, origin);
      assert.deepEqual(out.headers.getSetCookie(), [], origin);
      const all = await visitor.post(project, "logout-all", {}, { origin });
      assert.equal(all.status, 401, origin);
    }
    assert.equal(await userIdOfToken(fixture, project, token), userId);
    assert.equal((await visitor.post(project, "logout")).status, 200);
    assert.equal(await userIdOfToken(fixture, project, token), null);
    assert.equal(visitor.cookies.get(Visitor.refreshCookie(project)), undefined);
  });

  await t.step(
    "credentialed refresh by a form: bodies without a preflight are refused",
    async () => {
      const { visitor } = await signInNewUser(fixture, project);
      for (
        const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
      ) {
        const answer = await visitor.post(project, "refresh-token", '{"a":1}', {
          "content-type": type,
        });
        assert.equal(answer.status, 415, type);
        assert.deepEqual(answer.headers.getSetCookie(), []);
      }
    },
  );

  await t.step(
    "session planting: a foreign page cannot set a cookie with its own tokens",
    async () => {
      const { refreshToken } = await signInNewUser(fixture, project);
      const { login } = fixture.githubPerson();
      const victim = fixture.visitor();
      for (const origin of FOREIGN_ORIGINS) {
        const back = await fixture.visitor().signIn(project, "github", login);
        const exchanged = await victim.exchange(project, back, { origin });
        assert.equal(exchanged.status, 200);
        assert.deepEqual(exchanged.headers.getSetCookie(), [], origin);
        const headers = { origin, ...inHeader(refreshToken) };
        const renewed = await victim.post(project, "refresh-token", {}, headers);
        assert.equal(renewed.status, 200);
        assert.deepEqual(renewed.headers.getSetCookie(), [], origin);
        fixture.secret(exchanged.body.data.refreshToken);
      }
      assert.equal(victim.cookies.size, 0);
    },
  );

  await t.step(
    "session fixation: a planted session differs from the one that a sign-in opens",
    async () => {
      const attacker = await signInNewUser(fixture, project);
      const victim = fixture.visitor();
      victim.cookies.set(Visitor.refreshCookie(project), attacker.refreshToken);
      const { login } = fixture.githubPerson();
      const own = await victim.signInAndExchange(project, "github", login);
      assert.notEqual(own.userId, attacker.userId);
      assert.notEqual(own.refreshToken, attacker.refreshToken);
      assert.equal(victim.cookies.get(Visitor.refreshCookie(project)), own.refreshToken);
      const renewed = tokensOf(fixture, await renew(fixture, project, attacker.refreshToken));
      assert.equal(await userIdOfToken(fixture, project, renewed.access), attacker.userId);
      assert.equal(await userIdOfToken(fixture, project, own.token), own.userId);
      // Ending the attacker's session does not end the victim's.
      await fixture.visitor().post(project, "logout", {}, inHeader(renewed.refresh));
      assert.equal(await userIdOfToken(fixture, project, own.token), own.userId);
    },
  );

  await t.step(
    "session fixation: a bearer token in the request is not the session that signs in",
    async () => {
      const attacker = await signInNewUser(fixture, project);
      const victim = fixture.visitor();
      const { login } = fixture.githubPerson();
      const headers = { authorization: `Bearer ${attacker.token}` };
      const started = await victim.start(project, "github", {}, headers);
      const back = await fixture.github.approve(started.headers.get("location")!, login);
      const home = new URL((await victim.open(back, headers)).headers.get("location")!);
      assert.notEqual(home.searchParams.get("userId"), attacker.userId);
      const token = fixture.secret(new URLSearchParams(home.hash.slice(1)).get("token")!);
      assert.equal(await userIdOfToken(fixture, project, token), home.searchParams.get("userId"));
    },
  );

  await t.step("session of another user: it can neither be listed nor ended", async () => {
    const [mine, theirs] = [
      await signInNewUser(fixture, project),
      await signInNewUser(fixture, project),
    ];
    const { publishableKey: key } = project;
    const list = async (token: string) => {
      const { body } = await fixture.send({ path: "/api/userAuth/sessions", key, token });
      return body.data.items.map(({ _id }: { _id: string }) => _id);
    };
    const [own] = await list(mine.token);
    const [foreign] = await list(theirs.token);
    assert.ok(!(await list(mine.token)).includes(foreign));
    const end = (id: string) =>
      fixture.send({
        method: "DELETE",
        path: `/api/userAuth/sessions/${id}`,
        key,
        token: mine.token,
      });
    assert.deepEqual(refusal(await end(foreign)), [404, "SESSION_NOT_FOUND"]);
    assert.equal(await userIdOfToken(fixture, project, theirs.token), theirs.userId);
    assert.equal((await end(own)).status, 200);
    assert.equal(await userIdOfToken(fixture, project, mine.token), null);
  });

  await t.step("signed out: no token works again, on any route", async () => {
    const { visitor, token, refreshToken } = await signInNewUser(fixture, project);
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await visitor.post(project, "logout-all", {}, headers)).status, 200);
    await assertNoAccess(token);
    assert.deepEqual(refusal(await renew(fixture, project, refreshToken)), INVALID);
    assert.equal((await visitor.post(project, "logout", {}, headers)).status, 200);
  });
});

Deno.test("a fast thief cannot keep a session: the reuse is detected", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  for (const first of ["thief", "owner"]) {
    const user = await signIn(app, project);
    const ownersToken = await refreshed(project, user.refreshToken);
    const thiefsToken = await refreshed(project, user.refreshToken);
    assert.equal(thiefsToken, ownersToken, "the thief and the owner get one successor");
    app.clock.advance(900_000);
    const { body } = await refresh(project, first === "thief" ? thiefsToken : ownersToken);
    const renewed = { id: user.id, token: body.data.accessToken };
    assert.ok(await isSignedIn(project, renewed));
    app.clock.advance(900_000);
    // The second of the two sends a used token, which ends the session for each.
    const second = await refresh(project, first === "thief" ? ownersToken : thiefsToken);
    assert.deepEqual([second.status, second.body.code], [401, "REFRESH_TOKEN_INVALID"]);
    assert.equal((await refresh(project, body.data.refreshToken)).status, 401);
    assert.equal(await isSignedIn(project, renewed), false);
  }
});

Deno.test("50 tabs that renew at once all stay signed in, repeatedly", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  let held = Array<string>(50).fill(user.refreshToken);
  for (let round = 0; round < 3; round++) {
    // Each tab sends its own token, because tabs do not share them at once.
    const answers = await Promise.all(held.map((token) => refresh(project, token)));
    for (const { status, body } of answers) {
      assert.equal(status, 200);
      assert.ok(await isSignedIn(project, { id: user.id, token: body.data.accessToken }));
    }
    held = answers.map(({ body }) => body.data.refreshToken);
    app.clock.advance(900_000);
  }
});
