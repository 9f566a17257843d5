import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { NAME_LENGTH_MAX } from "@/lib/limits.ts";
import { until } from "../acceptance/until.ts";
import type { Server } from "../acceptance/server.ts";
import { picture } from "./picture.ts";
import { startSmtpServer } from "./smtp_server.ts";

const ACCOUNT = /e-mail\s+(\S+)\s+password\s+(\S+)/;

/** No name is longer, and none has a place to break. */
const LONG = "W".repeat(NAME_LENGTH_MAX);

/** Nested as deep as rows of fields still have to fit a phone. */
const LONG_FIELDS = [
  { key: LONG, type: "String", required: true },
  {
    key: "address",
    type: "Object",
    fields: [{ key: "geo", type: "Object", fields: [{ key: LONG, type: "Number", index: true }] }],
  },
  { key: "lines", type: "Array", items: { type: "Object", fields: [{ key: LONG, type: "Date" }] } },
  { key: "next", type: "Ref", ref: LONG },
];

const USER_FIELDS = [
  { key: "company", type: "String", public: true },
  { key: "newsletter", type: "Boolean", default: false },
];

/** Who signs up, so that there is a mail. */
const NEWCOMER = { email: "ada@example.com", password: "seven wet stones 41", name: "Ada" };

/** Of the server that {@linkcode tour} leads through. */
export const TOUR_SERVER = {
  task: "dev",
  settings: { ALLOW_PRIVATE_ENDPOINTS: "true" }, // It brings a mail server of this machine.
} as const;

/**
 * Leads through every page of the dashboard, on a server that `dev` started on an empty folder, and
 * through what a page is like when it is refused, asked, empty or full of long names: yields the
 * name of each when the browser is there.
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
  await visit(`${dashboard}/forgot-password`);
  yield "forgot-password";
  await visit(`${dashboard}/verify?purpose=resetPassword&email=ada%40example.com&done=sent`);
  yield "reset-password";
  await visit(`${dashboard}/verify?purpose=verify&email=ada%40example.com`);
  yield "verify-email";
  await visit(`${dashboard}/sign-in`);
  yield "sign-in";
  await page.getByLabel("E-mail").fill(email!);
  await page.getByLabel("Password").fill(password!);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
  yield "projects";
  const home = await linkOn(dashboard, "Demo");
  const posts = `${home}/collections/posts`;
  const user = await linkOn(`${home}/users`, "demo@example.com");
  const asOwner = home.replace("/dashboard/", "/api/");
  await send(`${asOwner}/users/fields`, { fields: USER_FIELDS }, "PUT");
  const [key] = /pk_live_[\w-]+/.exec(server.stdout())!;
  const userAuth = `http://localhost:${server.port}/api/userAuth`;
  await send(`${userAuth}/signup`, NEWCOMER, "POST", { "x-api-key": key });
  await visit(`${userAuth}/social/dev/start?x-api-key=${key}`);
  yield "choose-user";
  const pages: Readonly<Record<string, string>> = {
    account: `${dashboard}/account`,
    overview: home,
    "requests": `${home}/requests`,
    "diagram": `${home}/diagram`,
    "slow-questions": `${home}/slow-questions`,
    jobs: `${home}/jobs`,
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
    user,
    "user-edit": `${user}/edit`,
    "user-new": `${home}/users/new`,
    "user-fields": `${home}/users/fields`,
    mail: `${home}/mail`,
    "mail-log": `${home}/mail/log`,
    "mail-templates": `${home}/mail/templates`,
    "mail-template": `${home}/mail/templates/verify/en`,
    "mail-server": `${home}/mail/server`,
    webhooks: `${home}/webhooks`,
    "webhook-new": `${home}/webhooks/new`,
    files: `${home}/files`,
    "user-uploads": `${home}/files/uploads`,
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

  await visit(user);
  await page.getByRole("button", { name: "Create test token" }).click();
  await page.getByText("shown this once").waitFor();
  yield "test-token";
  await visit(pages.files!);
  await page.getByLabel(/A file of up to/).setInputFiles({
    name: "Red and blue.png",
    mimeType: "image/png",
    buffer: Buffer.from(await picture()),
  });
  await page.getByRole("link", { name: "Details" }).click();
  await page.getByRole("heading", { name: "Where it is used" }).waitFor();
  yield "file-details";
  await visit(pages["new-document"]!);
  await page.getByRole("button", { name: "Create document" }).click();
  await page.getByText("title is required").waitFor();
  yield "document-refused";
  await visit(pages.document!);
  await page.locator("summary", { hasText: "Delete" }).click();
  yield "document-asked";
  await visit(pages["user-new"]!);
  await page.getByLabel("E-mail").fill(NEWCOMER.email);
  await page.getByLabel("Roles").fill("no/role");
  await page.getByRole("button", { name: "Create user" }).click();
  await page.getByText("must be up to").waitFor();
  yield "user-refused";
  await visit(pages.mail!);
  await page.getByText("As HTML").first().click();
  yield "mail-html";
  await visit(posts);
  await page.getByText("+ Filter").click();
  yield "documents-filter";

  const collections = `${asOwner}/collections`;
  await visit(posts);
  await send(`${collections}/posts/documents`, { title: "On bread, once more" });
  await page.getByRole("button", { name: "1 change: show it" }).waitFor();
  yield "documents-changed";
  await send(collections, { name: LONG, fields: [] });
  await visit(`${home}/collections/${LONG}`);
  yield "documents-none";
  await send(`${collections}/${LONG}`, { name: LONG, fields: LONG_FIELDS }, "PUT");
  await send(`${collections}/${LONG}/documents`, { [LONG]: `${LONG} `.repeat(20) });
  await visit(`${home}/collections/${LONG}`);
  yield "documents-long";
  await visit(`${home}/collections/${LONG}/fields`);
  yield "fields-long";

  await visit(pages.account!);
  await page.getByRole("button", { name: "Send a code" }).click();
  const code = page.getByText(/verifies your e-mail/);
  while (await code.count() === 0) await visit(`${pages.account}/mailbox`);
  yield "account-mailbox";

  const invited = { email: "grace@example.com", role: "admin" };
  const invitation = await send(`${asOwner}/members`, invited);
  await visit(invitation.data.url);
  yield "invitation";

  // What fails is shown where mails are sent.
  await using smtp = await startSmtpServer();
  smtp.behave(() => ({ code: 550, message: "No such mailbox" }));
  await send(`${asOwner}/mail`, { url: smtp.url, from: "demo@example.com" }, "PUT");
  const mail = { to: "nobody@example.com", subject: "Hello", text: "Hello." };
  const [secretKey] = /sk_live_[\w-]+/.exec(server.stdout())!;
  const sending = `http://localhost:${server.port}/api/mail/send`;
  await send(sending, mail, "POST", { "x-api-key": secretKey });
  const again = page.getByRole("button", { name: "Send again" });
  while (await again.count() === 0) await visit(`${home}/mail`);
  yield "mail-failed";

  /** As the dashboard's owner, whose cookie the browser has. */
  async function send(
    url: string,
    data: object,
    method = "POST",
    headers: Record<string, string> = {},
    // deno-lint-ignore no-explicit-any -- Answers of every operation.
  ): Promise<any> {
    const answer = await page.request.fetch(url, { method, data, headers });
    if (!answer.ok()) throw new Error(`${url} answered ${answer.status()}: ${await answer.text()}`);
    return await answer.json();
  }
}
