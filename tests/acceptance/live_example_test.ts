import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { CDPSession, Page } from "playwright-core";
import { serveExample } from "../../examples/serve.ts";
import { browserTest, openBrowser, type TestBrowser } from "../support/browser.ts";
import { createTestStore } from "../support/test_store.ts";
import { createCollection, createProject, send } from "./project.ts";
import { startServer } from "./server.ts";

const LINES_MAX = 30;
const PASSWORD = "a difference engine";
const WRITTEN_LATER = "Written later";
const NOTES = { name: "notes", fields: [{ key: "text", type: "String", required: true }] };

interface ExampleWindow {
  readonly page: Page;
  readonly events: string[];
  readonly errors: readonly string[];
}

async function openWindow(browser: TestBrowser, origin: string): Promise<ExampleWindow> {
  const page = await browser.page();
  const errors: string[] = [];
  page.on("pageerror", (error) => void errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  const events: string[] = [];
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  listenToEvents(network, (event) => events.push(event));
  await page.goto(origin);
  return { page, events, errors };
}

function listenToEvents(network: CDPSession, heard: (event: string) => void): void {
  const texts = new Map<string, string>();
  const take = (requestId: string, data: string) => {
    const blocks = (texts.get(requestId) + Buffer.from(data, "base64").toString()).split("\n\n");
    texts.set(requestId, blocks.pop()!);
    for (const block of blocks) {
      const [, event] = /^event: ?(.*)$/m.exec(block) ?? [];
      if (event !== undefined) heard(event);
    }
  };
  network.on("Network.responseReceived", async ({ requestId, response }) => {
    if (response.mimeType !== "text/event-stream") return;
    texts.set(requestId, "");
    const streamed = await network.send("Network.streamResourceContent", { requestId });
    take(requestId, streamed.bufferedData);
  });
  network.on("Network.dataReceived", ({ requestId, data }) => {
    if (data !== undefined && texts.has(requestId)) take(requestId, data);
  });
}

async function submitForm(page: Page, name: "Sign in" | "Sign up", email: string): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name, exact: true }).click();
  await live(page);
}

const live = (page: Page) => page.getByText("Live", { exact: true }).waitFor();

async function add(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "A new note" }).fill(text);
  await page.getByRole("button", { name: "Add" }).click();
}

const remove = (page: Page, text: string) =>
  page.getByRole("button", { name: `Delete ${text}`, exact: true }).click();

/** Waits until the list has exactly these texts, newest first. */
async function waitForList(page: Page, ...texts: string[]): Promise<void> {
  const items = page.getByRole("listitem");
  for (const [i, text] of texts.entries()) {
    await items.nth(i).getByText(text, { exact: true }).waitFor();
  }
  await items.nth(texts.length).waitFor({ state: "detached" });
  assert.equal(await items.count(), texts.length);
}

Deno.test("the script of the live example has at most 30 lines of code", async () => {
  const script = new URL("../../examples/live/live.js", import.meta.url);
  const lines = (await Deno.readTextFile(script)).split("\n");
  const code = lines.filter((line) => !/^\s*(?:$|\/\/|\/?\*)/.test(line));
  assert.ok(code.length <= LINES_MAX, `${code.length} lines`);
});

browserTest(
  "the live example shows another window's writes, through a restart of the server",
  async (t) => {
    await using store = await createTestStore();
    await using site = Deno.serve(
      { hostname: "localhost", port: 0, onListen() {} },
      serveFilledInExample,
    );
    const origin = `http://localhost:${(site.addr as Deno.NetAddr).port}`;
    await using first = await startServer({ store });
    const { port } = first;
    const project = await createProject(first.settings, origin);
    await createCollection(first.settings, project, NOTES);
    await using browser = await openBrowser();
    const one = await openWindow(browser, origin);
    const other = await openWindow(browser, origin);

    /** Fills in the address and the key, as the README describes. */
    async function serveFilledInExample(request: Request): Promise<Response> {
      const response = await serveExample("live")(request);
      const text = (await response.text())
        .replaceAll("http://localhost:8000", `http://localhost:${port}`)
        .replace("pk_live_…", project.publishableKey);
      return new Response(text, response);
    }

    await t.step("one window adds and deletes, and the other shows it", async () => {
      await submitForm(one.page, "Sign up", "ada@example.com");
      await submitForm(other.page, "Sign in", "ada@example.com");
      await other.page.getByText("None yet.").waitFor();
      await add(one.page, "Buy bread");
      await waitForList(other.page, "Buy bread");
      await add(one.page, "Wind the clock");
      await waitForList(other.page, "Wind the clock", "Buy bread");
      await remove(one.page, "Buy bread");
      await waitForList(other.page, "Wind the clock");
      await waitForList(one.page, "Wind the clock");
      assert.deepEqual(other.events, ["list", "change", "change", "change"]);
    });

    await t.step("private notes are hidden from other users", async () => {
      const { page } = await openWindow(browser, origin);
      await submitForm(page, "Sign up", "bob@example.com");
      await page.getByText("None yet.").waitFor();
      await add(one.page, "Sharpen the pencils");
      await waitForList(other.page, "Sharpen the pencils", "Wind the clock");
      await add(page, "Bob's own");
      await waitForList(page, "Bob's own");
      await page.context().close();
    });

    await t.step(
      "after a restart the missed writes arrive, and nothing is read again",
      async () => {
        other.events.length = 0;
        await first.stop();
        await other.page.getByText("Connecting …").waitFor();
        await writeElsewhere();
        const asked = other.page.waitForRequest((request) =>
          request.method() === "GET" &&
          new URL(request.url()).pathname === "/api/data/notes/live" &&
          request.headers()["last-event-id"] !== undefined
        );
        await using _again = await startServer({ store, port });
        await asked;
        await waitForList(other.page, WRITTEN_LATER, "Sharpen the pencils");
        assert.deepEqual(other.events, ["change", "change"]);
        await live(other.page);
        await live(one.page);
        await add(one.page, "Oil the hinges");
        await waitForList(other.page, "Oil the hinges", WRITTEN_LATER, "Sharpen the pencils");
        await one.page.reload();
        await waitForList(one.page, "Oil the hinges", WRITTEN_LATER, "Sharpen the pencils");
      },
    );

    async function writeElsewhere(): Promise<void> {
      await using elsewhere = await startServer({ store });
      const key = project.secretKey;
      const path = "/api/data/notes";
      const [old] = (await send(elsewhere, { path: `${path}?text=Wind the clock`, key })).body.data
        .items;
      const { userId } = old;
      const added = await send(elsewhere, { path, key, body: { text: WRITTEN_LATER, userId } });
      assert.equal(added.status, 201, added.text);
      const gone = await send(elsewhere, { method: "DELETE", path: `${path}/${old._id}`, key });
      assert.equal(gone.status, 200, gone.text);
    }

    // Chromium's messages about refused connections.
    const expected = /net::ERR_(?:CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET)/;
    for (const { errors } of [one, other]) {
      assert.deepEqual(errors.filter((text) => !expected.test(text)), []);
    }
  },
);
