import assert from "node:assert/strict";
import { EXCHANGE_CODES } from "@/lib/auth/exchange_codes.ts";
import { REFRESH_TOKENS } from "@/lib/auth/refresh_tokens.ts";
import { ALL } from "@/lib/store/filter.ts";
import type { Definition } from "@/lib/store/port.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import { arrive, cookieOf, exchangeCall, refresh, signIn, SITE } from "./signed_in.ts";

const INVALID = "Invalid or expired refresh token exchange code";
const MISSING = "rtCode and token are required";

const count = ({ services }: TestApp, { projectId }: TestProject, definition: Definition) =>
  services.engine.records(projectId, definition).count(ALL);

Deno.test("exchangeCode returns a refresh token for a code and its token", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { rtCode, token } = await arrive(app, project);
  const answer = await project.asPublic(exchangeCall({ rtCode, token }));
  const { refreshToken } = ok(answer);
  assert.deepEqual(answer.body, { success: true, data: { refreshToken }, message: "Signed in" });
  assert.match(refreshToken, /^[0-9a-f]{24}\.[A-Za-z0-9_-]{43}$/);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  ok(await refresh(project, refreshToken));
});

Deno.test("exchangeCode accepts the secret key, and ignores an access token next to a key", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const one = await arrive(app, project);
  ok(await project.asSecret(exchangeCall({ rtCode: one.rtCode, token: one.token })));
  const two = await arrive(app, project);
  const headers = { authorization: "Bearer old" };
  ok(await project.asPublic(exchangeCall({ rtCode: two.rtCode, token: two.token }, headers)));
});

Deno.test("exactly one of 50 concurrent exchangeCode requests succeeds", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { rtCode, token } = await arrive(app, project);
  const call = exchangeCall({ rtCode, token });
  const answers = await Promise.all(times(50, () => project.asPublic(call)));
  assert.deepEqual(tally(answers), { 200: 1, 400: 49 });
  assert.equal(await count(app, project, REFRESH_TOKENS), 1);
  const refusals = new Set(answers.filter(({ status }) => status === 400).map(({ text }) => text));
  assert.equal(refusals.size, 1);
});

Deno.test("50 concurrent sign-ins get different refresh tokens", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const arrivals = await Promise.all(times(50, () => arrive(app, project)));
  const answers = await Promise.all(
    arrivals.map(({ rtCode, token }) => project.asPublic(exchangeCall({ rtCode, token }))),
  );
  const tokens = answers.map((answer) => ok(answer).refreshToken);
  assert.equal(new Set(tokens).size, 50);
});

Deno.test("exchangeCode refuses malformed codes and tokens, and the code stays valid", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { rtCode, token } = await arrive(app, project);
  const bodies = [
    undefined,
    "",
    "null",
    "[]",
    '"text"',
    {},
    { rtCode },
    { token },
    { rtCode: "", token },
    { rtCode, token: "" },
    { rtCode, token: null },
    { rtCode: [rtCode], token },
    { rtCode: { $ne: null }, token },
    { rtCode: 1, token: true },
    { RTCODE: rtCode, TOKEN: token },
    `{"__proto__":{"rtCode":"${rtCode}","token":"${token}"}}`,
  ];
  for (const body of bodies) {
    const answer = await project.asPublic({ ...exchangeCall(body), method: "POST" });
    refused(answer, 400, "EXCHANGE_FIELDS_MISSING");
    assert.equal(answer.body.message, MISSING);
  }
  ok(await project.asPublic(exchangeCall({ rtCode, token })));
});

Deno.test("exchangeCode gives unknown, used, expired and foreign codes an identical 400", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const stranger = await app.project();
  const [ann, bob, used, foreign] = [
    await arrive(app, project),
    await arrive(app, project),
    await arrive(app, project),
    await arrive(app, stranger),
  ];
  const call = (rtCode: string, token: string) => exchangeCall({ rtCode, token });
  ok(await project.asPublic(call(used.rtCode, used.token)));
  const expired = await arrive(app, project);
  const wrong = {
    "unknown": call("x".repeat(43), ann.token),
    "no code at all": call("x", ann.token),
    "used": call(used.rtCode, used.token),
    "the token of another user": call(ann.rtCode, bob.token),
    "the code of another user": call(bob.rtCode, ann.token),
    "a token with a changed signature": call(ann.rtCode, `${ann.token.slice(0, -2)}xx`),
    "the code as its own token": call(ann.rtCode, ann.rtCode),
    "another project's code and token": call(foreign.rtCode, foreign.token),
    "another project's code": call(foreign.rtCode, ann.token),
    "a pattern": call("%", "%"),
  };
  const texts = new Set<string>();
  for (const [kind, one] of Object.entries(wrong)) {
    const answer = await project.asPublic(one);
    assert.equal(answer.status, 400, kind);
    refused(answer, 400, "EXCHANGE_CODE_INVALID");
    assert.equal(answer.body.message, INVALID);
    texts.add(answer.text);
  }
  app.clock.advance(60_000);
  const late = await project.asPublic(call(expired.rtCode, expired.token));
  refused(late, 400, "EXCHANGE_CODE_INVALID");
  texts.add(late.text);
  assert.equal(texts.size, 1, "one response for every invalid code");
});

