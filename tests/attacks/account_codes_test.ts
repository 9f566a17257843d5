import assert from "node:assert/strict";
import { CODES } from "@/lib/credentials/codes.ts";
import { CODE_TRIES_MAX, CODES_PER_HOUR } from "@/lib/limits.ts";
import {
  ADA,
  authCall,
  countOf,
  isSignedIn,
  MINUTE_MS,
  NEXT_PASSWORD,
  requestCode,
  wrongCode,
} from "../api/account_email.ts";
import { inviteCall } from "../api/invitations.ts";
import { openTeam } from "../api/team.ts";
import { ok, refused, tally, times } from "../api/test_collection.ts";
import { openAccount, PASSWORD, signInAgain } from "../support/dashboard.ts";
import { mailsOf } from "../support/mailbox.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";

/** Attacks on dashboard accounts and mailboxes by codes and mails. */

const ASKING = ["resend-verification", "request-password-reset"] as const;

const reset = (otp: string, newPassword = NEXT_PASSWORD) =>
  authCall("reset-password", { email: ADA, otp, newPassword });

for (const operation of ASKING) {
  Deno.test(`enumeration by ${operation}: existing, unknown and throttled addresses get one response`, async () => {
    await using app = await openTestApp();
    await openAccount(app, { email: "kann@example.com" });
    const seen = new Set<string>();
    const addresses = [
      "kann@example.com",
      "KANN@EXAMPLE.COM",
      "nobody@example.com",
      "\u212Aann@example.com",
    ];
    for (const email of [...addresses, ...addresses]) {
      const { status, text, headers } = await app.send(authCall(operation, { email }));
      const compared = [...headers].filter(([name]) => name !== "x-request-id");
      seen.add(JSON.stringify([status, text, compared]));
    }
    assert.equal(seen.size, 1, [...seen].join("\n"));
  });
}

for (const operation of ["verify-email", "reset-password"]) {
  Deno.test(`enumeration by ${operation}: a wrong code gets one response for every address`, async () => {
    await using app = await openTestApp();
    await openAccount(app, { email: ADA });
    const otp = await requestCode(app, "request-password-reset", ADA);
    const seen = new Set<string>();
    for (const email of [ADA, "nobody@example.com", "no address"]) {
      const body = {
        email,
        otp: wrongCode(otp),
        ...(operation === "reset-password" && { newPassword: NEXT_PASSWORD }),
      };
      const answer = await app.send(authCall(operation, body));
      refused(answer, 400, "INVALID_CODE");
      seen.add(answer.text);
    }
    assert.equal(seen.size, 1);
  });
}

Deno.test("guessing a code: parallel networks get five attempts in all, then the code is invalid", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const otp = await requestCode(app, "request-password-reset", ADA);
  const guesses = times(60, (i) => {
    const guess = String((Number(otp) + 1 + i) % 1_000_000).padStart(6, "0");
    return app.send({ ...reset(guess), peer: `203.0.${i}.7` });
  });
  assert.deepEqual(tally(await Promise.all(guesses)), { 400: 60 });
  refused(await app.send(reset(otp)), 400, "INVALID_CODE");
  assert.ok(await isSignedIn(account));
  assert.equal(CODE_TRIES_MAX, 5);
});

Deno.test("guessing a code: new codes allow at most 25 attempts an hour, from any network", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: ADA });
  await mailsOf(app.services, "control");
  for (let minute = 0; minute < 59; minute++) {
    const peer = `203.0.${minute}.7`;
    ok(await app.send({ ...authCall("request-password-reset", { email: ADA }), peer }));
    await app.services.jobRunner.idle();
    app.clock.advance(MINUTE_MS);
  }
  const codes = (await mailsOf(app.services, "control"))
    .filter(({ kind }) => kind === "resetPassword");
  assert.equal(codes.length * CODE_TRIES_MAX, 25);
});

Deno.test("a stolen session: a reset ends it and the codes that the thief has seen", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const thief = await signInAgain(account);
  const seen = await requestCode(app, "request-password-reset", ADA);
  const otp = await requestCode(app, "request-password-reset", ADA);
  ok(await app.send(reset(otp)));
  assert.equal(await countOf(app, CODES), 0);
  assert.equal(await isSignedIn(thief), false);
  if (seen !== otp) refused(await app.send(reset(seen, PASSWORD)), 400, "INVALID_CODE");
  refused(await app.send(reset(otp, PASSWORD)), 400, "INVALID_CODE");
  const login = (password: string) => app.send(authCall("login", { email: ADA, password }));
  refused(await login(PASSWORD), 401, "CREDENTIALS_INVALID");
  ok(await login(NEXT_PASSWORD));
});

