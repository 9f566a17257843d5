import assert from "node:assert/strict";
import { get } from "node:http";
import { type GithubFake, startGithubFake, verifiedEmail } from "./github_fake.ts";
import { type Mishap, s256 } from "./provider_fake.ts";

const APP = {
  clientId: "client-1",
  clientSecret: "secret-1",
  callbackUrl: "http://localhost:1/callback",
};
const ANN = { login: "ann", id: 7, name: "Ann", emails: verifiedEmail("ann@example.com") };
const VERIFIER = "v".repeat(43);

function openGithub(): GithubFake {
  const github = startGithubFake();
  github.register(APP);
  github.join(ANN);
  return github;
}

type Changes = Record<string, string | null>;

function withChanges(all: Record<string, string>, changes: Changes): URLSearchParams {
  const kept = Object.entries({ ...all, ...changes }).filter(([, value]) => value !== null);
  return new URLSearchParams(kept as [string, string][]);
}

function authorizeUrl({ url }: GithubFake, changes: Changes = {}): string {
  const query = withChanges({
    response_type: "code",
    client_id: APP.clientId,
    redirect_uri: APP.callbackUrl,
    state: "state-1",
    scope: "read:user user:email",
    code_challenge: s256(VERIFIER),
    code_challenge_method: "S256",
  }, changes);
  return `${url}/login/oauth/authorize?${query}`;
}

const codeFor = async (github: GithubFake, changes: Changes = {}): Promise<string> =>
  (await github.approve(authorizeUrl(github, changes), "ann")).searchParams.get("code")!;

interface Answer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- Answers of every shape.
  readonly body: any;
}

async function ask(address: string, init: RequestInit = {}): Promise<Answer> {
  using client = Deno.createHttpClient({});
  const response = await fetch(address, { redirect: "manual", ...init, client });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

function redeem(
  { url }: GithubFake,
  code: string,
  changes: Changes = {},
  headers: Record<string, string> = { accept: "application/json" },
): Promise<Answer> {
  const body = withChanges({
    grant_type: "authorization_code",
    client_id: APP.clientId,
    client_secret: APP.clientSecret,
    redirect_uri: APP.callbackUrl,
    code_verifier: VERIFIER,
    code,
  }, changes);
  return ask(`${url}/login/oauth/access_token`, { method: "POST", headers, body });
}

const askApi = (github: GithubFake, path: string, token: string, accept: string | null = null) =>
  ask(`${github.apiUrl}${path}`, {
    headers: {
      accept: accept ?? "application/vnd.github+json",
      authorization: `Bearer ${token}`,
    },
  });

/** Disposes the fake and expects it to have exactly one complaint, which matches. */
async function endComplaining(github: GithubFake, expected: RegExp): Promise<void> {
  assert.equal(github.complaints.length, 1, String(github.complaints));
  assert.match(github.complaints[0]!, expected);
  await assert.rejects(async () => await github[Symbol.asyncDispose](), /GitHub complains/);
}

Deno.test("a correct exchange returns a token for the profile and the addresses", async () => {
  await using github = openGithub();
  const back = await github.approve(authorizeUrl(github), "ann");
  assert.equal(`${back.origin}${back.pathname}`, APP.callbackUrl);
  assert.equal(back.searchParams.get("state"), "state-1");
  const { status, body } = await redeem(github, back.searchParams.get("code")!);
  assert.deepEqual([status, body.token_type], [200, "bearer"]);
  const user = await askApi(github, "/user", body.access_token);
  assert.deepEqual([user.body.id, user.body.login, user.body.name], [7, "ann", "Ann"]);
  const emails = await askApi(github, "/user/emails", body.access_token);
  assert.deepEqual(emails.body, [
    { email: "ann@example.com", primary: true, verified: true, visibility: "private" },
  ]);
});

Deno.test("an invalid code exchange is refused with status 200 and GitHub's own error", async () => {
  const cases: [string, Changes, string][] = [
    ["client", { client_id: "another" }, "incorrect_client_credentials"],
    ["secret", { client_secret: "another" }, "incorrect_client_credentials"],
    ["redirect_uri", { redirect_uri: `${APP.callbackUrl}/` }, "redirect_uri_mismatch"],
    ["verifier", { code_verifier: "w".repeat(43) }, "bad_verification_code"],
    ["code", { code: "made-up" }, "bad_verification_code"],
  ];
  for (const [reason, changes, error] of cases) {
    await using github = openGithub();
    const { status, body } = await redeem(github, await codeFor(github), changes);
    assert.deepEqual([status, body.error], [200, error], reason);
    assert.deepEqual(github.takeRefusals(), [`token: ${reason}`]);
  }
});

Deno.test("a code can be redeemed once, and only by the client that it was issued to", async () => {
  await using github = openGithub();
  const code = await codeFor(github);
  assert.equal((await redeem(github, code)).body.error, undefined);
  assert.equal((await redeem(github, code)).body.error, "bad_verification_code");
  github.register({ ...APP, clientId: "client-2" });
  const other = await redeem(github, await codeFor(github), { client_id: "client-2" });
  assert.equal(other.body.error, "bad_verification_code");
  assert.deepEqual(github.takeRefusals(), ["token: code", "token: code"]);
});

Deno.test("an unknown client or callback gets no code", async () => {
  await using github = openGithub();
  for (const name of ["client_id", "redirect_uri"]) {
    const { status } = await ask(authorizeUrl(github, { [name]: "https://evil.example" }));
    assert.equal(status, 404);
  }
  assert.deepEqual(github.takeRefusals(), ["authorize: client", "authorize: redirect_uri"]);
});

Deno.test("an authorization without state, PKCE by S256 or response_type is a complaint", async () => {
  const cases: [Changes, RegExp][] = [
    [{ state: null }, /no state/],
    [{ code_challenge: null }, /PKCE/],
    [{ code_challenge_method: "plain" }, /PKCE/],
    [{ code_challenge_method: null }, /PKCE/],
    [{ response_type: "token" }, /response_type/],
  ];
  for (const [changes, expected] of cases) {
    const github = openGithub();
    assert.equal((await ask(authorizeUrl(github, changes))).status, 500);
    await endComplaining(github, expected);
  }
});

Deno.test("a token request with a missing part or in another format is a complaint", async () => {
  const json = { accept: "application/json" };
  const cases: [Changes, Record<string, string>, RegExp][] = [
    [{ client_id: null }, json, /client_id/],
    [{ client_secret: null }, json, /client_secret/],
    [{ redirect_uri: null }, json, /redirect_uri/],
    [{ code_verifier: null }, json, /code_verifier/],
    [{ code_verifier: "short" }, json, /verifier/],
    [{}, { accept: "*/*" }, /Accept/],
    [{}, { ...json, "content-type": "application/json" }, /application\/json/],
  ];
  for (const [changes, headers, expected] of cases) {
    const github = openGithub();
    assert.equal((await redeem(github, await codeFor(github), changes, headers)).status, 500);
    await endComplaining(github, expected);
  }
});

Deno.test("the API complains of a wrong Accept, an unknown token and a missing scope", async () => {
  const cases: [Changes, string, string | null, string | null, RegExp][] = [
    [{}, "/user", null, "application/json", /Accept/],
    [{}, "/user", "gho_made_up", null, /no token/],
    [{ scope: "read:user" }, "/user/emails", null, null, /scope/],
  ];
  for (const [changes, path, token, accept, expected] of cases) {
    const github = openGithub();
    const { body } = await redeem(github, await codeFor(github, changes));
    const { status } = await askApi(github, path, token ?? body.access_token, accept);
    assert.equal(status, 500);
    await endComplaining(github, expected);
  }
});

Deno.test("an unknown path is a complaint", async () => {
  const github = openGithub();
  assert.equal((await ask(`${github.url}/user`)).status, 500);
  await endComplaining(github, /GET \/user does not exist/);
});

Deno.test("a request without User-Agent is a complaint", async () => {
  const github = openGithub();
  const status = await new Promise((resolve, reject) => {
    get(`${github.apiUrl}/user`, { agent: false }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    }).on("error", reject);
  });
  assert.equal(status, 500);
  await endComplaining(github, /no User-Agent/);
});

