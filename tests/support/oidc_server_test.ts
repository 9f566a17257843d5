import assert from "node:assert/strict";
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import type { Forgery } from "./forged_id_token.ts";
import { type OidcServer, startOidcServer } from "./oidc_server.ts";
import { s256 } from "./provider_fake.ts";

const APP = {
  clientId: "client-1",
  clientSecret: "secret-1",
  callbackUrl: "http://localhost:1/callback",
};
const ANN = { sub: "1001", email: "ann@example.com", emailVerified: true, name: "Ann" };
const VERIFIER = "v".repeat(43);

async function openOidc(): Promise<OidcServer> {
  const oidc = await startOidcServer();
  oidc.register(APP);
  oidc.join("ann", ANN);
  return oidc;
}

type Changes = Record<string, string | null>;

function withChanges(all: Record<string, string>, changes: Changes): URLSearchParams {
  const kept = Object.entries({ ...all, ...changes }).filter(([, value]) => value !== null);
  return new URLSearchParams(kept as [string, string][]);
}

function authorizeUrl({ url }: OidcServer, changes: Changes = {}): string {
  const query = withChanges({
    response_type: "code",
    client_id: APP.clientId,
    redirect_uri: APP.callbackUrl,
    state: "state-1",
    nonce: "nonce-1",
    scope: "openid email profile",
    code_challenge: s256(VERIFIER),
    code_challenge_method: "S256",
  }, changes);
  return `${url}/authorize?${query}`;
}

const codeFor = async (oidc: OidcServer, changes: Changes = {}): Promise<string> =>
  (await oidc.approve(authorizeUrl(oidc, changes), "ann")).searchParams.get("code")!;

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

function redeem({ url }: OidcServer, code: string, changes: Changes = {}, accept?: string) {
  const body = withChanges({
    grant_type: "authorization_code",
    client_id: APP.clientId,
    client_secret: APP.clientSecret,
    redirect_uri: APP.callbackUrl,
    code_verifier: VERIFIER,
    code,
  }, changes);
  const headers = { accept: accept ?? "application/json" };
  return ask(`${url}/token`, { method: "POST", headers, body });
}

async function idToken(oidc: OidcServer): Promise<string> {
  const { status, body } = await redeem(oidc, await codeFor(oidc));
  assert.equal(status, 200);
  return body.id_token;
}

/** Verifies an ID token as a strict client does. Returns its claims. */
async function verify(oidc: OidcServer, token: string) {
  const { body } = await ask(`${oidc.url}/jwks`);
  const { payload } = await jwtVerify(token, createLocalJWKSet(body), {
    issuer: oidc.url,
    audience: APP.clientId,
    algorithms: ["RS256"],
    requiredClaims: ["sub", "exp", "iat"],
  });
  assert.equal(payload.aud, APP.clientId);
  assert.equal(payload.nonce, "nonce-1");
  assert.ok(payload.iat! <= Date.now() / 1000 + 60, "from the future");
  return payload;
}

/** Disposes the server and expects it to have exactly one complaint, which matches. */
async function endComplaining(oidc: OidcServer, expected: RegExp): Promise<void> {
  assert.equal(oidc.complaints.length, 1, String(oidc.complaints));
  assert.match(oidc.complaints[0]!, expected);
  await assert.rejects(async () => await oidc[Symbol.asyncDispose](), /OpenID Connect complains/);
}

Deno.test("a correct exchange returns an ID token that names the person", async () => {
  await using oidc = await openOidc();
  const { body } = await ask(`${oidc.url}/.well-known/openid-configuration`);
  assert.equal(body.issuer, oidc.url);
  assert.equal(body.token_endpoint, `${oidc.url}/token`);
  const back = await oidc.approve(authorizeUrl(oidc), "ann");
  assert.equal(back.searchParams.get("state"), "state-1");
  const claims = await verify(oidc, await idToken(oidc));
  assert.deepEqual([claims.sub, claims.email, claims.email_verified, claims.name], [
    "1001",
    "ann@example.com",
    true,
    "Ann",
  ]);
});

Deno.test("tokens have the time of the test's clock", async () => {
  const now = Date.parse("2026-01-31T12:00:00Z");
  await using oidc = await startOidcServer({ now: () => now });
  oidc.register(APP);
  oidc.join("ann", ANN);
  const { iat, exp } = decodeJwt(await idToken(oidc));
  assert.deepEqual([iat, exp], [now / 1000, now / 1000 + 3600]);
});

Deno.test("an invalid code exchange is refused with the error of the standard", async () => {
  const cases: [string, Changes, number, string][] = [
    ["client", { client_id: "another" }, 401, "invalid_client"],
    ["secret", { client_secret: "another" }, 401, "invalid_client"],
    ["redirect_uri", { redirect_uri: `${APP.callbackUrl}/` }, 400, "invalid_grant"],
    ["verifier", { code_verifier: "w".repeat(43) }, 400, "invalid_grant"],
    ["code", { code: "made-up" }, 400, "invalid_grant"],
  ];
  await using oidc = await openOidc();
  for (const [reason, changes, status, error] of cases) {
    const answer = await redeem(oidc, await codeFor(oidc), changes);
    assert.deepEqual([answer.status, answer.body], [status, { error }], reason);
    assert.deepEqual(oidc.takeRefusals(), [`token: ${reason}`]);
  }
});

