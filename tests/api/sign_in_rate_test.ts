import assert from "node:assert/strict";
import type { Answer } from "../support/conforming_client.ts";
import { openTestApp, type TestProject } from "../support/test_app.ts";
import { sampleCalls, takesKey, takesToken } from "./sample_calls.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import { arrive, exchangeCall, refresh, signIn } from "./signed_in.ts";
import { assertTraceless, authProject, requestCode, signUp } from "./user_email.ts";

const LIMIT = 60;
const LIMITED = { env: { RATE_LIMITS: "on" } };

async function exhaust(project: TestProject, peer = "127.0.0.1"): Promise<void> {
  const call = { method: "POST", path: "/api/userAuth/refresh-token", peer };
  const answers = await Promise.all(times(LIMIT, () => project.asPublic(call)));
  assert.deepEqual(tally(answers), { 401: LIMIT });
}

/** Returns the limit of sign-ins per minute and the number left. */
const limitOf = ({ headers }: Answer) =>
  ["ratelimit-limit", "ratelimit-remaining"].map((name) => headers.get(name));

Deno.test("exchanges and refreshes share 60 a minute, and a refused one uses up nothing", async () => {
  await using app = await openTestApp(LIMITED);
  const project = await app.project();
  const { rtCode, token } = await arrive(app, project);
  const user = await signIn(app, project);
  app.clock.advance(60_000);
  await exhaust(project);
  const exchanged = await project.asPublic(exchangeCall({ rtCode, token }));
  refused(exchanged, 429, "RATE_LIMITED");
  assert.deepEqual(limitOf(exchanged), ["60", "0"]);
  assert.match(exchanged.headers.get("retry-after")!, /^[1-9]\d?$/);
  refused(await refresh(project, user.refreshToken), 429, "RATE_LIMITED");
  app.clock.advance(60_000);
  ok(await refresh(project, user.refreshToken));
});

Deno.test("an address at the limit of sign-ins may call all other operations", async () => {
  await using app = await openTestApp(LIMITED);
  const project = await app.project();
  const user = await signIn(app, project);
  app.clock.advance(60_000);
  await exhaust(project);
  const me = await project.asPublic({ path: "/api/userAuth/me" }, user);
  ok(me);
  assert.equal(me.headers.get("ratelimit-limit"), "1000");
  const headers = { "x-refresh-token": user.refreshToken };
  ok(await project.asPublic({ method: "POST", path: "/api/userAuth/logout", headers }));
});

Deno.test("the limit is per project and address; servers have none", async () => {
  await using app = await openTestApp(LIMITED);
  const [project, other] = [await app.project(), await app.project()];
  await exhaust(project);
  const call = { method: "POST", path: "/api/userAuth/refresh-token" };
  refused(await project.asPublic(call), 429, "RATE_LIMITED");
  refused(await project.asPublic({ ...call, peer: "127.0.0.2" }), 401, "REFRESH_TOKEN_INVALID");
  refused(await other.asPublic(call), 401, "REFRESH_TOKEN_INVALID");
  refused(await project.asSecret(call), 401, "REFRESH_TOKEN_INVALID");
});

Deno.test("a lower general limit applies to sign-ins, too", async () => {
  await using app = await openTestApp({
    env: { RATE_LIMITS: "on", RATE_LIMIT_PER_MINUTE: "2" },
  });
  const project = await app.project();
  const call = { method: "POST", path: "/api/userAuth/refresh-token" };
  for (let n = 0; n < 2; n++) {
    refused(await project.asPublic(call), 401, "REFRESH_TOKEN_INVALID");
  }
  const answer = await project.asPublic(call);
  refused(answer, 429, "RATE_LIMITED");
  assert.equal(answer.headers.get("ratelimit-limit"), "2");
});

/** Operations on users with a publishable key that neither start, renew nor change a sign-in. */
const NOT_COUNTED = [
  "getMe",
  "patchMe",
  "listSessions",
  "endSession",
  "logout",
  "logoutAll",
];

/** Operations that need the secret key, which has no limit. */
const FOR_SERVERS = [
  "createUser",
  "listUsers",
  "getUser",
  "patchUser",
  "deleteUser",
  "endUserSessions",
];

const COUNTED = sampleCalls().filter((sample) =>
  sample.template.startsWith("/api/userAuth/") && takesKey(sample) &&
  ![...NOT_COUNTED, ...FOR_SERVERS].includes(sample.operationId)
);

Deno.test("the limit of sign-ins excludes only existing operations", () => {
  const operations = sampleCalls().map(({ operationId }) => operationId);
  for (const name of [...NOT_COUNTED, ...FOR_SERVERS]) assert.ok(operations.includes(name), name);
});

for (const sample of COUNTED) {
  const { operationId, call } = sample;
  Deno.test(`${operationId} counts as a sign-in, and at the limit is 429 and does nothing`, async () => {
    await using app = await openTestApp(LIMITED);
    const project = await authProject(app, { anonymous: true });
    const user = await signUp(project, { email: "ada@example.com", username: "ada" });
    await requestCode(app, project, "request-password-reset", "ada@example.com");
    app.clock.advance(60_000);
    const send = (peer: string) =>
      project.asPublic({ ...call, peer }, takesToken(sample) ? user : undefined);
    await exhaust(project, "203.0.113.7");
    await assertTraceless(app, project, async () => {
      const answer = await send("203.0.113.7");
      refused(answer, 429, "RATE_LIMITED");
      assert.deepEqual(limitOf(answer), ["60", "0"]);
      assert.match(answer.headers.get("retry-after")!, /^[1-9]\d?$/);
    });
    const first = await send("203.0.113.8");
    assert.notEqual(first.status, 429);
    assert.deepEqual(limitOf(first), ["60", "59"]);
  });
}
