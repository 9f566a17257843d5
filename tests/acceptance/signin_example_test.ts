import assert from "node:assert/strict";
import {
  type ExampleSite,
  openExampleSite,
  type Person,
  refreshCookieOf,
} from "../attacks/example_site.ts";
import { browserTest } from "../support/browser.ts";

/** Asserts that no query and no `Referer` of a request contains a part of a token. */
async function assertNoTokenLeft(site: ExampleSite, person: Person): Promise<void> {
  const kept = await refreshCookieOf(person, site.project);
  assert.ok(person.seen.length > 0);
  for (const { url, referrer } of person.seen) {
    const { search, pathname } = new URL(url);
    assert.doesNotMatch(search, /eyJ/, url);
    assert.ok(kept === null || !url.includes(kept), url);
    const isReturn = pathname === "/auth/callback";
    assert.ok(isReturn || !search.includes("rtCode"), url);
    // Providers may send a referrer. The page and Corbel must not.
    const from = referrer === null ? null : new URL(referrer).origin;
    assert.ok(
      from !== site.project.siteUrl && from !== site.fixture.publicUrl,
      `${url}: ${referrer}`,
    );
  }
  assert.equal(await person.page.evaluate("document.referrer"), "");
  const { href } = new URL(await person.page.evaluate<string>("location.href"));
  assert.equal(href, `${site.project.siteUrl}/`);
}

const named = ({ page }: Person, name: string) =>
  page.locator("#name", { hasText: name }).waitFor();

browserTest(
  "the example signs in, lists private notes, refreshes and signs out",
  async (t) => {
    await using site = await openExampleSite();
    const { fixture, project } = site;
    fixture.githubPerson({ login: "ann", name: "Ann Smith" });
    const gina = fixture.googlePerson({ name: "Gina Rossi", email: "gina@example.com" });
    const person = await site.person();
    const { page, context } = person;
    await page.goto(project.siteUrl);

    await t.step("GitHub signs a user in, who creates a note", async () => {
      await person.signIn("GitHub", "ann");
      await named(person, "Ann Smith");
      await page.getByText("None yet.").waitFor();
      await page.getByRole("textbox", { name: "A new note" }).fill("Buy bread");
      await page.getByRole("button", { name: "Add" }).click();
      await page.getByRole("listitem").getByText("Buy bread").waitFor();
      await assertNoTokenLeft(site, person);
    });

    await t.step("the address never contains a token, also after going back", async () => {
      assert.equal(await page.evaluate("sessionStorage.length"), 0, "the state is deleted");
      const stored = await page.evaluate<string>("JSON.stringify({ ...localStorage })");
      assert.doesNotMatch(stored, /eyJ|[0-9a-f]{24}\./);
      assert.equal(await page.evaluate("document.cookie"), "", "scripts cannot read the cookie");
      await page.goBack();
      await page.goForward();
      assert.doesNotMatch(page.url(), /rtCode|token/);
      await page.getByRole("button", { name: "Sign out" }).waitFor();
    });

    await t.step("a reload restores the session with only the cookie", async () => {
      const before = fixture.secret(await refreshCookieOf(person, project));
      await page.reload();
      await page.getByRole("listitem").getByText("Buy bread").waitFor();
      const after = fixture.secret(await refreshCookieOf(person, project));
      assert.ok(after !== null && after !== before, "the refresh token was renewed");
      await assertNoTokenLeft(site, person);
    });

    await t.step("the token is refreshed on request", async () => {
      const before = await refreshCookieOf(person, project);
      await page.getByRole("button", { name: "Refresh" }).click();
      await page.getByText("A new access token, good for 15 minutes.").waitFor();
      assert.notEqual(fixture.secret(await refreshCookieOf(person, project)), before);
    });

    await t.step("a page of another site gains nothing from the user's cookies", async () => {
      const evil = await context.newPage();
      await evil.goto(site.evilOrigin);
      const call = (path: string) =>
        evil.evaluate<{ status: number; text: string }, string[]>(
          async ([url, key]) => {
            const response = await fetch(url!, {
              method: "POST",
              credentials: "include",
              headers: { "x-api-key": key!, "content-type": "application/json" },
              body: "{}",
            });
            return { status: response.status, text: await response.text() };
          },
          [`${fixture.publicUrl}/api/userAuth/${path}`, project.publishableKey],
        );
      const refreshed = await call("refresh-token");
      assert.equal(refreshed.status, 401);
      assert.doesNotMatch(refreshed.text, /eyJ/);
      assert.equal((await call("logout")).status, 200);
      await evil.close();
      await page.reload();
      await page.getByRole("listitem").getByText("Buy bread").waitFor();
    });

    await t.step(
      "signing out deletes everything, and a reload restores nothing",
      async () => {
        fixture.secret(await refreshCookieOf(person, project));
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByRole("button", { name: "Continue with Google" }).waitFor();
        assert.equal(await refreshCookieOf(person, project), null);
        await page.reload();
        await page.getByRole("button", { name: "Continue with Google" }).waitFor();
        assert.equal(await page.getByText("Buy bread").count(), 0);
        assert.equal(await page.evaluate("localStorage.length"), 0);
      },
    );

    await t.step("Google signs in another user, who does not see the notes", async () => {
      await person.signIn("Google", gina.login);
      await named(person, "Gina Rossi");
      await page.getByText("gina@example.com").waitFor();
      await page.getByText("None yet.").waitFor();
      fixture.secret(await refreshCookieOf(person, project));
      await assertNoTokenLeft(site, person);
    });

    await t.step("a visitor who denies consent sees a message and is not signed in", async () => {
      await page.getByRole("button", { name: "Sign out" }).click();
      const start = page.getByRole("button", { name: "Continue with GitHub" });
      await start.waitFor();
      // A visitor whom the GitHub of the tests refuses.
      const cookie = { name: "github_session", value: "!", url: fixture.github.url };
      await context.addCookies([cookie]);
      await start.click();
      await page.waitForURL(`${project.siteUrl}/`);
      await page.locator("#message.alarm").waitFor();
      assert.match(await page.locator("#message").innerText(), /\w/);
      assert.equal(await start.isVisible(), true);
    });

    // Pictures are on an unreachable host. Only these requests may fail.
    const others = person.errors.filter((text) => !text.includes("ERR_NAME_NOT_RESOLVED"));
    // A browser without a page cache requests GitHub's expired response again on the way back.
    assert.deepEqual(others.filter((text) => !text.includes("status of 400")), []);
    assert.ok(others.length <= 1, "at most one refresh");
  },
);
