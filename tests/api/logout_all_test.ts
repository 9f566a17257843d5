import assert from "node:assert/strict";
import { type SessionRecord, SESSIONS } from "@/lib/auth/sessions.ts";
import { openTestApp, type TestProject, type TestUser } from "../support/test_app.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import { cookieOf, isSignedIn, refresh, refreshed, sessionOf, signIn, SITE } from "./signed_in.ts";

const PATH = "/api/userAuth/logout-all";

const logoutAll = (
  project: TestProject,
  headers: Record<string, string> = {},
  user?: TestUser,
) => project.asPublic({ method: "POST", path: PATH, headers }, user);

Deno.test("logoutAll ends all sessions of the user and no others", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const first = await signIn(app, project);
  const sessions = [
    first,
    await signIn(app, project, first.id),
    await signIn(app, project, first.id),
  ];
  const other = await signIn(app, project);
  for (const user of sessions) assert.ok(await isSignedIn(project, user));
  assert.deepEqual(ok(await logoutAll(project, {}, first)), { ended: 3 });
  for (const user of sessions) {
    assert.equal(await isSignedIn(project, user), false);
    refused(await refresh(project, user.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  }
  assert.ok(await isSignedIn(project, other));
  ok(await refresh(project, other.refreshToken));
});

Deno.test("logoutAll ends hundreds of sessions in one request", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const first = await signIn(app, project);
  const { engine, newId } = app.services;
  const opened = (await sessionOf(app, project, first.sessionId))!;
  await engine.records<SessionRecord>(project.projectId, SESSIONS)
    .insertMany(times(600, () => ({ ...opened, _id: newId() })));
  assert.deepEqual(ok(await logoutAll(project, {}, first)), { ended: 601 });
});

Deno.test("logoutAll accepts a refresh token in header, body or cookie instead of an access token", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: SITE });
  const ways = {
    header: (refreshToken: string) => logoutAll(project, { "x-refresh-token": refreshToken }),
    body: (refreshToken: string) => project.asPublic({ path: PATH, body: { refreshToken } }),
    cookie: (refreshToken: string) =>
      logoutAll(project, {
        origin: SITE,
        cookie: `corbel_rt_${project.projectId}=${refreshToken}`,
      }),
    "the secret key": (refreshToken: string) =>
      project.asSecret({ path: PATH, body: { refreshToken } }),
  };
  for (const [way, send] of Object.entries(ways)) {
    const user = await signIn(app, project);
    const other = await signIn(app, project, user.id);
    const answer = await send(user.refreshToken);
    assert.deepEqual(ok(answer), { ended: 2 }, way);
    assert.equal(cookieOf(answer)?.pair, `corbel_rt_${project.projectId}=`);
    for (const one of [user, other]) assert.equal(await isSignedIn(project, one), false, way);
  }
});

Deno.test("logoutAll uses only the access token if both tokens are sent", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const [one, other] = [await signIn(app, project), await signIn(app, project)];
  const headers = { "x-refresh-token": other.refreshToken };
  assert.deepEqual(ok(await logoutAll(project, headers, one)), { ended: 1 });
  assert.ok(await isSignedIn(project, other));
  const bad = { id: one.id, token: "a.b.c" };
  refused(await logoutAll(project, headers, bad), 401, "ACCESS_TOKEN_INVALID");
  assert.ok(await isSignedIn(project, other));
});

Deno.test("logoutAll ends nothing without a valid token", async () => {
  await using app = await openTestApp();
  const [project, stranger] = [await app.project(), await app.project()];
  const user = await signIn(app, project);
  const cookie = `corbel_rt_${project.projectId}=${user.refreshToken}`;
  refused(await logoutAll(project), 401, "ACCESS_TOKEN_REQUIRED");
  const foreign = await logoutAll(project, { origin: "https://evil.example", cookie });
  refused(foreign, 401, "ACCESS_TOKEN_REQUIRED");
  const [id] = user.refreshToken.split(".");
  for (const token of ["x", `${id}.${"A".repeat(43)}`]) {
    refused(await logoutAll(project, { "x-refresh-token": token }), 401, "REFRESH_TOKEN_INVALID");
  }
  const inOtherProject = await logoutAll(stranger, { "x-refresh-token": user.refreshToken });
  refused(inOtherProject, 401, "REFRESH_TOKEN_INVALID");
  assert.ok(await isSignedIn(project, user));
});

Deno.test("logoutAll refuses the refresh token of an ended session", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const other = await signIn(app, project, user.id);
  const headers = { "x-refresh-token": user.refreshToken };
  ok(await project.asPublic({ method: "POST", path: "/api/userAuth/logout", headers }));
  refused(await logoutAll(project, headers), 401, "REFRESH_TOKEN_INVALID");
  assert.ok(await isSignedIn(project, other));
});

Deno.test("logoutAll leaves no session if all sessions are refreshed concurrently", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const first = await signIn(app, project);
  const sessions = [first];
  for (let n = 0; n < 9; n++) sessions.push(await signIn(app, project, first.id));
  const [ended, ...answers] = await Promise.all([
    logoutAll(project, {}, first),
    ...sessions.map(({ refreshToken }) => refresh(project, refreshToken)),
  ]);
  assert.deepEqual(ok(ended!), { ended: 10 });
  const fresh = answers.filter(({ status }) => status === 200);
  const again = await Promise.all(
    fresh.map((answer) => refresh(project, ok(answer).refreshToken)),
  );
  assert.deepEqual(tally(again), fresh.length === 0 ? {} : { 401: fresh.length });
  for (const user of sessions) await assert.rejects(refreshed(project, user.refreshToken));
});
