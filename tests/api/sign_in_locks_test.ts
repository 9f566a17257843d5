import assert from "node:assert/strict";
import { PASSWORD_TRIES, SIGN_IN_FAILURES } from "@/lib/credentials/sign_in_attempts.ts";
import { ACCOUNT_SESSIONS } from "@/lib/accounts/session_records.ts";
import { ALL } from "@/lib/store/filter.ts";
import { maintain } from "@/routes/maintenance.ts";
import type { Answer } from "../support/conforming_client.ts";
import { openAccount, PASSWORD, type TestAccount } from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { ok, refused, tally, times } from "./test_collection.ts";

const MINUTE = 60_000;
const EMAIL = "ada@example.com";
const WRONG = "another password";

/** An address that nobody else in a test has. */
const address = (n: number): string => `198.51.${n >> 8}.${n & 255}`;

interface From {
  readonly peer?: string;
  readonly email?: string;
  readonly cookie?: string;
}

const signIn = (
  app: TestApp,
  password: string,
  { peer = address(0), email = EMAIL, cookie = "" }: From = {},
): Promise<Answer> =>
  app.send({ path: "/api/auth/login", body: { email, password }, headers: { cookie }, peer });

const deviceCookieOf = ({ headers }: Answer): string =>
  headers.getSetCookie().find((one) => one.startsWith("corbel_device="))!.split(";")[0]!;

/** Seconds that the refusal says to wait. */
function waitOf(answer: Answer): number {
  refused(answer, 429, "SIGN_IN_LOCKED");
  return Number(answer.headers.get("retry-after"));
}

/** Uses up the tries that are free. */
async function useUp(app: TestApp, from: From = {}): Promise<void> {
  for (let n = 0; n < 5; n++) {
    refused(await signIn(app, WRONG, from), 401, "CREDENTIALS_INVALID");
  }
}

/** Wrong passwords from so many addresses that every new one has to wait. */
async function besiege(app: TestApp, email = EMAIL): Promise<void> {
  for (let n = 0; n < 10; n++) await useUp(app, { peer: address(1000 + n), email });
}

Deno.test("after five wrong passwords even the right one must wait a minute", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  await useUp(app);
  assert.equal(waitOf(await signIn(app, PASSWORD)), 60);
  app.clock.advance(59_001);
  assert.equal(waitOf(await signIn(app, PASSWORD)), 1);
  app.clock.advance(999);
  ok(await signIn(app, PASSWORD));
});

Deno.test("each further one waits twice as long, a quarter of an hour at most", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  await useUp(app);
  for (const seconds of [60, 120, 240, 480, 900, 900]) {
    assert.equal(waitOf(await signIn(app, WRONG)), seconds);
    app.clock.advance(seconds * 1000);
    refused(await signIn(app, WRONG), 401, "CREDENTIALS_INVALID");
  }
});

Deno.test("what is refused for a while makes it no longer", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  await useUp(app);
  for (let second = 0; second < 60; second++) {
    assert.equal(waitOf(await signIn(app, WRONG)), 60 - second);
    app.clock.advance(1000);
  }
  ok(await signIn(app, PASSWORD));
});

Deno.test("the right password makes all tries free again, and an hour without any does too", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 4; n++) await signIn(app, WRONG);
    ok(await signIn(app, PASSWORD));
  }
  await useUp(app);
  app.clock.advance(60 * MINUTE);
  await useUp(app);
  waitOf(await signIn(app, WRONG));
});

Deno.test("an account that does not exist is locked just like one that does", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  const tell = async (email: string) => {
    const seen: unknown[] = [];
    for (let n = 0; n < 8; n++) {
      const { status, text, headers } = await signIn(app, WRONG, { email });
      seen.push([status, text, headers.get("retry-after")]);
    }
    return seen;
  };
  assert.deepEqual(await tell("nobody@example.com"), await tell(EMAIL));
});

