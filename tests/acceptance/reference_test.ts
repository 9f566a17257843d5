import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { browserTest, openBrowser } from "../support/browser.ts";
import { assertAccessible, openDashboardBrowser } from "../support/dashboard_browser.ts";
import { admin, startServer } from "./server.ts";

/** Milliseconds, twice the target, because other load on the machine may delay the page. */
const FIRST_PAINT_MS_MAX = 3000;

function foreignRequests(page: Page, url: string): string[] {
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) {
      foreign.push(request.url());
    }
  });
  return foreign;
}

browserTest(
  "the reference is painted at once, with its introduction and every operation",
  async () => {
    await using server = await startServer();
    await using browser = await openBrowser();
    const page = await browser.page();
    const foreign = foreignRequests(page, server.url);
    let bytes = 0;
    const sizes: Promise<void>[] = [];
    page.on("requestfinished", (request) => {
      sizes.push(request.sizes().then(({ responseBodySize }) => void (bytes += responseBodySize)));
    });
    await page.goto(`${server.url}/docs`);
    const painted = await page.evaluate(() =>
      new Promise<number>((resolve) =>
        new PerformanceObserver((list) => {
          const [first] = list.getEntriesByName("first-contentful-paint");
          if (first !== undefined) resolve(first.startTime);
        }).observe({ type: "paint", buffered: true })
      )
    );
    assert.ok(painted <= FIRST_PAINT_MS_MAX, `${painted} ms`);
    // The page is rendered on the server, so the first paint includes all of it.
    const mainText = await page.locator("main").innerText();
    for (
      const text of ["API reference", "Your app", "Owners", "List the documents", "Quick start"]
    ) {
      assert.ok(mainText.includes(text), text);
    }
    await Promise.all(sizes);
    assert.ok(bytes <= 40_000, `${bytes} bytes`);
    assert.deepEqual(foreign, []);
  },
);

browserTest(
  "an operation is found and sent with the reader's key, and a secret key is not kept",
  async () => {
    await using opened = await openDashboardBrowser();
    const { server, origin } = opened;
    const { publishableKey, secretKey, projectId } = await admin(
      ["project", "create", "--name", "Blog"],
      server.settings,
    );
    const definition = JSON.stringify({ name: "posts", rls: { mode: "public-read" } });
    await admin(
      ["collection", "create", "--project", projectId, "--file", "-"],
      server.settings,
      definition,
    );
    const page = await opened.person();
    await page.goto(`${origin}/docs`);
    await page.getByText("This key is an example.").waitFor();
    await page.getByLabel("API key").fill(publishableKey);
    assert.equal(await page.getByText("This key is an example.").isVisible(), false);
    assert.ok((await page.getByLabel("A first request").innerText()).includes(publishableKey));

    await page.keyboard.press("Tab");
    await page.locator("body").press("/");
    const search = page.getByLabel("Search operations");
    assert.equal(await page.locator("[data-search]:focus").count(), 1);
    await search.fill("listDocuments");
    await page.getByText(/^1 of \d+$/).waitFor();
    assert.equal(await page.locator("main [data-operation]:visible").count(), 1);
    await search.press("Enter");
    await page.getByRole("heading", { name: "List the documents", level: 1 }).waitFor();

    assert.equal(await page.getByLabel("API key").inputValue(), publishableKey);
    assert.ok((await page.getByLabel("curl").innerText()).includes(publishableKey));
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText(/^200 OK, in \d+ ms$/).waitFor();
    assert.ok((await page.getByLabel("The answer").innerText()).includes('"items": []'));

    await page.goto(`${origin}/docs/operations/listUsers`);
    await page.getByLabel("API key").fill(secretKey);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText(/^200 OK, in \d+ ms$/).waitFor();
    const kept = await page.evaluate(() => JSON.stringify([sessionStorage, localStorage]));
    assert.ok(!kept.includes(secretKey));
    await page.reload();
    assert.match(await page.getByLabel("API key").inputValue(), /^sk_live_ExampleOnly/);
  },
);

