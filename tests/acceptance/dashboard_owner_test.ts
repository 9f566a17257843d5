import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { browserTest } from "../support/browser.ts";
import {
  assertAccessible,
  createProject,
  type DashboardBrowser,
  openDashboardBrowser,
  PASSWORD,
  register,
} from "../support/dashboard_browser.ts";
import { until } from "./until.ts";

const h1 = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();

const openFromMenu = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Project" }).getByRole("link", { name }).click();

/** Returns the status of a request with a project's key, for a missing collection. */
async function statusOf({ server }: DashboardBrowser, key: string): Promise<number> {
  const answer = await fetch(`${server.url}/api/data/nothing`, {
    headers: { "x-api-key": key },
    client: server.http,
  });
  await answer.body?.cancel();
  return answer.status;
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with scripts" : "without scripts";

  browserTest(
    `${how}: an owner rotates a key, sets addresses, renames and deletes the project`,
    async () => {
      await using dashboard = await openDashboardBrowser();
      const page = await dashboard.person({ javaScriptEnabled });
      const looksFine = () => javaScriptEnabled ? assertAccessible(page) : undefined;
      await register(dashboard, page);
      await looksFine();
      const { secretKey } = await createProject(page);
      await looksFine();
      await page.getByRole("button", { name: "Go to the project" }).click();
      await h1(page, "Overview");
      await looksFine();

      await page.getByText("Rotate secret key").click();
      await page.getByText("is refused at once").last().waitFor();
      await looksFine();
      await page.getByRole("button", { name: "Create a new secret key" }).click();
      const fresh = await page.getByLabel("New secret key").inputValue();
      assert.equal(await statusOf(dashboard, fresh), 404);
      assert.equal(await statusOf(dashboard, secretKey), 401);
      await looksFine();
      // The browser's current address must show only the page of the form.
      await page.goto(page.url());
      await h1(page, "Overview");
      assert.equal(await page.getByLabel("New secret key").count(), 0);

      const site = page.getByRole("textbox", { name: /^Site URL/ });
      await site.fill("http://blog.example");
      await page.getByRole("button", { name: "Save Site URL" }).click();
      await page.getByRole("alert").getByText("The Site URL must be https").waitFor();
      assert.equal(await site.inputValue(), "http://blog.example");
      await site.fill("https://blog.example");
      await page.getByRole("button", { name: "Save Site URL" }).click();
      await page.getByRole("status").getByText("The Site URL is saved").waitFor();

      await openFromMenu(page, "Settings");
      await h1(page, "Settings");
      await looksFine();
      await page.getByLabel("Project's name").fill("Journal");
      await page.getByRole("button", { name: "Rename" }).click();
      await page.getByRole("status").getByText("The name is saved").waitFor();
      await page.locator("summary", { hasText: "Delete project" }).click();
      await page.getByLabel("Type Journal to be sure").fill("Journal");
      await looksFine();
      await page.getByRole("button", { name: "Delete the project" }).click();
      await h1(page, "Projects");
      await page.getByText("can be restored until").waitFor();
      await looksFine();
      assert.equal(await statusOf(dashboard, fresh), 401);
    },
  );

  browserTest(
    `${how}: a member joins and takes the project over, and the former owner deletes the account`,
    async () => {
      await using dashboard = await openDashboardBrowser();
      const [page, other] = [
        await dashboard.person({ javaScriptEnabled }),
        await dashboard.person({ javaScriptEnabled }),
      ];
      const looksFine = () => javaScriptEnabled ? assertAccessible(page) : undefined;
      const email = await register(dashboard, other);
      await register(dashboard, page);
      await createProject(page);
      await page.getByRole("button", { name: "Go to the project" }).click();
      await openFromMenu(page, "Members");
      await h1(page, "Members");
      await page.getByRole("cell", { name: "no", exact: true }).first().waitFor();
      await looksFine();
      await page.getByLabel("E-mail").fill(email);
      await page.getByRole("combobox", { name: "Role", exact: true }).selectOption("admin");
      await page.getByRole("button", { name: "Invite" }).click();
      const link = await page.getByLabel(`Link for ${email}`).inputValue();
      await looksFine();
      await other.goto(link);
      await h1(other, "Invitation");
      if (javaScriptEnabled) await assertAccessible(other);
      await other.getByRole("button", { name: "Accept" }).click();
      await h1(other, "Overview");

      await openFromMenu(page, "Members");
      await page.getByText("Offer ownership").click();
      await page.getByRole("button", { name: `Offer the project to ${email}` }).click();
      const offer = await page.getByLabel(`Link for ${email}`).inputValue();
      await looksFine();
      await other.goto(offer);
      await other.getByRole("heading", { name: "Take over Blog" }).waitFor();
      await other.getByRole("button", { name: "Accept" }).click();
      await h1(other, "Overview");
      await openFromMenu(page, "Members");
      await page.getByText("Leave", { exact: true }).click();
      await page.getByRole("button", { name: "Leave the project" }).click();
      await page.getByRole("status").getByText("You left the project").waitFor();

      await page.getByRole("link", { name: "Account", exact: true }).click();
      await h1(page, "Account");
      await looksFine();
      await page.getByLabel("Current password", { exact: true }).last().fill(PASSWORD);
      await page.getByLabel("New password").fill("nine dry feathers 17");
      await page.getByRole("button", { name: "Change password" }).click();
      await page.getByRole("status").getByText("Your password is changed").waitFor();
      await page.locator("summary", { hasText: "Delete account" }).click();
      await page.getByLabel("Your password").fill("nine dry feathers 17");
      await page.getByRole("button", { name: "Delete my account" }).click();
      await page.getByText("Your account is deleted").waitFor();
    },
  );
}

