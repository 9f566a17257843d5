import assert from "node:assert/strict";
import type { Page, Route } from "playwright-core";
import {
  type ExampleSite,
  keptToken,
  openExampleSite,
  type Person,
} from "../../attacks/example_site.ts";
import { browserTest } from "../../support/browser.ts";
import { changeProject } from "../project.ts";

/** The least page of an application, whose tests call the client themselves. */
const PAGE = `<!doctype html>
<link rel="icon" href="data:,">
<script type="module">
  import { createClient } from "http://localhost:8000/client.js";
  window.corbel = createClient({ url: "http://localhost:8000", key: "pk_live_…" });
  window.completed = corbel.auth.completeSignIn();
  window.completed.catch(() => {});
</script>`;

const serve = () =>
  Promise.resolve(new Response(PAGE, { headers: { "content-type": "text/html" } }));

const openSite = (): Promise<ExampleSite> => openExampleSite({}, serve);

/** What an expression of the page comes to, once its client is there. */
async function run<T>(page: Page, expression: string): Promise<T> {
  await page.waitForFunction("window.corbel !== undefined");
  return await page.evaluate<T>(`(async () => (${expression}))()`);
}

async function signIn({ fixture, project }: ExampleSite, { page }: Person): Promise<string> {
  const { login } = fixture.githubPerson();
  await page.goto(project.siteUrl);
  await run(page, `corbel.auth.signInWith("github", { returnTo: "/settings" })`);
  await page.getByRole("button", { name: `Sign in as ${login}` }).click();
  await page.waitForURL(`${project.siteUrl}/`);
  return login;
}

browserTest(
  "a page signs in by GitHub, and leaves no token where another script could read it",
  async () => {
    await using site = await openSite();
    const { fixture, project } = site;
    const person = await site.person();
    const login = await signIn(site, person);
    const { page } = person;
    const { user, returnTo } = await run<{ user: { username: string }; returnTo: string }>(
      page,
      "await completed",
    );
    assert.deepEqual([user.username, returnTo], [login, "/settings"]);
    const token = fixture.secret(await keptToken(person, project))!;
    const kept = await run<string>(page, "JSON.stringify([localStorage, sessionStorage])");
    assert.ok(!kept.includes(token) && !kept.includes("eyJ"), "neither token is kept");
    assert.equal(page.url(), `${project.siteUrl}/`, "and neither is in the address");
    await run(page, `await corbel.from("notes").create({ text: "Hello" })`);
    await page.reload();
    assert.equal(await run(page, "(await corbel.auth.ready).username"), login);
    assert.equal(await run(page, `(await corbel.from("notes").list()).items[0].text`), "Hello");
    assert.deepEqual(person.errors, []);
  },
);

browserTest("a sign-in that was not begun in this tab is refused", async () => {
  await using site = await openSite();
  const { project } = site;
  const { page } = await site.person();
  await page.goto(`${project.siteUrl}/auth/callback?rtCode=x&state=y#token=a.b.c`);
  const refused = "await completed.then(() => null, (error) => error.code)";
  assert.equal(await run(page, refused), "SIGN_IN_PLANTED");
  assert.equal(page.url(), `${project.siteUrl}/`, "the address is cleared all the same");
  assert.equal(await run(page, "corbel.auth.user"), null);
});

browserTest("tabs have one session: renewed once for all, and ended in all", async () => {
  await using site = await openSite();
  const person = await site.person();
  const login = await signIn(site, person);
  const first = person.page;
  await run(first, "await completed");
  const second = await person.context.newPage();
  await second.goto(site.project.siteUrl);
  assert.equal(await run(second, "(await corbel.auth.ready).username"), login);
  const refreshes = () =>
    person.seen.filter(({ method, url }) => method === "POST" && url.endsWith("/refresh-token"))
      .length;
  const before = refreshes();
  const later = "const real = Date.now.bind(Date); Date.now = () => real() + 16 * 60_000";
  for (const page of [first, second]) await page.evaluate(later);
  const count = `await Promise.all([1, 2, 3].map(() => corbel.from("notes").count()))`;
  await Promise.all([run(first, count), run(second, count)]);
  assert.equal(refreshes() - before, 1);
  await run(second, "await corbel.auth.signOut()");
  await first.waitForFunction("corbel.auth.user === null");
});

/** A script that keeps the answer about an earlier session from the client, until it is released. */
const HOLD = `
  const ask = window.fetch;
  window.fetch = async (url, init) => {
    const answer = await ask(url, init);
    if (url.endsWith("/refresh-token")) {
      await new Promise((resolve) => window.release = resolve);
    }
    return answer;
  };
`;

/** Longer than a sign-in takes that waits for nothing. */
const HELD_MS = 1000;

const as = (email: string): string => `{ email: "${email}", password: "a difference engine" }`;

