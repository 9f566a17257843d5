import assert from "node:assert/strict";
import * as oauth from "oauth4webapi";
import { fakeClock } from "@/tests/support/test_services.ts";
import { SignInFailed } from "./failures.ts";
import { asFailure, authorizationUrl, redeem } from "./oauth.ts";
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

/** A provider that answers so, and what it was sent. */
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
  const tokens = redeem(services, SERVER, APP, { query: callback, challenge: CHALLENGE });
  return { tokens, sent };
}

const TOKEN = { access_token: "token-1", token_type: "bearer", scope: "x" };

Deno.test("the address of a provider keeps what it has of its own", async () => {
  const url = await authorizationUrl(SERVER, APP, { ...CHALLENGE, scope: "a b" });
  assert.equal(url.searchParams.get("tenant"), "1");
  assert.equal(
    url.searchParams.get("code_challenge"),
    await oauth.calculatePKCECodeChallenge("v".repeat(43)),
  );
  assert.equal(url.href.includes("v".repeat(43)), false, "the verifier stays here");
  assert.equal(url.href.includes("nonce"), false);
});

Deno.test("a code is redeemed with secret, verifier and address in the body alone", async () => {
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

Deno.test("an answer in form encoding, and an error with status 200, are read for what they mean", async () => {
  const form = redeemWith(() => new Response(new URLSearchParams(TOKEN)));
  assert.equal((await form.tokens).accessToken, "token-1");
  const { tokens } = redeemWith(() => Response.json({ error: "bad_verification_code" }));
  const failure = asFailure(await tokens.catch((error) => error)) as SignInFailed;
  assert.deepEqual([failure.reason, failure.detail], ["refused", "bad_verification_code"]);
});

Deno.test("an answer without a token, or with one of another kind, is none", async () => {
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
    const failure = asFailure(await tokens.catch((error) => error));
    assert.ok(failure instanceof SignInFailed, JSON.stringify(body));
  }
});

Deno.test("an address over plain http is not spoken to, unless the issuer was configured so", async () => {
  const { http, sent } = providerOf(() => Response.json(TOKEN));
  const services = { clock: fakeClock(), http, idTokens: null };
  const server = { ...SERVER, token_endpoint: "http://provider.example/token" };
  const query = new URLSearchParams({ state: "state-1", code: "code-1" });
  const failure = await redeem(services, server, APP, { query, challenge: CHALLENGE })
    .catch((error) => asFailure(error));
  assert.equal((failure as SignInFailed).detail, oauth.HTTP_REQUEST_FORBIDDEN);
  assert.deepEqual(sent, []);
});

Deno.test("a provider that names another issuer, or another state, is sent nothing", async () => {
  for (const query of [{ iss: "https://evil.example" }, { state: "state-2" }]) {
    const { tokens, sent } = redeemWith(
      () => Response.json(TOKEN),
      query as Record<string, string>,
    );
    const failure = asFailure(await tokens.catch((error) => error)) as SignInFailed;
    assert.equal(failure.reason, "unverified");
    assert.deepEqual(sent, []);
  }
});

Deno.test("of a provider's words only what looks like a code reaches the log", async () => {
  for (const [error, detail] of [["invalid_grant", "invalid_grant"], ["<b> of\nothers", null]]) {
    const { tokens } = redeemWith(() => Response.json({ error }, { status: 400 }));
    const failure = asFailure(await tokens.catch((error) => error)) as SignInFailed;
    assert.deepEqual([failure.reason, failure.detail], ["refused", detail]);
    assert.equal(failure.cause, undefined, "causes hold tokens and claims");
  }
});

Deno.test("what is none of the library's errors stays what it is", () => {
  const error = new TypeError("x");
  assert.equal(asFailure(error), error);
  const failure = new SignInFailed("slow");
  assert.equal(asFailure(failure), failure);
});
