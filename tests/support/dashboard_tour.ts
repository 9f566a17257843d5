import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { NAME_LENGTH_MAX } from "@/lib/limits.ts";
import { until } from "../acceptance/until.ts";
import type { Server } from "../acceptance/server.ts";
import { picture } from "./picture.ts";
import { startSmtpServer } from "./smtp_server.ts";

const ACCOUNT = /e-mail\s+(\S+)\s+password\s+(\S+)/;

/** A name of the maximum length, without a place for a line break. */
const LONG = "W".repeat(NAME_LENGTH_MAX);

/** Fields with the deepest nesting that must fit a phone. */
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

/** A user whose sign-up sends a mail. */
const NEWCOMER = { email: "ada@example.com", password: "seven wet stones 41", name: "Ada" };

const IMPORTED = "title,views\nOn moss,3\nOn fog,many\n";

export const TOUR_SERVER = {
  task: "dev",
  settings: { ALLOW_PRIVATE_ENDPOINTS: "true" }, // The tour uses servers on this machine.
} as const;

/** Names of pages, each yielded when the browser shows the page. */
type Stops = AsyncGenerator<string>;

interface Guide {
  readonly page: Page;
  readonly dashboard: string;
  readonly userAuth: string;
  readonly publishableKey: string;
  readonly secretKey: string;
  visit(address: string, status?: number): Promise<void>;
  /** Returns the target of a link on a page, found by its text. */
  linkOn(address: string, name: string): Promise<string>;
  press(name: string): Promise<void>;
  /** Sends a call as the owner, whose cookie the browser has. */
  // deno-lint-ignore no-explicit-any -- Answers of every operation.
  send(url: string, data: object, how?: { method?: string; key?: string }): Promise<any>;
}

interface Demo {
  readonly home: string;
  readonly posts: string;
  readonly document: string;
  readonly user: string;
  /** Address of the project in the owners' API. */
  readonly asOwner: string;
}

/**
 * Visits every page of the dashboard, including refused forms, confirmations, empty lists and long
 * names. The server must have been started by `dev` on an empty folder. Yields the name of each
 * page when the browser shows it.
 */
export async function* tour(page: Page, server: Server): Stops {
  await until("the demo is there", () => ACCOUNT.test(server.stdout()));
  const guide = guideOf(page, server);
  yield* signedOut(guide);
  yield* signedIn(guide, ACCOUNT.exec(server.stdout())!.slice(1));
  const demo = await demoOf(guide);
  yield* users(guide, demo);
  for (const [name, address] of Object.entries(pagesOf(guide, demo))) {
    await guide.visit(address);
    yield name;
  }
  yield* documents(guide, demo);
  yield* manyDocuments(guide, demo);
  yield* calls(guide, demo);
  yield* files(guide, demo);
  yield* webhooks(guide, demo);
  yield* longNames(guide, demo);
  yield* secrets(guide, demo);
  yield* refusals(guide, demo);
  yield* failedMail(guide, demo);
}

function guideOf(page: Page, server: Server): Guide {
  const origin = `http://localhost:${server.port}`;
  async function visit(address: string, status = 200): Promise<void> {
    const answer = await page.goto(address);
    if (answer?.status() !== status) throw new Error(`${address} answered ${answer?.status()}`);
  }
  return {
    page,
    dashboard: `${origin}/dashboard`,
    userAuth: `${origin}/api/userAuth`,
    publishableKey: /pk_live_[\w-]+/.exec(server.stdout())![0],
    secretKey: /sk_live_[\w-]+/.exec(server.stdout())![0],
    visit,
    async linkOn(address, name) {
      await visit(address);
      const link = page.getByRole("main").getByRole("link", { name }).first();
      return new URL((await link.getAttribute("href"))!, address).href;
    },
    press: (name) => page.getByRole("button", { name, exact: true }).first().click(),
    async send(url, data, { method = "POST", key } = {}) {
      const headers: Record<string, string> = key === undefined ? {} : { "x-api-key": key };
      const answer = await page.request.fetch(url, { method, data, headers });
      if (!answer.ok()) {
        throw new Error(`${url} answered ${answer.status()}: ${await answer.text()}`);
      }
      return await answer.json();
    },
  };
}

async function* signedOut({ dashboard, visit }: Guide): Stops {
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
}

async function* signedIn({ page, press }: Guide, [email, password]: string[]): Stops {
  await page.getByLabel("E-mail").fill(email!);
  await page.getByLabel("Password").fill(password!);
  await press("Sign in");
  await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
  yield "projects";
}

