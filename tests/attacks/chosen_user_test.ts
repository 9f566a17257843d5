import assert from "node:assert/strict";
import { chooseUser, openUserChoice, PAGE, refreshTarget, signInAs } from "../api/chosen_user.ts";
import { arrivalOf, assertFailedWith, openSignInFixture, SITE } from "../api/sign_in_fixture.ts";
import { refused } from "../api/test_collection.ts";
import { pageOf } from "../support/pages.ts";

const EVIL = "https://evil.example";
const ANN = "ann@example.com";

Deno.test("attacks on the page where users choose their identity in dev", async (t) => {
  await using fixture = await openSignInFixture({ isDev: true });
  const project = await fixture.app.project({ siteUrl: SITE });
  const { clock } = fixture.app;

  await t.step(
    "open redirect: the page leads only to this server's callback",
    async () => {
      const browser = fixture.browser();
      const search = await openUserChoice(browser, project);
      const altered: Record<string, (query: URLSearchParams) => void> = {
        "another site": (query) => query.set("redirect_uri", `${EVIL}/callback`),
        "a longer path": (query) => query.set("redirect_uri", `${query.get("redirect_uri")}/..`),
        "two addresses": (query) => query.append("redirect_uri", EVIL),
        "no address": (query) => query.delete("redirect_uri"),
        "another client": (query) => query.set("client_id", "other"),
        "a token at once": (query) => query.set("response_type", "token"),
        "a plain challenge": (query) => query.set("code_challenge_method", "plain"),
        "no challenge": (query) => query.delete("code_challenge"),
        "two challenges": (query) => query.append("code_challenge", "A".repeat(43)),
        "a challenge of another form": (query) => query.set("code_challenge", "A".repeat(44)),
        "no state": (query) => query.delete("state"),
        "two states": (query) => query.append("state", "x"),
        "a state of another form": (query) => query.set("state", "a\r\nrefresh: 0"),
      };
      for (const [what, alter] of Object.entries(altered)) {
        const query = new URLSearchParams(search);
        alter(query);
        const answers = [
          await browser.send({ path: `${PAGE}?${query}` }),
          await chooseUser(browser, `?${query}`, ANN),
        ];
        for (const { status, headers, text } of answers) {
          assert.equal(status, 400, what);
          assert.equal(headers.get("refresh"), null, what);
          assert.equal(headers.get("location"), null, what);
          assert.ok(!text.includes(EVIL), what);
        }
      }
      const { origin, pathname } = refreshTarget(
        await chooseUser(browser, `${search}&next=${EVIL}`, ANN),
      );
      assert.equal(origin + pathname, "http://localhost:8000/api/userAuth/social/dev/callback");
    },
  );

  await t.step("another site's form cannot choose a user in the victim's browser", async () => {
    const victim = fixture.browser();
    const search = await openUserChoice(victim, project);
    const forms = [{ origin: EVIL }, { "sec-fetch-site": "cross-site" }, { origin: "null" }];
    for (const headers of forms) {
      const answer = await chooseUser(victim, search, ANN, headers);
      assert.equal(answer.status, 403);
      assert.equal(answer.headers.get("refresh"), null);
    }
  });

  await t.step(
    "login CSRF: the attacker's address in the victim's browser is refused",
    async () => {
      const attacker = fixture.browser();
      const planted = refreshTarget(
        await chooseUser(attacker, await openUserChoice(attacker, project), "eve@example.com"),
      );
      const victim = fixture.browser();
      refused(await victim.comeBack(planted), 400, "INVALID_STATE");
      const own = await openUserChoice(victim, project);
      refused(await victim.comeBack(planted), 400, "INVALID_STATE");
      // The victim's state does not accept the attacker's code, which has another challenge.
      const mixed = new URL(planted);
      mixed.searchParams.set("state", new URLSearchParams(own).get("state")!);
      assertFailedWith(arrivalOf(await victim.comeBack(mixed)), "The provider refused the sign-in");
      // The attacker's own sign-in still works.
      arrivalOf(await attacker.comeBack(planted));
    },
  );

  await t.step(
    "a page with the victim's state and the attacker's challenge is useless",
    async () => {
      const [attacker, victim] = [fixture.browser(), fixture.browser()];
      const query = new URLSearchParams(await openUserChoice(victim, project));
      const attackersQuery = new URLSearchParams(await openUserChoice(attacker, project));
      query.set("code_challenge", attackersQuery.get("code_challenge")!);
      const back = refreshTarget(await chooseUser(victim, `?${query}`, ANN));
      assertFailedWith(arrivalOf(await victim.comeBack(back)), "The provider refused the sign-in");
    },
  );

  await t.step("a code is valid once, for a minute, and only unchanged", async () => {
    const browser = fixture.browser();
    const search = await openUserChoice(browser, project);
    const back = refreshTarget(await chooseUser(browser, search, ANN));
    arrivalOf(await browser.comeBack(back));
    refused(await browser.comeBack(back), 400, "INVALID_STATE");
    const code = back.searchParams.get("code")!;
    const [text, signature] = code.split(".") as [string, string];
    const forged = btoa(
      atob(text.replaceAll("-", "+").replaceAll("_", "/")).replace(ANN, "bob@example.com"),
    );
    for (const wrong of ["", "x", text, `${text}.`, `${forged}.${signature}`, `${code}A`, code]) {
      const again = refreshTarget(
        await chooseUser(browser, await openUserChoice(browser, project), ANN),
      );
      again.searchParams.set("code", wrong);
      const { parameters, url } = arrivalOf(await browser.comeBack(again));
      assert.ok(parameters.error, wrong);
      assert.equal(url.hash, "");
    }
    const late = refreshTarget(
      await chooseUser(browser, await openUserChoice(browser, project), ANN),
    );
    clock.advance(60_001);
    assertFailedWith(arrivalOf(await browser.comeBack(late)), "The provider refused the sign-in");
  });

  await t.step("an invalid e-mail is refused and shown as text", async () => {
    const browser = fixture.browser();
    const search = await openUserChoice(browser, project);
    const hostile = [
      "",
      "ann",
      '"><script>alert(1)</script>@example.com',
      "a@example.com; url=https://evil.example",
      "a@example.com\r\nset-cookie: a=b",
      `${"a".repeat(1000)}@example.com`,
      "a@example.com,b@example.com",
      "\u202ea@example.com".repeat(300),
    ];
    for (const email of hostile) {
      const page = await chooseUser(browser, search, email);
      assert.equal(page.status, 400, email);
      assert.equal(page.headers.get("refresh"), null, email);
      assert.equal(page.headers.get("set-cookie"), null, email);
      assert.match(page.words, /one plain address/);
      assert.equal(page.document.querySelector("main script"), null, email);
    }
    assert.equal((await signInAs(browser, project, " ann@example.com ")).status, 302);
  });

  await t.step("parameters of the address do not become markup of the page", async () => {
    const browser = fixture.browser();
    const search = await openUserChoice(browser, project);
    const more = `&x=${encodeURIComponent('"><img src=x onerror=alert(1)>')}`;
    const page = pageOf(await browser.send({ path: PAGE + search + more }));
    assert.equal(page.document.querySelector("main img"), null);
    const policy = page.headers.get("content-security-policy")!;
    for (const rule of ["default-src 'self'", "frame-ancestors 'none'", "form-action 'self'"]) {
      assert.ok(policy.includes(rule), rule);
    }
  });
});
