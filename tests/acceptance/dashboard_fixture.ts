/** A dashboard with two sign-in providers, and actions that a person performs by clicks. */

import type { Page } from "playwright-core";
import { type DashboardBrowser, openDashboardBrowser } from "../support/dashboard_browser.ts";
import { type GithubFake, startGithubFake, verifiedEmail } from "../support/github_fake.ts";
import { type OidcServer, startOidcServer } from "../support/oidc_server.ts";

export interface Fixture extends AsyncDisposable {
  readonly dashboard: DashboardBrowser;
  readonly github: GithubFake;
  readonly google: OidcServer;
}

export async function openFixture(): Promise<Fixture> {
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

export const cardOf = (page: Page, title: string) =>
  page.locator("article.card", { has: page.getByRole("heading", { name: title }) });

/** Sets up a provider by clicks, and registers the dashboard at the provider. */
export async function setUpProvider(
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

/** Tries a provider in a new tab, and returns the page with the result. */
export async function tryProvider(page: Page, title: string, who: string): Promise<Page> {
  const opened = page.context().waitForEvent("page");
  await cardOf(page, title).getByRole("button", { name: "Try it" }).click();
  const tab = await opened;
  const agree = tab.getByRole("button", { name: `Sign in as ${who}` });
  const end = tab.getByRole("heading", { name: "Sign-in tried", level: 1 });
  // A provider that knows the person skips the consent page.
  await agree.or(end).waitFor();
  if (await agree.count() > 0) await agree.click();
  await end.waitFor();
  return tab;
}