Deno.test("tries are counted for the account, in whatever letter case it is written", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  for (const email of ["ada@example.com", "ADA@example.com", "Ada@example.com"]) {
    await signIn(app, WRONG, { email });
    await signIn(app, WRONG, { email });
  }
  waitOf(await signIn(app, PASSWORD));
});

Deno.test("another address, and another account at the same address, have tries of their own", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  await openAccount(app, { email: "bob@example.com" });
  await useUp(app);
  ok(await signIn(app, PASSWORD, { peer: address(1) }));
  ok(await signIn(app, PASSWORD, { email: "bob@example.com" }));
  waitOf(await signIn(app, PASSWORD));
});

Deno.test("addresses of one IPv6 network are one place", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  for (let n = 0; n < 5; n++) await signIn(app, WRONG, { peer: `2001:db8:1:2::${n}` });
  waitOf(await signIn(app, PASSWORD, { peer: "2001:db8:1:2:ffff::9" }));
  ok(await signIn(app, PASSWORD, { peer: "2001:db8:1:3::1" }));
});

Deno.test("of fifty guesses at once five are looked at", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  const answers = await Promise.all(times(50, () => signIn(app, WRONG)));
  assert.deepEqual(tally(answers), { 401: 5, 429: 5, 503: 40 }, "of the ten that are admitted");
  app.clock.advance(MINUTE);
  const next = await Promise.all(times(20, () => signIn(app, WRONG)));
  assert.deepEqual(
    tally(next),
    { 401: 1, 429: 9, 503: 10 },
    "one that waited, however many come for it",
  );
});

Deno.test("concurrent sign-ins of one account all succeed", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 4; n++) await signIn(app, WRONG);
    const answers = await Promise.all(times(10, () => signIn(app, PASSWORD)));
    assert.deepEqual(tally(answers), { 200: 10 });
  }
});

Deno.test("two processes on one store count together", async () => {
  await using app = await openTestApp();
  await using other = await openTestApp({ store: app.store, clock: app.clock });
  await openAccount(app, { email: EMAIL });
  const answers = await Promise.all(times(20, (n) => signIn(n % 2 ? app : other, WRONG)));
  assert.deepEqual(tally(answers), { 401: 5, 429: 15 });
});

Deno.test("guessing from many addresses makes each new one wait, before its first guess too", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  await besiege(app);
  for (let n = 0; n < 5; n++) {
    assert.equal(waitOf(await signIn(app, WRONG, { peer: address(n) })), 60);
  }
  app.clock.advance(MINUTE);
  for (let n = 0; n < 5; n++) {
    refused(await signIn(app, WRONG, { peer: address(n) }), 401, "CREDENTIALS_INVALID");
    assert.equal(waitOf(await signIn(app, WRONG, { peer: address(n) })), 120);
  }
});

Deno.test("under such a siege the owner gets in from a new place after one wait, however it goes on", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  const home = { peer: address(7) };
  await besiege(app);
  assert.equal(waitOf(await signIn(app, PASSWORD, home)), 60);
  for (let n = 0; n < 60; n++) {
    app.clock.advance(1000);
    await signIn(app, WRONG, { peer: address(2000 + n) });
  }
  ok(await signIn(app, PASSWORD, home));
});

Deno.test("a known device gets in at once, from a place that others have locked", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: EMAIL });
  const device = { cookie: deviceCookieOf(await signIn(app, PASSWORD)) };
  ok(await account.send({ method: "POST", path: "/api/auth/logout" }));
  await besiege(app);
  waitOf(await signIn(app, PASSWORD, { peer: address(7) }));
  ok(await signIn(app, PASSWORD, { peer: address(7), ...device }));
  waitOf(await signIn(app, PASSWORD, { peer: address(7) }));
});