browserTest("a stream appears as it arrives, until it is stopped", async () => {
  await using opened = await openDashboardBrowser();
  const { server, origin } = opened;
  const { publishableKey, projectId } = await admin(
    ["project", "create", "--name", "Blog"],
    server.settings,
  );
  await admin(
    ["collection", "create", "--project", projectId, "--file", "-"],
    server.settings,
    JSON.stringify({ name: "posts", rls: { mode: "public-read" } }),
  );
  const page = await opened.person();
  await page.goto(`${origin}/docs/operations/listenToDocuments`);
  await page.getByLabel("API key").fill(publishableKey);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByLabel("The answer").getByText("event: list").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("(stopped)").waitFor();
});

browserTest(
  "pages of the reference are accessible, fit a phone, and work without scripts",
  async () => {
    await using opened = await openDashboardBrowser();
    const { origin } = opened;
    const paths = [
      "/docs",
      "/docs/errors",
      "/docs/operations/listDocuments",
      "/docs/operations/createCollection",
      "/docs/guides/documents",
      "/docs/guides/dashboard",
    ];
    const page = await opened.person();
    const phone = await opened.person({ viewport: { width: 390, height: 844 } });
    const plain = await opened.person({ javaScriptEnabled: false });
    for (const path of paths) {
      await page.goto(origin + path);
      await assertAccessible(page);
      await phone.goto(origin + path);
      const beyond = await phone.evaluate("document.documentElement.scrollWidth - innerWidth");
      assert.ok(Number(beyond) <= 0, `${path} is ${beyond} pixels too wide`);
      await plain.goto(origin + path);
      assert.ok((await plain.locator("main").innerText()).length > 500, path);
      assert.equal(
        await plain.getByRole("button").count(),
        0,
        `${path} has controls that need scripts`,
      );
    }
  },
);

browserTest(
  "the full reference renders, calls the server, and requests nothing from other servers",
  async () => {
    await using server = await startServer();
    await using browser = await openBrowser();
    const page = await browser.page();
    const foreign = foreignRequests(page, server.url);
    await page.goto(`${server.url}/docs/full`);
    // Sections are rendered when they are scrolled into view.
    await page.getByText("Check that the process is alive").first().click();
    await page.getByRole("heading", { name: "Check that the process is alive" }).waitFor();
    const pageText = await page.locator("body").innerText();
    for (
      const text of [
        "Your app",
        "Your server",
        "Owners",
        "List the documents",
        "Create a document",
        "Check that the server is ready",
      ]
    ) {
      assert.ok(pageText.includes(text), `the reference shows "${text}"`);
    }
    await page.getByRole("button", { name: /Test Request.*\/api\/health\)/ }).click();
    const answered = page.waitForResponse(`${server.url}/api/health`);
    await page.getByRole("button", { name: /Send get request/ }).first().click();
    assert.equal((await answered).status(), 200);
    assert.deepEqual(foreign, []);

    // Pages of operations link there.
    await page.goto(`${server.url}/docs/operations/createDocument`);
    await page.getByRole("link", { name: "More languages" }).click();
    await page.getByRole("heading", { name: "Create a document for the caller" }).waitFor();
  },
);

browserTest(
  "in dev the samples have the demo's key, and the first request runs unchanged",
  async () => {
    await using server = await startServer({ task: "dev" });
    await using browser = await openBrowser();
    const page = await browser.page();
    const [, key] = /publishable key +(pk_live_\S+)/.exec(server.stdout())!;
    // The page sends requests to its own origin.
    await page.goto(`http://localhost:${server.port}/docs`);
    await page.getByLabel("A first request").getByText(key!).waitFor();
    assert.equal(await page.getByLabel("API key").inputValue(), key);
    assert.equal(await page.getByText("This key is an example.").isVisible(), false);
    const sample = await page.getByLabel("A first request").innerText();
    const { stdout } = await new Deno.Command("sh", { args: ["-c", `${sample} -s`] }).output();
    assert.equal(JSON.parse(new TextDecoder().decode(stdout)).data.items.length, 3);
  },
);