Deno.test("a code can be redeemed once", async () => {
  await using oidc = await openOidc();
  const code = await codeFor(oidc);
  assert.equal((await redeem(oidc, code)).status, 200);
  assert.equal((await redeem(oidc, code)).status, 400);
  assert.deepEqual(oidc.takeRefusals(), ["token: code"]);
});

Deno.test("an authorization without nonce, scope, state or PKCE is a complaint", async () => {
  const cases: [Changes, RegExp][] = [
    [{ nonce: null }, /nonce/],
    [{ scope: "email" }, /openid/],
    [{ state: null }, /state/],
    [{ code_challenge_method: "plain" }, /PKCE/],
  ];
  for (const [changes, expected] of cases) {
    const oidc = await openOidc();
    assert.equal((await ask(authorizeUrl(oidc, changes))).status, 500);
    await endComplaining(oidc, expected);
  }
});

Deno.test("a token request with a missing part and an unknown path are complaints", async () => {
  for (const name of ["client_secret", "redirect_uri", "code_verifier", "grant_type"]) {
    const oidc = await openOidc();
    assert.equal((await redeem(oidc, await codeFor(oidc), { [name]: null })).status, 500);
    await endComplaining(oidc, new RegExp(name));
  }
  const deaf = await openOidc();
  assert.equal((await redeem(deaf, await codeFor(deaf), {}, "*/*")).status, 500);
  await endComplaining(deaf, /Accept/);
  const lost = await openOidc();
  assert.equal((await ask(`${lost.url}/userinfo`)).status, 500);
  await endComplaining(lost, /does not exist/);
});

/** The error of a strict client for each forgery. */
const FORGERIES: Record<Forgery, RegExp> = {
  "wrong nonce": /nonce-1/,
  "no nonce": /nonce-1/,
  "wrong audience": /aud/,
  "two audiences": /client-1/,
  "no audience": /aud/,
  "wrong issuer": /iss/,
  "issuer with a slash": /iss/,
  "expired": /exp/,
  "no expiry": /exp/,
  "not yet valid": /nbf/,
  "issued in the future": /from the future/,
  "no subject": /sub/,
  "unknown kid": /no applicable key/,
  "alg none": /alg/,
  "alg HS256 with the public key": /alg/,
  "alg ES256 with a published key": /alg/,
  "bad signature": /signature verification failed/,
  "no signature": /signature verification failed/,
  "foreign key of the same kid": /signature verification failed/,
  "replayed": /nonce-1/,
};

Deno.test("a strict client rejects each forgery for its own reason", async () => {
  await using oidc = await openOidc();
  for (const [forgery, reason] of Object.entries(FORGERIES) as [Forgery, RegExp][]) {
    oidc.forge(null);
    const other = await codeFor(oidc, { nonce: "nonce-of-another" });
    await redeem(oidc, other);
    oidc.forge(forgery);
    const token = await idToken(oidc);
    await assert.rejects(verify(oidc, token), reason, forgery);
  }
  oidc.forge(null);
  await verify(oidc, await idToken(oidc));
});

Deno.test("a key of another algorithm is published and verifies its own tokens", async () => {
  await using oidc = await openOidc();
  oidc.forge("alg ES256 with a published key");
  const token = await idToken(oidc);
  const { body } = await ask(`${oidc.url}/jwks`);
  await jwtVerify(token, createLocalJWKSet(body), { issuer: oidc.url });
  assert.ok(!JSON.stringify(body).includes('"d"'), "no private key is published");
});

Deno.test("rotateKeys changes the kid and stops publishing the former key", async () => {
  await using oidc = await openOidc();
  const before = await idToken(oidc);
  await verify(oidc, before);
  await oidc.rotateKeys();
  const after = await idToken(oidc);
  assert.notEqual(decodeProtectedHeader(after).kid, decodeProtectedHeader(before).kid);
  await verify(oidc, after);
  await assert.rejects(verify(oidc, before), /no applicable key/);
  assert.equal(oidc.jwksRequests(), 3);
});

Deno.test("mishaps last until they are removed, and a person can deny access", async () => {
  await using oidc = await openOidc();
  oidc.mishap("token", "error");
  assert.equal((await redeem(oidc, await codeFor(oidc))).status, 400);
  oidc.mishap("token", "down");
  assert.equal((await redeem(oidc, await codeFor(oidc))).status, 503);
  oidc.mishap("token", null);
  oidc.mishap("jwks", "broken");
  await assert.rejects(ask(`${oidc.url}/jwks`), SyntaxError);
  oidc.mishap("jwks", null);
  await verify(oidc, await idToken(oidc));
  const { searchParams } = await oidc.deny(authorizeUrl(oidc));
  assert.equal(searchParams.get("error"), "access_denied");
});

Deno.test("concurrent sign-ins have separate nonces and persons", async () => {
  await using oidc = await openOidc();
  const names = Array.from({ length: 20 }, (_, i) => `person-${i}`);
  for (const name of names) oidc.join(name, { sub: name });
  await Promise.all(names.map(async (name) => {
    const back = await oidc.approve(authorizeUrl(oidc, { nonce: `nonce of ${name}` }), name);
    const { body } = await redeem(oidc, back.searchParams.get("code")!);
    const { sub, nonce } = decodeJwt(body.id_token);
    assert.deepEqual([sub, nonce], [name, `nonce of ${name}`]);
  }));
});
