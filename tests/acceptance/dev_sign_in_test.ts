import assert from "node:assert/strict";
import { browserTest, openBrowser } from "../support/browser.ts";
import { createTestStore } from "../support/test_store.ts";
import { admin, startServer } from "./server.ts";

const application = (url: string, key: string): string =>
  `<!doctype html>
<title>Application</title>
<button>Sign in</button>
<p></p>
<script type="module">
import { createClient } from "${url}/client.js";
const corbel = createClient({ url: "${url}", key: "${key}" });
document.querySelector("button").onclick = () => corbel.auth.signInWith("dev");
if (location.pathname === "/auth/callback") {
  const { user } = await corbel.auth.completeSignIn();
  document.querySelector("p").textContent = "Hello " + user.name + ", " + user.email;
}
</script>`;

function serveSite(): AsyncDisposable & { origin: string; page: string } {
  const site = { origin: "", page: "" };
  const server = Deno.serve(
    { hostname: "localhost", port: 0, onListen: () => {} },
    () => new Response(site.page, { headers: { "content-type": "text/html" } }),
  );
  site.origin = `http://localhost:${(server.addr as Deno.NetAddr).port}`;
  return Object.assign(site, { [Symbol.asyncDispose]: () => server.shutdown() });
}

browserTest(
  "an application's page signs in by choosing a user",
  async () => {
    await using site = serveSite();
    await using store = await createTestStore();
    await using server = await startServer({ task: "dev", store });
    const words = ["project", "create", "--name", "Notes", "--site-url", site.origin];
    const { publishableKey } = await admin(words, server.settings);
    const url = `http://localhost:${server.port}`;
    site.page = application(url, publishableKey);
    await using browser = await openBrowser();
    const page = await browser.page();
    await page.goto(site.origin);
    await page.click("text=Sign in");
    await page.click("text=Sign in as Grace Hopper");
    await page.waitForURL(`${site.origin}/auth/callback*`);
    await page.waitForSelector("text=Hello Grace Hopper, grace@example.com");
    assert.equal(new URL(page.url()).search, "");
  },
);
