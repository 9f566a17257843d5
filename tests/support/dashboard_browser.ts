/** The dashboard of a served process in Chromium. */

import axe from "axe-core/axe.min.js" with { type: "text" };
import assert from "node:assert/strict";
import type { BrowserContextOptions, Page } from "playwright-core";
import { type Server, type ServerOptions, startServer } from "../acceptance/server.ts";
import { openBrowser } from "./browser.ts";

export interface DashboardBrowser extends AsyncDisposable {
  readonly server: Server;
  /** Origin of the dashboard, as in PUBLIC_URL. */
  readonly origin: string;
  /** Opens a page with its own cookies. Console errors fail the test on disposal. */
  person(options?: BrowserContextOptions): Promise<Page>;
}

/** Matches Chromium's console error for the status of a problem page. */
const EXPECTED = /^Failed to load resource: the server responded with a status of 4\d\d /;

export async function openDashboardBrowser(options: ServerOptions = {}): Promise<DashboardBrowser> {
  await using opening = new AsyncDisposableStack();
  const server = opening.use(await startServer(options));
  const browser = opening.use(await openBrowser());
  const complaints: string[] = [];
  const opened = opening.move();
  return {
    server,
    // Chromium keeps cookies of plain http on localhost.
    origin: `http://localhost:${server.port}`,
    async person(context) {
      const page = await browser.page(context);
      page.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
      page.on("console", (message) => {
        if (message.type() !== "error" && message.type() !== "warning") return;
        if (!EXPECTED.test(message.text())) complaints.push(`console: ${message.text()}`);
      });
      page.on("crash", () => complaints.push("the page crashed"));
      return page;
    },
    async [Symbol.asyncDispose]() {
      await opened.disposeAsync();
      assert.deepEqual(
        complaints,
        [],
        "violations of the content security policy and script errors",
      );
    },
  };
}

/** Opens another tab in the same context, with pages in German. */
export async function germanTab(page: Page): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.setExtraHTTPHeaders({ "accept-language": "de" });
  return tab;
}

export const PASSWORD = "seven wet stones 41";

/** Registers an account through the page, which then shows the list of projects. */
export async function register(
  { origin }: DashboardBrowser,
  page: Page,
  email = `${crypto.randomUUID()}@example.com`,
): Promise<string> {
  await page.goto(`${origin}/dashboard`);
  await page.getByRole("link", { name: "Create an account" }).click();
  // The previous page has fields with the same names.
  await page.getByRole("heading", { name: "Create an account" }).waitFor();
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
  return email;
}

/** Creates a project through the page. Resolves to the address of its page and its keys. */
export async function createProject(
  page: Page,
  name = "Blog",
): Promise<{ home: string; publishableKey: string; secretKey: string }> {
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Create project" }).click();
  const publishableKey = await page.getByLabel(/^Publishable key/).inputValue();
  const secretKey = await page.getByLabel(/^Secret key/).inputValue();
  const go = page.getByRole("button", { name: "Go to the project" });
  const home = new URL((await go.getAttribute("href"))!, page.url()).href;
  return { home, publishableKey, secretKey };
}

/** Picks the violations out of the result of axe, which is a hundred times as long. */
const PICK_VIOLATIONS =
  `({ violations }) => violations.map(({ id, help, nodes }) => [id + ": " + help, ...nodes.map(({ html }) => "  " + html)].join("\\n"))`;

/** Rules whose result depends on the colour scheme. */
const COLOURS = ["color-contrast", "link-in-text-block"];

/** Options for axe. Frames are skipped, because frames of mails run no scripts. */
const ALL = { iframes: false, resultTypes: ["violations"], selectors: false };
const LOOKS = {
  light: ALL,
  dark: { ...ALL, runOnly: COLOURS },
  words: {
    ...ALL,
    rules: Object.fromEntries(COLOURS.map((rule) => [rule, { enabled: false }])),
  },
};

type Look = keyof typeof LOOKS;

/**
 * Fails if axe finds a violation on the page.
 *
 * @param sees "all" checks the page in the light and in the dark scheme. "words" skips the colour
 * rules, for a page that was checked in another language.
 */
export async function assertAccessible(
  page: Page,
  { sees = "all" }: { sees?: "all" | "words" } = {},
): Promise<void> {
  const looks: readonly Look[] = sees === "words" ? ["words"] : ["light", "dark"];
  if (await page.evaluate("globalThis.axe === undefined")) await page.evaluate(axe);
  for (const look of looks) {
    // Without this, axe would judge colours in the middle of a transition.
    const colorScheme = look === "dark" ? "dark" : "light";
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const found = await page.evaluate(
      `axe.run(${JSON.stringify(LOOKS[look])}).then(${PICK_VIOLATIONS})`,
    );
    assert.deepEqual(found, [], `${page.url()}: ${look}`);
  }
}
