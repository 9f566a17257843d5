import assert from "node:assert/strict";
import { REFRESH_TOKENS } from "@/lib/auth/refresh_tokens.ts";
import { SESSIONS } from "@/lib/auth/sessions.ts";
import type { Services } from "@/lib/services.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { codeTo } from "../support/mailbox.ts";
import { openTestApp } from "../support/test_app.ts";
import { whileBusy } from "./passwords_full.ts";
import { cookieOf, isSignedIn, refresh, SITE } from "./signed_in.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import {
  ADA,
  assertTraceless,
  authProject,
  claimsOf,
  countOf,
  logIn,
  MINUTE_MS,
  NEXT_PASSWORD,
  PASSWORD,
  sentMails,
  setAuth,
  signUp,
  storedUser,
  userCall,
  userOf,
} from "./user_email.ts";

const WRONG = { email: ADA, password: NEXT_PASSWORD };

Deno.test("logIn returns the user and a new session, for the address in any case", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const first = await signUp(project, { email: ADA, name: "Ada" });
  app.clock.advance(1000);
  const answer = await logIn(project, "ADA@Example.com");
  const user = userOf(answer);
  assert.equal(user.id, first.id);
  const data = ok(answer);
  assert.deepEqual([data.user.name, data.user.email], ["Ada", ADA]);
  assert.equal(data.user.lastSignInAt, "2026-01-31T12:00:01.000Z");
  assert.deepEqual([data.token, data.expiresIn], [data.accessToken, 900]);
  assert.equal(answer.body.message, "Signed in");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.notEqual(claimsOf(user.token).sid, claimsOf(first.token).sid);
  for (const one of [first, user]) assert.ok(await isSignedIn(project, one));
  ok(await refresh(project, user.refreshToken));
});

Deno.test("logIn sets the refresh cookie, or returns the token if the header asks for it", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: SITE });
  await signUp(project, { email: ADA });
  const own = await logIn(project, ADA, PASSWORD, { origin: SITE });
  assert.equal(ok(own).refreshToken, undefined);
  assert.match(cookieOf(own)!.pair, new RegExp(`^corbel_rt_${project.projectId}=`));
  const foreign = await logIn(project, ADA, PASSWORD, { origin: "https://evil.example" });
  assert.deepEqual([ok(foreign).refreshToken, cookieOf(foreign)], [undefined, null]);
  const header = await logIn(project, ADA);
  assert.equal(typeof ok(header).refreshToken, "string");
  assert.equal(cookieOf(header), null);
});

Deno.test("logIn returns one refusal for unknown, disabled, passwordless and wrong credentials", async () => {
  await using app = await openTestApp();
  const [project, other] = [await app.project(), await app.project()];
  await signUp(project, { email: ADA });
  await signUp(other, { email: "elsewhere@example.com" });
  const disabled = await signUp(project, { email: "off@example.com" });
  const disabling = { disabled: true };
  ok(
    await project.asSecret({
      method: "PATCH",
      path: `/api/userAuth/users/${disabled.id}`,
      body: disabling,
    }),
  );
  const withoutPassword = { email: "bob@example.com", emailVerified: true };
  ok(await project.asSecret({ path: "/api/userAuth/users", body: withoutPassword }), 201);
  const wrong = [
    WRONG,
    { email: ADA, password: PASSWORD.toUpperCase() },
    { email: ADA, password: `${PASSWORD} ` },
    { email: ADA, password: "x".repeat(10_000) },
    { email: "unknown@example.com", password: PASSWORD },
    { email: "elsewhere@example.com", password: PASSWORD },
    { email: "no address", password: PASSWORD },
    { email: "off@example.com", password: PASSWORD },
    { email: "bob@example.com", password: PASSWORD },
    { email: "bob@example.com", password: "null" },
  ];
  const texts = new Set<string>();
  await assertTraceless(app, project, async () => {
    for (const body of wrong) {
      const answer = await project.asPublic(userCall("login", body));
      refused(answer, 401, "INVALID_CREDENTIALS");
      assert.equal(cookieOf(answer), null);
      texts.add(answer.text);
    }
  });
  assert.equal(texts.size, 1);
});

