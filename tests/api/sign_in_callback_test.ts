import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import { EXCHANGE_CODES, type ExchangeCodeRecord } from "@/lib/auth/exchange_codes.ts";
import { type SessionRecord, SESSIONS } from "@/lib/auth/sessions.ts";
import { sha256 } from "@/lib/crypto/hashes.ts";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import { maintain } from "@/routes/maintenance.ts";
import { refused, times } from "./test_collection.ts";
import {
  arrivalOf,
  assertFailedWith,
  locationOf,
  openSignInFixture,
  type ProviderName,
  type SignInFixture,
  type SignInProject,
} from "./sign_in_fixture.ts";

const BOTH: readonly ProviderName[] = ["github", "google"];

/** Returns a browser and the address to which the provider sends it back. */
async function openCallback(
  fixture: SignInFixture,
  project: SignInProject,
  provider: ProviderName = "github",
  who = "ann",
) {
  const browser = fixture.browser();
  const begun = locationOf(await browser.start(project, provider));
  return { browser, back: await fixture[provider].approve(begun, who) };
}

const withQuery = (address: URL, change: (query: URLSearchParams) => void): URL => {
  const url = new URL(address);
  change(url.searchParams);
  return url;
};

Deno.test("a first sign-in creates a user and a session, and returns both codes to the page", async () => {
  await using fixture = await openSignInFixture();
  const { services } = fixture.app;
  for (const provider of BOTH) {
    const project = await fixture.project();
    const { projectId } = project;
    const { parameters, token, url } = await fixture.browser().signIn(project, provider, "ann");
    const user = await project.userByEmail("ann@example.com");
    const { rtCode, ...rest } = parameters;
    assert.deepEqual(rest, {
      provider,
      userId: user._id,
      projectId,
      isNewUser: "true",
      linkedByEmail: "false",
    });
    assert.match(rtCode!, /^[A-Za-z0-9_-]{43}$/);
    assert.equal(url.hash, `#token=${token}`);
    const { sub, sid, aud, exp, iat } = decodeJwt(token!);
    assert.deepEqual([sub, aud, exp! - iat!], [user._id, projectId, 900]);
    const bearer = await services.tokens.verify(projectId, token!);
    assert.deepEqual([bearer?.userId, bearer?.sessionId], [user._id, sid]);
    const session = await services.engine.records<SessionRecord>(projectId, SESSIONS).get(
      sid as string,
    );
    assert.equal(session?.value.userId, user._id);
    assert.equal(session?.value.address, "127.0.0.0");
    const codes = services.engine.records<ExchangeCodeRecord>(projectId, EXCHANGE_CODES);
    const code = (await codes.findOne(eq("codeHash", sha256(rtCode!))))!.value;
    assert.deepEqual([code.tokenHash, code.sessionId], [sha256(token!), sid]);
    assert.equal(await project.states(), 0);
  }
});

Deno.test("the user is stored with the data that the provider verified", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  await fixture.browser().signIn(project, "github", "ann");
  const { _id, createdAt, ...user } = await project.userByEmail("ann@example.com");
  const now = new Date(fixture.app.clock.now()).toISOString();
  assert.equal(createdAt, now);
  assert.deepEqual(user, {
    email: "ann@example.com",
    emailLower: "ann@example.com",
    emailVerified: true,
    name: "Ann",
    username: "ann",
    usernameLower: "ann",
    avatarUrl: "https://avatars.example/ann",
    disabled: false,
    passwordHash: null,
    providers: [{ provider: "github", providerUserId: "1", linkedAt: now }],
    ownMembers: [],
    fields: {},
    lastSignInAt: now,
    updatedAt: now,
  });
});

