import assert from "node:assert/strict";
import { saveProvider } from "@/lib/projects/providers.ts";
import { SIGN_IN_STATES, type SignInStateRecord } from "@/lib/social/states.ts";
import { ALL } from "@/lib/store/filter.ts";
import { allowOrigins } from "./origins.ts";
import { refused, times } from "./test_collection.ts";
import {
  arrivalOf,
  assertFailedWith,
  callbackUrl,
  locationOf,
  openSignInFixture,
  type ProviderName,
} from "./sign_in_fixture.ts";

const PATH = "/api/userAuth/social/github/start";
const BOTH: readonly ProviderName[] = ["github", "google"];
const STATE = /^[0-9a-f]{24}\.[A-Za-z0-9_-]{43}$/;

Deno.test("startSignIn redirects to the provider with everything that protects the callback", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  for (const provider of BOTH) {
    const answer = await fixture.browser().start(project, provider);
    const url = locationOf(answer);
    const { state, code_challenge, nonce, ...rest } = Object.fromEntries(url.searchParams);
    assert.match(state!, STATE);
    assert.ok(state!.startsWith(project.projectId));
    assert.match(code_challenge!, /^[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(rest, {
      response_type: "code",
      client_id: project.clientId,
      redirect_uri: callbackUrl(provider),
      scope: provider === "github" ? "read:user user:email" : "openid email profile",
      code_challenge_method: "S256",
    });
    if (provider === "github") {
      assert.equal(`${url.origin}${url.pathname}`, `${fixture.github.url}/login/oauth/authorize`);
      assert.equal(nonce, undefined);
    } else {
      assert.equal(`${url.origin}${url.pathname}`, `${fixture.google.url}/authorize`);
      assert.match(nonce!, /^[A-Za-z0-9_-]{43}$/);
    }
    assert.equal(answer.text, "");
  }
});

Deno.test("each start has its own state, challenge and nonce", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const browser = fixture.browser();
  const seen = new Set<string>();
  for (const _ of times(5, Number)) {
    const { searchParams } = locationOf(await browser.start(project, "google"));
    for (const name of ["state", "code_challenge", "nonce"]) seen.add(searchParams.get(name)!);
  }
  assert.equal(seen.size, 15);
});

Deno.test("the store contains neither the state nor the verifier nor the page's data in clear", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const browser = fixture.browser();
  const answer = await browser.start(project, "google", { return_to: "/secret", state: "mine" });
  const { searchParams } = locationOf(answer);
  const records = fixture.app.services.engine.records<SignInStateRecord>(
    project.projectId,
    SIGN_IN_STATES,
  );
  const { json, value } = (await records.findOne(ALL))!;
  const mark = [...browser.cookies.values()][0]!.split(".")[0]!;
  const words = [searchParams.get("state")!, searchParams.get("nonce")!, "/secret", "mine", mark];
  for (const word of words) assert.equal(json.includes(word), false, word);
  assert.equal(Date.parse(value.expiresAt) - fixture.app.clock.now(), 600_000);
});

Deno.test("the cookie is signed, HttpOnly, Lax, valid for ten minutes, and on https bound to the host", async () => {
  const value = "[A-Za-z0-9_-]{43}\\.[A-Za-z0-9_-]{22}";
  const table = [
    [
      "http://localhost:8000",
      `^corbel_sign_in_[\\w-]{8}=${value}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax$`,
    ],
    [
      "https://api.example.com",
      `^__Host-corbel_sign_in_[\\w-]{8}=${value}; Path=/; Max-Age=600; Secure; HttpOnly; SameSite=Lax$`,
    ],
  ];
  for (const [PUBLIC_URL, pattern] of table) {
    await using fixture = await openSignInFixture({ env: { PUBLIC_URL: PUBLIC_URL! } });
    const answer = await fixture.browser().start(await fixture.project(), "github");
    const [cookie, ...more] = answer.headers.getSetCookie();
    assert.deepEqual(more, []);
    assert.match(cookie!, new RegExp(pattern!));
  }
});

Deno.test("a browser keeps one cookie over many starts, and a forged one is replaced", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const browser = fixture.browser();
  for (const provider of [...BOTH, ...BOTH]) await browser.start(project, provider);
  assert.equal(browser.cookies.size, 1);
  const [[name, value]] = [...browser.cookies] as [[string, string]];
  const forged = fixture.browser();
  forged.cookies.set(name, `${"A".repeat(43)}.${value.split(".")[1]}`);
  const answer = await forged.start(project, "github");
  assert.equal(answer.headers.getSetCookie()[0]!.includes("A".repeat(43)), false);
});

Deno.test("the publishable key comes by x-api-key or key in the query, or in the header", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { publishableKey, secretKey } = project;
  const queries = [`x-api-key=${publishableKey}`, `key=${publishableKey}`];
  for (const query of queries) locationOf(await fixture.app.send({ path: `${PATH}?${query}` }));
  for (const key of [publishableKey, secretKey]) {
    locationOf(await fixture.app.send({ path: PATH, headers: { "x-api-key": key } }));
  }
});

Deno.test("a missing, unknown, doubled or secret key in the query is 401 and starts nothing", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const other = await fixture.project();
  const { publishableKey, secretKey } = project;
  const queries = [
    "",
    "x-api-key=",
    `x-api-key=${secretKey}`,
    `key=${secretKey}`,
    `x-api-key=${publishableKey}x`,
    `x-api-key=${publishableKey}&x-api-key=${publishableKey}`,
    `x-api-key=${publishableKey}&key=${other.publishableKey}`,
  ];
  for (const query of queries) {
    const answer = await fixture.app.send({ path: `${PATH}?${query}` });
    refused(answer, 401, "API_KEY_INVALID");
    assert.deepEqual(answer.headers.getSetCookie(), []);
  }
  // The key in the address takes precedence over the header.
  const both = await fixture.app.send({
    path: `${PATH}?x-api-key=wrong`,
    headers: { "x-api-key": publishableKey },
  });
  refused(both, 401, "API_KEY_INVALID");
  assert.equal(await project.states(), 0);
});

