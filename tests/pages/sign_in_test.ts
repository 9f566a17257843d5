import assert from "node:assert/strict";
import { openAccount, PASSWORD, sessionCookieOf } from "../support/dashboard.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard, pageOf } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";

const FORM: [string, string] = ["content-type", "application/x-www-form-urlencoded"];

const signInPath = (next: string) => `/dashboard/sign-in?${new URLSearchParams({ next })}`;

Deno.test("a visitor without a session signs in and returns to the requested page", async () => {
  await using app = await openTestApp();
  const { email } = await openAccount(app);
  const visitor = openDashboard(app);
  const sent = await visitor.get("/dashboard?cursor=x");
  assert.deepEqual([sent.status, sent.location], [303, signInPath("/dashboard?cursor=x")]);
  const page = await visitor.follow(sent);
  const back = await visitor.fill(page, "Sign in", { email, password: PASSWORD });
  assert.equal(back.location, "/dashboard?cursor=x");
  assert.ok(back.headers.getSetCookie().some((one) => one.startsWith("corbel_session=")));
});

Deno.test("a form without a session explains how to keep its entries, and links to its page", async () => {
  await using app = await openTestApp();
  const referer = "http://localhost:8000/dashboard/projects/64f1a2b3c4d5e6f708192a3b?done=siteUrl";
  const sent = await app.send({
    method: "POST",
    path: "/dashboard/account/password",
    headers: [FORM, ["referer", referer]],
    body: "currentPassword=planted",
  });
  const next = "/dashboard/projects/64f1a2b3c4d5e6f708192a3b?done=siteUrl";
  const refusal = pageOf(sent);
  assert.deepEqual([refusal.status, refusal.location], [401, null]);
  assert.match(refusal.words, /not saved.*sign in in another tab, then reload/);
  assert.ok(!refusal.text.includes("planted"), "no entry is repeated");
  const links = [...refusal.document.querySelectorAll("p a")].map((one) =>
    one.getAttribute("href")
  );
  assert.deepEqual(links, [signInPath(next), signInPath(next)]);
  const visitor = openDashboard(app);
  const page = await visitor.get(signInPath(next));
  const register = [...page.document.querySelectorAll("a")]
    .find((one) => one.textContent === "Create an account")!.getAttribute("href")!;
  const form = await visitor.get(register);
  const done = await visitor.fill(form, "Create account", {
    email: "new@example.com",
    password: PASSWORD,
  });
  assert.equal(done.location, next);
});

Deno.test("a form by script without a session keeps the page and adds a note", async () => {
  await using app = await openTestApp();
  const sent = await app.send({
    method: "POST",
    path: "/dashboard/account/password",
    headers: [FORM, ["hx-request", "true"], ["referer", "http://localhost:8000/dashboard/account"]],
    body: "currentPassword=planted",
  });
  assert.equal(sent.status, 401);
  const asked = ["hx-retarget", "hx-reswap", "hx-push-url"].map((name) => sent.headers.get(name));
  assert.deepEqual(asked, ["#unsent", "innerHTML", "false"]);
  const note = pageOf({ ...sent, text: `<html><body>${sent.text}</body></html>` });
  const link = note.document.querySelector("a")!;
  assert.equal(link.getAttribute("href"), signInPath("/dashboard/account"));
  assert.equal(link.getAttribute("target"), "_blank");
  assert.ok(!sent.text.includes("planted"));
  const page = await openDashboard(app, await openAccount(app)).get("/dashboard/account");
  assert.ok(page.document.querySelector("main > #unsent"), "the page has a place for the note");
});

Deno.test("a part of a page without a session makes its script sign in and return to the page", async () => {
  await using app = await openTestApp();
  const answer = await app.send({
    path: "/dashboard/projects/64f1a2b3c4d5e6f708192a3b/requests",
    headers: [
      ["hx-request-type", "partial"],
      ["referer", "http://localhost:8000/dashboard/projects/64f1a2b3c4d5e6f708192a3b"],
    ],
  });
  assert.equal(answer.status, 204);
  const next = "/dashboard/projects/64f1a2b3c4d5e6f708192a3b";
  assert.equal(answer.headers.get("hx-redirect"), signInPath(next));
});