Deno.test("logIn verifies a password for an unknown address too", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  const wasKnown: boolean[] = [];
  const services: Services = {
    ...app.services,
    passwords: {
      ...app.services.passwords,
      verify(hash, password) {
        wasKnown.push(hash !== null);
        return app.services.passwords.verify(hash, password);
      },
    },
  };
  const served = createApp(services);
  const headers = { "x-api-key": project.publishableKey };
  for (const email of [ADA, "unknown@example.com"]) {
    const call = userCall("login", { email, password: NEXT_PASSWORD }, headers);
    refused(await send(served, call), 401, "INVALID_CREDENTIALS");
  }
  assert.deepEqual(wasKnown, [true, false]);
});

Deno.test("logIn refuses an invalid body", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const wrong: [unknown, string][] = [
    [{ email: ADA }, '"password" is missing: it must be text.'],
    [{ password: PASSWORD }, '"email" is missing: it must be text.'],
    [{ email: ADA, password: "" }, "password"],
    [{ email: [ADA], password: PASSWORD }, '"email" must be text.'],
    [{ email: { $ne: null }, password: { $ne: null } }, "email"],
    [{ ...WRONG, remember: true }, "only email, password"],
  ];
  for (const [body, reason] of wrong) {
    refused(await project.asPublic(userCall("login", body)), 400, "INVALID_BODY", reason);
  }
});

Deno.test("logIn delays further tries after five wrong passwords, longer each time, per project", async () => {
  await using app = await openTestApp();
  const [project, other] = [await app.project(), await app.project()];
  await signUp(project, { email: ADA });
  await signUp(other, { email: ADA });
  for (let i = 0; i < 5; i++) {
    refused(await logIn(project, ADA, NEXT_PASSWORD), 401, "INVALID_CREDENTIALS");
  }
  const opened = await countOf(app, project, SESSIONS);
  const locked = await logIn(project, ADA);
  refused(locked, 429, "SIGN_IN_LOCKED");
  assert.equal(locked.headers.get("retry-after"), "60");
  assert.equal(await countOf(app, project, SESSIONS), opened);
  ok(await logIn(other, ADA));
  await app.services.jobRunner.idle();
  app.clock.advance(MINUTE_MS);
  refused(await logIn(project, ADA, NEXT_PASSWORD), 401, "INVALID_CREDENTIALS");
  const again = await logIn(project, ADA);
  refused(again, 429, "SIGN_IN_LOCKED");
  assert.equal(again.headers.get("retry-after"), "120");
  await app.services.jobRunner.idle();
  app.clock.advance(2 * MINUTE_MS);
  ok(await logIn(project, ADA));
  refused(await logIn(project, ADA, NEXT_PASSWORD), 401, "INVALID_CREDENTIALS");
});

Deno.test("logIn verifies only five of 50 concurrent wrong passwords", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  const answers: number[] = [];
  // One network may have ten requests waiting.
  for (let round = 0; round < 5; round++) {
    const some = await Promise.all(times(10, () => logIn(project, ADA, NEXT_PASSWORD)));
    answers.push(...some.map(({ status }) => status));
  }
  assert.equal(answers.filter((status) => status === 401).length, 5);
  assert.equal(answers.filter((status) => status === 429).length, 45);
});

Deno.test("concurrent logIn requests with the right password each open a session", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { id } = await signUp(project, { email: ADA });
  const answers = await Promise.all(times(10, () => logIn(project, ADA)));
  assert.deepEqual(tally(answers), { 200: 10 });
  assert.equal(new Set(answers.map((answer) => claimsOf(userOf(answer).token).sid)).size, 10);
  assert.equal(await countOf(app, project, REFRESH_TOKENS), 11);
  assert.equal((await storedUser(app, project, id)).disabled, false);
});

