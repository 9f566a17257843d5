import assert from "node:assert/strict";
import { codeTo } from "../support/mailbox.ts";
import { CREDENTIALS, openClients, refusal, reportedErrors } from "./fixture.ts";

Deno.test("users sign up, out and in, and listeners are called", async () => {
  await using fixture = await openClients();
  const corbel = fixture.client();
  const events: unknown[] = [];
  const stop = corbel.auth.onChange((user) => events.push(user?.email ?? null));
  assert.equal(await corbel.auth.ready, null);
  const user = await corbel.auth.signUp({ ...CREDENTIALS, name: "Ada" });
  assert.deepEqual([user!.name, corbel.auth.user!.email], ["Ada", CREDENTIALS.email]);
  await corbel.from("notes").create({ text: "mine" });
  await corbel.auth.signOut();
  assert.equal(corbel.auth.user, null);
  await assert.rejects(corbel.from("notes").list(), { code: "ACCESS_TOKEN_REQUIRED" });
  await assert.rejects(corbel.auth.signIn({ ...CREDENTIALS, password: "wrong" }), {
    code: "INVALID_CREDENTIALS",
  });
  await corbel.auth.signIn(CREDENTIALS);
  assert.equal(await corbel.from("notes").count(), 1);
  assert.equal((await corbel.auth.update({ name: "Lovelace" })).name, "Lovelace");
  stop();
  await corbel.auth.signOut();
  assert.deepEqual(events, [null, CREDENTIALS.email, null, CREDENTIALS.email, CREDENTIALS.email]);
});

Deno.test("an anonymous user who signs up keeps their documents", async () => {
  await using fixture = await openClients();
  const corbel = fixture.client();
  const guest = await corbel.auth.signInAnonymously();
  await corbel.from("notes").create({ text: "before" });
  const user = await corbel.auth.signUp(CREDENTIALS);
  assert.equal(user!._id, guest._id);
  assert.equal(await corbel.from("notes").count(), 1);
});

Deno.test("codes verify, sign in and reset passwords", async () => {
  await using fixture = await openClients();
  const { app, project } = fixture;
  const corbel = fixture.client();
  const { email } = CREDENTIALS;
  const codeOf = () => codeTo(app.services, project.projectId, email);
  await corbel.auth.signUp(CREDENTIALS);
  assert.deepEqual(await corbel.auth.verifyEmail({ email, code: await codeOf() }), {
    passwordDropped: false,
  });
  await corbel.auth.signOut();
  await corbel.auth.signIn(CREDENTIALS);
  await corbel.auth.signOut();
  await corbel.auth.requestCode(email);
  const user = await corbel.auth.signInWithCode({ email, code: await codeOf() });
  assert.equal(user.emailVerified, true);
  const newPassword = "an analytical engine no. 3";
  await corbel.auth.requestPasswordReset(email);
  await corbel.auth.resetPassword({ email, code: await codeOf(), newPassword });
  assert.equal(corbel.auth.user, null, "all sessions have ended");
  await corbel.auth.signIn({ email, password: newPassword });
  await corbel.auth.changePassword({
    currentPassword: newPassword,
    newPassword: CREDENTIALS.password,
  });
  await corbel.from("notes").count();
});

const refreshes = (asked: readonly string[]): number =>
  asked.filter((line) => line.includes("refresh-token")).length;

Deno.test("an expired token is renewed once, however many calls need it", async () => {
  await using fixture = await openClients();
  const corbel = fixture.client();
  await corbel.auth.signInAnonymously();
  fixture.app.clock.advance(16 * 60_000);
  const notes = corbel.from("notes");
  await Promise.all(Array.from({ length: 20 }, () => notes.count()));
  assert.equal(refreshes(fixture.asked), 1);
  await notes.count();
  assert.equal(refreshes(fixture.asked), 1);
});

Deno.test("auth.token returns the access token for other servers, and a renewed one on request", async () => {
  await using fixture = await openClients();
  const { app, project } = fixture;
  const corbel = fixture.client();
  assert.equal(await corbel.auth.token(), null);
  assert.equal(await corbel.auth.token({ renew: true }), null);
  const user = await corbel.auth.signInAnonymously();
  const token = (await corbel.auth.token())!;
  const ask = (token: string) => {
    const headers = { "x-api-key": project.publishableKey, authorization: `Bearer ${token}` };
    return app.send({ path: "/api/userAuth/me", headers });
  };
  const { body } = await ask(token.accessToken);
  assert.equal(body.data._id, user._id);
  assert.equal((await corbel.auth.token())!.accessToken, token.accessToken);
  assert.equal(refreshes(fixture.asked), 0);
  app.clock.advance(60_000);
  const renewed = (await corbel.auth.token({ renew: true }))!;
  assert.notEqual(renewed.accessToken, token.accessToken);
  assert.equal((await ask(renewed.accessToken)).status, 200);
  const seconds = (Date.parse(renewed.expiresAt) - Date.now()) / 1000;
  assert.ok(seconds > 890 && seconds <= 900, String(seconds));
});

