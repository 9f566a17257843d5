import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { AI_USAGE, type AiUsageRecord } from "@/lib/ai/usage.ts";
import { eq } from "@/lib/store/filter.ts";
import {
  createOwnedProject,
  openAccount,
  PASSWORD,
  signInAgain,
  type TestAccount,
} from "../support/dashboard.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard, type PageAnswer } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";

const ACCOUNT = "/dashboard/account";
const AI_KEY = "gsk_something_long_1234";

const alertOf = ({ document }: PageAnswer) => document.querySelector("[role=alert]")?.textContent;
const doneOf = ({ document }: PageAnswer) => document.querySelector("[role=status]")?.textContent;

const card = ({ document }: PageAnswer, heading: string) =>
  [...document.querySelectorAll(".card")]
    .find((one) => one.querySelector("h2")!.textContent.startsWith(heading))!;

const buttons = ({ document }: PageAnswer) =>
  [...document.querySelectorAll("button")].map((one) => one.textContent);

const hasAiKey = async (account: TestAccount) =>
  (await account.send({ path: "/api/auth/me" })).body.data.hasAiKey;

Deno.test("the account page shows the account, and its usage next to the limits of its plan", async () => {
  await using app = await openTestApp();
  for (const [plan, projects, own] of [["free", 3, "no"], ["pro", 50, "yes"]] as const) {
    const account = await openAccount(app, { plan });
    await createOwnedProject(account);
    await createOwnedProject(account);
    await app.services.engine.records<AiUsageRecord>("control", AI_USAGE).insert({
      _id: app.services.newId(),
      accountId: account.accountId,
      usage: `${account.accountId} 2026-01`,
      queries: 4,
      designs: 1,
    });
    const page = await openDashboard(app, account).get(ACCOUNT);
    assert.ok(page.words.includes(account.email));
    const { projects: limit } = await limitsOf(page);
    assert.equal(limit, `2 of ${projects}`);
    assert.match(card(page, "Plan").textContent, new RegExp(`Your own AI key\\s*${own}`));
    assert.match(card(page, "AI").textContent, /Queries this month\s*4 of (?:5|20)/);
    assert.match(card(page, "AI").textContent, /Designs this month\s*1 of (?:1|5)/);
    assert.ok(card(page, "AI").querySelector("time[datetime='2026-02-01T00:00:00.000Z']"));
  }
});

const limitsOf = (page: PageAnswer) => ({
  projects: card(page, "Plan").querySelector(".meter span:nth-child(2)")!.textContent,
});

Deno.test("changing the password requires the current one, and signs out all other devices", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const other = await signInAgain(account);
  const dashboard = openDashboard(app, account);
  const page = await dashboard.get(ACCOUNT);
  const newPassword = "nine dry feathers 17";
  const wrong = { currentPassword: "not this one", newPassword };
  const refused = await dashboard.fill(page, "Change password", wrong);
  assert.equal(refused.status, 403);
  assert.match(card(refused, "Password").querySelector("[role=alert]")!.textContent, /current/);
  assert.ok(!refused.text.includes(newPassword));
  const short = { currentPassword: PASSWORD, newPassword: "short" };
  assert.equal((await dashboard.fill(page, "Change password", short)).status, 400);
  assert.equal((await other.send({ path: "/api/auth/me" })).status, 200);

  const right = { currentPassword: PASSWORD, newPassword };
  const changed = await dashboard.fill(page, "Change password", right);
  assert.equal(changed.status, 303);
  assert.match(doneOf(await dashboard.follow(changed))!, /password is changed/);
  assert.equal((await other.send({ path: "/api/auth/me" })).status, 401);
  const login = { email: account.email, password: newPassword };
  assert.equal((await app.send({ path: "/api/auth/login", body: login })).status, 200);
});

