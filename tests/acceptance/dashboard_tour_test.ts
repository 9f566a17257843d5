import assert from "node:assert/strict";
import { browserTest } from "../support/browser.ts";
import { assertAccessible, openDashboardBrowser } from "../support/dashboard_browser.ts";
import { tour, TOUR_SERVER } from "../support/dashboard_tour.ts";
import { createTestStore } from "../support/test_store.ts";

/** What describes a field and stands in its label as well. */
const READ_TWICE = `[...document.querySelectorAll("label [aria-describedby]")]
  .filter((one) => one.closest("label").querySelector("#" + one.getAttribute("aria-describedby")))
  .map((one) => one.name)`;

/** Tables that a style sheet hides, but for those of a choice that is not made. */
const UNSEEN = `[...document.querySelectorAll(".card table")]
  .filter((one) => one.closest("details, .access") === null && !one.checkVisibility()).length`;

browserTest("every page is accessible in light and in dark, and fits a narrow screen", async () => {
  await using store = await createTestStore();
  await using dashboard = await openDashboardBrowser({ ...TOUR_SERVER, store, cwd: store.folder });
  const page = await dashboard.person({ viewport: { width: 360, height: 740 } });
  let pages = 0;
  for await (const name of tour(page, dashboard.server)) {
    pages++;
    await assertAccessible(page);
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    assert.ok(width <= 360, `${name} is ${width} pixels wide`);
    assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1, `${name} has one title`);
    assert.deepEqual(await page.evaluate(READ_TWICE), [], `${name} has hints in labels`);
    assert.equal(await page.evaluate(UNSEEN), 0, `${name} shows its tables`);
  }
  assert.ok(pages > 20);
});
