import assert from "node:assert/strict";
import { browserTest, openBrowser } from "../../support/browser.ts";
import { openOutside } from "./outside.ts";

const SDK = new URL("dist/index.mjs", import.meta.resolve("@urbackend/sdk"));
const EMAIL = "ada@example.com";

/** Serves an application's page on a separate origin. */
function servePage(): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "localhost", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/") {
      return new Response('<!doctype html><link rel="icon" href="data:,"><title>App</title>', {
        headers: { "content-type": "text/html" },
      });
    }
    if (pathname !== "/sdk.mjs") return new Response(null, { status: 404 });
    const headers = { "content-type": "text/javascript" };
    return new Response(await Deno.readTextFile(SDK), { headers });
  });
}

browserTest(
  "@urbackend/sdk signs up, writes, renews and signs out in a page of another origin",
  async () => {
    await using outside = await openOutside();
    await using site = servePage();
    await using browser = await openBrowser();
    const page = await browser.page();
    await page.goto(`http://localhost:${site.addr.port}/`);
    const config = JSON.stringify({
      apiKey: outside.project.publishableKey,
      baseUrl: outside.fixture.publicUrl,
    });
    const run = (script: string): Promise<unknown> =>
      page.evaluate(`(async () => {
      const { default: urBackend, ...errors } = await import("/sdk.mjs");
      const { auth, db } = urBackend(${config});
      ${script}
    })()`);

    const credentials = JSON.stringify({ email: EMAIL, password: "a difference engine" });
    const email = await run(
      `await auth.signUp(${credentials}); return (await auth.me()).email;`,
    );
    assert.equal(email, EMAIL);
    assert.deepEqual(
      await run(`try { await auth.signUp(${credentials}); } catch (error) {
      return [error instanceof errors.UrBackendError, error.statusCode, error.message];
    }`),
      [true, 409, "A user with this e-mail exists already in the project."],
      "the page can read the reason of a refusal",
    );
    const otp = await outside.nextCode(EMAIL);
    await run(`await auth.verifyEmail({ email: "${EMAIL}", otp: "${otp}" });`);

    await page.reload();
    const verified = await run("return (await auth.me(auth.getToken())).emailVerified;");
    assert.equal(verified, true, "both tokens outlive the page");
    assert.deepEqual(
      await run(`
      auth.setToken("expired");
      await db.insert("notes", { text: "Mine" });
      return (await db.getAll("notes")).map(({ text }) => text);
    `),
      ["Mine"],
    );
    const kept = await run("return auth.getRefreshToken();");
    outside.fixture.secret(kept as string);
    assert.deepEqual(await run("return await auth.logout();"), {
      success: true,
      message: "Signed out",
    });
    assert.equal(
      await run('return await db.getAll("notes").catch((error) => error.statusCode);'),
      401,
    );
    assert.deepEqual(await page.context().cookies(), [], "no cookie was set");
  },
);
