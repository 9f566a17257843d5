/** Chromium, for tests of pages. */

import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { browser, require } from "../services/mod.ts";

// playwright looks for WSL with a permission that no test has.
Deno.env.set("__IS_WSL_TEST__", "1");
const executablePath = await require(browser);

/** More than any step of a page takes, on a machine that does much else. */
const STEP_MS = 60_000;

/** A browser of a test's own. */
export interface TestBrowser extends AsyncDisposable {
  /** A person's: with cookies and storage of its own. */
  context(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** A page in a context of its own. */
  page(options?: BrowserContextOptions): Promise<Page>;
}

/**
 * Names of other hosts lead nowhere, so that no page of ours ever reaches out; those that end in
 * `.test` lead to this machine, for pages of several sites.
 */
const HOSTS = "MAP *.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1";

/** Starts Chromium; only within {@linkcode browserTest}, which knows whether there is one. */
export async function openBrowser(): Promise<TestBrowser> {
  const { chromium } = await import("playwright-core");
  const launched: Browser = await chromium.launch({
    executablePath: executablePath!,
    // Chromium does not run in its sandbox as root, nor in most containers.
    args: ["--no-sandbox", "--disable-background-networking", `--host-resolver-rules=${HOSTS}`],
    // Deno would not end by a signal that playwright takes.
    handleSIGTERM: false,
    handleSIGINT: false,
    handleSIGHUP: false,
  });
  async function open(options?: BrowserContextOptions): Promise<BrowserContext> {
    const context = await launched.newContext(options);
    context.setDefaultTimeout(STEP_MS);
    return context;
  }
  return {
    context: open,
    page: async (options) => await (await open(options)).newPage(),
    [Symbol.asyncDispose]: () => launched.close(),
  };
}

/** A test that is left out where there is no browser; a line then says how to get one. */
export function browserTest(name: string, fn: (t: Deno.TestContext) => Promise<void>): void {
  Deno.test({ name, ignore: executablePath === null, fn });
}
