import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import { REFRESH_TOKENS, type RefreshTokenRecord } from "@/lib/auth/refresh_tokens.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import { isSignedIn, refresh, refreshBy, refreshed, sessionOf, signIn } from "./signed_in.ts";

const SECOND = 1000;
const DAY = 86_400_000;
const GRACE = 10 * SECOND;
const PATH = "/api/userAuth/refresh-token";

const tokensOf = ({ services }: TestApp, { projectId }: TestProject) =>
  services.engine.records<RefreshTokenRecord>(projectId, REFRESH_TOKENS);

const withOtherSecret = (refreshToken: string): string =>
  `${refreshToken.split(".")[0]}.${"A".repeat(43)}`;

Deno.test("refreshSession returns an access token of the session and the next refresh token", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const answer = await refresh(project, user.refreshToken);
  const data = ok(answer);
  assert.deepEqual(Object.keys(data), ["accessToken", "token", "expiresIn", "refreshToken"]);
  assert.equal(data.token, data.accessToken);
  assert.equal(data.expiresIn, 900);
  assert.notEqual(data.refreshToken, user.refreshToken);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const { sub, sid, iat, exp } = decodeJwt(data.accessToken);
  assert.deepEqual({ sub, sid }, { sub: user.id, sid: user.sessionId });
  assert.equal(exp! - iat!, 900);
  assert.ok(await isSignedIn(project, { id: user.id, token: data.accessToken }));
});

Deno.test("the header takes precedence over the body, and decides where the next token is returned", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const [one, other] = [await signIn(app, project), await signIn(app, project)];
  const sidOf = (data: { accessToken: string }) => decodeJwt(data.accessToken).sid;
  const both = await project.asPublic({
    path: PATH,
    headers: { "x-refresh-token": one.refreshToken },
    body: { refreshToken: other.refreshToken },
  });
  assert.equal(sidOf(ok(both)), one.sessionId);
  const data = ok(
    await project.asPublic({
      path: PATH,
      body: { refreshToken: other.refreshToken },
    }),
  );
  assert.equal(sidOf(data), other.sessionId);
  assert.ok(await refreshed(project, data.refreshToken));
});

Deno.test("with the header no body is read, even one that is invalid", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  let { refreshToken } = await signIn(app, project);
  for (
    const [type, body] of [["application/json", "{"], ["text/plain", "x"], [
      "application/json",
      '{"refreshToken":1}',
    ]] as const
  ) {
    const headers = { "x-refresh-token": refreshToken, "content-type": type };
    refreshToken = ok(await project.asPublic({ path: PATH, headers, body })).refreshToken;
  }
});

Deno.test("a body that is not an object or whose token is not a string is 400 and uses nothing", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { refreshToken } = await signIn(app, project);
  for (const body of [[], [refreshToken], { refreshToken: [refreshToken] }, { refreshToken: 1 }]) {
    refused(await project.asPublic({ path: PATH, body }), 400, "INVALID_BODY");
  }
  ok(await refresh(project, refreshToken));
});

Deno.test("an expired access token does not prevent a refresh", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  app.clock.advance(DAY);
  const headers = { authorization: `Bearer ${user.token}` };
  ok(await refresh(project, user.refreshToken, headers));
});

Deno.test("missing, malformed, unknown and foreign tokens are the same 401", async () => {
  await using app = await openTestApp();
  const [project, stranger] = [await app.project(), await app.project()];
  const { refreshToken, token, rtCode } = { rtCode: "x".repeat(43), ...await signIn(app, project) };
  const foreign = await signIn(app, stranger);
  const [id, secret] = refreshToken.split(".") as [string, string];
  const wrong = [
    "x",
    id,
    secret,
    `${id}.`,
    `.${secret}`,
    `${id}.${secret}.`,
    `${id}.${secret}x`,
    `${id}.${secret.slice(1)}`,
    `${id} ${secret}`,
    `${id.toUpperCase()}X.${secret}`,
    `${"0".repeat(24)}.${secret}`,
    withOtherSecret(refreshToken),
    token,
    rtCode,
    foreign.refreshToken,
    project.publishableKey,
  ];
  const texts = new Set([(await refreshBy(project, {})).text]);
  for (const one of wrong) {
    const answer = await refresh(project, one);
    refused(answer, 401, "REFRESH_TOKEN_INVALID");
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1, "all refusals are equal");
  ok(await refresh(project, refreshToken));
  ok(await refresh(stranger, foreign.refreshToken));
});