Deno.test("a user who was signed out elsewhere is signed out at the next renewal", async () => {
  await using fixture = await openClients();
  const { project } = fixture;
  const corbel = fixture.client();
  const { _id } = await corbel.auth.signInAnonymously();
  await project.asSecret({ method: "DELETE", path: `/api/userAuth/users/${_id}/sessions` });
  await assert.rejects(corbel.from("notes").count(), { code: "ACCESS_TOKEN_REQUIRED" });
  assert.equal(corbel.auth.user, null);
});

Deno.test("a renewal without a response keeps the session", async () => {
  await using fixture = await openClients();
  const corbel = fixture.client();
  await corbel.auth.signInAnonymously();
  fixture.app.clock.advance(16 * 60_000);
  fixture.intercept(({ url }) => url.includes("refresh-token") ? refusal(500, "INTERNAL") : null);
  await assert.rejects(corbel.from("notes").count(), { code: "INTERNAL" });
  assert.ok(corbel.auth.user);
  fixture.intercept(null);
  assert.equal(await corbel.from("notes").count(), 0);
});

Deno.test("signing out removes the session of this device, whatever the response", async (t) => {
  await using fixture = await openClients();
  const answers: Record<string, () => Promise<Response>> = {
    nothing: () => Promise.reject(new TypeError("offline")),
    "a failure": () => refusal(500, "INTERNAL"),
    "a busy server": () => refusal(429, "RATE_LIMITED", { "retry-after": "60" }),
    "a page of a network": () => Promise.resolve(new Response("<h1>Sign in</h1>")),
    "a refusal": () => refusal(403, "ORIGIN_NOT_ALLOWED"),
  };
  for (const [name, answer] of Object.entries(answers)) {
    await t.step(name, async () => {
      const corbel = fixture.client();
      const events: unknown[] = [];
      await corbel.auth.signInAnonymously();
      corbel.auth.onChange((user) => events.push(user));
      fixture.intercept(answer);
      await corbel.auth.signOut();
      fixture.intercept(null);
      assert.equal(corbel.auth.user, null);
      assert.equal(events.at(-1), null);
      await assert.rejects(corbel.from("notes").count(), { code: "ACCESS_TOKEN_REQUIRED" });
    });
  }
});

Deno.test("a renewal that Corbel did not refuse keeps the session", async (t) => {
  await using fixture = await openClients();
  const answers: Record<string, () => Promise<Response>> = {
    "a proxy that asks for a password": () => Promise.resolve(new Response("", { status: 401 })),
    "a proxy without a server": () =>
      Promise.resolve(new Response("<h1>404</h1>", { status: 404 })),
    "a page of a network": () => Promise.resolve(new Response("<h1>Sign in</h1>")),
    "a busy server": () => refusal(429, "RATE_LIMITED", { "retry-after": "60" }),
  };
  for (const [name, answer] of Object.entries(answers)) {
    await t.step(name, async () => {
      const corbel = fixture.client();
      await corbel.auth.signInAnonymously();
      fixture.app.clock.advance(16 * 60_000);
      fixture.intercept(({ url }) => url.includes("refresh-token") ? answer() : null);
      await assert.rejects(corbel.from("notes").count());
      fixture.intercept(null);
      assert.ok(corbel.auth.user);
      assert.equal(await corbel.from("notes").count(), 0);
    });
  }
});

Deno.test("a listener that throws is reported, and the others are called", async () => {
  await using fixture = await openClients();
  const corbel = fixture.client();
  using reported = reportedErrors();
  const events: unknown[] = [];
  const fail = () => {
    throw new Error("by a listener");
  };
  corbel.auth.onChange(fail);
  corbel.auth.onChange((user) => events.push(user?._id ?? null));
  await corbel.auth.ready;
  const user = await corbel.auth.signInAnonymously();
  await corbel.auth.signOut();
  assert.deepEqual(events, [null, user._id, null]);
  assert.deepEqual(reported.messages, Array(3).fill("by a listener"));
});