Deno.test("return_to and state come back unchanged, on success and on failure", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const query = { return_to: "/a b?c=d&e=%2F#f", state: "x&y=z#é+ %" };
  const browser = fixture.browser();
  const { parameters } = await browser.signIn(project, "google", "ann", query);
  assert.deepEqual([parameters.return_to, parameters.state], [query.return_to, query.state]);
  const begun = locationOf(await browser.start(project, "google", query));
  const denied = arrivalOf(await browser.comeBack(await fixture.google.deny(begun)));
  assertFailedWith(denied, "Sign-in was cancelled");
  assert.deepEqual(denied.parameters, {
    error: "Sign-in was cancelled",
    provider: "google",
    ...query,
  });
});

Deno.test("a state is valid once: of 20 concurrent callbacks one succeeds, the others are 400", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { browser, back } = await openCallback(fixture, project);
  const answers = await Promise.all(times(20, () => browser.comeBack(back)));
  const [first, ...others] = answers.toSorted((a, b) => a.status - b.status);
  assert.ok(arrivalOf(first!).token);
  for (const answer of others) refused(answer, 400, "INVALID_STATE");
  refused(await browser.comeBack(back), 400, "INVALID_STATE");
});

Deno.test("a sign-in may finish in another process than it started in, and only once", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { browser, back } = await openCallback(fixture, project);
  const other = fixture.browser(await fixture.another());
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  const answers = await Promise.all(
    times(20, (i) => (i % 2 === 0 ? browser : other).comeBack(back)),
  );
  const statuses = answers.map(({ status }) => status).toSorted();
  assert.deepEqual(statuses, [302, ...Array(19).fill(400)]);
});

Deno.test("a state is valid for exactly ten minutes", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const [early, late] = [
    await openCallback(fixture, project),
    await openCallback(fixture, project),
  ];
  fixture.app.clock.advance(599_999);
  assert.ok(arrivalOf(await early.browser.comeBack(early.back)).token);
  fixture.app.clock.advance(1);
  refused(await late.browser.comeBack(late.back), 400, "INVALID_STATE");
});

Deno.test("several processes remove unfinished sign-ins concurrently, and no others", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  for (const _ of times(3, Number)) await openCallback(fixture, project);
  fixture.app.clock.advance(600_001);
  const { browser, back } = await openCallback(fixture, project);
  const { services } = fixture.app;
  const passes = await Promise.all([maintain(services), maintain(services)]);
  assert.equal(passes.reduce((sum, { expired }) => sum + expired, 0), 3);
  assert.equal(await project.states(), 1);
  assert.ok(arrivalOf(await browser.comeBack(back)).token);
});

Deno.test("another browser is refused, and the sign-in stays valid in the first one", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { browser, back } = await openCallback(fixture, project, "github", "eve");
  const stranger = fixture.browser();
  refused(await stranger.comeBack(back), 400, "INVALID_STATE");
  await stranger.start(project, "github");
  refused(await stranger.comeBack(back), 400, "INVALID_STATE");
  const [[name, value]] = [...browser.cookies] as [[string, string]];
  const [mark, signature] = value.split(".") as [string, string];
  const forgeries = [
    [name, mark],
    [name, `${mark}.`],
    [name, `${mark}.${"A".repeat(22)}`],
    [name, `${"A".repeat(43)}.${signature}`],
    [`${name.slice(0, -1)}${name.endsWith("x") ? "y" : "x"}`, value],
    ["corbel_sign_in", value],
  ] as const;
  for (const [forgedName, forgedValue] of forgeries) {
    const forger = fixture.browser();
    forger.cookies.set(forgedName, forgedValue);
    refused(await forger.comeBack(back), 400, "INVALID_STATE");
  }
  assert.deepEqual(await project.users(), []);
  assert.ok(arrivalOf(await browser.comeBack(back)).token);
});

