import assert from "node:assert/strict";
import {
  ADA,
  isSignedIn,
  MINUTE_MS,
  NEXT_PASSWORD,
  NO_MAIL,
  requestCode,
  sentMails,
  signUpCode,
  storedAccount,
  wrongCode,
} from "../api/account_email.ts";
import { inviteCall } from "../api/invitations.ts";
import { mailEnv } from "../api/outbox_fixture.ts";
import { openTeam } from "../api/team.ts";
import { ok } from "../api/test_collection.ts";
import { openAccount, PASSWORD, sessionCookieOf } from "../support/dashboard.ts";
import { codeTo, mailsOf } from "../support/mailbox.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard, type PageAnswer } from "../support/pages.ts";
import { startSmtpServer } from "../support/smtp_server.ts";
import { openTestApp } from "../support/test_app.ts";

const SIGN_IN = "/dashboard/sign-in";
const FORGOTTEN = "/dashboard/forgot-password";
const MAILBOX = "/dashboard/account/mailbox";

const verifyPath = (purpose: string, email = ADA) =>
  `/dashboard/verify?${new URLSearchParams({ purpose, email })}`;

const alertOf = ({ document }: PageAnswer) => document.querySelector("[role=alert]")?.textContent;
const doneOf = ({ document }: PageAnswer) => document.querySelector("[role=status]")?.textContent;
const valueOf = ({ document }: PageAnswer, name: string) =>
  document.querySelector(`input[name=${name}]`)?.getAttribute("value");

const linksOf = ({ document }: PageAnswer) =>
  [...document.querySelectorAll("a")].map((one) => one.getAttribute("href"));

Deno.test("an account that forgot its password requests a code and signs in with a new one", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const visitor = openDashboard(app);
  assert.ok(linksOf(await visitor.get(SIGN_IN)).includes(FORGOTTEN));
  const page = await visitor.get(FORGOTTEN);
  const asked = await visitor.fill(page, "Send me a code", { email: ` ${ADA} ` });
  assert.equal(asked.location, `${verifyPath("resetPassword")}&done=sent`);
  const form = await visitor.follow(asked);
  assert.match(doneOf(form)!, /If an account has this e-mail, a code is on its way.*10 minutes/);
  assert.equal(valueOf(form, "email"), ADA);
  const otp = await codeTo(app.services, "control", ADA);
  const spaced = `${otp.slice(0, 3)} ${otp.slice(3)} `;
  const done = await visitor.fill(form, "Set password", {
    otp: spaced,
    newPassword: NEXT_PASSWORD,
  });
  assert.equal(sessionCookieOf(done), null);
  const back = await visitor.follow(done);
  assert.match(doneOf(back)!, /Your password is set, and all your devices are signed out/);
  assert.equal(await isSignedIn(account), false);
  const wrong = await visitor.fill(back, "Sign in", { email: ADA, password: PASSWORD });
  assert.equal(wrong.status, 401);
  const right = await visitor.fill(back, "Sign in", { email: ADA, password: NEXT_PASSWORD });
  assert.equal(right.status, 303);
});

Deno.test("the page of a code names the fault and keeps the address, but no code or password", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const otp = await requestCode(app, "request-password-reset", ADA);
  const visitor = openDashboard(app);
  const page = await visitor.get(verifyPath("resetPassword"));
  const refusals = [
    [{ otp: wrongCode(otp), newPassword: NEXT_PASSWORD }, /The code is not valid/],
    [{ otp: "", newPassword: NEXT_PASSWORD }, /The code is not valid/],
    [{ otp, newPassword: "short" }, /8 to 200 characters/],
  ] as const;
  for (const [fields, why] of refusals) {
    const refused = await visitor.fill(page, "Set password", fields);
    assert.equal(refused.status, 400);
    assert.match(alertOf(refused)!, why);
    assert.equal(valueOf(refused, "email"), ADA);
    assert.equal(valueOf(refused, "purpose"), "resetPassword");
    assert.ok(!refused.text.includes(fields.newPassword));
    assert.equal(valueOf(refused, "otp"), null);
    assertHarmless(refused);
  }
  assert.ok(await isSignedIn(account));
  const done = await visitor.fill(page, "Set password", { otp, newPassword: NEXT_PASSWORD });
  assert.equal(done.location, `${SIGN_IN}?done=reset`);
});

