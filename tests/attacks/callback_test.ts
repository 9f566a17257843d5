import assert from "node:assert/strict";
import { exchange } from "../acceptance/raw.ts";
import { runAdmin } from "../acceptance/server.ts";
import {
  assertBringsNothing,
  assertSentBack,
  assertUnknownState,
  openFixture,
  PROVIDERS,
  refusal,
} from "./fixture.ts";

const EVIL = "https://evil.example";
const REPLAYS = 20;

Deno.test("attacks on the redirect to a provider and back", async (t) => {
  await using fixture = await openFixture();
  const project = await fixture.project();
  const { github, google } = fixture;
  const ann = fixture.githubPerson();
  const gina = fixture.googlePerson();
  const mallory = fixture.githubPerson();
  const who = { github: ann.login, google: gina.login };

  const redemptions = () =>
    [...github.requests, ...google.requests].filter((request) => request.startsWith("POST "))
      .length;

  await t.step(
    "login CSRF: the attacker's callback in the victim's browser is refused",
    async () => {
      const attacker = fixture.visitor();
      const planted = await attacker.approveSignIn(project, "github", mallory.login);
      const before = redemptions();
      const stranger = fixture.visitor();
      assertUnknownState(await stranger.open(planted));
      // A visitor who has started to sign in has a browser mark that differs from the attacker's.
      const victim = fixture.visitor();
      const own = await victim.approveSignIn(project, "github", ann.login);
      assertUnknownState(await victim.open(planted));
      assert.equal(redemptions(), before, "no code was redeemed");
      assert.deepEqual(await fixture.users(project), []);
      // The attack did not break the victim's own sign-in.
      assert.equal((await victim.open(own)).status, 302);
    },
  );

  await t.step("login CSRF: a forged or altered browser mark is refused", async () => {
    const attacker = fixture.visitor();
    const planted = await attacker.approveSignIn(project, "github", mallory.login);
    const [[name, mark]] = [...attacker.cookies] as [[string, string]];
    for (
      const value of [
        mark.slice(0, -1) + (mark.endsWith("A") ? "B" : "A"),
        mark.split(".")[0]!,
        `${mark.split(".")[0]}.`,
        `x${mark}`,
        "",
      ]
    ) {
      const victim = fixture.visitor();
      victim.cookies.set(name, value);
      assertUnknownState(await victim.open(planted));
    }
  });

  for (const provider of PROVIDERS) {
    await t.step(`state replay at ${provider}: a state is valid once`, async () => {
      const victim = fixture.visitor();
      const back = await victim.approveSignIn(project, provider, who[provider]);
      assert.equal((await victim.open(back)).status, 302);
      assertUnknownState(await victim.open(back));
    });
  }

  await t.step(
    `state replay: of ${REPLAYS} concurrent callbacks exactly one signs in`,
    async () => {
      const victim = fixture.visitor();
      const back = await victim.approveSignIn(project, "github", ann.login);
      const before = redemptions();
      const answers = await Promise.all(Array.from({ length: REPLAYS }, () => victim.open(back)));
      assert.equal(answers.filter(({ status }) => status === 302).length, 1);
      for (const answer of answers.filter(({ status }) => status !== 302)) {
        assertUnknownState(
          answer,
        );
      }
      assert.equal(redemptions(), before + 1, "the code was redeemed once");
    },
  );

  await t.step("forged, missing and repeated states are refused", async () => {
    const victim = fixture.visitor();
    const back = await victim.approveSignIn(project, "github", ann.login);
    const state = back.searchParams.get("state")!;
    const query = (text: string) => new URL(`${back.origin}${back.pathname}?${text}`);
    for (
      const text of [
        "code=x",
        "code=x&state=",
        `code=x&state=${"A".repeat(state.length)}`,
        `code=x&state=${state}A`,
        `code=x&state=${state.slice(0, -1)}`,
        `code=x&state=${state}&state=${state}`,
        `code=x&state=${state.toUpperCase()}`,
        `code=x&state[$ne]=x`,
        `code=x&state=${"A".repeat(5000)}`,
      ]
    ) {
      const answer = await victim.open(query(text));
      assert.equal(answer.status, 400, text);
      assertBringsNothing(answer);
    }
    assert.equal((await victim.open(back)).status, 302, "the genuine state is still valid");
  });

  await t.step("mix-up of providers: a state is valid only for its own provider", async () => {
    for (const [begun, other] of [["github", "google"], ["google", "github"]] as const) {
      const victim = fixture.visitor();
      const back = await victim.approveSignIn(project, begun, who[begun]);
      const before = redemptions();
      const mixed = new URL(back);
      mixed.pathname = mixed.pathname.replace(begun, other);
      assertUnknownState(await victim.open(mixed));
      assert.equal(redemptions(), before, "no code was sent to the other provider");
      assert.equal(
        (await victim.open(back)).status,
        302,
        "the sign-in is still valid where it started",
      );
    }
  });

  await t.step("mix-up of providers: a response with another issuer is refused", async () => {
    const victim = fixture.visitor();
    const back = await victim.approveSignIn(project, "google", gina.login);
    back.searchParams.set("iss", EVIL);
    assertSentBack(await victim.open(back), project);
  });

  await t.step(
    "code injection: the attacker's code with the victim's state is refused",
    async () => {
      for (const provider of PROVIDERS) {
        const attacker = fixture.visitor();
        const malloryLogin = provider === "github" ? mallory.login : fixture.googlePerson().login;
        const stolen = await attacker.approveSignIn(project, provider, malloryLogin);
        const victim = fixture.visitor();
        const back = await victim.approveSignIn(project, provider, who[provider]);
        back.searchParams.set("code", stolen.searchParams.get("code")!);
        assertSentBack(await victim.open(back), project);
        assert.deepEqual(fixture.provider(provider).takeRefusals(), ["token: verifier"]);
      }
    },
  );

  await t.step("a missing, forged or repeated code is refused", async () => {
    const victim = fixture.visitor();
    for (const code of [[], ["made-up"], [""], ["a", "b"]]) {
      const back = await victim.approveSignIn(project, "github", ann.login);
      back.searchParams.delete("code");
      for (const one of code) back.searchParams.append("code", one);
      const answer = await victim.open(back);
      if (code.length === 2) assert.ok([302, 400].includes(answer.status));
      else assertSentBack(answer, project);
    }
    github.takeRefusals();
  });

  await t.step("a provider's error text is not passed on to the page", async () => {
    const victim = fixture.visitor();
    const back = await github.deny(await victim.startSignIn(project, "github"));
    const planted = "<script>alert(1)</script>";
    back.searchParams.set("error_description", planted);
    const answer = await victim.open(back);
    assertSentBack(answer, project);
    assert.ok(!answer.headers.get("location")!.includes("script"));
  });

  await t.step("open redirect by return_to: only a path of the site is accepted", async () => {
    const victim = fixture.visitor();
    for (
      const returnTo of [
        EVIL,
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "/\n//evil.example",
        "\t//evil.example",
        "///evil.example",
        "javascript:alert(1)",
        "evil.example",
        "",
        "https:/evil.example",
        "@evil.example",
        ".evil.example",
        "/\u0000/evil.example",
        "/.//evil.example",
        "/a/..//evil.example",
        "/.%2f/evil.example",
        "/%2f/evil.example",
        "/%5Cevil.example",
        "/%252fevil.example",
        "/./ /evil.example",
        `${project.siteUrl}.evil.example`,
        `/${"a".repeat(5000)}`,
      ]
    ) {
      const answer = await victim.start(project, "github", { return_to: returnTo });
      assert.equal(answer.status, 400, returnTo);
      assertBringsNothing(answer);
    }
    for (const returnTo of ["/", "/a/../b?c=//evil.example#d", "/a%2fb", "/@x"]) {
      const { query } = await victim.signIn(project, "github", ann.login, { return_to: returnTo });
      assert.equal(query.get("return_to"), returnTo);
      assert.equal(new URL(returnTo, project.siteUrl).origin, project.siteUrl);
    }
  });

  await t.step("open redirect by other parameters: the target is always the Site URL", async () => {
    const victim = fixture.visitor();
    for (const name of ["redirect_uri", "site_url", "siteUrl", "redirect", "callback"]) {
      const answer = await victim.start(project, "github", { [name]: EVIL });
      // The parameter is refused or ignored.
      if (answer.status === 400) continue;
      const location = new URL(answer.headers.get("location")!);
      const own = `${fixture.publicUrl}/api/userAuth/social/github/callback`;
      assert.equal(location.searchParams.get("redirect_uri"), own);
      const back = await github.approve(location, ann.login);
      back.searchParams.set(name, EVIL);
      const home = new URL((await victim.open(back)).headers.get("location")!);
      assert.equal(home.origin, project.siteUrl);
      assert.ok(!home.href.includes("evil"), home.href);
    }
  });

  await t.step(
    "open redirect by Site URL: only an unambiguous origin is accepted",
    async () => {
      for (
        const siteUrl of [
          "javascript:alert(1)",
          "data:text/html,x",
          "http://app.example",
          "//app.example",
          "https://",
          "app.example",
        ]
      ) {
        const words = ["project", "create", "--name", "Evil", "--site-url", siteUrl];
        const { code } = await runAdmin(words, fixture.server.settings);
        assert.equal(code, 1, siteUrl);
      }
    },
  );

  await t.step(
    "open redirect by Host and forwarded headers: addresses use PUBLIC_URL",
    async () => {
      const forged = {
        "x-forwarded-host": "evil.example",
        "x-forwarded-proto": "https",
        "x-forwarded-server": "evil.example",
        "x-forwarded-prefix": "/evil",
        "x-original-host": "evil.example",
        "x-original-url": "/evil",
        "x-rewrite-url": "/evil",
        forwarded: "host=evil.example;proto=https",
        referer: `${EVIL}/`,
      };
      const victim = fixture.visitor();
      const answer = await victim.start(project, "github", {}, forged);
      assert.doesNotMatch(JSON.stringify([...answer.headers]), /evil/);
      const location = new URL(answer.headers.get("location")!);
      const own = `${fixture.publicUrl}/api/userAuth/social/github/callback`;
      assert.equal(location.searchParams.get("redirect_uri"), own);
      const home = await victim.open(await github.approve(location, ann.login), forged);
      assert.equal(new URL(home.headers.get("location")!).origin, project.siteUrl);

      const path = `/api/userAuth/social/github/start?x-api-key=${project.publishableKey}`;
      const { status, head } = await exchange(
        fixture.server.port,
        `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
      );
      assert.equal(status, 302);
      assert.doesNotMatch(head, /evil/);
      assert.ok(head.includes(encodeURIComponent(own)));
    },
  );

  await t.step("header injection by state and return_to is refused", async () => {
    const victim = fixture.visitor();
    const state = "a\r\nset-cookie: evil=1\r\n\r\n<script>";
    const answer = await victim.start(project, "github", { state });
    if (answer.status === 302) {
      const back = await github.approve(answer.headers.get("location")!, ann.login);
      const home = await victim.open(back);
      assert.equal(home.headers.get("set-cookie")?.includes("evil") ?? false, false);
      const { searchParams } = new URL(home.headers.get("location")!);
      assert.equal(searchParams.get("state"), state, "the state is returned unchanged");
    } else assert.equal(answer.status, 400);
  });

  await t.step("a secret key in an address is refused, and so are unknown keys", async () => {
    const victim = fixture.visitor();
    const start = (query: string) =>
      victim.send({ path: `/api/userAuth/social/github/start?${query}` });
    for (
      const query of [
        "",
        `x-api-key=${project.secretKey}`,
        `key=${project.secretKey}`,
        `x-api-key=${"pk_live_" + "A".repeat(43)}`,
        `x-api-key=${project.publishableKey}&x-api-key=${project.secretKey}`,
      ]
    ) {
      const answer = await start(query);
      assert.equal(answer.status, 401, query);
      assertBringsNothing(answer);
    }
  });

  await t.step("no redirect is cacheable or sends a referrer", async () => {
    const victim = fixture.visitor();
    const started = await victim.start(project, "github");
    const back = await github.approve(started.headers.get("location")!, ann.login);
    const ended = await victim.open(back);
    for (const { headers } of [started, ended]) {
      assert.equal(headers.get("cache-control"), "no-store");
      assert.equal(headers.get("referrer-policy"), "no-referrer");
    }
    const names = ended.headers.getSetCookie().map((cookie) => cookie.split("=")[0]);
    assert.ok(!names.some((name) => name!.includes("rt")), "the callback sets no refresh token");
    const [mark] = started.headers.getSetCookie();
    assert.match(mark!, /; HttpOnly/);
    assert.match(mark!, /; SameSite=Lax/);
  });

  await t.step("a provider that is disabled during a sign-in signs no user in", async () => {
    const closing = await fixture.project();
    const victim = fixture.visitor();
    const back = await victim.approveSignIn(closing, "github", ann.login);
    const words = ["provider", "set", "--project", closing.projectId, "--provider", "github"];
    const clientId = ["--client-id", `github-${closing.projectId}`];
    const { code } = await runAdmin(
      [...words, ...clientId, "--disabled"],
      fixture.server.settings,
      "",
    );
    assert.equal(code, 0);
    assertSentBack(await victim.open(back), closing);
    assert.deepEqual(refusal(await victim.start(closing, "github")), [
      422,
      "PROVIDER_NOT_CONFIGURED",
    ]);
    assert.deepEqual(await fixture.users(closing), []);
  });
});