Deno.test("sign-in leads only to pages of the dashboard", async () => {
  await using app = await openTestApp();
  const { email } = await openAccount(app);
  const visitor = openDashboard(app);
  const elsewhere = [
    "https://evil.example/dashboard",
    "//evil.example/dashboard",
    "/\\evil.example",
    "/dashboard/../../evil",
    "/dashboard/%2e%2e/api/auth/me",
    "/dashboard/..",
    "/dashboard\\..\\evil",
    "/dashboardx",
    "/dashboard.evil.example",
    "/dashboard@evil.example",
    "/api/auth/me",
    "javascript:alert(1)",
    "/dashboard\r\nset-cookie: a=b",
    "/dashboard/\u2028",
    " /dashboard/account",
    "",
  ];
  for (const next of elsewhere) {
    const sent = await visitor.submit("/dashboard/sign-in", { email, password: PASSWORD, next });
    assert.equal(sent.location, "/dashboard", JSON.stringify(next));
    const page = await visitor.get(signInPath(next));
    assertHarmless(page);
  }
});

Deno.test("a refusal is shown next to the form, which keeps all entries but the password", async () => {
  await using app = await openTestApp();
  const visitor = openDashboard(app);
  const page = await visitor.get("/dashboard/sign-in");
  for (const email of [...HOSTILE_TEXTS, "nobody@example.com"]) {
    const refused = await visitor.fill(page, "Sign in", { email, password: PASSWORD });
    assert.equal(refused.status, 401);
    const field = refused.document.querySelector("input[name=email]");
    assert.equal(field?.getAttribute("value"), email);
    assert.match(refused.document.querySelector("[role=alert]")!.textContent, /password/i);
    assert.ok(!refused.text.includes(PASSWORD));
    assertHarmless(refused);
  }
});

Deno.test("a refused registration shows the reason, and keeps e-mail and name", async () => {
  await using app = await openTestApp();
  const { email } = await openAccount(app);
  const visitor = openDashboard(app);
  const page = await visitor.get("/dashboard/register");
  const refusals = [
    [{ email, password: PASSWORD }, 409, /e-mail/i],
    [{ email: "ann@example.com", password: "short" }, 400, /characters/i],
    [{ email: HOSTILE_TEXTS[1], password: PASSWORD }, 400, /plain address/],
  ] as const;
  for (const [fields, status, why] of refusals) {
    const name = HOSTILE_TEXTS[0];
    const refused = await visitor.fill(page, "Create account", { ...fields, name });
    assert.equal(refused.status, status);
    assert.match(refused.document.querySelector("[role=alert]")!.textContent, why);
    const kept = ["email", "name"].map((one) =>
      refused.document.querySelector(`input[name=${one}]`)!.getAttribute("value")
    );
    assert.deepEqual(kept, [fields.email, name]);
    assert.equal(sessionCookieOf(refused), null);
    assertHarmless(refused);
  }
});

Deno.test("signing out ends the session itself, not only the cookie", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const dashboard = openDashboard(app, account);
  const out = await dashboard.fill(await dashboard.get("/dashboard"), "Sign out");
  assert.deepEqual([out.status, out.location], [303, "/dashboard/sign-in"]);
  assert.match(out.headers.getSetCookie()[0]!, /^corbel_session=;.*Max-Age=0/);
  assert.equal((await account.send({ path: "/api/auth/me" })).status, 401);
  assert.equal((await dashboard.get("/dashboard")).location, "/dashboard/sign-in");
});

Deno.test("sign-in and register count towards the sign-in limit, as a page", async () => {
  await using app = await openTestApp({ env: { RATE_LIMITS: "on" } });
  const visitor = openDashboard(app);
  const credentials = { email: "nobody@example.com", password: "no" };
  for (let i = 0; i < 20; i++) {
    assert.equal((await visitor.submit("/dashboard/register", credentials)).status, 400);
  }
  assert.equal((await visitor.submit("/dashboard/register", credentials)).status, 429);
  const refused = await visitor.submit("/dashboard/sign-in", credentials);
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get("retry-after")) > 0);
  assert.match(refused.headers.get("content-type")!, /^text\/html/);
});