Deno.test("a missing, doubled, altered or unknown state is the same 400", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const other = await fixture.project();
  const { browser, back } = await openCallback(fixture, project);
  const state = back.searchParams.get("state")!;
  const [, random] = state.split(".") as [string, string];
  const wrong: Record<string, (query: URLSearchParams) => void> = {
    missing: (query) => query.delete("state"),
    empty: (query) => query.set("state", ""),
    doubled: (query) => query.append("state", state),
    altered: (query) => query.set("state", `${project.projectId}.${"A".repeat(43)}`),
    "of another project": (query) => query.set("state", `${other.projectId}.${random}`),
    "of no project": (query) => query.set("state", `0123456789abcdef01234567.${random}`),
    "of the control plane": (query) => query.set("state", `control.${random}`),
    "without a project": (query) => query.set("state", random),
    "longer": (query) => query.set("state", `${state}x`),
  };
  const texts = new Set<string>();
  for (const [kind, change] of Object.entries(wrong)) {
    const answer = await browser.comeBack(withQuery(back, change));
    assert.equal(answer.status, 400, kind);
    refused(answer, 400, "INVALID_STATE");
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1);
  assert.ok(
    arrivalOf(await browser.comeBack(back)).token,
    "the failed callbacks did not use up the state",
  );
});

Deno.test("a state of one provider is invalid at another", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  for (const [from, to] of [BOTH, BOTH.toReversed()] as [ProviderName, ProviderName][]) {
    const { browser, back } = await openCallback(fixture, project, from);
    const mixed = new URL(back.href.replace(`/${from}/`, `/${to}/`));
    refused(await browser.comeBack(mixed), 400, "INVALID_STATE");
    assert.ok(arrivalOf(await browser.comeBack(back)).token);
  }
});

Deno.test("an unknown provider is 404", async () => {
  await using fixture = await openSignInFixture();
  const path = "/api/userAuth/social/gitlab/callback?state=x&code=y";
  refused(await fixture.app.send({ path }), 404, "PROVIDER_UNKNOWN");
});

Deno.test("a callback after the Site URL is removed is 422, and the state stays valid", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { browser, back } = await openCallback(fixture, project);
  const projects = fixture.app.services.engine.records<ProjectRecord>("control", PROJECTS);
  const setSite = (siteUrl: string | null) =>
    projects.updateOne(eq("_id", project.projectId), { set: { siteUrl } });
  await setSite(null);
  refused(await browser.comeBack(back), 422, "SITE_URL_MISSING", "Site URL");
  await setSite("https://new.example");
  const arrival = arrivalOf(await browser.comeBack(back), "https://new.example");
  assert.ok(arrival.token, "the current Site URL is used");
});

Deno.test("several tabs and both providers of one browser come back in any order", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const browser = fixture.browser();
  const begun = await Promise.all(times(6, async (i) => {
    const provider = BOTH[i % 2]!;
    return { provider, url: locationOf(await browser.start(project, provider)) };
  }));
  assert.ok(browser.cookies.size > 1, "concurrent tabs have a cookie each");
  for (const { provider, url } of begun.toReversed()) {
    const back = await fixture[provider].approve(url, "ann");
    assert.ok(arrivalOf(await browser.comeBack(back)).token);
  }
  assert.equal((await project.users()).length, 1);
});

Deno.test("a provider's error text never reaches the page", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const table = {
    access_denied: "Sign-in was cancelled",
    temporarily_unavailable: "The provider refused the sign-in",
    "<script>alert(1)</script>": "The provider refused the sign-in",
  };
  for (const provider of BOTH) {
    for (const [error, message] of Object.entries(table)) {
      const { browser, back } = await openCallback(fixture, project, provider);
      const failed = withQuery(back, (query) => {
        query.delete("code");
        query.set("error", error);
        query.set("error_description", "<b>words of others</b>");
        query.set("error_uri", "https://evil.example");
      });
      const arrival = arrivalOf(await browser.comeBack(failed));
      assertFailedWith(arrival, message);
      assert.equal(arrival.url.href.includes("others"), false);
      refused(await browser.comeBack(back), 400, "INVALID_STATE");
    }
  }
  assert.deepEqual(await project.users(), []);
});