Deno.test("an unknown provider is 404", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  for (const name of ["gitlab", "GITHUB", "constructor", "__proto__", "toString"]) {
    const path = `/api/userAuth/social/${name}/start?key=${project.publishableKey}`;
    refused(await fixture.app.send({ path }), 404, "PROVIDER_UNKNOWN", "github or google");
  }
});

Deno.test("a provider that is disabled, without a secret or not set up is 422 and starts nothing", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  await project.set("github", { enabled: false });
  refused(await fixture.browser().start(project, "github"), 422, "PROVIDER_NOT_CONFIGURED");
  assert.equal(await project.states(), 0);
  const bare = await fixture.app.project({ siteUrl: "https://app.example" });
  const answer = await fixture.browser().start(bare, "github");
  refused(answer, 422, "PROVIDER_NOT_CONFIGURED");
  assert.deepEqual(answer.headers.getSetCookie(), []);
  const secretless = { enabled: true, clientId: "c", clientSecret: "", linking: null };
  await saveProvider(fixture.app.services, bare.projectId, "github", secretless);
  refused(await fixture.browser().start(bare, "github"), 422, "PROVIDER_NOT_CONFIGURED");
  locationOf(await fixture.browser().start(project, "google"));
});

Deno.test("without a Site URL startSignIn is 422 and starts nothing", async () => {
  await using fixture = await openSignInFixture();
  const { services } = fixture.app;
  const project = await fixture.app.project();
  const given = { enabled: true, clientId: "c", clientSecret: "s", linking: null };
  await saveProvider(services, project.projectId, "github", given);
  refused(await fixture.browser().start(project, "github"), 422, "SITE_URL_MISSING", "Site URL");
  assert.equal(await services.engine.records(project.projectId, SIGN_IN_STATES).count(ALL), 0);
});

Deno.test("a return_to that is not a path on the project's site is 400 and starts nothing", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const wrong = [
    "",
    "settings",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\/evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/\r\\evil.example",
    " /settings",
    "\t//evil.example",
    "https://evil.example/",
    "https://app.example/settings",
    "javascript:alert(1)",
    "@evil.example",
    ".evil.example",
    ":80@evil.example",
    "/\u0000",
    `/${"x".repeat(2048)}`,
  ];
  for (const return_to of wrong) {
    const answer = await fixture.browser().start(project, "github", { return_to });
    refused(answer, 400, "INVALID_RETURN_TO");
  }
  const twice = `${PATH}?key=${project.publishableKey}&return_to=/a&return_to=/b`;
  refused(await fixture.app.send({ path: twice }), 400, "INVALID_RETURN_TO");
  assert.equal(await project.states(), 0);
  for (
    const return_to of ["/", "/a/b?c=d&e=//f#g", "/@evil.example", "/é", `/${"x".repeat(2047)}`]
  ) {
    locationOf(await fixture.browser().start(project, "github", { return_to }));
  }
});

Deno.test("an application's state has at most 256 characters and comes back exactly once", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const browser = fixture.browser();
  const long = await browser.start(project, "github", { state: "x".repeat(257) });
  refused(long, 400, "INVALID_QUERY", "256");
  const twice = `${PATH}?key=${project.publishableKey}&state=a&state=b`;
  refused(await fixture.app.send({ path: twice }), 400, "INVALID_QUERY");
  assert.equal(await project.states(), 0);
  locationOf(await browser.start(project, "github", { state: "x".repeat(256) }));
});

Deno.test("a browser may start from any origin, even if the project lists allowed ones", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  await allowOrigins(fixture.app, project, ["https://app.example"]);
  const answer = await fixture.app.send({
    path: `${PATH}?key=${project.publishableKey}`,
    headers: { origin: "https://elsewhere.example" },
  });
  locationOf(answer);
});

Deno.test("60 starts a minute are allowed, counted apart from other requests", async () => {
  await using fixture = await openSignInFixture({ env: { RATE_LIMITS: "on" } });
  const project = await fixture.project();
  const browser = fixture.browser();
  for (const _ of times(60, Number)) locationOf(await browser.start(project, "github"));
  refused(await browser.start(project, "github"), 429, "RATE_LIMITED");
  assert.equal(await project.states(), 60);
  const other = await project.asPublic({ path: "/api/data/none" });
  refused(other, 404, "COLLECTION_NOT_FOUND");
});

Deno.test("an unreachable provider sends the browser back with an error and starts nothing", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  for (const mishap of ["down", "broken", "error"] as const) {
    fixture.google.mishap("discovery", mishap);
    const browser = fixture.browser();
    const answer = await browser.start(project, "google", { return_to: "/x", state: "mine" });
    const arrival = arrivalOf(answer);
    assertFailedWith(arrival, "The provider did not answer as expected");
    const { provider, return_to, state } = arrival.parameters;
    assert.deepEqual([provider, return_to, state], ["google", "/x", "mine"]);
    assert.equal(browser.cookies.size, 0);
  }
  assert.equal(await project.states(), 0);
  fixture.google.mishap("discovery", null);
  locationOf(await fixture.browser().start(project, "google"));
});

Deno.test("concurrent starts fetch a provider's discovery document once", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  await Promise.all(times(20, () => fixture.browser().start(project, "google")));
  const asked = fixture.google.requests.filter((one) => one.includes("openid-configuration"));
  assert.equal(asked.length, 1);
});
