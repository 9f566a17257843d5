/** Features that scripts add to the grid: a side panel, cell editing and column widths. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { browserTest } from "../support/browser.ts";
import {
  assertAccessible,
  type DashboardBrowser,
  openDashboardBrowser,
} from "../support/dashboard_browser.ts";
import { openPosts } from "./dashboard_posts.ts";

const cell = (page: Page, row: string, name: string) =>
  page.getByRole("row", { name: row }).getByRole("cell", { name, exact: true });

const editor = (page: Page) => page.locator("cell-editor :is(input, select, textarea)");

async function openGrid(dashboard: DashboardBrowser, rows = 5) {
  const page = await dashboard.person({ viewport: { width: 1280, height: 860 } });
  const posts = await openPosts(dashboard, page, rows);
  return { page, ...posts };
}

browserTest(
  "a document opens next to the grid, and Escape closes it and restores the focus",
  async () => {
    await using dashboard = await openDashboardBrowser();
    const { page, path } = await openGrid(dashboard);
    const link = page.getByRole("link", { name: "Post 3", exact: true });
    await link.click();
    const panel = page.getByRole("dialog", { name: "Document" });
    await panel.getByLabel(/^title /).waitFor();
    assert.equal(page.url(), path, "the grid keeps its address");
    await assertAccessible(page);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Post 3");

    await page.keyboard.press("Enter");
    await panel.getByLabel(/^views /).fill("33");
    page.once("dialog", (dialog) => dialog.dismiss());
    await page.keyboard.press("Escape");
    assert.equal(
      await panel.getByLabel(/^views /).inputValue(),
      "33",
      "the typed text is kept",
    );
    await panel.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    await panel.waitFor({ state: "detached" });
    await cell(page, "Post 3", "33").waitFor();

    await page.getByRole("link", { name: "Post 2", exact: true }).click();
    await panel.getByRole("link", { name: "Open as a page" }).click();
    await page.getByRole("button", { name: "Back to the list" }).waitFor();
  },
);

browserTest("a double click edits a cell: Enter saves it, and Escape cancels", async () => {
  await using dashboard = await openDashboardBrowser();
  const { page, path, documents } = await openGrid(dashboard);
  await cell(page, "Post 3", "3").dblclick();
  await editor(page).fill("30");
  await page.keyboard.press("Escape");
  await cell(page, "Post 3", "3").waitFor();
  assert.equal((await documents("title=Post 3"))[0].views, 3);

  await cell(page, "Post 3", "3").dblclick();
  await assertAccessible(page);
  await editor(page).fill("30");
  await page.keyboard.press("Enter");
  await cell(page, "Post 3", "30").waitFor();
  assert.equal((await documents("title=Post 3"))[0].views, 30);
  assert.equal(page.url(), path);
  assert.equal(await page.getByRole("dialog").count(), 0, "a double click opens nothing");

  await page.getByRole("link", { name: "Post 2", exact: true }).dblclick();
  await editor(page).fill("Second");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Second", exact: true }).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("F2");
  await editor(page).fill("archived");
  await page.keyboard.press("Enter");
  await cell(page, "Second", "archived").waitFor();
});

browserTest("a refusal and a lost update are shown at the cell", async () => {
  await using dashboard = await openDashboardBrowser();
  const { page, documents, write } = await openGrid(dashboard);
  await page.getByRole("link", { name: "Post 1", exact: true }).dblclick();
  await editor(page).fill("");
  await page.keyboard.press("Enter");
  await page.locator("cell-editor").getByText("title is required").waitFor();
  await assertAccessible(page);
  await page.keyboard.press("Escape");

  const [post] = await documents("title=Post 1");
  await cell(page, "Post 1", "1").dblclick();
  await editor(page).waitFor();
  await write(post._id, { views: 100 });
  await editor(page).fill("10");
  await page.keyboard.press("Enter");
  await page.locator("cell-editor").getByText("This document has changed").waitFor();
  assert.equal((await documents("title=Post 1"))[0].views, 100, "no change is overwritten unseen");
});

browserTest("a resized column keeps its width on the next visit", async () => {
  await using dashboard = await openDashboardBrowser();
  const { page, path } = await openGrid(dashboard);
  const header = page.getByRole("columnheader", { name: /^status/ });
  const width = async () => Math.round((await header.boundingBox())!.width);
  const { x, y, width: before, height } = (await header.boundingBox())!;
  await page.mouse.move(x + before - 3, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + before + 117, y + height / 2, { steps: 4 });
  await page.mouse.up();
  const dragged = await width();
  assert.ok(Math.abs(dragged - (before + 120)) <= 3, `${dragged} of ${before}`);
  assert.equal(page.url(), path, "dragging does not sort");
  await page.reload();
  await page.waitForFunction("customElements.get('column-width') !== undefined");
  assert.equal(await width(), dragged);
  await header.locator("column-width").dblclick();
  await page.reload();
  assert.ok(Math.abs(await width() - before) <= 1);
});

browserTest("all matching documents are edited in steps that continue by themselves", async () => {
  await using dashboard = await openDashboardBrowser();
  const { page, documents } = await openGrid(dashboard, 230);
  await page.getByLabel("Select all").check();
  await page.getByLabel("All matching documents").check();
  await page.getByText("25 selected").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Edit selected" }).click();
  await page.getByRole("heading", { name: "Edit all 230 documents that match" }).waitFor();
  await page.getByRole("button", { name: "status", exact: true }).click();
  await page.getByLabel(/^status /).fill("old");
  await page.getByRole("button", { name: "Change all 230 documents that match" }).click();
  await page.getByText("Changed.", { exact: true }).waitFor();
  assert.equal((await documents("status=old&limit=1000")).length, 230);
});

browserTest("a click anywhere in a header sorts by its column", async () => {
  await using dashboard = await openDashboardBrowser();
  const { page, path } = await openGrid(dashboard);
  await page.getByRole("columnheader", { name: /^views/ }).click({ position: { x: 4, y: 4 } });
  await page.waitForURL(`${path}?sort=views`);
});