Deno.test("sessions are listed with device and network, and can be ended alone or together", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const dashboard = openDashboard(app, account);
  assert.ok(!buttons(await dashboard.get(ACCOUNT)).includes("End all other sessions"));
  const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const signIn = async (agent: string) => {
    const answer = await app.send({
      path: "/api/auth/login",
      headers: [["user-agent", agent]],
      peer: "203.0.113.7",
      body: { email: account.email, password: PASSWORD },
    });
    return { cookie: answer.headers.getSetCookie()[0]!.split(";")[0]! };
  };
  const firefox = await signIn(userAgent);
  const second = await signIn("second/1");
  const third = await signIn("third/1");
  const isSignedIn = async ({ cookie }: { cookie: string }) =>
    (await app.send({ path: "/api/auth/me", headers: { cookie } })).status === 200;

  const page = await dashboard.get(ACCOUNT);
  const rows = [...card(page, "Sessions").querySelectorAll("li")];
  assert.equal(rows.length, 4);
  const current = rows.filter((row) => row.textContent.includes("this one"));
  assert.equal(current.length, 1);
  assert.equal(current[0]!.querySelector("button"), null);
  const row = rows.find((one) => one.textContent.includes("Firefox on Linux"))!;
  assert.match(row.textContent, /network 203\.0\.113\.0/);
  assert.ok(row.querySelector("local-time time[datetime]"));
  const ended = await dashboard.fill(page, "End Firefox on Linux");
  assert.match(doneOf(await dashboard.follow(ended))!, /session is ended/);
  const left = [await isSignedIn(firefox), await isSignedIn(second), await isSignedIn(third)];
  assert.deepEqual(left, [false, true, true]);
  const again = await dashboard.fill(page, "End Firefox on Linux");
  assert.equal(again.status, 404);
  assert.match(card(again, "Sessions").querySelector("[role=alert]")!.textContent, /session/);

  const all = await dashboard.fill(page, "End all other sessions");
  assert.match(doneOf(await dashboard.follow(all))!, /All other sessions/);
  assert.deepEqual([await isSignedIn(second), await isSignedIn(third)], [false, false]);
  assert.ok(await isSignedIn(account));
});

Deno.test("an account cannot end the session of another account", async () => {
  await using app = await openTestApp();
  const [account, other] = [await openAccount(app), await openAccount(app)];
  const list = await other.send({ path: "/api/auth/sessions" });
  const { _id } = list.body.data.items[0];
  const refused = await openDashboard(app, account).submit(`${ACCOUNT}/sessions/${_id}`);
  assert.equal(refused.status, 404);
  assert.equal((await other.send({ path: "/api/auth/me" })).status, 200);
});

Deno.test("the device of a session is shown as text", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  for (const agent of HOSTILE_TEXTS) {
    const { email, password } = account;
    const headers = { "user-agent": agent };
    await app.send({ path: "/api/auth/login", headers, body: { email, password } });
  }
  const page = await openDashboard(app, account).get(ACCOUNT);
  assertHarmless(page);
  for (const agent of HOSTILE_TEXTS) assert.ok(page.words.includes(agent.slice(0, 60)), agent);
});

Deno.test("the name of an account is shown as text", async () => {
  await using app = await openTestApp();
  for (const name of HOSTILE_TEXTS) {
    const account = await openAccount(app);
    await app.services.engine.records<AccountRecord>("control", ACCOUNTS)
      .updateOne(eq("_id", account.accountId), { set: { name } });
    const page = await openDashboard(app, account).get(ACCOUNT);
    assertHarmless(page);
    assert.ok(page.words.includes(name));
  }
});

Deno.test("an AI key is set, replaced and cleared, and is never shown", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { plan: "pro" });
  const dashboard = openDashboard(app, account);
  const none = await dashboard.get(ACCOUNT);
  assert.match(card(none, "AI").textContent, /no key/);
  assert.ok(!buttons(none).includes("Clear the key"));
  const refused = await dashboard.fill(none, "Save key", { aiKey: "sk_wrong_kind" });
  assert.equal(refused.status, 400);
  assert.match(card(refused, "AI").querySelector("[role=alert]")!.textContent, /gsk_/);
  assert.ok(!refused.text.includes("sk_wrong_kind"), "a key is not sent back");
  assert.equal(await hasAiKey(account), false);

  const saved = await dashboard.follow(
    await dashboard.fill(none, "Save key", { aiKey: ` ${AI_KEY}\n` }),
  );
  assert.match(doneOf(saved)!, /stored/);
  assert.match(card(saved, "AI").textContent, /key set/);
  assert.ok(!saved.text.includes(AI_KEY));
  assert.equal(await hasAiKey(account), true);
  const replaced = await dashboard.fill(saved, "Replace key", { aiKey: `${AI_KEY}_2` });
  assert.equal(replaced.status, 303);
  const cleared = await dashboard.follow(await dashboard.fill(saved, "Clear the key"));
  assert.match(card(cleared, "AI").textContent, /no key/);
  assert.equal(await hasAiKey(account), false);
});