Deno.test("a password reset ends a concurrent sign-in with the old password", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: ADA });
  const otp = await requestCode(app, "request-password-reset", ADA);
  const cookies: string[] = [];
  const [done, ...tries] = await Promise.all([
    app.send(reset(otp)),
    ...times(5, () => app.send(authCall("login", { email: ADA, password: PASSWORD }))),
  ]);
  ok(done);
  for (const one of tries) {
    const cookie = one.headers.getSetCookie().find((text) => text.startsWith("corbel_session="));
    if (cookie !== undefined) cookies.push(cookie.split(";")[0]!);
  }
  for (const cookie of cookies) {
    const { status } = await app.send({ path: "/api/auth/me", headers: { cookie } });
    assert.equal(status, 401);
  }
});

Deno.test("an address registered by an attacker: a reset gives the account to the mailbox's owner", async () => {
  await using app = await openTestApp();
  const planted = await openAccount(app, { email: ADA });
  const otp = await requestCode(app, "request-password-reset", ADA);
  ok(await app.send(reset(otp)));
  assert.equal(await isSignedIn(planted), false);
  const { password } = planted;
  refused(await app.send(authCall("login", { email: ADA, password })), 401, "CREDENTIALS_INVALID");
});

Deno.test("a look-alike mailbox receives no code, and its code is refused", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: "kann@example.com" });
  for (const email of ["\u212Aann@example.com", "ｋａｎｎ@example.com", "kann@ex\u00ADample.com"]) {
    for (const operation of ASKING) ok(await app.send(authCall(operation, { email })));
  }
  const mails = await mailsOf(app.services, "control");
  assert.deepEqual(mails.map(({ to }) => to), ["kann@example.com"]);
});

const invitationsTo = async ({ services }: TestApp, ...addresses: string[]) =>
  (await mailsOf(services, "control"))
    .filter(({ kind, to }) => kind === "invitation" && addresses.includes(to)).length;

Deno.test("a mail bomb by invitations: one address receives at most five mails an hour", async () => {
  await using app = await openTestApp();
  const teams = await Promise.all(times(4, () => openTeam(app)));
  const spellings = [ADA, "ADA@example.com", "Ada@Example.com", "ada\u00AD@example.com"];
  for (let minute = 0; minute < 12; minute++) {
    const calls = teams.flatMap((team) =>
      spellings.map((email) => team.owner.send(inviteCall(team, email)))
    );
    for (const answer of await Promise.all(calls)) ok(answer, 201);
    app.clock.advance(MINUTE_MS);
  }
  assert.equal(await invitationsTo(app, ...spellings), CODES_PER_HOUR);
});

Deno.test("an invitation's mail contains no text that the inviter or their project chose", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const name = "You won! See https://evil.example";
  const path = team.path();
  ok(await team.owner.send({ method: "PATCH", path, body: { name } }));
  ok(await team.owner.send(inviteCall(team, ADA)), 201);
  const [mail] = (await mailsOf(app.services, "control")).filter(({ to }) => to === ADA);
  for (const text of [mail!.subject, mail!.text!, mail!.html!]) {
    assert.ok(!text.includes("evil.example"), text);
    assert.ok(!text.includes(team.owner.email), text);
  }
});

Deno.test("a mail address cannot inject a header line", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = (await mailsOf(app.services, "control")).length;
  for (const email of [`${ADA}\r\nBcc: eve@example.com`, `a\n${ADA}`, `${ADA},eve@example.com`]) {
    refused(await team.owner.send(inviteCall(team, email)), 400, "INVALID_BODY");
    for (const operation of ASKING) {
      refused(await app.send(authCall(operation, { email })), 400, "INVALID_BODY");
    }
  }
  assert.equal((await mailsOf(app.services, "control")).length, before);
  // White space around an address is removed.
  ok(await team.owner.send(inviteCall(team, "carol@example.com\r\n")), 201);
  assert.equal((await mailsOf(app.services, "control", "carol@example.com")).length, 1);
});
