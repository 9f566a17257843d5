import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { BrowserContext, Page } from "playwright-core";
import { browserTest, openBrowser } from "../support/browser.ts";
import { picture as pictureBytes } from "../support/picture.ts";
import { createTestStore } from "../support/test_store.ts";
import { examplesOf, pageText, Reader } from "./guide_reader.ts";
import { send } from "./project.ts";
import { startServer } from "./server.ts";
import { until } from "./until.ts";

const PAGE = "docs/quickstart.md";
const PORT = "5173";
const LINES_MAX = 80;

const htmlOf = (page: string): string => /^```html\n([^]*?)^```/m.exec(page)![1]!;

Deno.test("the quick start's page has at most 80 lines", async () => {
  const html = htmlOf(await pageText(PAGE));
  assert.ok(html.trimEnd().split("\n").length <= LINES_MAX);
});

async function signUp(page: Page, email: string): Promise<void> {
  await page.getByPlaceholder("E-mail").fill(email);
  await page.getByPlaceholder("Password").fill("a difference engine no. 2");
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.getByPlaceholder("What is to do?").waitFor();
}

const todos = (page: Page) => page.getByRole("listitem");

browserTest("following the quick start word for word gives the promised application", async (t) => {
  const html = htmlOf(await pageText(PAGE));
  let served = "";
  const site = Deno.serve(
    { hostname: "localhost", port: 0, onListen() {} },
    () => new Response(served, { headers: { "content-type": "text/html" } }),
  );
  await using _site = { [Symbol.asyncDispose]: () => site.shutdown() };
  const port = String(site.addr.port);
  await using store = await createTestStore();
  await using server = await startServer({ task: "dev", store });
  const reader = new Reader(server, store.folder);
  for (const example of examplesOf(await pageText(PAGE))) {
    await reader.follow({ ...example, text: example.text.replaceAll(PORT, port) });
  }
  served = reader.filledIn(html);
  const key = /pk_live_[\w-]{43}/.exec(served)![0];
  // A server notices changes of another process within some seconds.
  await until("uploads are switched on", async () => {
    const body = { filename: "a.png", contentType: "image/png", size: 1 };
    const answer = await send(server, { path: "/api/storage/upload-request", key, body });
    return answer.body.code === "ACCESS_TOKEN_REQUIRED";
  });

  await using browser = await openBrowser();
  const url = `http://localhost:${port}/`;
  const open = async (context: BrowserContext) => {
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };
  const context = await browser.context();
  const [one, other] = [await open(context), await open(context)];

  await t.step("signing up in one window signs in the other", async () => {
    await signUp(one, "ada@example.com");
    await other.getByPlaceholder("What is to do?").waitFor();
  });

  await t.step("an item added in one window appears in the other, with its picture", async () => {
    await one.getByPlaceholder("What is to do?").fill("Write");
    await one.getByLabel("Picture").setInputFiles({
      name: "cat.png",
      mimeType: "image/png",
      buffer: Buffer.from(await pictureBytes()),
    });
    await one.getByRole("button", { name: "Add" }).click();
    await todos(other).filter({ hasText: "Write" }).waitFor();
    const picture = other.locator("img");
    await until(
      "the picture is shown",
      () =>
        picture.evaluate((image) =>
          (image as unknown as { naturalWidth: number }).naturalWidth > 0
        ),
    );
  });

  await t.step("a change in the other window appears in the first", async () => {
    await other.getByRole("checkbox").check();
    await until("the item is done", () => one.getByRole("checkbox").isChecked());
  });

  await t.step("a reload restores the session, and another user sees nothing", async () => {
    await one.reload();
    await todos(one).filter({ hasText: "Write" }).waitFor();
    const stranger = await open(await browser.context());
    await signUp(stranger, "bob@example.com");
    await stranger.getByPlaceholder("What is to do?").fill("Read");
    await stranger.getByRole("button", { name: "Add" }).click();
    await todos(stranger).filter({ hasText: "Read" }).waitFor();
    assert.equal(await todos(stranger).count(), 1);
    assert.equal(await todos(one).count(), 1);
  });

  await t.step("signing out in one window signs out in all", async () => {
    await one.getByRole("button", { name: "Sign out" }).click();
    await other.getByRole("button", { name: "Sign in" }).waitFor();
    const kept = await one.evaluate<string>("JSON.stringify({ ...localStorage })");
    assert.equal(kept, "{}");
  });
});
