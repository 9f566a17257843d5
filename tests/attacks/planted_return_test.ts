import assert from "node:assert/strict";
import { browserTest } from "../support/browser.ts";
import { openExampleSite, refreshCookieOf } from "./example_site.ts";
import { userIdOfToken } from "./fixture.ts";

browserTest(
  "the victim opens the attacker's finished redirect on the example page",
  async (t) => {
    await using site = await openExampleSite();
    const { fixture, project } = site;
    const mallory = fixture.githubPerson({ login: "mallory" });
    fixture.githubPerson({ login: "victim", name: "The Victim" });

    /** Returns a sign-in of the attacker that stopped at the last redirect. */
    async function plant(state: string | null) {
      const back = await fixture.visitor().signIn(
        project,
        "github",
        mallory.login,
        state === null ? {} : { state },
      );
      const address = `${project.siteUrl}/auth/callback?${back.query}#token=${back.token}`;
      return { address, back };
    }

    for (const state of [null, "a-state-of-the-attacker's"]) {
      const what = state === null ? "without a state" : "with a state of the attacker's";

      await t.step(`${what}, in a browser without a session`, async () => {
        const { address, back } = await plant(state);
        const victim = await site.person();
        await victim.page.goto(address);
        await victim.page.getByText("was not begun here").waitFor();
        assert.equal(
          await victim.page.getByRole("button", { name: "Sign out" }).isVisible(),
          false,
        );
        assert.equal(victim.page.url(), `${project.siteUrl}/`, "the address is cleared");
        assert.equal(await refreshCookieOf(victim, project), null);
        const called = victim.seen.filter(({ url }) => url.startsWith(fixture.publicUrl));
        const urls = called.map(({ url }) => url);
        assert.deepEqual(urls, [`${fixture.publicUrl}/client.js`], "the page sent no request");
        // The code is still unused.
        assert.equal((await fixture.visitor().exchange(project, back)).status, 200);
        await victim.context.close();
      });
    }

    await t.step("in a browser where the victim is signed in", async () => {
      const { address, back } = await plant("x");
      const victim = await site.person();
      await victim.page.goto(project.siteUrl);
      await victim.signIn("GitHub", "victim");
      fixture.secret(await refreshCookieOf(victim, project));
      await victim.page.goto(address);
      await victim.page.getByText("was not begun here").waitFor();
      // The page continues with the victim's session, and the code is unused.
      await victim.page.getByText("The Victim").waitFor();
      const exchanges = victim.seen.filter(({ method, url }) =>
        method === "POST" && url.endsWith("/social/exchange")
      );
      assert.equal(exchanges.length, 1, "only the victim's own exchange");
      assert.equal((await fixture.visitor().exchange(project, back)).status, 200);
      fixture.secret(await refreshCookieOf(victim, project));
      await victim.page.goto(project.siteUrl);
      await victim.page.getByText("The Victim").waitFor();
      fixture.secret(await refreshCookieOf(victim, project));
      await victim.context.close();
    });

    await t.step("in a tab that went to the provider, with the state of another tab", async () => {
      const victim = await site.person();
      const { page } = victim;
      await page.goto(project.siteUrl);
      await page.getByRole("button", { name: "Continue with GitHub" }).click();
      await page.getByRole("button", { name: "Sign in as victim" }).waitFor();
      const { address, back } = await plant("x");
      await page.goto(address);
      await page.getByText("was not begun here").waitFor();
      assert.equal(await refreshCookieOf(victim, project), null);
      assert.equal(await userIdOfToken(fixture, project, back.token), back.userId);
      await victim.context.close();
    });
  },
);
