import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "./until.ts";
import { browserTest } from "../support/browser.ts";
import {
  assertAccessible,
  createProject,
  openDashboardBrowser,
  PASSWORD,
  register,
} from "../support/dashboard_browser.ts";

async function inAnotherTab(page: Page, address: string, work: (tab: Page) => Promise<void>) {
  const tab = await page.context().newPage();
  await tab.goto(address);
  await work(tab);
  await tab.close();
}

const signOut = (page: Page, origin: string) =>
  inAnotherTab(page, `${origin}/dashboard`, async (tab) => {
    await tab.getByRole("button", { name: "Sign out" }).click();
    await tab.getByRole("heading", { name: "Sign in" }).waitFor();
  });

async function signInByLink(page: Page, email: string): Promise<string> {
  const opened = page.context().waitForEvent("page");
  await page.getByRole("link", { name: /^sign in$/i }).click();
  const tab = await opened;
  await tab.getByLabel("E-mail").fill(email);
  await tab.getByLabel("Password").fill(PASSWORD);
  await tab.getByRole("button", { name: "Sign in" }).click();
  await tab.waitForURL(/\/dashboard\/projects\//);
  const { pathname } = new URL(tab.url());
  await tab.close();
  return pathname;
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with scripts" : "without scripts";
  browserTest(
    `${how}: a form sent after the session ended is sent again after signing in`,
    async () => {
      await using dashboard = await openDashboardBrowser();
      const page = await dashboard.person({ javaScriptEnabled });
      const email = await register(dashboard, page);
      const { home } = await createProject(page);
      const settings = `${home}/settings`;
      await page.goto(settings);
      await signOut(page, dashboard.origin);
      await page.getByLabel("Project's name").fill("Renamed elsewhere");
      await page.getByRole("button", { name: "Rename" }).click();
      await page.getByText(/not saved/).waitFor();
      if (javaScriptEnabled) await assertAccessible(page);
      assert.equal(await signInByLink(page, email), new URL(settings).pathname);
      if (javaScriptEnabled) {
        assert.equal(page.url(), settings);
        await page.getByRole("button", { name: "Rename" }).click();
      } else await page.reload();
      await page.getByText("The name is saved.").waitFor();
      assert.equal(await page.getByLabel("Project's name").inputValue(), "Renamed elsewhere");
    },
  );

  browserTest(`${how}: a secret key is shown once, and going back does not show it`, async () => {
    await using dashboard = await openDashboardBrowser();
    const page = await dashboard.person({ javaScriptEnabled });
    await register(dashboard, page);
    const createdProject = await createProject(page);
    const secrets = [createdProject.secretKey];
    const addresses = [page.url()];
    await page.getByRole("button", { name: "Go to the project" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByText("Rotate secret key").click();
    await page.getByRole("button", { name: "Create a new secret key" }).click();
    secrets.push(await page.getByLabel("New secret key").inputValue());
    addresses.push(page.url());
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    addresses.push(page.url());
    const sources: string[] = [];
    for (const turn of ["back", "back", "back", "forward", "forward"] as const) {
      // Without scripts the browser first asks whether to send the form again.
      await (turn === "back" ? page.goBack() : page.goForward()).catch(() => null);
      sources.push(await sourceOf(page));
      addresses.push(page.url());
    }
    await page.goto(createdProject.home);
    await page.reload();
    sources.push(await sourceOf(page));
    for (const secret of secrets) {
      assert.equal(
        sources.some((text) => text.includes(secret)),
        false,
        "the secret is shown again",
      );
    }
    for (const key of [createdProject.publishableKey, ...secrets]) {
      assert.equal(
        addresses.some((address) => address.includes(key)),
        false,
        "the key is in an address",
      );
      const log = dashboard.server.stdout() + dashboard.server.stderr();
      assert.equal(log.includes(key), false, "the key is in the log");
    }
  });
}

/** Returns the page's source and field values, read at once because navigation may replace it. */
async function sourceOf(page: Page): Promise<string> {
  await page.waitForLoadState("networkidle");
  let text = "";
  await until("the page is stable", async () => {
    text = await page.evaluate(`[
      document.documentElement.outerHTML,
      ...[...document.querySelectorAll("input")].map(({ value }) => value),
    ].join(" ")`).catch(() => "") as string;
    return text !== "";
  });
  return text;
}
