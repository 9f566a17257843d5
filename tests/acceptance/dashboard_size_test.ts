import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { browserTest } from "../support/browser.ts";
import { openDashboardBrowser } from "../support/dashboard_browser.ts";
import { openPosts } from "./dashboard_posts.ts";

/** Bytes of the page and its resources as transferred, including headers. */
const FIRST_VISIT_BYTES_MAX = 60_000;

async function countReceivedBytes(page: Page, address: string): Promise<number> {
  const devTools = await page.context().newCDPSession(page);
  let bytes = 0;
  devTools.on("Network.loadingFinished", ({ encodedDataLength }) => bytes += encodedDataLength);
  await devTools.send("Network.enable");
  await page.goto(address, { waitUntil: "networkidle" });
  return bytes;
}

browserTest("a first visit takes at most 60 kB, signed in or not, in each language", async () => {
  await using dashboard = await openDashboardBrowser();
  const owner = await dashboard.person();
  const { path } = await openPosts(dashboard, owner, 25);
  const storageState = await owner.context().storageState();
  const signIn = `${dashboard.origin}/dashboard/sign-in`;
  for (const locale of ["en", "de"]) {
    const visits = [
      { address: signIn, page: await dashboard.person({ locale }) },
      { address: path, page: await dashboard.person({ locale, storageState }) },
    ];
    for (const { address, page } of visits) {
      const bytes = await countReceivedBytes(page, address);
      assert.equal(await page.evaluate("document.documentElement.lang"), locale);
      assert.ok(bytes > 30_000, `only ${bytes} bytes: not all of ${address} was counted`);
      assert.ok(bytes <= FIRST_VISIT_BYTES_MAX, `${address} in ${locale} takes ${bytes} bytes`);
    }
  }
});
