import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { browser, require } from "../services/mod.ts";

// playwright checks for WSL, which needs a permission that the tests do not have.
Deno.env.set("__IS_WSL_TEST__", "1");
const executablePath = await require(browser);

/** Timeout of a step in milliseconds, long enough for a busy machine. */
const STEP_MS = 60_000;

/** A browser that belongs to one test. */
export interface TestBrowser extends AsyncDisposable {
  /** Opens a context with its own cookies and storage. */
  context(options?: BrowserContextOptions): Promise<BrowserContext>;
  page(options?: BrowserContextOptions): Promise<Page>;
}

/**
 * Resolver rules: names that end in `.test` resolve to this machine, for pages of several sites. No
 * other host name resolves, which keeps pages from reaching the internet.
 */
const HOSTS = "MAP *.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1";

/** Starts Chromium, within {@linkcode browserTest}, which checks that it is installed. */
export async function openBrowser(): Promise<TestBrowser> {
  const { chromium } = await import("playwright-core");
  const launched: Browser = await chromium.launch({
    executablePath: executablePath!,
    // Chromium does not run in its sandbox as root, nor in most containers.
    args: ["--no-sandbox", "--disable-background-networking", `--host-resolver-rules=${HOSTS}`],
    // Deno would not exit on a signal that playwright handles.
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

/** Registers a test that is ignored, with a printed line, if Chromium is not installed. */
export function browserTest(name: string, fn: (t: Deno.TestContext) => Promise<void>): void {
  Deno.test({ name, ignore: executablePath === null, fn });
}