browserTest("who signs in while an earlier session is restored is signed in", async () => {
  await using site = await openSite();
  const person = await site.person();
  const { page } = person;
  await page.goto(site.project.siteUrl);
  for (const email of ["ada@example.com", "bob@example.com"]) {
    await run(page, `await corbel.auth.signUp(${as(email)})`);
  }
  await page.addInitScript(HOLD);
  await page.reload();
  const answered = page.waitForResponse("**/login", { timeout: HELD_MS }).catch(() => {});
  await run(page, `void (window.entering = corbel.auth.signIn(${as("ada@example.com")}))`);
  await answered;
  await page.waitForFunction("window.release !== undefined");
  await run(page, "release()");
  assert.equal(await run(page, "(await entering).email"), "ada@example.com");
  assert.equal(
    await run(page, "(await corbel.auth.ready, corbel.auth.user.email)"),
    "ada@example.com",
  );
  const other = await person.context.newPage();
  await other.goto(site.project.siteUrl);
  assert.equal(await run(other, "(await corbel.auth.ready).email"), "ada@example.com");
});

browserTest("a page that opens while the server is away goes on as its user", async (t) => {
  await using site = await openSite();
  const { page } = await site.person();
  await page.goto(site.project.siteUrl);
  await run(page, `await corbel.auth.signUp(${as("ada@example.com")})`);
  const ways: Record<string, (route: Route) => Promise<void>> = {
    "no answer": (route) => route.abort(),
    "a proxy without a server": (route) => route.fulfill({ status: 502, body: "<h1>502</h1>" }),
    "a failure": (route) => route.fulfill({ status: 500, json: { code: "INTERNAL" } }),
    "a page of a network": (route) => route.fulfill({ body: "<h1>Sign in</h1>" }),
    "a proxy that asks for a password": (route) => route.fulfill({ status: 401, body: "" }),
  };
  for (const [name, away] of Object.entries(ways)) {
    await t.step(name, async () => {
      const refused = page.waitForRequest("**/refresh-token");
      await page.route("**/api/**", away);
      await page.reload();
      await refused;
      const known = `window.known = "unknown";
        void corbel.auth.ready.then((user) => window.known = user);
        void corbel.auth.onChange((user) => (window.heard ??= []).push(user && user.email))`;
      await run(page, `void eval(${JSON.stringify(known)})`);
      const call = `await corbel.from("notes").count().then(() => "done", (error) => error.code)`;
      assert.notEqual(await run(page, call), "ACCESS_TOKEN_REQUIRED", "nothing is asked as nobody");
      assert.equal(await run(page, "window.known"), "unknown");
      assert.equal(await run(page, "window.heard"), undefined, "no listener is called yet");
      await page.unroute("**/api/**");
      assert.equal(await run(page, "(await corbel.auth.ready).email"), "ada@example.com");
      assert.deepEqual(await run(page, "window.heard"), ["ada@example.com"]);
      assert.equal(await run(page, call), "done");
    });
  }
});

browserTest("who signs out while offline is signed out here, and later at the server", async () => {
  await using site = await openSite();
  const person = await site.person();
  const { page, context } = person;
  await page.goto(site.project.siteUrl);
  await run(page, `await corbel.auth.signUp(${as("ada@example.com")})`);
  const second = await context.newPage();
  await second.goto(site.project.siteUrl);
  assert.equal(await run(second, "(await corbel.auth.ready).email"), "ada@example.com");
  const token = (await keptToken(person, site.project))!;
  await context.setOffline(true);
  await run(page, "await corbel.auth.signOut()");
  assert.equal(await run(page, "corbel.auth.user"), null);
  await second.waitForFunction("corbel.auth.user === null");
  await context.setOffline(false);
  const left = page.waitForResponse("**/logout");
  await page.reload();
  assert.equal(await run(page, "await corbel.auth.ready"), null);
  assert.equal((await left).status(), 200);
  await page.waitForFunction("Object.keys(localStorage).length === 0");
  assert.equal(await keptToken(person, site.project), null, "the cookie is gone");
  const refresh = await fetch(`${site.fixture.server.url}/api/userAuth/refresh-token`, {
    method: "POST",
    headers: { "x-api-key": site.project.publishableKey, "x-refresh-token": token },
  });
  await refresh.body?.cancel();
  assert.equal(refresh.status, 401, "and the session has ended");
  await page.reload();
  assert.equal(await run(page, "await corbel.auth.ready"), null);
});

browserTest(
  "one file that is uploaded twice at once becomes two, and nothing is kept",
  async () => {
    await using site = await openSite();
    const { fixture, project } = site;
    const { page } = await site.person();
    await changeProject(fixture.server.settings, project, {
      files: { userUploads: "signed-in", userTypes: ["*/*"] },
    });
    await page.goto(project.siteUrl);
    await run(page, `await corbel.auth.signUp(${as("ada@example.com")})`);
    const uploads = await run<{ path: string }[]>(
      page,
      `await (async () => {
      const file = new File(["x"], "a.txt", { type: "text/plain" });
      return await Promise.all([1, 2].map(() => corbel.files.upload(file)));
    })()`,
    );
    assert.equal(new Set(uploads.map(({ path }) => path)).size, 2);
    assert.equal(await run(page, `localStorage.getItem("corbel.uploads")`), null);
  },
);
