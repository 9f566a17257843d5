import assert from "node:assert/strict";
import { type SessionRecord, SESSIONS } from "@/lib/auth/sessions.ts";
import { EXCHANGE_CODES } from "@/lib/auth/exchange_codes.ts";
import { SIGN_IN_STATES } from "@/lib/social/states.ts";
import { ALL } from "@/lib/store/filter.ts";
import type { Definition } from "@/lib/store/port.ts";
import { parseJson } from "@/lib/store/json_text.ts";
import { locationOf, openSignInFixture, SITE } from "../api/sign_in_fixture.ts";
import {
  createOwnedProject,
  joinProject,
  openAccount,
  type TestAccount,
} from "../support/dashboard.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard, type PageAnswer } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";

/** Secret with spaces, which GitHub would refuse. */
const SECRET = "a secret that no page shows";

async function openSocialPage({ siteUrl = null }: { siteUrl?: string | null } = {}) {
  const app = await openTestApp();
  const owner = await openAccount(app);
  const { projectId } = await createOwnedProject(owner, { siteUrl });
  const path = `/dashboard/projects/${projectId}/sign-in`;
  const storedProviders = async () => {
    const answer = await owner.send({ path: `/api/projects/${projectId}/providers` });
    return (answer.body.data as { items: Record<string, unknown>[] }).items;
  };
  return {
    app,
    owner,
    projectId,
    path,
    stored: storedProviders,
    pages: openDashboard(app, owner),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

const cardOf = ({ document }: PageAnswer, provider: string) =>
  document.querySelector(`#${provider}`)!;

const fieldIn = (page: PageAnswer, provider: string, name: string) =>
  cardOf(page, provider).querySelector(`[name=${name}]`)!;

Deno.test("a provider is set up by its form, and its secret is kept and never sent back", async () => {
  await using fixture = await openSocialPage({ siteUrl: SITE });
  const { pages, path } = fixture;
  const empty = await pages.get(path);
  assert.match(cardOf(empty, "github").textContent, /GitHub\s*off.*Not set up yet/s);
  assert.match(empty.text, /http:\/\/localhost:8000\/api\/userAuth\/social\/google\/callback/);
  const saved = await pages.submit(`${path}/providers/github`, {
    clientId: "Iv1.one",
    clientSecret: "ghs_two",
    linking: "never",
    enabled: "on",
  });
  assert.deepEqual([saved.status, saved.location], [303, `${path}?done=github#github`]);
  const page = await pages.get(saved.location!.split("#")[0]!);
  assert.match(cardOf(page, "github").textContent, /GitHub\s*on.*Saved/s);
  assert.equal(cardOf(page, "google").querySelector("[role=status]"), null);
  assert.equal(fieldIn(page, "github", "clientId").getAttribute("value"), "Iv1.one");
  assert.equal(fieldIn(page, "github", "clientSecret").getAttribute("value"), null);
  assert.match(fieldIn(page, "github", "clientSecret").getAttribute("placeholder")!, /keep/);
  assert.ok(!page.text.includes("ghs_two"));
  const [github] = await fixture.stored();
  assert.deepEqual([github!.enabled, github!.hasClientSecret, github!.linking], [
    true,
    true,
    "never",
  ]);

  const kept = await pages.submit(`${path}/providers/github`, {
    clientId: "Iv1.three",
    linking: "verified",
  });
  assert.equal(kept.status, 303);
  const [changed] = await fixture.stored();
  assert.deepEqual(
    [changed!.enabled, changed!.clientId, changed!.hasClientSecret, changed!.linking],
    [false, "Iv1.three", true, "verified"],
  );
});

Deno.test("an incomplete provider is reported next to its form, which keeps all entries", async () => {
  await using fixture = await openSocialPage();
  const { pages, path } = fixture;
  for (const clientId of ["Iv1.one", ...HOSTILE_TEXTS]) {
    const refused = await pages.submit(`${path}/providers/google`, {
      clientId,
      clientSecret: clientId === "Iv1.one" ? "" : SECRET,
      linking: "never",
      enabled: "on",
    });
    assert.equal(refused.status, clientId === "Iv1.one" ? 422 : 400, refused.text);
    assert.ok(cardOf(refused, "google").querySelector("[role=alert]"));
    assert.equal(cardOf(refused, "github").querySelector("[role=alert]"), null);
    assert.equal(fieldIn(refused, "google", "clientId").getAttribute("value"), clientId);
    assert.ok(fieldIn(refused, "google", "enabled").hasAttribute("checked"));
    assert.ok(!refused.text.includes(SECRET));
    assertHarmless(refused);
  }
  assert.deepEqual((await fixture.stored()).map(({ clientId }) => clientId), [null, null]);
  assert.equal((await pages.submit(`${path}/myspace`, { clientId: "x" })).status, 404);
  assert.equal(
    (await pages.get(`${path}/providers/google`)).location,
    path,
    "a reload shows the page",
  );
});

Deno.test("the Site URL is set, refused next to its field, and cleared", async () => {
  await using fixture = await openSocialPage();
  const { pages, path, owner, projectId } = fixture;
  const stored = async () => {
    const { body } = await owner.send({ path: `/api/projects/${projectId}` });
    return (body.data as { siteUrl: unknown }).siteUrl;
  };
  assert.equal((await pages.submit(path, { siteUrl: SITE })).location, `${path}?done=site`);
  assert.equal(await stored(), SITE);
  for (const siteUrl of HOSTILE_TEXTS) {
    const refused = await pages.submit(path, { siteUrl });
    assert.equal(refused.status, 400);
    const field = refused.document.querySelector("[name=siteUrl]");
    assert.equal(field?.getAttribute("value"), siteUrl);
    assert.match(refused.document.querySelector("[role=alert]")!.textContent, /https/);
    assertHarmless(refused);
  }
  assert.equal(await stored(), SITE);
  assert.equal((await pages.submit(path, { siteUrl: "" })).status, 303);
  assert.equal(await stored(), null);
});

Deno.test("a viewer has no buttons, and strangers find nothing", async () => {
  await using fixture = await openSocialPage({ siteUrl: SITE });
  const { app, path, projectId } = fixture;
  await fixture.pages.submit(`${path}/providers/github`, {
    clientId: "Iv1.one",
    clientSecret: "ghs_two",
    enabled: "on",
    linking: "verified",
  });
  const viewer = await openAccount(app);
  await joinProject(app.services, projectId, viewer.accountId, "viewer");
  const pages = openDashboard(app, viewer);
  const page = await pages.get(path);
  assert.equal(page.status, 200);
  assert.match(page.words, /Iv1\.one/);
  assert.equal([...page.document.querySelectorAll("main button, main form")].length, 0);
  assert.ok(!page.text.includes('/try"'));
  const submitted = [
    await pages.submit(path, { siteUrl: "https://evil.example" }),
    await pages.submit(`${path}/providers/github`, { clientId: "x" }),
    await pages.get(`${path}/providers/github/try`),
    await pages.get(`${path}/tried?error=x`),
  ];
  assert.deepEqual(submitted.map(({ status }) => status), [403, 403, 403, 403]);
  const stranger = openDashboard(app, await openAccount(app));
  for (const at of [path, `${path}/providers/github/try`, `${path}/tried`]) {
    assert.equal((await stranger.get(at)).status, 404, at);
  }
});

/** Opens a project that is registered with the fake providers, and its owner. */
async function trialFixture() {
  const fixture = await openSignInFixture();
  const project = await fixture.project();
  const account = await project.owner();
  const path = `/dashboard/projects/${project.projectId}/sign-in`;
  const browser = fixture.browser();
  const [name, value] = account.cookie.split("=") as [string, string];
  browser.cookies.set(name, value);
  return { fixture, project, account, path, browser };
}

type Trial = Awaited<ReturnType<typeof trialFixture>>;

const start = ({ browser, path }: Trial, provider: string) =>
  browser.send({ path: `${path}/providers/${provider}/try` });

const pageAt = ({ fixture: { app }, account }: Trial, url: URL, as: TestAccount = account) =>
  openDashboard(app, as).get(url.pathname + url.search);

Deno.test("a trial is a real sign-in: it shows the person, and creates a user without session", async () => {
  const trial = await trialFixture();
  await using _fixture = trial.fixture;
  const { fixture, project, path, browser } = trial;
  const { services } = fixture.app;
  for (const provider of ["github", "google"] as const) {
    const back = await fixture[provider].approve(locationOf(await start(trial, provider)), "ann");
    const url = locationOf(await browser.comeBack(back));
    const [user] = await project.users();
    assert.equal(url.pathname, `${path}/tried`);
    assert.equal(url.hash, "", "no token");
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      provider,
      userId: user!._id,
      projectId: project.projectId,
      isNewUser: String(provider === "github"),
      linkedByEmail: String(provider === "google"),
    });
    const shown = await pageAt(trial, url);
    assert.equal(shown.status, 200);
    assert.match(shown.words, /ann@example\.com/);
    assert.match(shown.words, /https:\/\/app\.example\/auth\/callback/);
    assert.equal([...shown.document.querySelectorAll("main img")].length, 0, "no avatar is loaded");
    assertHarmless(shown);
  }
  const { items } = await services.engine.records<SessionRecord>(project.projectId, SESSIONS)
    .list({ filter: ALL, sort: [], limit: 10 });
  const sessions = parseJson(`[${items}]`) as SessionRecord[];
  assert.equal(sessions.length, 2);
  assert.ok(sessions.every(({ revokedAt }) => revokedAt !== null), "all are ended");
  const count = (definition: Definition) =>
    services.engine.records(project.projectId, definition).count(ALL);
  assert.deepEqual([await count(EXCHANGE_CODES), await count(SIGN_IN_STATES)], [0, 0]);
});