async function demoOf({ dashboard, linkOn }: Guide): Promise<Demo> {
  const home = await linkOn(dashboard, "Demo");
  const posts = `${home}/collections/posts`;
  return {
    home,
    posts,
    document: await linkOn(posts, "On bridges, part 38"),
    user: await linkOn(`${home}/users`, "demo@example.com"),
    asOwner: home.replace("/dashboard/", "/api/"),
  };
}

async function* users(
  { page, userAuth, publishableKey: key, visit, press, send }: Guide,
  { home, user, asOwner }: Demo,
): Stops {
  await send(`${asOwner}/users/fields`, { fields: USER_FIELDS }, { method: "PUT" });
  await send(`${userAuth}/signup`, NEWCOMER, { key });
  await visit(`${userAuth}/social/dev/start?x-api-key=${key}`);
  yield "choose-user";
  await visit(`${home}/sign-in/tried?userId=${user.split("/").at(-1)}`);
  yield "sign-in-tried";
  await visit(user);
  await press("Create test token");
  await page.getByText("shown this once").waitFor();
  yield "test-token";
  await visit(`${home}/users/new`);
  await page.getByLabel("E-mail").fill(NEWCOMER.email);
  await page.getByLabel("Roles").fill("no/role");
  await press("Create user");
  await page.getByText("must be up to").waitFor();
  yield "user-refused";
}

const pagesOf = (
  { dashboard }: Guide,
  { home, posts, document, user }: Demo,
): Readonly<Record<string, string>> => ({
  account: `${dashboard}/account`,
  overview: home,
  "slow-questions": `${home}/slow-questions`,
  jobs: `${home}/jobs`,
  "new-collection": `${home}/collections`,
  documents: `${posts}?status=published&views_gt=100&sort=-publishedAt`,
  "documents-no-match": `${posts}?title=none`,
  trash: `${posts}?isDeleted=true&include_deleted=true`,
  "new-document": `${posts}/new`,
  document,
  "document-json": `${document}?as=json`,
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
});

async function* documents({ page, visit, press, send }: Guide, demo: Demo): Stops {
  const { home, posts, document, asOwner } = demo;
  await visit(`${posts}/new`);
  await press("Create document");
  await page.getByText("title is required").waitFor();
  yield "document-refused";
  await visit(document);
  await page.locator("summary", { hasText: "Delete" }).click();
  yield "document-asked";
  await visit(`${home}/mail`);
  await page.getByText("As HTML").first().click();
  yield "mail-html";
  for (const menu of ["+ Filter", "Columns", "Views"]) {
    await visit(posts);
    await page.getByRole("main").getByText(menu, { exact: true }).click();
    yield `documents-${menu.replace("+ ", "").toLowerCase()}`;
  }
  await visit(posts);
  await send(`${asOwner}/collections/posts/documents`, { title: "On bread, once more" });
  await page.getByRole("button", { name: "1 change: show it" }).waitFor();
  yield "documents-changed";
}

async function* manyDocuments({ page, visit, press }: Guide, { posts }: Demo): Stops {
  const select = async (button: string) => {
    await visit(posts);
    await page.getByLabel("Select all").check();
    await press(button);
  };
  await select("Edit selected");
  await page.getByText("Which field?").waitFor();
  yield "documents-edit";
  await press("views");
  await page.getByText("What you enter").waitFor();
  yield "documents-edit-field";
  await select("Delete selected");
  await page.getByText("They go to the trash").waitFor();
  yield "documents-delete";
  await visit(`${posts}/import`);
  await page.getByLabel("Or its text").fill(IMPORTED);
  await press("Preview");
  await page.getByText("Nothing is stored yet").waitFor();
  yield "import-preview";
  // Wide screens show a document next to the rows.
  await page.setViewportSize({ width: 1280, height: 860 });
  await visit(posts);
  await page.getByRole("link", { name: "On bridges, part 38" }).click();
  await page.getByRole("dialog").getByLabel(/^title /).waitFor();
  yield "documents-beside";
}

async function* calls({ page, visit, press }: Guide, { home, posts }: Demo): Stops {
  await visit(`${posts}/api`);
  await press("Run it");
  await page.getByText(/^200\b.* in /).waitFor();
  yield "api-run";
  await visit(`${posts}/api?operation=Create`);
  await page.locator("summary", { hasText: "Run it" }).click();
  yield "api-create";
  const unknown = home.replace("/dashboard/", "/api/") + "/collections/none/documents";
  await page.request.get(unknown);
  const row = page.getByRole("cell", { name: "404" });
  await until("the refusal is listed", async () => {
    await visit(`${home}/requests`);
    return await row.count() > 0;
  });
  yield "requests";
}

