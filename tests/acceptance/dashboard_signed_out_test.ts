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

/** In another tab of the same browser. */
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

/** By the link of the page that says that it is needed. */
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
    `${how}: what was typed when the session ended is sent after signing in`,
    async () => {
      await using dashboard = await openDashboardBrowser();
      const page = await dashboard.person({ javaScriptEnabled });
      const email = await register(dashboard, page);
      const { home } = await createProject(page);
      const settings = `${home}/settings`;
      await page.goto(settings);
      await signOut(page, dashboard.origin);
      await page.getByLabel("Project's name").fill("Renamed meanwhile");
      await page.getByRole("button", { name: "Rename" }).click();
      await page.getByText(/not saved/).waitFor();
      if (javaScriptEnabled) await assertAccessible(page);
      assert.equal(await signInByLink(page, email), new URL(settings).pathname);
      if (javaScriptEnabled) {
        assert.equal(page.url(), settings);
        await page.getByRole("button", { name: "Rename" }).click();
      } else await page.reload();
      await page.getByText("The name is saved.").waitFor();
      assert.equal(await page.getByLabel("Project's name").inputValue(), "Renamed meanwhile");
    },
  );

  browserTest(`${how}: a secret key is shown once, and by no way back to it`, async () => {
    await using dashboard = await openDashboardBrowser();
    const page = await dashboard.person({ javaScriptEnabled });
    await register(dashboard, page);
    const made = await createProject(page);
    const secrets = [made.secretKey];
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
    const shown: string[] = [];
    for (const turn of ["back", "back", "back", "forward", "forward"] as const) {
      // Without scripts the browser asks before it sends a form again, and shows nothing till then.
      await (turn === "back" ? page.goBack() : page.goForward()).catch(() => null);
      shown.push(await textOf(page));
      addresses.push(page.url());
    }
    await page.goto(made.home);
    await page.reload();
    shown.push(await textOf(page));
    for (const secret of secrets) {
      assert.equal(shown.some((text) => text.includes(secret)), false, "shown again");
    }
    for (const key of [made.publishableKey, ...secrets]) {
      assert.equal(addresses.some((address) => address.includes(key)), false, "in an address");
      const log = dashboard.server.stdout() + dashboard.server.stderr();
      assert.equal(log.includes(key), false, "in the log");
    }
  });
}

/** Its source and what its fields hold, read in one moment: a page may yet take its place. */
async function textOf(page: Page): Promise<string> {
  await page.waitForLoadState("networkidle");
  let text = "";
  await until("the page stands still", async () => {
    text = await page.evaluate(`[
      document.documentElement.outerHTML,
      ...[...document.querySelectorAll("input")].map(({ value }) => value),
    ].join(" ")`).catch(() => "") as string;
    return text !== "";
  });
  return text;
}
