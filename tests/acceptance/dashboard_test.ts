import assert from "node:assert/strict";
import { browserTest } from "../support/browser.ts";
import {
  assertAccessible,
  createProject,
  openDashboardBrowser,
  PASSWORD,
  register,
} from "../support/dashboard_browser.ts";

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with scripts" : "without scripts";
  browserTest(
    `${how}: an account is registered, creates a project, and signs in again`,
    async () => {
      await using dashboard = await openDashboardBrowser();
      const page = await dashboard.person({ javaScriptEnabled });
      const email = await register(dashboard, page);
      if (javaScriptEnabled) await assertAccessible(page);
      const { publishableKey } = await createProject(page, "Blog & <b>more</b>");
      const list = await fetch(`${dashboard.server.url}/api/data/posts`, {
        headers: { "x-api-key": publishableKey },
        client: dashboard.server.http,
      });
      await list.body?.cancel();
      assert.equal(list.status, 404, "the key is valid, but the collection does not exist");
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      if (javaScriptEnabled) await assertAccessible(page);
      await page.getByLabel("E-mail").fill(email);
      await page.getByLabel("Password").fill("not this one at all");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("alert").waitFor();
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("link", { name: "Blog & <b>more</b>" }).waitFor();
    },
  );
}