async function* files({ page, visit }: Guide, { home }: Demo): Stops {
  await visit(`${home}/files`);
  await page.getByLabel(/A file of up to/).setInputFiles({
    name: "Red and blue.png",
    mimeType: "image/png",
    buffer: Buffer.from(await picture()),
  });
  const details = page.getByRole("link", { name: "Details" });
  await details.waitFor();
  yield "files-some";
  await details.click();
  await page.getByRole("heading", { name: "Where it is used" }).waitFor();
  yield "file-details";
}

/** Creates a webhook to an address that does not answer. */
async function* webhooks({ page, visit, press, send }: Guide, { home, asOwner }: Demo): Stops {
  await visit(`${home}/webhooks/new`);
  await page.getByLabel("Name").fill("Search index");
  await page.getByLabel("Address").fill("http://localhost:1/corbel");
  await page.getByRole("group", { name: "posts" }).getByLabel("created").check();
  await press("Create webhook");
  const onward = page.getByRole("button", { name: "Go on to the webhook" });
  await onward.waitFor();
  yield "webhook-created";
  const webhook = new URL((await onward.getAttribute("href"))!, home).href;
  await send(`${asOwner}/collections/posts/documents`, { title: "On hooks" });
  const message = page.getByRole("table").getByRole("link", { name: "posts.created" });
  await until("there is a message", async () => {
    await visit(webhook);
    return await message.count() > 0;
  });
  yield "webhook";
  await message.click();
  await page.getByRole("heading", { name: "Request" }).waitFor();
  yield "webhook-message";
  await visit(webhook);
  await press("Send a test");
  await page.getByText("No answer").waitFor();
  yield "webhook-tested";
}

async function* longNames({ visit, send }: Guide, { home, asOwner }: Demo): Stops {
  const collections = `${asOwner}/collections`;
  await send(collections, { name: LONG, fields: [] });
  await visit(`${home}/collections/${LONG}`);
  yield "documents-none";
  const definition = { name: LONG, fields: LONG_FIELDS };
  await send(`${collections}/${LONG}`, definition, { method: "PUT" });
  await send(`${collections}/${LONG}/documents`, { [LONG]: `${LONG} `.repeat(20) });
  await visit(`${home}/collections/${LONG}`);
  yield "documents-long";
  await visit(`${home}/collections/${LONG}/fields`);
  yield "fields-long";
  await visit(`${home}/diagram`);
  yield "diagram";
}

/** Visits the pages with secrets that are shown once and links in mails. */
async function* secrets(guide: Guide, { home, asOwner }: Demo): Stops {
  const { page, dashboard, visit, press, send } = guide;
  const account = `${dashboard}/account`;
  await visit(account);
  await press("Send a code");
  const code = page.getByText(/verifies your e-mail/);
  while (await code.count() === 0) await visit(`${account}/mailbox`);
  yield "account-mailbox";
  await visit(account);
  await page.getByText("Create a token").click();
  await page.getByLabel("What it is for").fill("Deployment");
  await page.getByLabel("All of mine").check();
  await press("Create token");
  await page.getByText("It is shown this once").waitFor();
  yield "account-token";
  const invited = { email: "grace@example.com", role: "admin" };
  const invitation = await send(`${asOwner}/members`, invited);
  await visit(`${home}/members`);
  yield "members-invited";
  await visit(invitation.data.url);
  yield "invitation";
  await visit(dashboard);
  await page.getByLabel("Name").fill("Blog");
  await press("Create project");
  await page.getByText("Go to the project").waitFor();
  yield "project-created";
}

async function* refusals({ dashboard, visit }: Guide, { home, posts }: Demo): Stops {
  await visit(`${dashboard}/projects/${"0".repeat(24)}`, 404);
  yield "project-not-found";
  await visit(`${home}/collections/none`, 404);
  yield "collection-not-found";
  await visit(`${posts}?views_gt=x`, 400);
  yield "documents-refused";
}

/** Visits the mail page after a failed mail. */
async function* failedMail(
  { page, dashboard, secretKey: key, visit, send }: Guide,
  { home, asOwner }: Demo,
): Stops {
  await using smtp = await startSmtpServer();
  smtp.behave(() => ({ code: 550, message: "No such mailbox" }));
  const server = { url: smtp.url, from: "demo@example.com" };
  await send(`${asOwner}/mail`, server, { method: "PUT" });
  const mail = { to: "nobody@example.com", subject: "Hello", text: "Hello." };
  await send(new URL("/api/mail/send", dashboard).href, mail, { key });
  const again = page.getByRole("button", { name: "Send again" });
  while (await again.count() === 0) await visit(`${home}/mail`);
  yield "mail-failed";
}
