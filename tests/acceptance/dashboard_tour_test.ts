import assert from "node:assert/strict";
import { browserTest } from "../support/browser.ts";
import { assertAccessible, openDashboardBrowser } from "../support/dashboard_browser.ts";
import { tour } from "../support/dashboard_tour.ts";
import { createTestStore } from "../support/test_store.ts";

browserTest("every page is accessible in light and in dark, and fits a narrow screen", async () => {
  await using store = await createTestStore();
  await using dashboard = await openDashboardBrowser({ task: "dev", store, cwd: store.folder });
  const page = await dashboard.person({ viewport: { width: 360, height: 740 } });
  let pages = 0;
  for await (const name of tour(page, dashboard.server)) {
    pages++;
    await assertAccessible(page);
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    assert.ok(width <= 360, `${name} is ${width} pixels wide`);
    assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1, `${name} has one title`);
  }
  assert.ok(pages > 20);
});