browserTest("the requests chart refreshes by itself and keeps open details open", async () => {
  await using dashboard = await openDashboardBrowser();
  const page = await dashboard.person();
  await page.clock.install();
  await register(dashboard, page);
  const { secretKey } = await createProject(page);
  await page.getByRole("button", { name: "Go to the project" }).click();
  await page.getByText("As tables").click();
  await page.getByText("No requests yet").first().waitFor();
  for (let i = 0; i < 3; i++) await statusOf(dashboard, secretKey);
  // The server stores its counts every ten seconds, while the test controls the page's clock.
  await until("the requests are drawn", async () => {
    await page.clock.runFor(10_000);
    // The page's clock must not advance during a request, because htmx would time out.
    await page.locator(".htmx-request").first().waitFor({ state: "detached" });
    return await page.getByRole("img", { name: /^Last hour: 3 requests, 3 refused/ }).count() === 1;
  });
  await page.getByRole("cell", { name: /^(today|yesterday), / }).waitFor();
  await assertAccessible(page);
});

browserTest(
  "a session that ends during a refresh leads to sign-in and back",
  async () => {
    await using dashboard = await openDashboardBrowser();
    const page = await dashboard.person();
    await page.clock.install();
    const email = await register(dashboard, page);
    await createProject(page);
    await page.getByRole("button", { name: "Go to the project" }).click();
    await h1(page, "Overview");
    const home = page.url();
    await page.context().clearCookies();
    await page.clock.runFor(10_000);
    await h1(page, "Sign in");
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await h1(page, "Overview");
    assert.equal(page.url(), home);
  },
);

browserTest("the pages of owners fit a narrow screen and keep their menu reachable", async () => {
  await using dashboard = await openDashboardBrowser();
  const page = await dashboard.person({ viewport: { width: 360, height: 740 } });
  await register(dashboard, page);
  const { home } = await createProject(page, "A project with a name that is rather long for this");
  for (const address of [home, `${home}/members`, `${home}/settings`]) {
    await page.goto(address);
    const wide = await page.evaluate("document.documentElement.scrollWidth");
    assert.equal(wide, 360, address);
    await assertAccessible(page);
  }
  await page.getByRole("button", { name: "Menu" }).click();
  await openFromMenu(page, "Overview");
  await h1(page, "Overview");
});