Deno.test("known and unknown addresses lead to the same page, and invalid ones are refused", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: ADA });
  const visitor = openDashboard(app);
  const page = await visitor.get(FORGOTTEN);
  const seen = new Set<string>();
  for (const email of [ADA, "nobody@example.com"]) {
    const sent = await visitor.fill(page, "Send me a code", { email });
    assert.equal(sent.status, 303);
    const { text } = await visitor.follow(sent);
    seen.add(text.replaceAll(email, "ADDRESS"));
  }
  assert.equal(seen.size, 1);
  for (const email of ["", "nobody", ...HOSTILE_TEXTS]) {
    const refused = await visitor.fill(page, "Send me a code", { email });
    assert.equal(refused.status, 400, email);
    assert.ok(alertOf(refused));
    assert.equal(valueOf(refused, "email") ?? "", email);
    assertHarmless(refused);
  }
});

Deno.test("an account verifies its e-mail by the link of the first mail or by another code", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const dashboard = openDashboard(app, account);
  const shown = await dashboard.get("/dashboard/account");
  assert.match(shown.words, /ada@example\.com not verified/);
  assert.ok(linksOf(shown).includes(verifyPath("verify")));
  assert.equal((await sentMails(app)).length, 1);
  app.clock.advance(MINUTE_MS);
  const sent = await dashboard.fill(shown, "Send a code");
  const page = await dashboard.follow(sent);
  assert.match(doneOf(page)!, /a code is on its way/);
  const [, mail] = await mailsOf(app.services, "control");
  const link = /http\S+#code=(\d{6})/.exec(mail!.text!)!;
  assert.equal(link[0], `http://localhost:8000${verifyPath("verify")}#code=${link[1]}`);
  const wrong = await dashboard.fill(page, "Verify", { otp: wrongCode(link[1]!) });
  assert.deepEqual([wrong.status, alertOf(wrong)], [
    400,
    "The code is not valid: check it, or ask for a new one.",
  ]);
  // Opening the page does not use up attempts.
  for (let i = 0; i < 10; i++) await openDashboard(app).get(verifyPath("verify"));
  const done = await dashboard.follow(await dashboard.fill(page, "Verify", { otp: link[1]! }));
  assert.match(doneOf(done)!, /Your e-mail is verified/);
  assert.match(done.words, /ada@example\.com verified/);
  assert.ok(!done.words.includes("Send a code"));
});

Deno.test("verifying on a device without a session leads to the sign-in page with a note", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const visitor = openDashboard(app);
  const page = await visitor.get(verifyPath("verify"));
  const otp = await signUpCode(app, account);
  const done = await visitor.fill(page, "Verify", { otp, password: PASSWORD });
  assert.equal(done.location, `${SIGN_IN}?done=verified`);
  assert.equal(sessionCookieOf(done), null);
  assert.match(doneOf(await visitor.follow(done))!, /Your e-mail is verified/);
  assert.equal((await storedAccount(app, account)).emailVerified, true);
});

Deno.test("another code can be sent from the page of the code after a minute", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: ADA });
  const visitor = openDashboard(app);
  const page = await visitor.get(verifyPath("verify"));
  for (const count of [1, 2]) {
    assert.equal((await visitor.fill(page, "Send another code")).status, 303);
    assert.equal((await sentMails(app)).length, count);
    app.clock.advance(MINUTE_MS);
  }
});

Deno.test("if mails are kept, an account reads only those to its own address", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const other = openDashboard(app, await openAccount(app, { email: "bob@example.com" }));
  const dashboard = openDashboard(app, account);
  const shown = await dashboard.get("/dashboard/account");
  assert.ok(linksOf(shown).includes(MAILBOX));
  const code = await codeTo(app.services, "control", ADA);
  const mailbox = await dashboard.get(MAILBOX);
  const mail = (await mailsOf(app.services, "control")).find(({ to }) => to === ADA);
  assert.ok(mailbox.words.includes(code));
  assert.ok(!mailbox.words.includes("bob@example.com"));
  const html = `${MAILBOX}/kept/${mail!._id}`;
  assert.equal((await dashboard.get(html)).text, mail!.html);
  assert.equal((await other.get(html)).status, 404);
  assert.equal((await openDashboard(app).get(MAILBOX)).status, 303);
});

Deno.test("kept invitations are only shown after the address is verified", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: ADA });
  const dashboard = openDashboard(app, account);
  const otp = await codeTo(app.services, "control", ADA);
  const team = await openTeam(app);
  const { url } = ok(await team.owner.send(inviteCall(team, ADA)), 201);
  const isShown = async () => (await dashboard.get(MAILBOX)).words.includes(url);
  assert.equal(await isShown(), false);
  ok(
    await account.send({
      method: "POST",
      path: "/api/auth/verify-email",
      body: { email: ADA, otp },
    }),
  );
  assert.equal(await isShown(), true);
});

Deno.test("if mails are sent, an account has no mailbox", async () => {
  await using server = await startSmtpServer();
  await using app = await openTestApp({ env: mailEnv(server) });
  const dashboard = openDashboard(app, await openAccount(app, { email: ADA }));
  assert.ok(!linksOf(await dashboard.get("/dashboard/account")).includes(MAILBOX));
  assert.equal((await dashboard.get(MAILBOX)).status, 404);
});

