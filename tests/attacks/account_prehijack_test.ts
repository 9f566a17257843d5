import assert from "node:assert/strict";
import { CODES } from "@/lib/credentials/codes.ts";
import {
  ADA,
  assertTraceless,
  authCall,
  isSignedIn,
  NEXT_PASSWORD,
  requestCode,
  signUpCode,
  storedAccount,
} from "../api/account_email.ts";
import { accept, invite } from "../api/invitations.ts";
import { openTeam } from "../api/team.ts";
import { ok, refused } from "../api/test_collection.ts";
import { openAccount, PASSWORD, signInAgain, type TestAccount } from "../support/dashboard.ts";
import { openDashboard } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";

/** Eve registers an account with Ada's address. Ada owns the mailbox and proves it. */

const verify = (otp: string, more: Record<string, unknown> = {}) =>
  authCall("verify-email", { email: ADA, otp, ...more });

const logIn = (app: TestApp, password: string) =>
  app.send({ path: "/api/auth/login", body: { email: ADA, password } });

async function tokenOf(account: TestAccount): Promise<string> {
  const body = { name: "Eve's", access: "write", projects: "all", expiresInDays: 30 };
  return ok(await account.send({ path: "/api/auth/tokens", body }), 201).token;
}

async function assertEveIsOut(app: TestApp, eve: TestAccount, token: string): Promise<void> {
  assert.equal(await isSignedIn(eve), false);
  refused(await logIn(app, PASSWORD), 401, "CREDENTIALS_INVALID");
  const headers = { authorization: `Bearer ${token}` };
  refused(await app.send({ path: "/api/projects", headers }), 401, "ACCOUNT_TOKEN_INVALID");
  assert.equal((await storedAccount(app, eve)).emailVerified, true);
}

Deno.test("an account verified without its session loses its password, sessions and tokens", async () => {
  await using app = await openTestApp();
  const eve = await openAccount(app, { email: ADA });
  const token = await tokenOf(eve);
  const data = ok(await app.send(verify(await signUpCode(app, eve))));
  assert.equal(data.passwordDropped, true);
  await assertEveIsOut(app, eve, token);
  const otp = await requestCode(app, "request-password-reset", ADA);
  ok(await app.send(authCall("reset-password", { email: ADA, otp, newPassword: NEXT_PASSWORD })));
  ok(await logIn(app, NEXT_PASSWORD));
});

Deno.test("an account verified by another account's session loses its earlier credentials", async () => {
  await using app = await openTestApp();
  const eve = await openAccount(app, { email: ADA });
  const token = await tokenOf(eve);
  const other = await openAccount(app);
  ok(await other.send(verify(await signUpCode(app, eve))));
  await assertEveIsOut(app, eve, token);
  assert.ok(await isSignedIn(other));
});

Deno.test("an account verified with its session or password keeps everything", async () => {
  await using app = await openTestApp();
  const ada = await openAccount(app, { email: ADA });
  const phone = await signInAgain(ada);
  assert.deepEqual(ok(await phone.send(verify(await signUpCode(app, ada)))), {
    message: "E-mail verified",
  });
  for (const one of [ada, phone]) assert.ok(await isSignedIn(one));
  const bob = await openAccount(app, { email: "bob@example.com" });
  const otp = await signUpCode(app, bob);
  const byPassword = (password: string) =>
    app.send(authCall("verify-email", { email: bob.email, otp, password }));
  await assertTraceless(app, async () => {
    refused(await byPassword(NEXT_PASSWORD), 403, "PASSWORD_WRONG");
  }, [CODES]);
  ok(await byPassword(PASSWORD));
  assert.ok(await isSignedIn(bob));
});

Deno.test("the code page without a session asks for the password and drops it if left empty", async () => {
  await using app = await openTestApp();
  const eve = await openAccount(app, { email: ADA });
  const token = await tokenOf(eve);
  const path = `/dashboard/verify?${new URLSearchParams({ purpose: "verify", email: ADA })}`;
  const own = await openDashboard(app, eve).get(path);
  assert.equal(own.document.querySelector("input[name=password]"), null);
  const visitor = openDashboard(app);
  const page = await visitor.get(path);
  assert.ok(page.document.querySelector("input[name=password]"));
  const otp = await signUpCode(app, eve);
  const wrong = await visitor.fill(page, "Verify", { otp, password: NEXT_PASSWORD });
  assert.equal(wrong.status, 403);
  assert.ok(!wrong.text.includes(NEXT_PASSWORD));
  const done = await visitor.fill(page, "Verify", { otp });
  assert.equal(done.location, "/dashboard/sign-in?done=dropped");
  assert.match((await visitor.follow(done)).words, /no longer good: choose another one/);
  await assertEveIsOut(app, eve, token);
});

Deno.test("an invitation is refused to an unverified account with its address", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const eve = await openAccount(app, { email: ADA });
  const token = await tokenOf(eve);
  const { token: link } = await invite(team, ADA);
  refused(await eve.send({ path: team.path() }), 404, "PROJECT_NOT_FOUND");
  // Ada opens the link and takes over the account by her mailbox before she accepts.
  const otp = await requestCode(app, "request-password-reset", ADA);
  ok(await app.send(authCall("reset-password", { email: ADA, otp, newPassword: NEXT_PASSWORD })));
  await assertEveIsOut(app, eve, token);
  const ada = await signInAgain({ ...eve, password: NEXT_PASSWORD });
  ok(await accept(ada, link));
  refused(await eve.send({ path: team.path() }), 401, "SIGN_IN_REQUIRED");
});
