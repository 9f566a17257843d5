import assert from "node:assert/strict";
import { browser, require } from "../services/mod.ts";
import { startServer } from "./server.ts";

// playwright looks for WSL with a permission that no test has.
Deno.env.set("__IS_WSL_TEST__", "1");
const executablePath = await require(browser);

Deno.test({
  name: "the reference renders and calls the server, and asks nothing of anybody else",
  ignore: executablePath === null, // The line printed above says how to get a browser.
  async fn() {
    const { chromium } = await import("playwright-core");
    await using server = await startServer();
    const launched = await chromium.launch({
      executablePath: executablePath!,
      args: ["--no-sandbox", "--disable-background-networking"],
      handleSIGTERM: false,
      handleSIGINT: false,
    });
    try {
      const page = await launched.newPage();
      const foreign: string[] = [];
      page.on("request", (request) => {
        const url = request.url();
        if (!url.startsWith(server.url) && !/^(data|blob):/.test(url)) foreign.push(url);
      });
      await page.goto(`${server.url}/docs`);
      // Sections are rendered when they are come to.
      await page.getByText("Is the process alive?").first().click();
      await page.getByRole("heading", { name: "Is the process alive?" }).waitFor();
      const shown = await page.locator("body").innerText();
      for (const text of ["List documents", "Create a document", "Can it serve?"]) {
        assert.ok(shown.includes(text), `the reference shows "${text}"`);
      }
      await page.getByRole("button", { name: /Test Request.*\/api\/health\)/ }).click();
      const answered = page.waitForResponse(`${server.url}/api/health`);
      await page.getByRole("button", { name: /Send get request/ }).first().click();
      assert.equal((await answered).status(), 200);
      assert.deepEqual(foreign, []);
    } finally {
      await launched.close();
    }
  },
});
