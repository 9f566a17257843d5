import type { Page } from "playwright-core";
import { until } from "../acceptance/until.ts";
import type { Server } from "../acceptance/server.ts";

const ACCOUNT = /e-mail\s+(\S+)\s+password\s+(\S+)/;

/**
 * Leads through every page of the dashboard, on a server that `dev` started on an empty folder:
 * yields the name of each when the browser is there.
 */
export async function* tour(page: Page, server: Server): AsyncGenerator<string> {
  await until("the demo is there", () => ACCOUNT.test(server.stdout()), 10_000);
  const [, email, password] = ACCOUNT.exec(server.stdout())!;
  const dashboard = `http://localhost:${server.port}/dashboard`;

  async function visit(address: string): Promise<void> {
    const answer = await page.goto(address);
    if (answer?.status() !== 200) throw new Error(`${address} answered ${answer?.status()}`);
  }

  /** The address behind a link of a page, by its text. */
  async function linkOn(address: string, name: string): Promise<string> {
    await visit(address);
    const link = page.getByRole("main").getByRole("link", { name }).first();
    return new URL((await link.getAttribute("href"))!, address).href;
  }

  await visit(`${dashboard}/register`);
  yield "register";
  await visit(`${dashboard}/sign-in`);
  yield "sign-in";
  await page.getByLabel("E-mail").fill(email!);
  await page.getByLabel("Password").fill(password!);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
  yield "projects";
  const home = await linkOn(dashboard, "Demo");
  const posts = `${home}/collections/posts`;
  const pages: Readonly<Record<string, string>> = {
    account: `${dashboard}/account`,
    overview: home,
    "new-collection": `${home}/collections`,
    documents: `${posts}?status=published&views_gt=100&sort=-publishedAt`,
    trash: `${posts}?isDeleted=true&include_deleted=true`,
    "new-document": `${posts}/new`,
    document: await linkOn(posts, "On bridges, part 38"),
    import: `${posts}/import`,
    fields: `${posts}/fields`,
    access: `${posts}/access`,
    api: `${posts}/api`,
    users: `${home}/users`,
    user: await linkOn(`${home}/users`, "demo@example.com"),
    files: `${home}/files`,
    storage: `${home}/files/storage`,
    social: `${home}/sign-in`,
    ai: `${home}/ai`,
    designer: `${home}/ai/designer`,
    members: `${home}/members`,
    settings: `${home}/settings`,
  };
  for (const [name, address] of Object.entries(pages)) {
    await visit(address);
    yield name;
  }
}
