import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { browserTest } from "../support/browser.ts";
import {
  assertAccessible,
  createProject,
  type DashboardBrowser,
  openDashboardBrowser,
  register,
} from "../support/dashboard_browser.ts";
import { type GithubFake, startGithubFake, verifiedEmail } from "../support/github_fake.ts";
import { type OidcServer, startOidcServer } from "../support/oidc_server.ts";

interface World extends AsyncDisposable {
  readonly dashboard: DashboardBrowser;
  readonly github: GithubFake;
  readonly google: OidcServer;
}

/** A server between two providers, which know Ann and Gina. */
async function openWorld(): Promise<World> {
  await using opening = new AsyncDisposableStack();
  const github = opening.use(startGithubFake());
  const google = opening.use(await startOidcServer());
  github.join({ login: "ann", id: 7, name: "Ann Smith", emails: verifiedEmail("ann@example.com") });
  google.join("gina", {
    sub: "9",
    email: "gina@example.com",
    emailVerified: true,
    name: "Gina Rossi",
  });
  const settings = {
    GITHUB_URL: github.url,
    GITHUB_API_URL: github.apiUrl,
    GOOGLE_ISSUER: google.url,
    RATE_LIMITS: "off",
  };
  const dashboard = opening.use(await openDashboardBrowser({ settings }));
  const opened = opening.move();
  return { dashboard, github, google, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const cardOf = (page: Page, title: string) =>
  page.locator("article.card", { has: page.getByRole("heading", { name: title }) });

/** Sets a provider up by clicks, and has the provider know of it. */
async function setUp(
  page: Page,
  title: string,
  { provider, clientSecret }: { provider: GithubFake | OidcServer; clientSecret: string },
): Promise<void> {
  const card = cardOf(page, title);
  const clientId = `dashboard-${title}`;
  await card.getByText("Set up", { exact: true }).click();
  const callbackUrl = await card.getByLabel("Callback URL").inputValue();
  provider.register({ clientId, clientSecret: `secret-of-${title}`, callbackUrl });
  await card.getByLabel("Client ID").fill(clientId);
  await card.getByLabel("Enabled").check();
  await card.getByRole("button", { name: "Save" }).click();
  await card.getByRole("alert").getByText(/needs clientSecret/).waitFor();
  await card.getByLabel("Client secret").fill(clientSecret);
  await card.getByRole("button", { name: "Save" }).click();
  await card.getByText("Saved.").waitFor();
  await card.getByText("on", { exact: true }).waitFor();
}

/** Tries a provider in a new tab, to the page that shows what came back. */
async function tryIt(page: Page, title: string, who: string): Promise<Page> {
  const opened = page.context().waitForEvent("page");
  await cardOf(page, title).getByRole("button", { name: "Try it" }).click();
  const tab = await opened;
  const agree = tab.getByRole("button", { name: `Sign in as ${who}` });
  const end = tab.getByRole("heading", { name: "Sign-in tried", level: 1 });
  // The provider knows who was there before.
  await agree.or(end).waitFor();
  if (await agree.count() > 0) await agree.click();
  await end.waitFor();
  return tab;
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with scripts" : "without scripts";
  browserTest(`${how}: sign-in is set up and tried, and users are looked after`, async () => {
    await using world = await openWorld();
    const { dashboard, github, google } = world;
    const page = await dashboard.person({ javaScriptEnabled });
    const seen: string[] = [];
    page.context().on("request", (request) => seen.push(request.url()));
    const accessible = async (at: Page) => {
      if (javaScriptEnabled) await assertAccessible(at);
    };
    await register(dashboard, page);
    const { home } = await createProject(page);
    await page.goto(`${home}/sign-in`);
    await accessible(page);
    await page.getByLabel("Site URL").fill("http://not-local.example");
    await cardOf(page, "Site URL").getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText(/must be https/).waitFor();
    await page.getByLabel("Site URL").fill("https://blog.example");
    await cardOf(page, "Site URL").getByRole("button", { name: "Save" }).click();
    await cardOf(page, "Site URL").getByText("Saved.").waitFor();
    await setUp(page, "GitHub", { provider: github, clientSecret: "secret-of-GitHub" });
    await setUp(page, "Google", {
      provider: google,
      clientSecret: "not-this-one",
    });
    await accessible(page);

    const good = await tryIt(page, "GitHub", "ann");
    await good.getByText("It works").waitFor();
    await good.getByText("ann@example.com").first().waitFor();
    await good.getByText("https://blog.example/auth/callback").waitFor();
    await accessible(good);
    await good.close();
    const bad = await tryIt(page, "Google", "gina");
    await bad.getByRole("alert").getByText("The provider refused the sign-in").waitFor();
    assert.deepEqual(google.takeRefusals(), ["token: secret"]);
    await accessible(bad);
    await bad.close();
    const card = cardOf(page, "Google");
    await card.getByLabel("Client secret").fill("secret-of-Google");
    await card.getByRole("button", { name: "Save" }).click();
    await card.getByText("Saved.").waitFor();
    const mended = await tryIt(page, "Google", "gina");
    await mended.getByText("gina@example.com").first().waitFor();
    for (const url of seen) {
      assert.doesNotMatch(url, /eyJ|rtCode|token=/, "no secret in an address");
    }

    await mended.getByRole("link", { name: "gina@example.com" }).click();
    await mended.getByText("Not signed in anywhere.").waitFor();
    await accessible(mended);
    await mended.getByText("Disable user", { exact: true }).click();
    await mended.getByRole("button", { name: "Disable", exact: true }).click();
    await mended.getByText("The user is disabled and signed out everywhere.").waitFor();
    const refused = await tryIt(page, "Google", "gina");
    await refused.getByRole("alert").getByText("This account is disabled").waitFor();
    await mended.getByRole("link", { name: "All users" }).click();
    await mended.getByRole("row").filter({ hasText: "gina@" }).getByText("disabled").waitFor();
    await accessible(mended);
    await mended.getByLabel("E-mail contains").fill("ANN@");
    await mended.getByRole("button", { name: "Search" }).click();
    await mended.getByRole("row").filter({ hasText: "gina@" }).waitFor({ state: "detached" });
    await mended.getByRole("link", { name: "ann@example.com" }).click();
    await mended.getByText("Delete user", { exact: true }).click();
    await mended.getByRole("button", { name: "Delete for good" }).click();
    await mended.getByText("The user is deleted.").waitFor();
    assert.equal(await mended.getByRole("link", { name: "ann@example.com" }).count(), 0);
  });
}
