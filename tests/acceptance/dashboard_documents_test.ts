import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { browserTest } from "../support/browser.ts";
import { assertAccessible, openDashboardBrowser } from "../support/dashboard_browser.ts";
import { openPosts } from "./dashboard_posts.ts";

const titles = (page: Page) => page.locator("tbody tr td:nth-child(2)").allInnerTexts();

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with scripts" : "without scripts";
  const check = async (page: Page) => {
    if (javaScriptEnabled) await assertAccessible(page);
  };

  browserTest(`${how}: documents are created, found, changed, deleted and recovered`, async () => {
    await using dashboard = await openDashboardBrowser();
    const page = await dashboard.person({ javaScriptEnabled });
    await openPosts(dashboard, page, 0);
    await check(page);
    await page.getByRole("button", { name: "Create the first one" }).click();
    await page.getByLabel(/^views /).fill("7");
    await page.getByRole("button", { name: "Create document" }).click();
    await page.getByText("title is required").waitFor();
    await check(page);
    await page.getByLabel(/^title /).fill("First");
    await page.getByLabel(/^at /).fill("2026-01-31T12:00");
    await page.getByLabel(/^live /).selectOption("true");
    await page.getByLabel(/^tags /).fill('["x"]');
    await page.getByRole("button", { name: "Create document" }).click();
    await page.getByText("Created.", { exact: true }).waitFor();
    await check(page);
    await page.getByRole("link", { name: "First", exact: true }).click();
    await page.getByLabel(/^title /).fill("First of all");
    await page.getByRole("button", { name: "Save and stay" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    await page.getByRole("link", { name: "JSON" }).click();
    await page.getByLabel(/complete document/).waitFor();
    await check(page);
    await page.getByRole("button", { name: "Back to the list" }).click();
    await page.getByRole("link", { name: "First of all" }).waitFor();
    await page.getByText("+ Filter").click();
    await page.locator("button[name=field][value=views]").click();
    await page.locator("select[name=choice]").selectOption("gt");
    await page.getByLabel("Value").fill("5");
    await check(page);
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("link", { name: "Change views is more than 5" }).waitFor();
    await page.getByText("/api/data/posts?views_gt=5&limit=25").waitFor();
    await page.getByLabel("Select First of all").check();
    await check(page);
    await page.getByRole("button", { name: "Delete selected" }).click();
    await page.getByRole("heading", { name: "Delete 1 document?" }).waitFor();
    await check(page);
    await page.getByRole("button", { name: "Delete 1 document" }).click();
    await page.getByText("No document matches these filters.").waitFor();
    await page.getByRole("button", { name: "Trash" }).click();
    await page.getByLabel("Select First of all").check();
    await check(page);
    await page.getByRole("button", { name: "Recover selected" }).click();
    await page.getByText("Recovered.").waitFor();
    await page.getByRole("button", { name: "Leave the trash" }).click();
    await page.getByText("1–1 of 1").waitFor();
  });

  browserTest(`${how}: rows are imported after a preview, and exported`, async () => {
    await using dashboard = await openDashboardBrowser();
    const page = await dashboard.person({ javaScriptEnabled });
    await openPosts(dashboard, page, 0);
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByLabel("File").waitFor();
    await check(page);
    const lines = ["title,views", ...Array.from({ length: 120 }, (_, i) => `Row ${i},${i}`), ",x"];
    await page.getByLabel("File").setInputFiles({
      name: "posts.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(lines.join("\n")),
    });
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("121 rows read: 120 can be imported, 1 cannot.").waitFor();
    await check(page);
    await page.getByRole("button", { name: "Import 120 rows" }).click();
    await page.getByText("1–25 of 120").waitFor();
    await page.getByText("Export", { exact: true }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV", exact: true }).click();
    const file = await download;
    assert.equal(file.suggestedFilename(), "posts.csv");
    const text = await Deno.readTextFile((await file.path())!);
    assert.equal(text.trimEnd().split("\r\n").length, 121);
  });
}

browserTest(
  "with scripts, all rows can be selected, arrow keys move between them, and pages turn",
  async () => {
    await using dashboard = await openDashboardBrowser();
    const page = await dashboard.person();
    const { path } = await openPosts(dashboard, page, 60);
    await page.getByLabel("Select all").check();
    await page.getByText("25 selected").waitFor();
    await page.getByLabel("Select Post 58", { exact: true }).uncheck();
    await page.getByText("24 selected").waitFor();
    await page.getByLabel("Select Post 58", { exact: true }).focus();
    await page.keyboard.press("ArrowDown");
    const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
    assert.equal(await focused(), "Select Post 57");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    assert.equal(await focused(), "Select Post 59");
    await page.keyboard.press("Space");
    await page.getByLabel("Select Post 55", { exact: true }).click({ modifiers: ["Shift"] });
    await page.getByText(/^2\d selected$/).waitFor();
    await page.getByRole("button", { name: "Older ›" }).click();
    await page.getByText("26–50 of 60").waitFor();
    assert.equal((await titles(page))[0], "Post 34");
    assert.match(page.url(), /cursor=/, "the address is that of the page");
    await page.goBack();
    await page.getByText("1–25 of 60").waitFor();
    await page.getByRole("link", { name: "views", exact: true }).click();
    await page.getByText("sort=views").waitFor();
    assert.equal((await titles(page))[0], "Post 0");
    assert.equal(page.url(), `${path}?sort=views`);
    await page.getByText("Columns", { exact: true }).click();
    await page.keyboard.press("Escape");
    assert.equal(await page.getByRole("button", { name: "Show these" }).isVisible(), false);
  },
);

browserTest(
  "with scripts, a click opens a row, keys save it, and the list returns unchanged",
  async () => {
    await using dashboard = await openDashboardBrowser();
    const page = await dashboard.person();
    const { path } = await openPosts(dashboard, page, 30);
    await page.goto(`${path}?sort=views`);
    const row = page.getByRole("row", { name: "Post 3 ", exact: false });
    const opened = page.context().waitForEvent("page");
    await row.getByRole("cell", { name: "draft" }).click({ modifiers: ["ControlOrMeta"] });
    const tab = await opened;
    await tab.getByLabel(/^title /).waitFor();
    await row.getByRole("cell", { name: "draft" }).click();
    await page.getByLabel(/^title /).fill("Third");
    await page.keyboard.press("Control+s");
    await page.getByText("Saved.", { exact: true }).waitFor();
    assert.equal(page.url(), `${path}?sort=views&.done=saved`);
    assert.equal((await titles(page))[3], "Third");

    // The tab still has the old values. Enter must not resolve the conflict.
    await tab.getByLabel(/^views /).fill("900");
    await tab.keyboard.press("Enter");
    await tab.getByRole("button", { name: "Save mine in its place" }).waitFor();
    await tab.getByLabel(/^views /).focus();
    const answered = tab.waitForResponse((one) => one.request().method() === "POST");
    await tab.keyboard.press("Enter");
    assert.equal((await answered).status(), 412);
    await tab.close();

    await page.getByRole("button", { name: "New document" }).click();
    await page.locator("[name='f.title']:focus").waitFor();
    await page.keyboard.type("By keys");
    await page.keyboard.press("Control+s");
    await page.getByText("Created.", { exact: true }).waitFor();
    await page.getByText("1–25 of 31").waitFor();
  },
);

browserTest("the grid is usable at 360 pixels, by keyboard and in both color schemes", async () => {
  await using dashboard = await openDashboardBrowser();
  const page = await dashboard.person({ viewport: { width: 360, height: 740 } });
  await openPosts(dashboard, page, 30);
  await assertAccessible(page);
  const wide = await page.evaluate("document.documentElement.scrollWidth");
  assert.equal(wide, 360, "only the table scrolls sideways");
  for (const menu of ["+ Filter", "Columns", "Export"]) {
    await page.getByText(menu, { exact: true }).focus();
    await page.keyboard.press("Enter");
    const box = await page.locator("details.menu[open] > :not(summary)").last().boundingBox();
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 360, JSON.stringify(box));
    await page.keyboard.press("Escape");
  }
  await page.locator("tbody a").first().click();
  const deletion = page.locator("summary", { hasText: "Delete" });
  await deletion.waitFor();
  const head = await page.locator(".bar").boundingBox();
  await deletion.click();
  await page.getByText("It goes to the trash").waitFor();
  assert.deepEqual(await page.locator(".bar").boundingBox(), head, "a dialog covers the page");
  await page.keyboard.press("Escape");
  await page.getByText("It goes to the trash").waitFor({ state: "hidden" });
});
