import assert from "node:assert/strict";
import type { Page, Route } from "playwright-core";
import {
  type ExampleSite,
  openExampleSite,
  type Person,
  refreshCookieOf,
} from "../../attacks/example_site.ts";
import { browserTest } from "../../support/browser.ts";
import { changeProject } from "../project.ts";

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

async function evaluateInPage<T>(page: Page, expression: string): Promise<T> {
  await page.waitForFunction("window.corbel !== undefined");
  return await page.evaluate<T>(`(async () => (${expression}))()`);
}

async function signIn({ fixture, project }: ExampleSite, { page }: Person): Promise<string> {
  const { login } = fixture.githubPerson();
  await page.goto(project.siteUrl);
  await evaluateInPage(page, `corbel.auth.signInWith("github", { returnTo: "/settings" })`);
  await page.getByRole("button", { name: `Sign in as ${login}` }).click();
  await page.waitForURL(`${project.siteUrl}/`);
  return login;
}

browserTest(
  "a page signs in by GitHub and leaves no token where another script could read it",
  async () => {
    await using site = await openSite();
    const { fixture, project } = site;
    const person = await site.person();
    const login = await signIn(site, person);
    const { page } = person;
    const { user, returnTo } = await evaluateInPage<
      { user: { username: string }; returnTo: string }
    >(
      page,
      "await completed",
    );
    assert.deepEqual([user.username, returnTo], [login, "/settings"]);
    const token = fixture.secret(await refreshCookieOf(person, project))!;
    const kept = await evaluateInPage<string>(
      page,
      "JSON.stringify([localStorage, sessionStorage])",
    );
    assert.ok(
      !kept.includes(token) && !kept.includes("eyJ"),
      "neither token is stored in the page",
    );
    assert.equal(page.url(), `${project.siteUrl}/`, "no token is in the address");
    await evaluateInPage(page, `await corbel.from("notes").create({ text: "Hello" })`);
    await page.reload();
    assert.equal(await evaluateInPage(page, "(await corbel.auth.ready).username"), login);
    assert.equal(
      await evaluateInPage(page, `(await corbel.from("notes").list()).items[0].text`),
      "Hello",
    );
    assert.deepEqual(person.errors, []);
  },
);

browserTest("a sign-in that was started in another tab is refused", async () => {
  await using site = await openSite();
  const { project } = site;
  const { page } = await site.person();
  await page.goto(`${project.siteUrl}/auth/callback?rtCode=x&state=y#token=a.b.c`);
  const refused = "await completed.then(() => null, (error) => error.code)";
  assert.equal(await evaluateInPage(page, refused), "SIGN_IN_PLANTED");
  assert.equal(page.url(), `${project.siteUrl}/`, "the address is cleared nevertheless");
  assert.equal(await evaluateInPage(page, "corbel.auth.user"), null);
});

browserTest(
  "tabs share one session: one renewal serves all, and signing out ends it in all",
  async () => {
    await using site = await openSite();
    const person = await site.person();
    const login = await signIn(site, person);
    const first = person.page;
    await evaluateInPage(first, "await completed");
    const second = await person.context.newPage();
    await second.goto(site.project.siteUrl);
    assert.equal(await evaluateInPage(second, "(await corbel.auth.ready).username"), login);
    const refreshes = () =>
      person.seen.filter(({ method, url }) => method === "POST" && url.endsWith("/refresh-token"))
        .length;
    const before = refreshes();
    const later = "const real = Date.now.bind(Date); Date.now = () => real() + 16 * 60_000";
    for (const page of [first, second]) await page.evaluate(later);
    const count = `await Promise.all([1, 2, 3].map(() => corbel.from("notes").count()))`;
    await Promise.all([evaluateInPage(first, count), evaluateInPage(second, count)]);
    assert.equal(refreshes() - before, 1);
    await evaluateInPage(second, "await corbel.auth.signOut()");
    await first.waitForFunction("corbel.auth.user === null");
  },
);

/** Script that delays the response about an earlier session until it is released. */
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

/** Milliseconds that are longer than a sign-in that waits for nothing. */
const HELD_MS = 1000;

const as = (email: string): string => `{ email: "${email}", password: "a difference engine" }`;

