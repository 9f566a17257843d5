/**
 * `deno task screenshots [folder]` takes screenshots of every page of the dashboard with the data
 * of the demo, narrow and wide, light and dark, as `<page>-<width>-<scheme>.png`. German pages have
 * `-de` before the width.
 */

import type { Page } from "playwright-core";
import { startServer } from "./acceptance/server.ts";
import { openBrowser } from "./support/browser.ts";
import { germanTab } from "./support/dashboard_browser.ts";
import { tour, TOUR_SERVER } from "./support/dashboard_tour.ts";
import { createTestStore } from "./support/test_store.ts";

const WIDTHS = { 1280: 860, 390: 844 } as const;
const SCHEMES = ["light", "dark"] as const;

const folder = Deno.args[0] ?? "screenshots";
await Deno.mkdir(folder, { recursive: true });
await using store = await createTestStore("sqlite");
await using server = await startServer({ ...TOUR_SERVER, store, cwd: store.folder });
await using browser = await openBrowser();
const page = await browser.page();
const german = await germanTab(page);
const seen = new Set<string>();
for await (const name of tour(page, server)) {
  await shoot(page, name);
  const address = page.url();
  if (seen.has(address)) continue;
  seen.add(address);
  await german.goto(address);
  await shoot(german, `${name}-de`);
}

async function shoot(page: Page, name: string): Promise<void> {
  // Pages are complete when they arrive; scripts only change the format of times.
  await page.waitForLoadState("networkidle");
  for (const [width, height] of Object.entries(WIDTHS)) {
    await page.setViewportSize({ width: Number(width), height });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.screenshot({
        path: `${folder}/${name}-${width}-${colorScheme}.png`,
        fullPage: true,
      });
    }
  }
}
