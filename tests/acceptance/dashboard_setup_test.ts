import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { browserTest } from "../support/browser.ts";
import { createProject, register } from "../support/dashboard_browser.ts";
import { cardOf, openFixture, setUpProvider, tryProvider } from "./dashboard_fixture.ts";

async function openFromMenu(page: Page, name: string | RegExp, title: string): Promise<void> {
  await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name }).click();
  await page.getByRole("heading", { name: title, level: 1 }).waitFor();
}

const button = (page: Page, name: string) => page.getByRole("button", { name }).click();

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with scripts" : "without scripts";
  browserTest(
    `${how}: a sign-in, a document and a file are set up from nothing by clicks`,
    async () => {
      await using fixture = await openFixture();
      const { dashboard, github } = fixture;
      const page = await dashboard.person({ javaScriptEnabled });
      await register(dashboard, page);
      const { publishableKey } = await createProject(page);
      await button(page, "Go to the project");

      await openFromMenu(page, "Sign-in", "Sign-in");
      await page.getByLabel("Site URL").fill("https://blog.example");
      await cardOf(page, "Site URL").getByRole("button", { name: "Save" }).click();
      await cardOf(page, "Site URL").getByText("Saved.").waitFor();
      await setUpProvider(page, "GitHub", { provider: github, clientSecret: "secret-of-GitHub" });
      const resultPage = await tryProvider(page, "GitHub", "ann");
      await resultPage.getByText("It works").waitFor();
      await resultPage.close();

      await openFromMenu(page, "+ New collection", "Collections");
      await page.getByLabel("Name").fill("articles");
      await button(page, "Create collection");
      await page.getByRole("link", { name: "Access", exact: true }).click();
      await page.getByRole("radio", { name: /Public, read-only/ }).check();
      await button(page, "Save access");
      await page.getByRole("status").waitFor();
      await openFromMenu(page, /^articles/, "articles");
      await page.getByRole("button", { name: "New document" }).first().click();
      await page.getByRole("link", { name: "JSON", exact: true }).click();
      await page.getByLabel("The complete document").fill('{ "title": "On corbels" }');
      await button(page, "Create document");
      await page.getByText("On corbels").first().waitFor();
      const listed = await fetch(`${dashboard.server.url}/api/data/articles`, {
        headers: { "x-api-key": publishableKey },
        client: dashboard.server.http,
      });
      assert.equal((await listed.json()).data.items[0].title, "On corbels");

      await openFromMenu(page, /^Files/, "Files");
      await page.getByLabel(/A file of up to/).setInputFiles({
        name: "notes.txt",
        mimeType: "text/plain",
        buffer: Buffer.from("hello"),
      });
      if (!javaScriptEnabled) await button(page, "Upload");
      await page.locator(".tile", { hasText: "notes.txt" }).waitFor();
    },
  );
}
