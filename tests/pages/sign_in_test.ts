import assert from "node:assert/strict";
import { openAccount, PASSWORD, sessionCookieOf } from "../support/dashboard.ts";
import { assertHarmless, HOSTILE, openDashboard, pageOf } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";

const FORM: [string, string] = ["content-type", "application/x-www-form-urlencoded"];

const signInPath = (next: string) => `/dashboard/sign-in?${new URLSearchParams({ next })}`;

Deno.test("a visitor without a session is sent to sign in, and back to where they were", async () => {
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

Deno.test("a form of a lost session says how to lose nothing, and the way back to its page", async () => {
  await using app = await openTestApp();
  const referer = "http://localhost:8000/dashboard/projects/64f1a2b3c4d5e6f708192a3b?done=siteUrl";
  const sent = await app.send({
    method: "POST",
    path: "/dashboard/account/password",
    headers: [FORM, ["referer", referer]],
    body: "currentPassword=planted",
  });
  const next = "/dashboard/projects/64f1a2b3c4d5e6f708192a3b?done=siteUrl";
  const told = pageOf(sent);
  assert.deepEqual([told.status, told.location], [401, null]);
  assert.match(told.words, /not saved.*sign in in another tab, then reload/);
  assert.ok(!told.text.includes("planted"), "nothing of it is repeated");
  const links = [...told.document.querySelectorAll("p a")].map((one) => one.getAttribute("href"));
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

Deno.test("a script's form of a lost session stays where it is, and only a note is added", async () => {
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
  assert.ok(page.document.querySelector("main > #unsent"), "there is a place for it");
});

Deno.test("a part of a page of a lost session makes its script leave, and come back to the page", async () => {
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

Deno.test("sign-in leads to no other site, and to nothing but the dashboard", async () => {
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

Deno.test("a refusal is said beside the form, which keeps what was typed but the password", async () => {
  await using app = await openTestApp();
  const visitor = openDashboard(app);
  const page = await visitor.get("/dashboard/sign-in");
  for (const email of [...HOSTILE, "nobody@example.com"]) {
    const refused = await visitor.fill(page, "Sign in", { email, password: PASSWORD });
    assert.equal(refused.status, 401);
    const field = refused.document.querySelector("input[name=email]");
    assert.equal(field?.getAttribute("value"), email);
    assert.match(refused.document.querySelector("[role=alert]")!.textContent, /password/i);
    assert.ok(!refused.text.includes(PASSWORD));
    assertHarmless(refused);
  }
});

Deno.test("a registration that is refused says why, and keeps e-mail and name", async () => {
  await using app = await openTestApp();
  const { email } = await openAccount(app);
  const visitor = openDashboard(app);
  const page = await visitor.get("/dashboard/register");
  const refusals = [
    [{ email, password: PASSWORD }, 409, /e-mail/i],
    [{ email: "ann@example.com", password: "short" }, 400, /characters/i],
    [{ email: HOSTILE[1], password: PASSWORD }, 400, /plain address/],
  ] as const;
  for (const [fields, status, why] of refusals) {
    const name = HOSTILE[0];
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

Deno.test("sign-in and register count against the sign-in limit, as a page", async () => {
  await using app = await openTestApp({ env: { RATE_LIMITS: "on" } });
  const visitor = openDashboard(app);
  const given = { email: "nobody@example.com", password: "no" };
  for (let i = 0; i < 20; i++) {
    assert.equal((await visitor.submit("/dashboard/register", given)).status, 400);
  }
  assert.equal((await visitor.submit("/dashboard/register", given)).status, 429);
  const refused = await visitor.submit("/dashboard/sign-in", given);
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get("retry-after")) > 0);
  assert.match(refused.headers.get("content-type")!, /^text\/html/);
});
