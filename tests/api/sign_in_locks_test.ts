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

/** Returns an address that nothing else in a test uses. */
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

/** Returns the seconds to wait that the refusal names. */
function assertLocked(answer: Answer): number {
  refused(answer, 429, "SIGN_IN_LOCKED");
  return Number(answer.headers.get("retry-after"));
}

async function useUpAttempts(app: TestApp, from: From = {}): Promise<void> {
  for (let n = 0; n < 5; n++) {
    refused(await signIn(app, WRONG, from), 401, "CREDENTIALS_INVALID");
  }
}

/** Sends wrong passwords from so many addresses that every new address has to wait. */
async function guessFromManyAddresses(app: TestApp, email = EMAIL): Promise<void> {
  for (let n = 0; n < 10; n++) await useUpAttempts(app, { peer: address(1000 + n), email });
}

Deno.test("after five wrong passwords even the right one must wait a minute", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  await useUpAttempts(app);
  assert.equal(assertLocked(await signIn(app, PASSWORD)), 60);
  app.clock.advance(59_001);
  assert.equal(assertLocked(await signIn(app, PASSWORD)), 1);
  app.clock.advance(999);
  ok(await signIn(app, PASSWORD));
});

Deno.test("each further failure doubles the wait, up to a quarter of an hour", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  await useUpAttempts(app);
  for (const seconds of [60, 120, 240, 480, 900, 900]) {
    assert.equal(assertLocked(await signIn(app, WRONG)), seconds);
    app.clock.advance(seconds * 1000);
    refused(await signIn(app, WRONG), 401, "CREDENTIALS_INVALID");
  }
});

Deno.test("attempts during a wait do not extend it", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  await useUpAttempts(app);
  for (let second = 0; second < 60; second++) {
    assert.equal(assertLocked(await signIn(app, WRONG)), 60 - second);
    app.clock.advance(1000);
  }
  ok(await signIn(app, PASSWORD));
});

Deno.test("the right password, or an hour without attempts, resets the count", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 4; n++) await signIn(app, WRONG);
    ok(await signIn(app, PASSWORD));
  }
  await useUpAttempts(app);
  app.clock.advance(60 * MINUTE);
  await useUpAttempts(app);
  assertLocked(await signIn(app, WRONG));
});

Deno.test("an unknown account is locked exactly like an existing one", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  const guessRepeatedly = async (email: string) => {
    const seen: unknown[] = [];
    for (let n = 0; n < 8; n++) {
      const { status, text, headers } = await signIn(app, WRONG, { email });
      seen.push([status, text, headers.get("retry-after")]);
    }
    return seen;
  };
  assert.deepEqual(await guessRepeatedly("nobody@example.com"), await guessRepeatedly(EMAIL));
});

Deno.test("attempts are counted per account in any letter case", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  for (const email of ["ada@example.com", "ADA@example.com", "Ada@example.com"]) {
    await signIn(app, WRONG, { email });
    await signIn(app, WRONG, { email });
  }
  assertLocked(await signIn(app, PASSWORD));
});

Deno.test("another address, and another account at the same address, have their own attempts", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  await openAccount(app, { email: "bob@example.com" });
  await useUpAttempts(app);
  ok(await signIn(app, PASSWORD, { peer: address(1) }));
  ok(await signIn(app, PASSWORD, { email: "bob@example.com" }));
  assertLocked(await signIn(app, PASSWORD));
});

Deno.test("addresses in one IPv6 network are counted together", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  for (let n = 0; n < 5; n++) await signIn(app, WRONG, { peer: `2001:db8:1:2::${n}` });
  assertLocked(await signIn(app, PASSWORD, { peer: "2001:db8:1:2:ffff::9" }));
  ok(await signIn(app, PASSWORD, { peer: "2001:db8:1:3::1" }));
});

