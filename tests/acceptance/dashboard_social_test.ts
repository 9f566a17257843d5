import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { browserTest } from "../support/browser.ts";
import { assertAccessible, createProject, register } from "../support/dashboard_browser.ts";
import { cardOf, openFixture, setUpProvider, tryProvider } from "./dashboard_fixture.ts";

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with scripts" : "without scripts";
  browserTest(`${how}: sign-in is set up and tried, and users are managed`, async () => {
    await using fixture = await openFixture();
    const { dashboard, github, google } = fixture;
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
    await setUpProvider(page, "GitHub", { provider: github, clientSecret: "secret-of-GitHub" });
    await setUpProvider(page, "Google", {
      provider: google,
      clientSecret: "not-this-one",
    });
    await accessible(page);

    const good = await tryProvider(page, "GitHub", "ann");
    await good.getByText("It works").waitFor();
    await good.getByText("ann@example.com").first().waitFor();
    await good.getByText("https://blog.example/auth/callback").waitFor();
    await accessible(good);
    await good.close();
    const bad = await tryProvider(page, "Google", "gina");
    await bad.getByRole("alert").getByText("The provider refused the sign-in").waitFor();
    assert.deepEqual(google.takeRefusals(), ["token: secret"]);
    await accessible(bad);
    await bad.close();
    const card = cardOf(page, "Google");
    await card.getByLabel("Client secret").fill("secret-of-Google");
    await card.getByRole("button", { name: "Save" }).click();
    await card.getByText("Saved.").waitFor();
    const mended = await tryProvider(page, "Google", "gina");
    await mended.getByText("gina@example.com").first().waitFor();
    for (const url of seen) {
      assert.doesNotMatch(url, /eyJ|rtCode|token=/, "an address contains no secret");
    }

    await mended.getByRole("link", { name: "gina@example.com" }).click();
    await mended.getByText("Not signed in anywhere.").waitFor();
    await accessible(mended);
    await mended.getByText("Disable user", { exact: true }).click();
    await mended.getByRole("button", { name: "Disable", exact: true }).click();
    await mended.getByText("The user is disabled and signed out everywhere.").waitFor();
    const refused = await tryProvider(page, "Google", "gina");
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