Deno.test("a wrong secret with a valid id changes nothing, before and after the token is used", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const state = async () => {
    const { items } = await tokensOf(app, project).list({ filter: ALL, sort: [], limit: 100 });
    return [items, await sessionOf(app, project, user.sessionId)];
  };
  const attack = async () => {
    const before = await state();
    app.clock.advance(SECOND);
    for (
      const answer of await Promise.all(
        times(10, () => refresh(project, withOtherSecret(user.refreshToken))),
      )
    ) {
      refused(answer, 401, "REFRESH_TOKEN_INVALID");
    }
    assert.deepEqual(await state(), before);
  };
  await attack();
  const next = await refreshed(project, user.refreshToken);
  app.clock.advance(GRACE + 1);
  await attack();
  ok(await refresh(project, next));
});

Deno.test("a token that is repeated within 10 s returns the same successor", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const { refreshToken } = user;
  const first = ok(await refresh(project, refreshToken));
  app.clock.advance(GRACE);
  const again = ok(await refresh(project, refreshToken));
  assert.equal(again.refreshToken, first.refreshToken);
  assert.notEqual(again.accessToken, first.accessToken);
  assert.ok(await isSignedIn(project, { id: user.id, token: again.accessToken }));
  assert.equal(await tokensOf(app, project).count(ALL), 2, "a repeated token stores no row");
  app.clock.advance(DAY);
  const next = await refreshed(project, first.refreshToken);
  app.clock.advance(GRACE + 1);
  refused(await refresh(project, first.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  refused(await refresh(project, next), 401, "REFRESH_TOKEN_INVALID");
});

Deno.test("a tab whose successor was used by another gets the newest unused token", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { refreshToken } = await signIn(app, project);
  let newest = refreshToken;
  for (let round = 0; round < 4; round++) newest = await refreshed(project, newest);
  app.clock.advance(GRACE);
  assert.equal(await refreshed(project, refreshToken), newest);
  app.clock.advance(DAY);
  ok(await refresh(project, newest));
});

Deno.test("neither the stored token nor the token alone reveals its successor", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { refreshToken } = await signIn(app, project);
  const secret = (await refreshed(project, refreshToken)).split(".")[1]!;
  const { items } = await tokensOf(app, project).list({ filter: ALL, sort: [], limit: 10 });
  for (const hidden of [secret, refreshToken.split(".")[1]!]) assert.ok(!items.includes(hidden));
});

Deno.test("a repeated token does not renew a session that has ended", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { refreshToken } = await signIn(app, project);
  const next = await refreshed(project, refreshToken);
  ok(
    await project.asPublic({
      method: "POST",
      path: "/api/userAuth/logout",
      headers: { "x-refresh-token": next },
    }),
  );
  refused(await refresh(project, refreshToken), 401, "REFRESH_TOKEN_INVALID");
});

Deno.test("a token used under an earlier version is refused and revokes nothing", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { refreshToken } = await signIn(app, project);
  const tokens = tokensOf(app, project);
  const id = refreshToken.split(".")[0]!;
  // Earlier versions named the count differently and stored each successor separately.
  await tokens.updateOne(eq("_id", id), { unset: ["successor", "replays"] });
  const next = await refreshed(project, refreshToken);
  assert.equal(await refreshed(project, refreshToken), next, "an unused token works as usual");
  await tokens.updateOne(eq("_id", id), { unset: ["successor"] });
  refused(await refresh(project, refreshToken), 401, "REFRESH_TOKEN_INVALID");
  ok(await refresh(project, next));
});

