import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { namesOf, type PageRow, rowAt, ROWS } from "../pages/every_page.ts";
import { browserTest, openBrowser } from "../support/browser.ts";
import {
  assertAccessible,
  type DashboardBrowser,
  germanTab,
  openDashboardBrowser,
} from "../support/dashboard_browser.ts";
import { assertReached } from "../support/keyboard_walk.ts";
import { tour, TOUR_SERVER } from "../support/dashboard_tour.ts";
import { createTestStore } from "../support/test_store.ts";

const NARROW = { width: 360, height: 740 };
const WIDE = { width: 1280, height: 860 };

/** Descriptions of fields that are repeated in the field's label. */
const READ_TWICE = `[...document.querySelectorAll("label [aria-describedby]")]
  .filter((one) => one.closest("label").querySelector("#" + one.getAttribute("aria-describedby")))
  .map((one) => one.name)`;

/** Tables that a style sheet hides, except those of an option that is not selected. */
const UNSEEN = `[...document.querySelectorAll(".card table")]
  .filter((one) => one.closest("details, .access") === null && !one.checkVisibility()).length`;

/** Addresses that are not pages: files, page fragments, streams and redirects. */
const NO_PAGE = new RegExp(
  "/assets/|/kept/|/(?:export|live|open|preview|request-counts|try)$|" +
    "/(?:filter|search|visibility|delete|check|clear|invitations|\\{provider\\}|templates/new)$",
);

async function assertFits(page: Page, name: string): Promise<void> {
  await page.setViewportSize(NARROW);
  const width = await page.evaluate<number>("document.documentElement.scrollWidth");
  assert.ok(width <= NARROW.width, `${name} is ${width} pixels wide`);
  assert.equal(
    await page.getByRole("heading", { level: 1 }).count(),
    1,
    `${name} must have one title`,
  );
  assert.deepEqual(await page.evaluate(READ_TWICE), [], `${name} repeats hints in labels`);
  assert.equal(await page.evaluate(UNSEEN), 0, `${name} must show its tables`);
}

/** Examines overlays in German. The tests of each overlay examine the English text. */
async function checkOverlays(german: Page, home: string): Promise<void> {
  await german.goto(`${home}/collections/posts`);
  await german.getByRole("button", { name: "Menü" }).click();
  await german.getByRole("combobox", { name: "Sprache" }).waitFor();
  await assertAccessible(german);
  await german.keyboard.press("Escape");
  await german.setViewportSize(WIDE);
  await german.getByRole("link", { name: "On bridges, part 38" }).click();
  await german.getByRole("dialog", { name: "Dokument" }).getByLabel(/^title /).waitFor();
  await assertAccessible(german);
}

async function assertFitsAndAccessible(page: Page, name: string): Promise<void> {
  await assertFits(page, name);
  await assertAccessible(page);
}

async function assertReachedWithTab(page: Page, name: string): Promise<void> {
  await page.setViewportSize(WIDE);
  await assertReached(page, name);
}

async function checkInGerman(tab: Page, name: string, address: string): Promise<void> {
  await tab.goto(address);
  assert.equal(await tab.evaluate("document.documentElement.lang"), "de", name);
  await assertFits(tab, `${name} in German`);
  await assertAccessible(tab, { sees: "words" });
}

/** Returns all faults at once, because the tour takes long. */
async function collectFaults(dashboard: DashboardBrowser): Promise<string[]> {
  const faults: string[] = [];
  const page = await dashboard.person({ viewport: NARROW });
  const german = await germanTab(page);
  const [seen, rows] = [new Set<string>(), new Set<PageRow>()];
  const note = async (...looks: readonly Promise<void>[]) => {
    const failed = (await Promise.allSettled(looks)).filter(({ status }) => status === "rejected");
    faults.push(...failed.map((one) => String((one as PromiseRejectedResult).reason)));
  };
  let home = "";
  for await (const name of tour(page, dashboard.server)) {
    const address = page.url();
    if (name === "overview") home = address;
    const looks = [
      assertFitsAndAccessible(page, name).then(() => assertReachedWithTab(page, name)),
    ];
    if (!seen.has(address)) looks.push(checkInGerman(german, name, address));
    seen.add(address);
    await note(...looks);
    const row = rowAt("GET", address);
    if (row !== undefined) rows.add(row);
  }
  await note(checkOverlays(german, home));
  const pages = ROWS.filter(({ method, template }) => method === "GET" && !NO_PAGE.test(template));
  const missed = namesOf(pages.filter((row) => !rows.has(row)));
  return [...faults, ...missed.map((name) => `${name} is not on the tour`)];
}

browserTest(
  "every page is accessible, fits a narrow screen, in German too, and works with Tab",
  async () => {
    await using store = await createTestStore();
    await using dashboard = await openDashboardBrowser({
      ...TOUR_SERVER,
      store,
      cwd: store.folder,
    });
    assert.deepEqual(await collectFaults(dashboard), []);
  },
);

browserTest("the checks report what axe finds on a page, in each color scheme", async () => {
  await using browser = await openBrowser();
  const page = await browser.page();
  const document = (body: string) =>
    `<!doctype html><html lang="en"><title>A</title><main><h1>A</h1>${body}</main></html>`;
  await page.setContent(document('<img src="data:,">'));
  await assert.rejects(() => assertAccessible(page, { sees: "words" }), /image-alt: [^]*<img/);
  await page.setContent(document('<p style="color: #999; background: #aaa">Barely seen</p>'));
  await assertAccessible(page, { sees: "words" });
  await assert.rejects(() => assertAccessible(page), /light[^]*color-contrast/);
});

browserTest(
  "the checks report controls that Tab does not reach or that show no focus",
  async () => {
    await using browser = await openBrowser();
    const page = await browser.page();
    const [first, second] = ["<button>First</button>", "<button>Second</button>"];
    await page.setContent(first + second);
    await assertReached(page, "page");
    await page.setContent(first + '<button tabindex="-1">Second</button>');
    await assert.rejects(() => assertReached(page, "page"), /does not reach[^]*Second/);
    await page.setContent(`${first}${second}<script>
    const began = performance.now();
    addEventListener("keydown", (key) => {
      if (performance.now() - began < 1000) key.preventDefault();
    });
  </script>`);
    await assertReached(page, "keys that are lost for a second");
    await page.setContent(`<style>:focus { outline: none }</style>${first}${second}`);
    await assert.rejects(() => assertReached(page, "page"), /focus is not visible[^]*First/);
  },
);
