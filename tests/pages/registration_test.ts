import assert from "node:assert/strict";
import { invite, NO_TOKEN } from "../api/invitations.ts";
import { openTeam } from "../api/team.ts";
import { PASSWORD } from "../support/dashboard.ts";
import { openDashboard, type PageAnswer } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";

const REGISTER = "/dashboard/register";
const SIGN_IN = "/dashboard/sign-in";

const leadsToRegister = ({ document }: PageAnswer) =>
  [...document.querySelectorAll("a")].some((one) => one.getAttribute("href")!.startsWith(REGISTER));

const credentials = { email: "ada@example.com", password: PASSWORD };

Deno.test("the first visitor creates the first account, and the next one is refused", async () => {
  await using app = await openTestApp({ env: { REGISTRATION: "" } });
  const visitor = openDashboard(app);
  assert.match((await visitor.get(SIGN_IN)).words, /This server has no account yet/);
  const page = await visitor.get(REGISTER);
  assert.match(page.words, /Yours is the first, and needs no invitation; all later ones do/);
  const late = await visitor.get(REGISTER);
  assert.equal((await visitor.fill(page, "Create account", credentials)).status, 303);

  const refused = await visitor.fill(late, "Create account", {
    ...credentials,
    email: "b@example.com",
  });
  assert.equal(refused.status, 403);
  const shown = await visitor.get(REGISTER);
  assert.equal(shown.status, 403);
  for (const answer of [refused, shown]) {
    assert.match(answer.words, /Registration requires an invitation/);
    assert.equal(answer.document.querySelector("input[name=password]"), null);
  }
  const signIn = await visitor.get(SIGN_IN);
  assert.ok(!leadsToRegister(signIn));
  assert.ok(!leadsToRegister(await visitor.submit(SIGN_IN, { ...credentials, password: "wrong" })));
});

Deno.test("an invited visitor registers on the way to the invitation", async () => {
  await using open = await openTestApp();
  const team = await openTeam(open);
  const { token } = await invite(team, "ada@example.com");
  const { store, clock } = open;
  await using app = await openTestApp({ store, clock, env: { REGISTRATION: "invited" } });
  const visitor = openDashboard(app);
  const next = `/dashboard/invitations/${token}`;
  const signIn = await visitor.follow(await visitor.get(next));
  assert.ok(leadsToRegister(signIn));
  const page = await visitor.get(`${REGISTER}?${new URLSearchParams({ next })}`);
  const done = await visitor.fill(page, "Create account", credentials);
  assert.equal(done.location, next);
  for (const path of [next, `/dashboard/invitations/${NO_TOKEN}`, "/dashboard"]) {
    const refused = await visitor.get(`${REGISTER}?${new URLSearchParams({ next: path })}`);
    assert.equal(refused.status, 403, path);
  }
});

Deno.test("if registration is closed, no page links to it", async () => {
  await using app = await openTestApp({ env: { REGISTRATION: "closed" } });
  const visitor = openDashboard(app);
  assert.ok(!leadsToRegister(await visitor.get(SIGN_IN)));
  const page = await visitor.get(REGISTER);
  assert.equal(page.status, 403);
  assert.match(page.words, /Registration is closed/);
  assert.equal((await visitor.submit(REGISTER, credentials)).status, 403);
});
