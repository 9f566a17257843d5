import assert from "node:assert/strict";
import { SMALL_BODY_BYTES_MAX } from "@/lib/limits.ts";
import { openTestApp, type TestProject } from "../support/test_app.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import { cookieOf, isSignedIn, refresh, refreshed, signIn, SITE } from "./signed_in.ts";

const PATH = "/api/userAuth/logout";

const logout = (project: TestProject, headers: Record<string, string> = {}) =>
  project.asPublic({ method: "POST", path: PATH, headers });

Deno.test("logout ends the session of the refresh token and all its tokens", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const other = await signIn(app, project, user.id);
  const answer = await logout(project, { "x-refresh-token": user.refreshToken });
  assert.deepEqual(ok(answer), { success: true, message: "Signed out" });
  assert.equal(await isSignedIn(project, user), false, "at once");
  refused(await refresh(project, user.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  assert.ok(await isSignedIn(project, other), "other devices stay signed in");
  await refreshed(project, other.refreshToken);
});

Deno.test("logout accepts a refresh token in the body or cookie, also used or repeated", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: SITE });
  const ways = {
    body: (refreshToken: string) =>
      project.asPublic({ method: "POST", path: PATH, body: { refreshToken } }),
    cookie: (refreshToken: string) =>
      logout(project, { origin: SITE, cookie: `corbel_rt_${project.projectId}=${refreshToken}` }),
    used: async (refreshToken: string) => {
      await refreshed(project, refreshToken);
      app.clock.advance(60_000);
      return await logout(project, { "x-refresh-token": refreshToken });
    },
    repeated: async (refreshToken: string) => {
      await refreshed(project, refreshToken);
      const repeated = await refreshed(project, refreshToken);
      return await logout(project, { "x-refresh-token": repeated });
    },
  };
  for (const [way, send] of Object.entries(ways)) {
    const user = await signIn(app, project);
    ok(await send(user.refreshToken));
    assert.equal(await isSignedIn(project, user), false, way);
  }
});

Deno.test("logout ends the sessions of the access token and of the refresh token", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const [one, two, three] = [
    await signIn(app, project),
    await signIn(app, project),
    await signIn(app, project),
  ];
  ok(await project.asPublic({ method: "POST", path: PATH }, one));
  const headers = { "x-refresh-token": three.refreshToken };
  ok(await project.asPublic({ method: "POST", path: PATH, headers }, two));
  for (const user of [one, two, three]) assert.equal(await isSignedIn(project, user), false);
});

Deno.test("logout returns the same 200 if repeated and without a valid token", async () => {
  await using app = await openTestApp();
  const [project, stranger] = [await app.project(), await app.project()];
  const user = await signIn(app, project);
  const first = await logout(project, { "x-refresh-token": user.refreshToken });
  const foreign = await signIn(app, stranger);
  const [id] = foreign.refreshToken.split(".");
  const attempts: Record<string, string>[] = [
    { "x-refresh-token": user.refreshToken },
    { authorization: `Bearer ${user.token}` },
    {},
    { "x-refresh-token": "x" },
    { "x-refresh-token": foreign.refreshToken },
    { "x-refresh-token": `${id}.${"A".repeat(43)}` },
    { authorization: "Bearer x" },
    { authorization: `Bearer ${foreign.token}` },
    { authorization: "Basic x", "x-refresh-token": "" },
  ];
  for (const headers of attempts) {
    const answer = await logout(project, headers);
    assert.equal(answer.status, 200);
    assert.equal(answer.text, first.text);
  }
  const parallel = await Promise.all(times(20, () => logout(project, attempts[0])));
  assert.deepEqual(tally(parallel), { 200: 20 });
  assert.ok(await isSignedIn(stranger, foreign), "another project's session remains");
});

Deno.test("logout is 200 with an invalid body and ends the session of the cookie", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: SITE });
  const bodies: [string, string][] = [
    ["application/json", "{"],
    ["application/json", "[]"],
    ["application/json", '{"refreshToken":1}'],
    ["application/json", `"${"x".repeat(SMALL_BODY_BYTES_MAX)}"`],
    ["text/plain", "x"],
    ["none", "x"],
  ];
  for (const [type, body] of bodies) {
    const user = await signIn(app, project);
    const headers = {
      "content-type": type,
      origin: SITE,
      cookie: `corbel_rt_${project.projectId}=${user.refreshToken}`,
    };
    const answer = await project.asPublic({ method: "POST", path: PATH, headers, body });
    assert.deepEqual(ok(answer), { success: true, message: "Signed out" });
    assert.equal(await isSignedIn(project, user), false, body.slice(0, 20));
  }
});

Deno.test("logout with the secret key ignores an access token and uses a refresh token", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const authorization = `Bearer ${user.token}`;
  ok(await project.asSecret({ method: "POST", path: PATH, headers: { authorization } }));
  assert.ok(await isSignedIn(project, user));
  ok(await project.asSecret({ path: PATH, body: { refreshToken: user.refreshToken } }));
  assert.equal(await isSignedIn(project, user), false);
});

Deno.test("logout deletes the cookie for the project's own page and ignores it for a foreign one", async () => {
  await using app = await openTestApp({ env: { PUBLIC_URL: "https://api.example.com" } });
  const project = await app.project({ siteUrl: SITE });
  const user = await signIn(app, project);
  const name = `__Host-corbel_rt_${project.projectId}`;
  const cookie = `${name}=${user.refreshToken}`;
  const foreign = await logout(project, { origin: "https://evil.example", cookie });
  ok(foreign);
  assert.equal(cookieOf(foreign), null);
  assert.ok(await isSignedIn(project, user));
  const own = await logout(project, { origin: SITE, cookie });
  assert.deepEqual(cookieOf(own), {
    pair: `${name}=`,
    attributes: ["Path=/", "Max-Age=0", "Secure", "HttpOnly", "SameSite=None", "Partitioned"],
  });
  assert.equal(await isSignedIn(project, user), false);
});
