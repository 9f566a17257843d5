/**
 * `deno task screenshots [folder]`: every page of the dashboard with the demo's data, narrow and
 * wide, in light and in dark, as `<page>-<width>-<scheme>.png`.
 */

import type { Page } from "playwright-core";
import { startServer } from "./acceptance/server.ts";
import { until } from "./acceptance/until.ts";
import { openBrowser } from "./support/browser.ts";
import { createTestStore } from "./support/test_store.ts";

const WIDTHS = { 1280: 860, 360: 740 } as const;
const SCHEMES = ["light", "dark"] as const;

const folder = Deno.args[0] ?? "screenshots";
await Deno.mkdir(folder, { recursive: true });
await using store = await createTestStore("sqlite");
await using server = await startServer({ task: "dev", store, cwd: store.folder });
const account = /e-mail\s+(\S+)\s+password\s+(\S+)/;
await until("the demo is there", () => account.test(server.stdout()), 10_000);
const [, email, password] = account.exec(server.stdout())!;
const dashboard = `http://localhost:${server.port}/dashboard`;
await using browser = await openBrowser();
const page = await browser.page();

await page.goto(dashboard);
await shoot("sign-in");
await page.goto(`${dashboard}/register`);
await shoot("register");
await page.goto(dashboard);
await page.getByLabel("E-mail").fill(email!);
await page.getByLabel("Password").fill(password!);
await page.getByRole("button", { name: "Sign in" }).click();
await shoot("projects");
await page.goto(`${dashboard}/account`);
await shoot("account");
const home = await linkOn(dashboard, "Demo");
const posts = `${home}/collections/posts`;
const pages: Readonly<Record<string, string>> = {
  overview: home,
  "new-collection": `${home}/collections`,
  documents: `${posts}?status=published&views_gt=100&sort=-publishedAt`,
  trash: `${posts}?isDeleted=true&include_deleted=true`,
  "new-document": `${posts}/new`,
  import: `${posts}/import`,
  fields: `${posts}/fields`,
  access: `${posts}/access`,
  api: `${posts}/api`,
  users: `${home}/users`,
  files: `${home}/files`,
  storage: `${home}/files/storage`,
  social: `${home}/sign-in`,
  ai: `${home}/ai`,
  designer: `${home}/ai/designer`,
  members: `${home}/members`,
  settings: `${home}/settings`,
};
for (const [name, address] of Object.entries(pages)) {
  const answer = await page.goto(address);
  if (answer?.status() !== 200) throw new Error(`${name} answered ${answer?.status()}`);
  await shoot(name);
}
await page.goto(await linkOn(`${home}/users`, "demo@example.com"));
await shoot("user");

/** The address behind a link, by its text. */
async function linkOn(address: string, name: string): Promise<string> {
  await page.goto(address);
  const href = await page.getByRole("main").getByRole("link", { name }).first()
    .getAttribute("href");
  return new URL(href!, address).href;
}

async function shoot(name: string): Promise<void> {
  for (const [width, height] of Object.entries(WIDTHS)) {
    await page.setViewportSize({ width: Number(width), height });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await settled(page);
      await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` });
    }
  }
}

/** Pages are whole when they arrive; scripts only change how times read. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
}
