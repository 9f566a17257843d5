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

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Fails on whatever axe finds on the page, in light and in dark. */
export async function assertAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    // Colours that are still on their way to others would be judged as they are in between.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate(axe);
    // Mails are shown in frames that run no script, axe's neither.
    const run = page.evaluate("axe.run({ iframes: false })");
    const { violations } = await run as { violations: Violation[] };
    const found = violations.map(({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map(({ html }) => `  ${html}`).join("\n")}`
    );
    assert.deepEqual(found, [], `${page.url()} in ${colorScheme}`);
  }
}
