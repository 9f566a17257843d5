import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { browserTest } from "../support/browser.ts";
import { createProject, openDashboardBrowser, register } from "../support/dashboard_browser.ts";

const heading = (page: Page) =>
  page.frameLocator("iframe[name=preview]").getByRole("heading", { level: 1 });

browserTest(
  "the preview of a template follows typing and adds no history entry",
  async () => {
    await using dashboard = await openDashboardBrowser({ settings: { MAIL_URL: "keep:" } });
    const page = await dashboard.person();
    await register(dashboard, page);
    const { home } = await createProject(page, "Blog");
    await page.goto(`${home}/mail/templates`);
    await page.getByRole("link", { name: "Verify an e-mail, Corbel's words" }).click();
    await heading(page).getByText("123456 verifies your e-mail for Blog").waitFor();
    const inner = page.frameLocator("iframe[name=preview]").frameLocator("iframe");
    await inner.getByText("123456", { exact: true }).waitFor();
    const box = await inner.getByText("123456", { exact: true }).boundingBox();
    assert.ok(box!.height > 30, "the mail's own styles apply: its code is large");
    for (const word of ["Now", "Then", "Later"]) {
      await page.getByLabel("Subject").fill(`${word} {{code}}`);
      await heading(page).getByText(`${word} 123456`).waitFor();
    }
    await page.getByRole("textbox", { name: "HTML", exact: true }).fill("<p>Only {{code}}</p>");
    await inner.getByText("Only 123456").waitFor();
    await page.getByLabel("Subject").fill("");
    await heading(page).getByText("No preview").waitFor();
    await page.getByLabel("Subject").fill("Saved {{code}}");
    await page.getByRole("button", { name: "Save template" }).click();
    await page.getByText("The template is saved").waitFor();
    await heading(page).getByText("Saved 123456").waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByRole("heading", { name: "Mails that Corbel sends" }).waitFor();
  },
);

browserTest(
  "without scripts the button fills the preview and keeps the form's text",
  async () => {
    await using dashboard = await openDashboardBrowser({ settings: { MAIL_URL: "keep:" } });
    const page = await dashboard.person({ javaScriptEnabled: false });
    await register(dashboard, page);
    const { home } = await createProject(page, "Blog");
    await page.goto(`${home}/mail/templates/verify/en`);
    await page.getByLabel("Subject").fill("Now {{code}}");
    await page.getByRole("button", { name: "Preview" }).click();
    await heading(page).getByText("Now 123456").waitFor();
    assert.equal(await page.getByLabel("Subject").inputValue(), "Now {{code}}");
  },
);