Deno.test("a known device has five tries of its own, from wherever it comes", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  const device = { cookie: deviceCookieOf(await signIn(app, PASSWORD)) };
  for (let n = 0; n < 5; n++) {
    const answer = await signIn(app, WRONG, { peer: address(n), ...device });
    refused(answer, 401, "CREDENTIALS_INVALID");
  }
  assert.equal(waitOf(await signIn(app, PASSWORD, { peer: address(9), ...device })), 60);
  ok(await signIn(app, PASSWORD, { peer: address(9) }));
});

Deno.test("a device of another account, an altered or an invented one is none", async () => {
  await using app = await openTestApp();
  const { accountId } = await openAccount(app, { email: EMAIL });
  await openAccount(app, { email: "bob@example.com" });
  const bobs = deviceCookieOf(await signIn(app, PASSWORD, { email: "bob@example.com" }));
  const own = deviceCookieOf(await signIn(app, PASSWORD));
  await useUp(app);
  const foreign = [
    bobs,
    bobs.replace(/=\w{24}/, `=${accountId}`),
    own.replace(/.$/, own.endsWith("A") ? "B" : "A"),
    `corbel_device=${accountId}0123456789abcdef01234567`,
    `corbel_device=${accountId}`,
    "corbel_device=",
    own.slice(0, -1),
  ];
  for (const cookie of foreign) waitOf(await signIn(app, PASSWORD, { cookie }));
  ok(await signIn(app, PASSWORD, { cookie: own }));
});

Deno.test("registering makes the browser a known device too, and a later sign-in keeps it so", async () => {
  await using app = await openTestApp();
  const body = { email: EMAIL, password: PASSWORD };
  const registered = await app.send({ path: "/api/auth/register", body });
  const cookie = deviceCookieOf(registered);
  assert.match(cookie, /^corbel_device=[0-9a-f]{48}\.[\w-]{22}$/);
  const [, set] = registered.headers.getSetCookie();
  assert.match(set!, /; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/);
  assert.equal(deviceCookieOf(await signIn(app, PASSWORD, { cookie })), cookie);
  assert.notEqual(deviceCookieOf(await signIn(app, PASSWORD)), cookie);
});

Deno.test("in a session too the present password is guessed five times at most", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: EMAIL });
  const change = (one: TestAccount, currentPassword: string) =>
    one.send({
      path: "/api/auth/change-password",
      body: { currentPassword, newPassword: "eight dry leaves 52" },
    });
  const remove = (password: string) =>
    account.send({ method: "DELETE", path: "/api/auth/account", body: { password } });
  const guesses = await Promise.all(
    times(10, (n) => n % 2 === 0 ? change(account, WRONG) : remove(WRONG)),
  );
  assert.deepEqual(tally(guesses), { 403: 5, 429: 5 });
  assert.equal(waitOf(await change(account, PASSWORD)), 60);
  assert.equal(waitOf(await remove(PASSWORD)), 60);
  ok(await account.send({ path: "/api/auth/me" }));
  app.clock.advance(MINUTE);
  ok(await change(account, PASSWORD));
});

Deno.test("sessions, tries and failures that have expired are removed, and no others", async () => {
  await using app = await openTestApp();
  const { engine } = app.services;
  const kept = () =>
    Promise.all(
      [ACCOUNT_SESSIONS, PASSWORD_TRIES, SIGN_IN_FAILURES].map((one) =>
        engine.records("control", one).count(ALL)
      ),
    );
  await openAccount(app, { email: EMAIL });
  await signIn(app, WRONG);
  assert.deepEqual(await kept(), [1, 1, 1]);
  await maintain(app.services);
  assert.deepEqual(await kept(), [1, 1, 1]);
  app.clock.advance(60 * MINUTE + 1);
  await maintain(app.services);
  assert.deepEqual(await kept(), [1, 0, 0]);
  app.clock.advance(7 * 24 * 60 * MINUTE);
  await maintain(app.services);
  assert.deepEqual(await kept(), [0, 0, 0]);
});