Deno.test("a token repeated after more than 10 s ends its session and is logged once", async () => {
  let logged = "";
  using log = createLog("warn", (text) => void (logged += text));
  await using app = await openTestApp({ log });
  const project = await app.project();
  const user = await signIn(app, project);
  const data = ok(await refresh(project, user.refreshToken));
  const other = await signIn(app, project, user.id);
  app.clock.advance(GRACE + 1);
  const replays = await Promise.all(times(20, () => refresh(project, user.refreshToken)));
  for (const answer of replays) refused(answer, 401, "REFRESH_TOKEN_INVALID");
  refused(await refresh(project, data.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  assert.equal(await isSignedIn(project, user), false, "its access tokens are refused immediately");
  assert.equal(await isSignedIn(project, { id: user.id, token: data.accessToken }), false);
  assert.ok(await isSignedIn(project, other), "another session of the user is still valid");

  log.flush();
  const events = logged.trim().split("\n").map((line) => JSON.parse(line))
    .filter((line) => "event" in line);
  assert.equal(events.length, 1);
  const { event, level, project: projectId, user: userId, session } = events[0];
  assert.deepEqual({ event, level, projectId, userId, session }, {
    event: "refresh_token_replayed",
    level: "warn",
    projectId: project.projectId,
    userId: user.id,
    session: user.sessionId,
  });
  for (const secret of [user.refreshToken, data.refreshToken]) {
    assert.ok(!logged.includes(secret.split(".")[1]!));
  }
});

Deno.test("a used token counts as replayed for its original lifetime, and is unknown afterwards", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  for (const [days, revokes] of [[29, true], [30, false]] as const) {
    const { refreshToken } = await signIn(app, project);
    const first = await refreshed(project, refreshToken);
    app.clock.advance(15 * DAY);
    const second = await refreshed(project, first);
    app.clock.advance((days - 15) * DAY);
    refused(await refresh(project, refreshToken), 401, "REFRESH_TOKEN_INVALID");
    assert.equal((await refresh(project, second)).status, revokes ? 401 : 200, `${days} days`);
  }
});

Deno.test("a token may be repeated 50 times, even concurrently; more are 401 and revoke nothing", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { refreshToken } = await signIn(app, project);
  const answers = await Promise.all(times(60, () => refresh(project, refreshToken)));
  assert.deepEqual(tally(answers), { 200: 51, 401: 9 });
  const next = answers.filter(({ status }) => status === 200).map((answer) =>
    ok(answer).refreshToken
  );
  assert.equal(new Set(next).size, 1);
  refused(await refresh(project, refreshToken), 401, "REFRESH_TOKEN_INVALID");
  const grandchildren = await Promise.all(next.map((one) => refreshed(project, one)));
  assert.equal(new Set(grandchildren).size, 1);
});

Deno.test("tabs that refresh concurrently with one token all stay signed in", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  let token = (await signIn(app, project)).refreshToken;
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(times(50, () => refresh(project, token)));
    assert.deepEqual(tally(answers), { 200: 50 });
    token = ok(answers.at(round)!).refreshToken;
    app.clock.advance(900 * SECOND);
  }
});

Deno.test("each refresh extends a session to 30 days", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  app.clock.advance(30 * DAY - 1);
  const next = await refreshed(project, user.refreshToken);
  const session = await sessionOf(app, project, user.sessionId);
  assert.equal(Date.parse(session!.expiresAt), app.clock.now() + 30 * DAY);
  assert.equal(Date.parse(session!.lastUsedAt), app.clock.now());
  app.clock.advance(30 * DAY);
  refused(await refresh(project, next), 401, "REFRESH_TOKEN_INVALID");
});

Deno.test("a session ends after 180 days, however often it is refreshed", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const began = app.clock.now();
  let token = user.refreshToken;
  for (let day = 20; day < 180; day += 20) {
    app.clock.advance(20 * DAY);
    token = await refreshed(project, token);
  }
  const session = await sessionOf(app, project, user.sessionId);
  assert.equal(Date.parse(session!.expiresAt), began + 180 * DAY);
  app.clock.advance(20 * DAY - SECOND);
  const data = ok(await refresh(project, token));
  assert.ok(await isSignedIn(project, { id: user.id, token: data.accessToken }));
  app.clock.advance(SECOND);
  assert.equal(await isSignedIn(project, { id: user.id, token: data.accessToken }), false);
  refused(await refresh(project, data.refreshToken), 401, "REFRESH_TOKEN_INVALID");
});

Deno.test("a concurrent refresh and sign-out leave no session", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  for (let round = 0; round < 5; round++) {
    const user = await signIn(app, project);
    const [answer] = await Promise.all([
      refresh(project, user.refreshToken),
      project.asPublic({
        method: "POST",
        path: "/api/userAuth/logout",
        headers: { "x-refresh-token": user.refreshToken },
      }),
    ]);
    const next = answer.status === 200 ? ok(answer).refreshToken : user.refreshToken;
    refused(await refresh(project, next), 401, "REFRESH_TOKEN_INVALID");
  }
});