Deno.test("a failed trial shows the reason in our own words", async () => {
  const trial = await trialFixture();
  await using _fixture = trial.fixture;
  const { fixture, project, path, browser } = trial;
  const denied = await fixture.google.deny(locationOf(await start(trial, "google")));
  const url = locationOf(await browser.comeBack(denied));
  assert.equal(url.pathname, `${path}/tried`);
  const shown = await pageAt(trial, url);
  assert.match(shown.document.querySelector("[role=alert]")!.textContent, /cancelled/);
  for (const text of HOSTILE_TEXTS) {
    for (const name of ["error", "userId", "provider"]) {
      const query = new URLSearchParams({ provider: "github", [name]: text });
      const page = await pageAt(trial, new URL(`${path}/tried?${query}`, "http://localhost:8000"));
      assert.ok(!page.text.includes("hacked"), name);
      assertHarmless(page);
    }
  }
  assert.equal((await project.users()).length, 0);
});

Deno.test("a trial makes every check: another browser, a second use, a disabled provider", async () => {
  const trial = await trialFixture();
  await using _fixture = trial.fixture;
  const { fixture, project, path, browser } = trial;
  const back = await fixture.github.approve(locationOf(await start(trial, "github")), "ann");
  assert.equal((await fixture.browser().comeBack(back)).status, 400, "not this browser's");
  assert.equal((await browser.comeBack(back)).status, 302);
  assert.equal((await browser.comeBack(back)).status, 400, "a state can be used once");

  const authorizeUrl = locationOf(await start(trial, "github"));
  await project.set("github", { enabled: false });
  const late = locationOf(
    await browser.comeBack(await fixture.github.approve(authorizeUrl, "ann")),
  );
  assert.equal(late.pathname, `${path}/tried`);
  assert.equal(late.searchParams.get("error"), "This provider is not enabled");
  const refused = await start(trial, "github");
  assert.equal(refused.status, 422);
  assert.match(refused.text, /role="alert"/);
  assert.equal((await start(trial, "myspace")).status, 404);
});

Deno.test("no application can have its sign-in end in the dashboard", async () => {
  const trial = await trialFixture();
  await using _fixture = trial.fixture;
  const { fixture, project, path } = trial;
  const query = { trialPath: `${path}/tried`, trial: "true" };
  const arrival = await fixture.browser().signIn(project, "github", "ann", query);
  assert.equal(arrival.url.origin, SITE);
  assert.ok(arrival.token);
});

Deno.test("a project without a Site URL has no trial, and says what is missing", async () => {
  await using fixture = await openSocialPage();
  const { pages, path } = fixture;
  const input = { clientId: "one", clientSecret: "two", enabled: "on", linking: "verified" };
  await pages.submit(`${path}/providers/github`, input);
  const page = await pages.get(path);
  assert.ok(!page.text.includes('/try"'));
  assert.match(cardOf(page, "github").textContent, /set the Site URL/);
  const refused = await pages.get(`${path}/providers/github/try`);
  assert.equal(refused.status, 422);
  assert.match(refused.document.querySelector("[role=alert]")!.textContent, /Site URL/i);
});
