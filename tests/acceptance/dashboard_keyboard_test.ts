import assert from "node:assert/strict";
import { browserTest } from "../support/browser.ts";
import { openDashboardBrowser } from "../support/dashboard_browser.ts";

browserTest("an account and a project are created by keyboard only", async () => {
  await using dashboard = await openDashboardBrowser();
  const page = await dashboard.person();
  const { keyboard } = page;
  const focused = () => page.evaluate<string>("document.activeElement.textContent");
  const tabTo = async (text: string) => {
    for (let stops = 0; stops < 30; stops++) {
      await keyboard.press("Tab");
      if ((await focused()).trim() === text) return;
    }
    assert.fail(`"${text}" is not reached`);
  };
  await page.goto(`${dashboard.origin}/dashboard`);
  await tabTo("Create an account");
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "Create an account" }).waitFor();
  await page.getByLabel("E-mail").focus();
  await keyboard.type("ann@example.com");
  await keyboard.press("Tab");
  await keyboard.press("Tab");
  await keyboard.type("seven wet stones 41");
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
  await tabTo("Skip to content");
  await page.getByLabel("Name").focus();
  await keyboard.type("Blog");
  await tabTo("Create project");
  await keyboard.press("Enter");
  await page.getByText("The secret key is shown this once").waitFor();
});