Deno.test("no code, two codes, or an invalid code sends the browser back with an error", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const table: [(query: URLSearchParams) => void, string][] = [
    [(query) => query.delete("code"), "The provider's answer could not be verified"],
    [(query) => query.append("code", "another"), "The provider's answer could not be verified"],
    [(query) => query.set("code", "made-up"), "The provider refused the sign-in"],
    [
      (query) => query.set("iss", "https://evil.example"),
      "The provider's answer could not be verified",
    ],
  ];
  for (const provider of BOTH) {
    for (const [change, message] of table) {
      const { browser, back } = await openCallback(fixture, project, provider);
      assertFailedWith(arrivalOf(await browser.comeBack(withQuery(back, change))), message);
    }
    assert.deepEqual(fixture[provider].takeRefusals(), ["token: code"]);
  }
  assert.deepEqual(await project.users(), []);
});

Deno.test("a code stolen from another sign-in is refused by PKCE", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  for (const provider of BOTH) {
    const victim = await openCallback(fixture, project, provider, "ann");
    const thief = await openCallback(fixture, project, provider, "eve");
    const stolen = withQuery(
      thief.back,
      (query) => query.set("code", victim.back.searchParams.get("code")!),
    );
    const arrival = arrivalOf(await thief.browser.comeBack(stolen));
    assertFailedWith(arrival, "The provider refused the sign-in");
    assert.deepEqual(fixture[provider].takeRefusals(), ["token: verifier"]);
  }
});

Deno.test("a provider that is disabled during a sign-in refuses the callback", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { browser, back } = await openCallback(fixture, project);
  await project.set("github", { enabled: false });
  assertFailedWith(arrivalOf(await browser.comeBack(back)), "This provider is not enabled");
  assert.deepEqual(await project.users(), []);
  refused(await browser.comeBack(back), 400, "INVALID_STATE");
});

Deno.test("a secret that the provider refuses ends in an error without a session", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  for (const provider of BOTH) {
    const { browser, back } = await openCallback(fixture, project, provider);
    const app = { clientId: project.clientId, clientSecret: "another" };
    fixture[provider].register({ ...app, callbackUrl: `http://localhost:8000${back.pathname}` });
    assertFailedWith(arrivalOf(await browser.comeBack(back)), "The provider refused the sign-in");
    assert.deepEqual(fixture[provider].takeRefusals(), ["token: secret"]);
  }
});

Deno.test("any failure of a provider's endpoints sends the browser back with a short error", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { github, google } = fixture;
  const unexpected = "The provider did not answer as expected";
  const refusedThere = "The provider refused the sign-in";
  const cases = [
    ["github", "token", "error", refusedThere],
    ["github", "token", "down", unexpected],
    ["github", "token", "broken", unexpected],
    ["github", "user", "down", unexpected],
    ["github", "user", "broken", unexpected],
    ["github", "emails", "down", unexpected],
    ["github", "emails", "broken", unexpected],
    ["google", "token", "error", refusedThere],
    ["google", "token", "down", unexpected],
    ["google", "token", "broken", unexpected],
    ["google", "jwks", "down", unexpected],
    ["google", "jwks", "broken", unexpected],
  ] as const;
  for (const [provider, endpoint, mishap, message] of cases) {
    const { browser, back } = await openCallback(fixture, project, provider);
    if (provider === "github") github.mishap(endpoint, mishap);
    else google.mishap(endpoint, mishap);
    const arrival = arrivalOf(await browser.comeBack(back));
    assert.deepEqual(
      [endpoint, mishap, arrival.parameters.error],
      [endpoint, mishap, message],
    );
    assertFailedWith(arrival, message);
    if (provider === "github") github.mishap(endpoint, null);
    else google.mishap(endpoint, null);
  }
  assert.deepEqual(await project.users(), []);
  const sessions = fixture.app.services.engine.records(project.projectId, SESSIONS);
  assert.equal(await sessions.count(ALL), 0);
});

Deno.test("a provider that answers form-encoded is understood", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  fixture.github.mishap("token", "form");
  assert.ok((await fixture.browser().signIn(project, "github", "ann")).token);
});