browserTest("signing in while an earlier session is restored signs the new user in", async () => {
  await using site = await openSite();
  const person = await site.person();
  const { page } = person;
  await page.goto(site.project.siteUrl);
  for (const email of ["ada@example.com", "bob@example.com"]) {
    await evaluateInPage(page, `await corbel.auth.signUp(${as(email)})`);
  }
  await page.addInitScript(HOLD);
  await page.reload();
  const answered = page.waitForResponse("**/login", { timeout: HELD_MS }).catch(() => {});
  await evaluateInPage(
    page,
    `void (window.entering = corbel.auth.signIn(${as("ada@example.com")}))`,
  );
  await answered;
  await page.waitForFunction("window.release !== undefined");
  await evaluateInPage(page, "release()");
  assert.equal(await evaluateInPage(page, "(await entering).email"), "ada@example.com");
  assert.equal(
    await evaluateInPage(page, "(await corbel.auth.ready, corbel.auth.user.email)"),
    "ada@example.com",
  );
  const other = await person.context.newPage();
  await other.goto(site.project.siteUrl);
  assert.equal(await evaluateInPage(other, "(await corbel.auth.ready).email"), "ada@example.com");
});

browserTest("a page that opens while the server is down continues as its user", async (t) => {
  await using site = await openSite();
  const { page } = await site.person();
  await page.goto(site.project.siteUrl);
  await evaluateInPage(page, `await corbel.auth.signUp(${as("ada@example.com")})`);
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
      await evaluateInPage(page, `void eval(${JSON.stringify(known)})`);
      const call = `await corbel.from("notes").count().then(() => "done", (error) => error.code)`;
      assert.notEqual(
        await evaluateInPage(page, call),
        "ACCESS_TOKEN_REQUIRED",
        "no request is sent without a user",
      );
      assert.equal(await evaluateInPage(page, "window.known"), "unknown");
      assert.equal(
        await evaluateInPage(page, "window.heard"),
        undefined,
        "no listener is called yet",
      );
      await page.unroute("**/api/**");
      assert.equal(
        await evaluateInPage(page, "(await corbel.auth.ready).email"),
        "ada@example.com",
      );
      assert.deepEqual(await evaluateInPage(page, "window.heard"), ["ada@example.com"]);
      assert.equal(await evaluateInPage(page, call), "done");
    });
  }
});

browserTest(
  "signing out while offline signs out here at once and at the server later",
  async () => {
    await using site = await openSite();
    const person = await site.person();
    const { page, context } = person;
    await page.goto(site.project.siteUrl);
    await evaluateInPage(page, `await corbel.auth.signUp(${as("ada@example.com")})`);
    const second = await context.newPage();
    await second.goto(site.project.siteUrl);
    assert.equal(
      await evaluateInPage(second, "(await corbel.auth.ready).email"),
      "ada@example.com",
    );
    const token = (await refreshCookieOf(person, site.project))!;
    await context.setOffline(true);
    await evaluateInPage(page, "await corbel.auth.signOut()");
    assert.equal(await evaluateInPage(page, "corbel.auth.user"), null);
    await second.waitForFunction("corbel.auth.user === null");
    await context.setOffline(false);
    const left = page.waitForResponse("**/logout");
    await page.reload();
    assert.equal(await evaluateInPage(page, "await corbel.auth.ready"), null);
    assert.equal((await left).status(), 200);
    await page.waitForFunction("Object.keys(localStorage).length === 0");
    assert.equal(await refreshCookieOf(person, site.project), null, "the cookie is gone");
    const refresh = await fetch(`${site.fixture.server.url}/api/userAuth/refresh-token`, {
      method: "POST",
      headers: { "x-api-key": site.project.publishableKey, "x-refresh-token": token },
    });
    await refresh.body?.cancel();
    assert.equal(refresh.status, 401, "the session has ended");
    await page.reload();
    assert.equal(await evaluateInPage(page, "await corbel.auth.ready"), null);
  },
);

browserTest(
  "uploading one file twice at once makes two files and leaves no state behind",
  async () => {
    await using site = await openSite();
    const { fixture, project } = site;
    const { page } = await site.person();
    await changeProject(fixture.server.settings, project, {
      files: { userUploads: "signed-in", userTypes: ["*/*"] },
    });
    await page.goto(project.siteUrl);
    await evaluateInPage(page, `await corbel.auth.signUp(${as("ada@example.com")})`);
    const uploads = await evaluateInPage<{ path: string }[]>(
      page,
      `await (async () => {
      const file = new File(["x"], "a.txt", { type: "text/plain" });
      return await Promise.all([1, 2].map(() => corbel.files.upload(file)));
    })()`,
    );
    assert.equal(new Set(uploads.map(({ path }) => path)).size, 2);
    assert.equal(await evaluateInPage(page, `localStorage.getItem("corbel.uploads")`), null);
  },
);
