/** The dashboard in Chromium, over a served process. */

import axe from "axe-core/axe.min.js" with { type: "text" };
import assert from "node:assert/strict";
import type { BrowserContextOptions, Page } from "playwright-core";
import { type Server, type ServerOptions, startServer } from "../acceptance/server.ts";
import { openBrowser } from "./browser.ts";

export interface DashboardBrowser extends AsyncDisposable {
  readonly server: Server;
  /** Of the dashboard, as PUBLIC_URL says it. */
  readonly origin: string;
  /** A person's: with cookies of their own. What it complains of fails the test at the end. */
  person(options?: BrowserContextOptions): Promise<Page>;
}

/** Refusals are pages, too: Chromium reports their status as an error of the console. */
const EXPECTED = /^Failed to load resource: the server responded with a status of 4\d\d /;

/** Starts a server and Chromium. */
export async function openDashboardBrowser(options: ServerOptions = {}): Promise<DashboardBrowser> {
  await using opening = new AsyncDisposableStack();
  const server = opening.use(await startServer(options));
  const browser = opening.use(await openBrowser());
  const complaints: string[] = [];
  const opened = opening.move();
  return {
    server,
    // Cookies of plain http are kept on localhost.
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
      assert.deepEqual(complaints, [], "violations of the policy and errors of scripts");
    },
  };
}

/** Another tab of the same person, in which pages are in German. */
export async function germanTab(page: Page): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.setExtraHTTPHeaders({ "accept-language": "de" });
  return tab;
}

/** What nobody guesses. */
export const PASSWORD = "seven wet stones 41";

/** Registers an account by clicks; the page is then at the projects. */
export async function register(
  { origin }: DashboardBrowser,
  page: Page,
  email = `${crypto.randomUUID()}@example.com`,
): Promise<string> {
  await page.goto(`${origin}/dashboard`);
  await page.getByRole("link", { name: "Create an account" }).click();
  // The page before it has fields of the same names.
  await page.getByRole("heading", { name: "Create an account" }).waitFor();
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
  return email;
}

/** Creates a project by clicks; resolves to its page's address and its keys. */
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

/** Of what axe found, that which is told: all that it looked at is a hundred times as long. */
const TOLD =
  `({ violations }) => violations.map(({ id, help, nodes }) => [id + ": " + help, ...nodes.map(({ html }) => "  " + html)].join("\\n"))`;

/** Rules that what a colour scheme changes can break. */
const COLOURS = ["color-contrast", "link-in-text-block"];

/**
 * What axe is asked for. All that colours do not change is looked at once. Mails are shown in
 * frames that run no script, axe's neither.
 */
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
 * Fails on whatever axe finds on the page.
 *
 * @param sees All of it, in light and in dark; or the words alone, of a page that was looked at in
 * another language.
 */
export async function assertAccessible(
  page: Page,
  { sees = "all" }: { sees?: "all" | "words" } = {},
): Promise<void> {
  const looks: readonly Look[] = sees === "words" ? ["words"] : ["light", "dark"];
  if (await page.evaluate("globalThis.axe === undefined")) await page.evaluate(axe);
  for (const look of looks) {
    // Colours that are still on their way to others would be judged as they are in between.
    const colorScheme = look === "dark" ? "dark" : "light";
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const found = await page.evaluate(`axe.run(${JSON.stringify(LOOKS[look])}).then(${TOLD})`);
    assert.deepEqual(found, [], `${page.url()}: ${look}`);
  }
}