Deno.test("disposing the fake fails after a refusal that the test did not take", async () => {
  const github = openGithub();
  await redeem(github, "made-up");
  await assert.rejects(async () => await github[Symbol.asyncDispose](), /did not take/);
});

Deno.test("a visitor who denies access is sent back with GitHub's error and the state", async () => {
  await using github = openGithub();
  const { searchParams } = await github.deny(authorizeUrl(github));
  assert.deepEqual([searchParams.get("error"), searchParams.get("state")], [
    "access_denied",
    "state-1",
  ]);
  assert.equal(searchParams.get("code"), null);
});

Deno.test("a browser without a session gets a sign-in page and continues from there", async () => {
  await using github = openGithub();
  const { status, body } = await ask(authorizeUrl(github));
  assert.equal(status, 200);
  assert.match(body, /Sign in as ann/);
  const [, next] = /name="next" value="([^"]*)"/.exec(body)!;
  const form = new URLSearchParams({ who: "ann", next: next!.replaceAll("&#38;", "&") });
  using client = Deno.createHttpClient({});
  const init = { method: "POST", body: form, redirect: "manual", client } as const;
  const response = await fetch(`${github.url}/session`, init);
  await response.body?.cancel();
  assert.equal(response.status, 302);
  const headers = { cookie: response.headers.get("set-cookie")!.split(";")[0]! };
  const location = `${github.url}${response.headers.get("location")}`;
  const back = await fetch(location, { headers, redirect: "manual", client });
  await back.body?.cancel();
  assert.match(
    back.headers.get("location")!,
    /^http:\/\/localhost:1\/callback\?state=state-1&code=/,
  );
});

Deno.test("a mishap lasts until it is removed", async () => {
  await using github = openGithub();
  const token = async (mishap: Mishap) => {
    const code = await codeFor(github);
    github.mishap("token", mishap);
    return await redeem(github, code);
  };
  assert.deepEqual(Object.keys((await token("error")).body), ["error", "error_description"]);
  assert.match((await token("form")).body, /^access_token=gho_\w+&token_type=bearer/);
  await assert.rejects(() => token("broken"), SyntaxError);
  assert.equal((await token("down")).status, 503);
  github.mishap("token", null);
  const { body } = await redeem(github, await codeFor(github));
  for (const mishap of ["silent", "stalling"] as const) {
    github.mishap("user", mishap);
    using client = Deno.createHttpClient({});
    const giveUp = new AbortController();
    const asked = fetch(`${github.apiUrl}/user`, {
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${body.access_token}`,
      },
      signal: giveUp.signal,
      client,
    }).then((response) => response.text());
    // Another request is answered in the meantime, which gives this request enough time.
    await askApi(github, "/user/emails", body.access_token);
    giveUp.abort();
    await assert.rejects(asked, { name: "AbortError" });
  }
});

Deno.test("an account can have unusual values", async () => {
  await using github = openGithub();
  github.join({ login: "ann", id: { $ne: 1 }, emails: [] });
  const { body } = await redeem(github, await codeFor(github));
  assert.deepEqual((await askApi(github, "/user", body.access_token)).body.id, { $ne: 1 });
  assert.deepEqual((await askApi(github, "/user/emails", body.access_token)).body, []);
});