Deno.test("without a mail server the pages give instructions", async () => {
  await using app = await openTestApp({ env: NO_MAIL });
  const account = await openAccount(app, { email: ADA });
  const visitor = openDashboard(app);
  const forgotten = await visitor.get(FORGOTTEN);
  assert.match(forgotten.words, /sends no mail.*deno task admin account password/);
  assert.equal(forgotten.document.querySelector("main form"), null);
  const shown = await openDashboard(app, account).get("/dashboard/account");
  assert.match(shown.words, /sends no mail.*deno task admin account password/);
  assert.ok(!shown.words.includes("Send a code"));
  for (const purpose of ["verify", "resetPassword"]) {
    const refused = await visitor.submit("/dashboard/verify/code", { purpose, email: ADA });
    assert.equal(refused.status, 503);
    assert.match(refused.words, /deno task admin account password/);
  }
});

Deno.test("the page of a code shows only texts from its address", async () => {
  await using app = await openTestApp();
  const visitor = openDashboard(app);
  for (const hostile of [...HOSTILE_TEXTS, "constructor", "__proto__"]) {
    const query = new URLSearchParams({ purpose: hostile, email: hostile, done: hostile });
    const page = await visitor.get(`/dashboard/verify?${query}`);
    assert.deepEqual([page.status, doneOf(page)], [200, undefined]);
    assert.equal(valueOf(page, "email"), hostile);
    assert.equal(valueOf(page, "purpose"), "verify");
    assertHarmless(page);
  }
  const bare = await visitor.get("/dashboard/verify");
  assert.equal(bare.document.querySelector("h1")!.textContent, "Verify your e-mail");
});

Deno.test("the forms of codes count towards the sign-in limit", async () => {
  await using app = await openTestApp({ env: { RATE_LIMITS: "on" } });
  const visitor = openDashboard(app);
  const remaining = [];
  for (const path of ["/dashboard/verify", "/dashboard/verify/code"]) {
    for (const purpose of ["verify", "resetPassword"]) {
      const answer = await visitor.submit(path, { purpose, email: ADA });
      remaining.push(answer.headers.get("ratelimit-remaining"));
    }
  }
  assert.deepEqual(remaining, ["19", "18", "17", "16"]);
});

Deno.test("an account changes its e-mail by its password and the code sent to the new address", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const dashboard = openDashboard(app, account);
  const page = await dashboard.get("/dashboard/account");
  const newEmail = "grace@example.org";
  const wrong = await dashboard.fill(page, "Change e-mail", { newEmail, password: "wrong" });
  assert.equal(wrong.status, 403);
  const field = wrong.document.querySelector("input[name=newEmail]")!;
  assert.equal(field.getAttribute("value"), newEmail, "the entered value stays");
  const asked = await dashboard.fill(page, "Change e-mail", { newEmail, password: PASSWORD });
  const due = await dashboard.follow(asked);
  assert.match(due.words, /a code is on its way to it/);
  const [mail] = await mailsOf(app.services, "control", newEmail);
  const link = /http\S+/.exec(mail!.text!)![0];
  const led = await dashboard.get(link.slice(link.indexOf("/dashboard")).split("#")[0]!);
  assert.equal(led.headers.get("location"), "/dashboard/account?done=code");
  const otp = await codeTo(app.services, "control", newEmail);
  const bad = await dashboard.fill(due, "Confirm the new e-mail", { otp: wrongCode(otp) });
  assert.equal(bad.status, 400);
  const good = { otp: `${otp.slice(0, 3)} ${otp.slice(3)}` };
  const done = await dashboard.follow(await dashboard.fill(bad, "Confirm the new e-mail", good));
  assert.match(done.words, /Your e-mail is changed/);
  assert.ok(done.words.includes(`${newEmail} verified`));
});

Deno.test("an account changes its name, and an invalid name stays as entered", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const dashboard = openDashboard(app, account);
  const page = await dashboard.get("/dashboard/account");
  const named = await dashboard.follow(
    await dashboard.fill(page, "Save name", { name: " Grace " }),
  );
  assert.match(named.words, /Your name is saved/);
  const nameOf = (one: typeof page) =>
    one.document.querySelector("input[name=name]")!.getAttribute("value");
  assert.equal(nameOf(named), "Grace");
  const long = "x".repeat(201);
  const refused = await dashboard.fill(named, "Save name", { name: long });
  assert.deepEqual([refused.status, nameOf(refused)], [400, long]);
  await dashboard.fill(named, "Save name", { name: "" });
  const { body } = await account.send({ path: "/api/auth/me" });
  assert.equal(body.data.name, null);
});
