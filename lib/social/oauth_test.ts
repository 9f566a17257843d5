import assert from "node:assert/strict";
import * as oauth from "oauth4webapi";
import { fakeClock } from "@/tests/support/test_services.ts";
import { SignInFailed } from "./failures.ts";
import { authorizationUrl, redeemCode, toSignInFailure } from "./oauth.ts";
import type { ProviderHttp, ProviderRequest } from "./provider_http.ts";

const SERVER: oauth.AuthorizationServer = {
  issuer: "https://provider.example",
  authorization_endpoint: "https://provider.example/authorize?tenant=1",
  token_endpoint: "https://provider.example/token",
};
const APP = { clientId: "client", clientSecret: "s e&c", callbackUrl: "https://me.example/back" };
const CHALLENGE = { state: "state-1", verifier: "v".repeat(43), nonce: null };

interface Sent extends ProviderRequest {
  readonly url: string;
}

/** Returns a provider with a fixed response, and the requests that it receives. */
function providerOf(answer: () => Response): { http: ProviderHttp; sent: Sent[] } {
  const sent: Sent[] = [];
  const http: ProviderHttp = {
    fetch(url, init) {
      sent.push({ url, ...init });
      return Promise.resolve(answer());
    },
    wait: (join) => join(),
  };
  return { http, sent };
}

function redeemWith(answer: () => Response, query: Record<string, string> = {}) {
  const { http, sent } = providerOf(answer);
  const services = { clock: fakeClock(), http, idTokens: null };
  const callback = new URLSearchParams({ state: "state-1", code: "code-1", ...query });
  const tokens = redeemCode(services, SERVER, APP, { query: callback, challenge: CHALLENGE });
  return { tokens, sent };
}

const TOKEN = { access_token: "token-1", token_type: "bearer", scope: "x" };

Deno.test("authorizationUrl keeps the query of the provider's address", async () => {
  const url = await authorizationUrl(SERVER, APP, { ...CHALLENGE, scope: "a b" });
  assert.equal(url.searchParams.get("tenant"), "1");
  assert.equal(
    url.searchParams.get("code_challenge"),
    await oauth.calculatePKCECodeChallenge("v".repeat(43)),
  );
  assert.equal(url.href.includes("v".repeat(43)), false, "the verifier stays here");
  assert.equal(url.href.includes("nonce"), false);
});

Deno.test("redeemCode sends secret, verifier and address only in the body", async () => {
  const { tokens, sent } = redeemWith(() => Response.json(TOKEN));
  assert.deepEqual(await tokens, { accessToken: "token-1", claims: undefined });
  const [{ url, method, body, headers }] = sent as [Sent];
  assert.deepEqual([sent.length, url, method], [1, SERVER.token_endpoint, "POST"]);
  assert.equal(headers!.authorization, undefined);
  assert.deepEqual(Object.fromEntries(body!), {
    grant_type: "authorization_code",
    code: "code-1",
    redirect_uri: APP.callbackUrl,
    code_verifier: CHALLENGE.verifier,
    client_id: APP.clientId,
    client_secret: APP.clientSecret,
  });
});

Deno.test("redeemCode accepts form encoding and recognizes errors with status 200", async () => {
  const form = redeemWith(() => new Response(new URLSearchParams(TOKEN)));
  assert.equal((await form.tokens).accessToken, "token-1");
  const { tokens } = redeemWith(() => Response.json({ error: "bad_verification_code" }));
  const failure = toSignInFailure(await tokens.catch((error) => error)) as SignInFailed;
  assert.deepEqual([failure.reason, failure.detail], ["refused", "bad_verification_code"]);
});

Deno.test("redeemCode refuses a response without a bearer token", async () => {
  const bodies = [
    {},
    [],
    null,
    { ...TOKEN, access_token: "" },
    { ...TOKEN, access_token: { a: 1 } },
    { ...TOKEN, token_type: "mac" },
  ];
  for (const body of bodies) {
    const { tokens } = redeemWith(() => Response.json(body));
    const failure = toSignInFailure(await tokens.catch((error) => error));
    assert.ok(failure instanceof SignInFailed, JSON.stringify(body));
  }
});

Deno.test("redeemCode refuses plain http unless the issuer is configured with it", async () => {
  const { http, sent } = providerOf(() => Response.json(TOKEN));
  const services = { clock: fakeClock(), http, idTokens: null };
  const server = { ...SERVER, token_endpoint: "http://provider.example/token" };
  const query = new URLSearchParams({ state: "state-1", code: "code-1" });
  const failure = await redeemCode(services, server, APP, { query, challenge: CHALLENGE })
    .catch((error) => toSignInFailure(error));
  assert.equal((failure as SignInFailed).detail, oauth.HTTP_REQUEST_FORBIDDEN);
  assert.deepEqual(sent, []);
});

Deno.test("redeemCode sends nothing if the callback has another issuer or state", async () => {
  for (const query of [{ iss: "https://evil.example" }, { state: "state-2" }]) {
    const { tokens, sent } = redeemWith(
      () => Response.json(TOKEN),
      query as Record<string, string>,
    );
    const failure = toSignInFailure(await tokens.catch((error) => error)) as SignInFailed;
    assert.equal(failure.reason, "unverified");
    assert.deepEqual(sent, []);
  }
});

Deno.test("toSignInFailure keeps only texts of a provider that look like a code", async () => {
  for (const [error, detail] of [["invalid_grant", "invalid_grant"], ["<b> of\nothers", null]]) {
    const { tokens } = redeemWith(() => Response.json({ error }, { status: 400 }));
    const failure = toSignInFailure(await tokens.catch((error) => error)) as SignInFailed;
    assert.deepEqual([failure.reason, failure.detail], ["refused", detail]);
    assert.equal(failure.cause, undefined, "causes hold tokens and claims");
  }
});

Deno.test("toSignInFailure returns other errors unchanged", () => {
  const error = new TypeError("x");
  assert.equal(toSignInFailure(error), error);
  const failure = new SignInFailed("slow");
  assert.equal(toSignInFailure(failure), failure);
});
