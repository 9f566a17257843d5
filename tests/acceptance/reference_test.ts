import assert from "node:assert/strict";
import { browserTest, openBrowser } from "../support/browser.ts";
import { startServer } from "./server.ts";

browserTest(
  "the reference renders and calls the server, and asks nothing of anybody else",
  async () => {
    await using server = await startServer();
    await using browser = await openBrowser();
    const page = await browser.page();
    const foreign: string[] = [];
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(server.url) && !/^(data|blob):/.test(url)) foreign.push(url);
    });
    await page.goto(`${server.url}/docs`);
    // Sections are rendered when they are come to.
    await page.getByText("Check that the process is alive").first().click();
    await page.getByRole("heading", { name: "Check that the process is alive" }).waitFor();
    const shown = await page.locator("body").innerText();
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
      assert.ok(shown.includes(text), `the reference shows "${text}"`);
    }
    await page.getByRole("button", { name: /Test Request.*\/api\/health\)/ }).click();
    const answered = page.waitForResponse(`${server.url}/api/health`);
    await page.getByRole("button", { name: /Send get request/ }).first().click();
    assert.equal((await answered).status(), 200);
    assert.deepEqual(foreign, []);
  },
);
