import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { allowOrigins } from "./origins.ts";
import { ok, refused } from "./test_collection.ts";
import { cookieOf, refreshBy, refreshed, type SignedIn, signIn, SITE } from "./signed_in.ts";

const HTTPS = { env: { PUBLIC_URL: "https://api.example.com" } };

interface Browser {
  readonly project: TestProject;
  readonly user: SignedIn;
  readonly cookie: string;
}

/** Opens a project with a site and signs a user in, whose browser stores the refresh token. */
async function openBrowser(app: TestApp): Promise<Browser> {
  const project = await app.project({ siteUrl: SITE });
  const user = await signIn(app, project);
  const prefix = app.services.cookies.isSecure ? "__Host-" : "";
  const cookie = `${prefix}corbel_rt_${project.projectId}=${user.refreshToken}`;
  return { project, user, cookie };
}

for (const [scheme, options] of Object.entries({ http: {}, https: HTTPS })) {
  Deno.test(`${scheme}: from the Site URL the cookie is accepted and the next token is set as a cookie`, async () => {
    await using app = await openTestApp(options);
    const { project, user, cookie } = await openBrowser(app);
    const answer = await refreshBy(project, { origin: SITE, cookie });
    const data = ok(answer);
    assert.deepEqual(Object.keys(data), ["accessToken", "token", "expiresIn"]);
    assert.equal(decodeJwt(data.accessToken).sid, user.sessionId);
    const next = cookieOf(answer)!;
    assert.notEqual(next.pair, cookie);
    assert.equal(next.pair.split("=")[0], cookie.split("=")[0]);
    const secure = ["Secure", "HttpOnly", "SameSite=None", "Partitioned"];
    const plain = ["HttpOnly", "SameSite=Lax"];
    const flags = scheme === "https" ? secure : plain;
    assert.deepEqual(next.attributes, ["Path=/", "Max-Age=2592000", ...flags]);
    ok(await refreshBy(project, { origin: SITE, cookie: `a=b; ${next.pair}; c=d` }));
  });
}

Deno.test("the cookie is accepted from an allowed origin, but not from PUBLIC_URL's own", async () => {
  await using app = await openTestApp();
  const { project, cookie } = await openBrowser(app);
  await allowOrigins(app, project, ["https://admin.example.com"]);
  const from = (origin: string) => refreshBy(project, { origin, cookie });
  refused(await from("http://localhost:8000"), 401, "REFRESH_TOKEN_INVALID");
  ok(await from("https://admin.example.com"));
  ok(await from(SITE));
});

Deno.test("from any other origin, or a browser without one, the cookie is ignored", async () => {
  await using app = await openTestApp();
  const { project, user, cookie } = await openBrowser(app);
  const origins = [
    null,
    "null",
    "https://evil.example",
    "http://app.example.com",
    "https://app.example.com:8443",
    "https://app.example.com.evil.example",
    "https://APP.example.com.",
    "http://localhost:8000",
  ];
  const texts = new Set([(await refreshBy(project, {})).text]);
  for (const origin of origins) {
    const sender = origin === null ? { "sec-fetch-site": "cross-site" } : { origin };
    const answer = await refreshBy(project, { cookie, ...sender });
    refused(answer, 401, "REFRESH_TOKEN_INVALID");
    assert.equal(cookieOf(answer), null);
    texts.add(answer.text);
  }
  for (const name of ["site", "mode", "dest", "user", "storage-access"]) {
    const answer = await refreshBy(project, { cookie, [`sec-fetch-${name}`]: "none" });
    refused(answer, 401, "REFRESH_TOKEN_INVALID");
  }
  assert.equal(texts.size, 1);
  app.clock.advance(60_000);
  await refreshed(project, user.refreshToken);
});

Deno.test("without a Site URL and allowed origins the cookie is ignored", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { refreshToken } = await signIn(app, project);
  const cookie = `corbel_rt_${project.projectId}=${refreshToken}`;
  for (const origin of ["null", "", SITE]) {
    refused(await refreshBy(project, { cookie, origin }), 401, "REFRESH_TOKEN_INVALID");
  }
});

Deno.test("the cookie of another project or with another name is ignored", async () => {
  await using app = await openTestApp();
  const [one, other] = [await openBrowser(app), await openBrowser(app)];
  const token = one.user.refreshToken;
  const cookies = [
    other.cookie,
    `corbel_rt_${one.project.projectId}=${other.user.refreshToken}`,
    `corbel_rt_${other.project.projectId}=${token}`,
    `__Host-corbel_rt_${one.project.projectId}=${token}`,
    `corbel_rt=${token}`,
    `x-refresh-token=${token}`,
  ];
  for (const cookie of cookies) {
    const answer = await refreshBy(one.project, { origin: SITE, cookie });
    refused(answer, 401, "REFRESH_TOKEN_INVALID");
  }
  ok(await refreshBy(one.project, { origin: SITE, cookie: one.cookie }));
});

Deno.test("on https a cookie without the __Host- prefix is ignored: another subdomain could set it", async () => {
  await using app = await openTestApp(HTTPS);
  const { project, cookie } = await openBrowser(app);
  const tossed = cookie.replace("__Host-", "");
  refused(await refreshBy(project, { origin: SITE, cookie: tossed }), 401, "REFRESH_TOKEN_INVALID");
  ok(await refreshBy(project, { origin: SITE, cookie }));
});

Deno.test("a token in the header takes precedence over the cookie and decides the response", async () => {
  await using app = await openTestApp();
  const { project, cookie } = await openBrowser(app);
  const other = await signIn(app, project);
  const headers = { origin: SITE, cookie, "x-refresh-token": other.refreshToken };
  const answer = await refreshBy(project, headers);
  const data = ok(answer);
  assert.equal(decodeJwt(data.accessToken).sid, other.sessionId);
  assert.equal(cookieOf(answer)!.pair.split("=")[1], data.refreshToken);
  ok(await refreshBy(project, { origin: SITE, cookie }));
});

Deno.test("in header mode no cookie is set; a foreign page gets none either", async () => {
  await using app = await openTestApp();
  const { project, user, cookie } = await openBrowser(app);
  const mode = { "x-refresh-token-mode": "header" };
  const ignored = await refreshBy(project, { ...mode, origin: SITE, cookie });
  refused(ignored, 401, "REFRESH_TOKEN_INVALID");
  app.clock.advance(60_000);
  const quiet = await refreshBy(project, { ...mode, "x-refresh-token": user.refreshToken });
  assert.equal(cookieOf(quiet), null);
  const foreign = { origin: "https://evil.example", "x-refresh-token": ok(quiet).refreshToken };
  const planted = await refreshBy(project, foreign);
  ok(planted);
  assert.equal(cookieOf(planted), null);
});

Deno.test("a refused refresh keeps the cookie, because another tab may have renewed it", async () => {
  await using app = await openTestApp();
  const { project, user, cookie } = await openBrowser(app);
  await refreshed(project, user.refreshToken);
  app.clock.advance(10_001);
  const answer = await refreshBy(project, { origin: SITE, cookie });
  refused(answer, 401, "REFRESH_TOKEN_INVALID");
  assert.equal(cookieOf(answer), null);
});

Deno.test("a client that is not a browser may send the cookie without an origin", async () => {
  await using app = await openTestApp();
  const { project, cookie } = await openBrowser(app);
  const answer = await refreshBy(project, { cookie });
  ok(answer);
  assert.notEqual(cookieOf(answer), null);
});