Deno.test("logIn with requireVerifiedEmail is 403 and sends one code a minute", async () => {
  await using app = await openTestApp();
  const project = await authProject(app);
  await signUp(project, { email: ADA });
  await setAuth(app, project, { requireVerifiedEmail: true });
  await app.services.jobRunner.idle();
  app.clock.advance(MINUTE_MS);
  const sessions = await countOf(app, project, SESSIONS);
  refused(await logIn(project, ADA, NEXT_PASSWORD), 401, "INVALID_CREDENTIALS");
  assert.equal((await sentMails(app, project)).length, 1);
  for (let i = 0; i < 3; i++) {
    const answer = await logIn(project, ADA);
    refused(answer, 403, "EMAIL_NOT_VERIFIED", "not verified");
    assert.equal(cookieOf(answer), null);
  }
  assert.deepEqual(await sentMails(app, project), [["verify", ADA], ["verify", ADA]]);
  assert.equal(await countOf(app, project, SESSIONS), sessions);
  const otp = await codeTo(app.services, project.projectId, ADA);
  ok(await project.asPublic(userCall("verify-email", { email: ADA, otp, password: PASSWORD })));
  ok(await logIn(project, ADA));
});

Deno.test("logIn with requireVerifiedEmail is 503 for an unverified address without mail settings", async () => {
  await using app = await openTestApp({ env: { MAIL_URL: "" } });
  const project = await app.project();
  await signUp(project, { email: ADA });
  await setAuth(app, project, { requireVerifiedEmail: true });
  await assertTraceless(app, project, async () => {
    refused(await logIn(project, ADA), 503, "MAIL_NOT_CONFIGURED");
  });
});

Deno.test("logIn is 403 if passwords are disabled, also with the right one", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  await setAuth(app, project, { password: false });
  await assertTraceless(app, project, async () => {
    refused(await logIn(project, ADA), 403, "SIGN_IN_METHOD_OFF");
  });
});

Deno.test("logIn is 503 with Retry-After and counts no try if too many passwords are verified", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  const body = { email: ADA, password: PASSWORD };
  await assertTraceless(app, project, async () => {
    for (let i = 0; i < 6; i++) {
      const answer = await whileBusy(app, project, userCall("login", body));
      refused(answer, 503, "PASSWORDS_BUSY");
      assert.equal(answer.headers.get("retry-after"), "2");
    }
  });
  ok(await logIn(project, ADA));
});

Deno.test("logIn returns an access token with roles and claims, which a refresh updates", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { id } = await signUp(project, { email: ADA });
  const set = (body: unknown) =>
    project.asSecret({ method: "PATCH", path: `/api/userAuth/users/${id}`, body });
  ok(await set({ roles: ["editor", "team:1"], claims: { plan: "pro", seats: 3 } }));
  const user = userOf(await logIn(project, ADA));
  const first = claimsOf(user.token);
  assert.deepEqual([first.roles, first.claims], [["editor", "team:1"], { plan: "pro", seats: 3 }]);
  ok(await set({ roles: ["viewer"], claims: {} }));
  assert.ok(await isSignedIn(project, user), "a change of roles ends no session");
  const renewed = claimsOf(ok(await refresh(project, user.refreshToken)).accessToken);
  assert.deepEqual([renewed.roles, renewed.claims], [["viewer"], undefined]);
});

Deno.test("logIn leaves no session if the user is disabled concurrently", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  for (let round = 0; round < 3; round++) {
    const email = `${round}@example.com`;
    const { id } = await signUp(project, { email });
    const path = `/api/userAuth/users/${id}`;
    const [disabled, ...answers] = await Promise.all([
      project.asSecret({ method: "PATCH", path, body: { disabled: true } }),
      ...times(5, () => logIn(project, email)),
    ]);
    ok(disabled);
    for (const answer of answers) {
      if (answer.status === 200) assert.equal(await isSignedIn(project, userOf(answer)), false);
      else refused(answer, 401, "INVALID_CREDENTIALS");
    }
  }
});