Deno.test("wrong tokens do not use up a code, even many concurrently", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { rtCode, token } = await arrive(app, project);
  const wrong = times(50, (i) => project.asPublic(exchangeCall({ rtCode, token: `${token}${i}` })));
  assert.deepEqual(tally(await Promise.all(wrong)), { 400: 50 });
  ok(await project.asPublic(exchangeCall({ rtCode, token })));
});

Deno.test("a code expires after 60 seconds by the clock, even if its record still exists", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const [early, late] = [await arrive(app, project), await arrive(app, project)];
  app.clock.advance(59_999);
  ok(await project.asPublic(exchangeCall({ rtCode: early.rtCode, token: early.token })));
  app.clock.advance(1);
  const answer = await project.asPublic(exchangeCall({ rtCode: late.rtCode, token: late.token }));
  refused(answer, 400, "EXCHANGE_CODE_INVALID");
  assert.equal(await count(app, project, REFRESH_TOKENS), 1);
});

Deno.test("exchangeCode refuses codes of ended sessions and of disabled or deleted users", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const [out, off, gone] = [
    await arrive(app, project),
    await arrive(app, project),
    await arrive(app, project),
  ];
  const users = "/api/userAuth/users";
  ok(await project.asPublic({ method: "POST", path: "/api/userAuth/logout" }, out));
  const disabling = { method: "PATCH", path: `${users}/${off.id}`, body: { disabled: true } };
  ok(await project.asSecret(disabling));
  ok(await project.asSecret({ method: "DELETE", path: `${users}/${gone.id}` }));
  const fresh = await project.asPublic(exchangeCall({ rtCode: "x", token: "x" }));
  for (const { rtCode, token } of [out, off, gone]) {
    const answer = await project.asPublic(exchangeCall({ rtCode, token }));
    refused(answer, 400, "EXCHANGE_CODE_INVALID");
    assert.equal(answer.text, fresh.text);
  }
  assert.equal(await count(app, project, REFRESH_TOKENS), 0);
});

Deno.test("codes and tokens are not stored in plain text", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const waiting = await arrive(app, project);
  const { refreshToken } = await signIn(app, project);
  const { engine } = app.services;
  for (const definition of [EXCHANGE_CODES, REFRESH_TOKENS]) {
    const records = engine.records(project.projectId, definition);
    const { items } = await records.list({ filter: ALL, sort: [], limit: 100 });
    assert.notEqual(items, "");
    for (const secret of [waiting.rtCode, waiting.token, refreshToken.split(".")[1]!]) {
      assert.ok(!items.includes(secret));
    }
  }
});

Deno.test("exchangeCode on http sets a cookie for the project's own site", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: SITE });
  const { rtCode, token } = await arrive(app, project);
  const call = exchangeCall({ rtCode, token }, { origin: SITE });
  const answer = await project.asPublic(call);
  assert.deepEqual(cookieOf(answer), {
    pair: `corbel_rt_${project.projectId}=${ok(answer).refreshToken}`,
    attributes: ["Path=/", "Max-Age=2592000", "HttpOnly", "SameSite=Lax"],
  });
});

Deno.test("exchangeCode on https sets a Secure cookie of the host, partitioned by site", async () => {
  await using app = await openTestApp({ env: { PUBLIC_URL: "https://api.example.com" } });
  const project = await app.project({ siteUrl: SITE });
  const { rtCode, token } = await arrive(app, project);
  const answer = await project.asPublic(exchangeCall({ rtCode, token }, { origin: SITE }));
  assert.deepEqual(cookieOf(answer), {
    pair: `__Host-corbel_rt_${project.projectId}=${ok(answer).refreshToken}`,
    attributes: [
      "Path=/",
      "Max-Age=2592000",
      "Secure",
      "HttpOnly",
      "SameSite=None",
      "Partitioned",
    ],
  });
});

Deno.test("exchangeCode sets no cookie in header mode or for pages of other sites", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: SITE });
  const cases: [Record<string, string>, boolean][] = [
    [{ origin: SITE }, true],
    [{}, true],
    [{ origin: SITE, "x-refresh-token-mode": "header" }, false],
    [{ origin: SITE, "x-refresh-token-mode": "Header" }, false],
    [{ origin: SITE, "x-refresh-token-mode": "cookie" }, true],
    [{ origin: "https://evil.example" }, false],
    [{ origin: "null" }, false],
    [{ origin: `${SITE}.evil.example` }, false],
  ];
  for (const [headers, isSet] of cases) {
    const { rtCode, token } = await arrive(app, project);
    const answer = await project.asPublic(exchangeCall({ rtCode, token }, headers));
    ok(answer);
    assert.equal(cookieOf(answer) !== null, isSet, JSON.stringify(headers));
  }
});