Deno.test("a plan without AI keys refuses new ones, and an existing one can be cleared", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const dashboard = openDashboard(app, account);
  const page = await dashboard.get(ACCOUNT);
  assert.match(card(page, "AI").textContent, /Bring your own key \(Pro\): no monthly limit\./);
  assert.ok(!buttons(page).includes("Save key"));
  const refused = await dashboard.submit(`${ACCOUNT}/ai-key`, { aiKey: AI_KEY });
  assert.equal(refused.status, 403);
  assert.match(alertOf(refused)!, /plan/i);
  const accounts = app.services.engine.records<AccountRecord>("control", ACCOUNTS);
  await accounts.updateOne(eq("_id", account.accountId), { set: { sealedAiKey: "sealed" } });
  const kept = await dashboard.get(ACCOUNT);
  assert.match(card(kept, "AI").textContent, /Yours is kept/);
  await dashboard.fill(kept, "Clear the key");
  assert.equal(await hasAiKey(account), false);
});

Deno.test("an account is deleted by its password if it owns no project", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId } = await createOwnedProject(account);
  const dashboard = openDashboard(app, account);
  const refusedPage = await dashboard.get(ACCOUNT);
  assert.match(card(refusedPage, "Delete account").textContent, /You own 1 project/);
  assert.ok(!buttons(refusedPage).includes("Delete my account"));
  const refused = await dashboard.submit(`${ACCOUNT}/delete`, { password: PASSWORD });
  assert.equal(refused.status, 409);
  assert.match(alertOf(refused)!, /owns 1 project/);

  await account.send({
    method: "DELETE",
    path: `/api/projects/${projectId}`,
    body: { name: "Test" },
  });
  const page = await dashboard.get(ACCOUNT);
  assert.match(card(page, "Delete account").textContent, /cannot be brought back/);
  const wrong = await dashboard.fill(page, "Delete my account", { password: "not this one" });
  assert.equal(wrong.status, 403);
  assert.ok(card(wrong, "Delete account").querySelector("details")!.hasAttribute("open"));
  const deleted = await dashboard.fill(page, "Delete my account", { password: PASSWORD });
  assert.match(deleted.headers.getSetCookie()[0]!, /^corbel_session=;.*Max-Age=0/);
  assert.match((await dashboard.follow(deleted)).words, /Your account is deleted/);
  const login = { email: account.email, password: PASSWORD };
  assert.equal((await app.send({ path: "/api/auth/login", body: login })).status, 401);
});

Deno.test("the address of a page can only select one of our notes", async () => {
  await using app = await openTestApp();
  const dashboard = openDashboard(app, await openAccount(app));
  for (const done of ["You+won+a+prize", "constructor", "__proto__", "<script>"]) {
    const page = await dashboard.get(`${ACCOUNT}?${new URLSearchParams({ done })}`);
    assert.equal(doneOf(page), undefined, done);
    assertHarmless(page);
  }
});

Deno.test("changing a password and deleting an account count towards the sign-in limit", async () => {
  await using app = await openTestApp({ env: { RATE_LIMITS: "on" } });
  const dashboard = openDashboard(app, await openAccount(app));
  // The registration was the first request. Wrong passwords would lock the session before the
  // limit.
  const remaining = [];
  for (const path of [`${ACCOUNT}/password`, `${ACCOUNT}/delete`, `${ACCOUNT}/password`]) {
    remaining.push((await dashboard.submit(path)).headers.get("ratelimit-remaining"));
  }
  assert.deepEqual(remaining, ["18", "17", "16"]);
});