Deno.test("of fifty concurrent guesses five are checked", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  const answers = await Promise.all(times(50, () => signIn(app, WRONG)));
  assert.deepEqual(
    tally(answers),
    { 401: 5, 429: 5, 503: 40 },
    "five of the ten admitted attempts are checked",
  );
  app.clock.advance(MINUTE);
  const next = await Promise.all(times(20, () => signIn(app, WRONG)));
  assert.deepEqual(
    tally(next),
    { 401: 1, 429: 9, 503: 10 },
    "one attempt after the wait, however many arrive",
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

Deno.test("guesses from many addresses make each new address wait before its first attempt", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  await guessFromManyAddresses(app);
  for (let n = 0; n < 5; n++) {
    assert.equal(assertLocked(await signIn(app, WRONG, { peer: address(n) })), 60);
  }
  app.clock.advance(MINUTE);
  for (let n = 0; n < 5; n++) {
    refused(await signIn(app, WRONG, { peer: address(n) }), 401, "CREDENTIALS_INVALID");
    assert.equal(assertLocked(await signIn(app, WRONG, { peer: address(n) })), 120);
  }
});

Deno.test("under continuous guessing the owner signs in from a new address after one wait", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  const home = { peer: address(7) };
  await guessFromManyAddresses(app);
  assert.equal(assertLocked(await signIn(app, PASSWORD, home)), 60);
  for (let n = 0; n < 60; n++) {
    app.clock.advance(1000);
    await signIn(app, WRONG, { peer: address(2000 + n) });
  }
  ok(await signIn(app, PASSWORD, home));
});

Deno.test("a known device signs in immediately, from an address that others have locked", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: EMAIL });
  const device = { cookie: deviceCookieOf(await signIn(app, PASSWORD)) };
  ok(await account.send({ method: "POST", path: "/api/auth/logout" }));
  await guessFromManyAddresses(app);
  assertLocked(await signIn(app, PASSWORD, { peer: address(7) }));
  ok(await signIn(app, PASSWORD, { peer: address(7), ...device }));
  assertLocked(await signIn(app, PASSWORD, { peer: address(7) }));
});

Deno.test("a known device has its own five attempts, from any address", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: EMAIL });
  const device = { cookie: deviceCookieOf(await signIn(app, PASSWORD)) };
  for (let n = 0; n < 5; n++) {
    const answer = await signIn(app, WRONG, { peer: address(n), ...device });
    refused(answer, 401, "CREDENTIALS_INVALID");
  }
  assert.equal(assertLocked(await signIn(app, PASSWORD, { peer: address(9), ...device })), 60);
  ok(await signIn(app, PASSWORD, { peer: address(9) }));
});

Deno.test("a device cookie that is foreign, altered or invented is ignored", async () => {
  await using app = await openTestApp();
  const { accountId } = await openAccount(app, { email: EMAIL });
  await openAccount(app, { email: "bob@example.com" });
  const bobs = deviceCookieOf(await signIn(app, PASSWORD, { email: "bob@example.com" }));
  const own = deviceCookieOf(await signIn(app, PASSWORD));
  await useUpAttempts(app);
  const foreign = [
    bobs,
    bobs.replace(/=\w{24}/, `=${accountId}`),
    own.replace(/.$/, own.endsWith("A") ? "B" : "A"),
    `corbel_device=${accountId}0123456789abcdef01234567`,
    `corbel_device=${accountId}`,
    "corbel_device=",
    own.slice(0, -1),
  ];
  for (const cookie of foreign) assertLocked(await signIn(app, PASSWORD, { cookie }));
  ok(await signIn(app, PASSWORD, { cookie: own }));
});

Deno.test("registering makes the browser a known device, and a later sign-in keeps the cookie", async () => {
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

Deno.test("in a session, too, the current password can be guessed at most five times", async () => {
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
  assert.equal(assertLocked(await change(account, PASSWORD)), 60);
  assert.equal(assertLocked(await remove(PASSWORD)), 60);
  ok(await account.send({ path: "/api/auth/me" }));
  app.clock.advance(MINUTE);
  ok(await change(account, PASSWORD));
});

Deno.test("expired sessions, attempts and failures are removed, and no others", async () => {
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
