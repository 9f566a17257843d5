import assert from "node:assert/strict";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import * as oauth from "oauth4webapi";
import { withFasterTimers } from "@/tests/support/faster_timers.ts";
import { type FakeClock, fakeClock } from "@/tests/support/test_services.ts";
import { PROVIDER_TIMEOUT_MS } from "../limits.ts";
import { openIdServer } from "./openid.ts";
import { type ProviderHttp, withinTimeLimit } from "./provider_http.ts";

interface Issuer extends AsyncDisposable {
  readonly url: string;
  readonly asked: string[];
  /** Headers of its documents. */
  issuer: string;
  keys: unknown;
  /** Delays its first response. */
  until: Promise<void>;
}

function openIssuer(): Issuer {
  const asked: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async ({ url }) => {
    const { pathname, origin } = new URL(url);
    asked.push(pathname);
    if (asked.length === 1) await issuer.until;
    if (pathname === "/keys") return Response.json(issuer.keys);
    return Response.json({ issuer: issuer.issuer, jwks_uri: `${origin}/keys` });
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const issuer: Issuer = {
    url,
    asked,
    issuer: url,
    keys: { keys: [] },
    until: Promise.resolve(),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return issuer;
}

const NO_HTTP: ProviderHttp = {
  fetch: () => assert.fail("no request is expected"),
  wait: (join) => join(),
};

async function newKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwk = { ...await exportJWK(publicKey), kid };
  return {
    jwk,
    sign: (token: SignJWT) => token.setProtectedHeader({ alg: "ES256", kid }).sign(privateKey),
  };
}

/** Returns a response of a token endpoint with checked claims, which checkSignature() requires. */
async function answerOf(
  issuer: string,
  sign: (token: SignJWT) => Promise<string>,
): Promise<Response> {
  const client: oauth.Client = { client_id: "client", id_token_signed_response_alg: "ES256" };
  const token = new SignJWT({ sub: "1", aud: "client", iss: issuer }).setIssuedAt()
    .setExpirationTime("1h");
  const answer = Response.json({
    access_token: "x",
    token_type: "bearer",
    id_token: await sign(token),
  });
  await oauth.processAuthorizationCodeResponse({ issuer }, client, answer, {
    requireIdToken: true,
  });
  return answer;
}

const openServer = ({ url }: Issuer, clock: FakeClock = fakeClock()) => ({
  clock,
  server: openIdServer(url, clock),
});

Deno.test("server reads the discovery document once an hour and does not cache failures", async () => {
  await using issuer = openIssuer();
  const { server, clock } = openServer(issuer);
  issuer.issuer = "https://evil.example";
  await assert.rejects(withinTimeLimit(server.server), { code: oauth.JSON_ATTRIBUTE_COMPARISON });
  issuer.issuer = issuer.url;
  for (let i = 0; i < 3; i++) {
    assert.equal((await withinTimeLimit(server.server)).issuer, issuer.url);
  }
  assert.equal(issuer.asked.length, 2);
  clock.advance(3_600_000);
  await withinTimeLimit(server.server);
  assert.equal(issuer.asked.length, 3);
});

Deno.test("server reads the discovery document below the issuer's path", async () => {
  await using issuer = openIssuer();
  issuer.issuer = `${issuer.url}/realms/one`;
  const server = openIdServer(issuer.issuer, fakeClock());
  await withinTimeLimit(server.server);
  assert.deepEqual(issuer.asked, ["/realms/one/.well-known/openid-configuration"]);
});

Deno.test("checkSignature accepts a withdrawn key for at most five minutes", async () => {
  await using issuer = openIssuer();
  const { server, clock } = openServer(issuer);
  const [old, fresh] = [await newKey("old"), await newKey("fresh")];
  const document = { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` };
  const check = async (key: typeof old) => {
    const answer = await answerOf(issuer.url, key.sign);
    await withinTimeLimit((http) => server.checkSignature(document, answer, http));
  };
  issuer.keys = { keys: [old.jwk] };
  await check(old);
  issuer.keys = { keys: [fresh.jwk] };
  await check(old);
  clock.advance(300_000);
  await assert.rejects(check(old), { code: oauth.KEY_SELECTION });
  await check(fresh);
  assert.equal(issuer.asked.length, 3, "once, once more by age, and once for the unknown key");
});

Deno.test("checkSignature refuses a key set that is not a list of objects", async () => {
  await using issuer = openIssuer();
  const { server } = openServer(issuer);
  const key = await newKey("k");
  const document = { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` };
  for (const keys of [null, [], {}, { keys: null }, { keys: {} }, { keys: [1] }, { keys: [[]] }]) {
    issuer.keys = keys;
    const answer = await answerOf(issuer.url, key.sign);
    const checking = withinTimeLimit((http) => server.checkSignature(document, answer, http));
    await assert.rejects(checking, { name: "SignInFailed", detail: "no key set" });
  }
});

Deno.test("checkSignature does not read keys over plain http for an https issuer", async () => {
  await using issuer = openIssuer();
  const { server } = openServer(issuer);
  const key = await newKey("k");
  const answer = await answerOf("https://issuer.example", key.sign);
  for (const jwks_uri of [`${issuer.url}/keys`, "file:///etc/passwd", "nowhere", undefined]) {
    const document = { issuer: "https://issuer.example", ...(jwks_uri && { jwks_uri }) };
    await assert.rejects(server.checkSignature(document, answer, NO_HTTP), {
      name: "SignInFailed",
      detail: "no jwks_uri over https",
    });
  }
  assert.deepEqual(issuer.asked, []);
});

Deno.test("checkSignature uses keys that a concurrent caller has fetched", async () => {
  await using issuer = openIssuer();
  const { server } = openServer(issuer);
  const [old, fresh] = [await newKey("old"), await newKey("fresh")];
  const document = { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` };
  const [read, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  /** Gets the current keys and uses them later. */
  const late: ProviderHttp = {
    ...NO_HTTP,
    async wait(join) {
      const keys = await join();
      read.resolve();
      await goOn.promise;
      return keys;
    },
  };
  issuer.keys = { keys: [old.jwk] };
  const checking = server.checkSignature(document, await answerOf(issuer.url, fresh.sign), late);
  await read.promise;
  issuer.keys = { keys: [fresh.jwk] };
  const answer = await answerOf(issuer.url, fresh.sign);
  await withinTimeLimit((http) => server.checkSignature(document, answer, http));
  assert.equal(issuer.asked.length, 2);
  goOn.resolve();
  await checking;
  assert.equal(issuer.asked.length, 2);
});

/** Runs two concurrent reads of an issuer that does not respond; the first has less time. */
async function joined<T>(issuer: Issuer, work: (http: ProviderHttp) => Promise<T>): Promise<T> {
  const over = Promise.withResolvers<void>();
  issuer.until = over.promise;
  try {
    const hasty = await withFasterTimers(PROVIDER_TIMEOUT_MS, 50, () => {
      const failing = assert.rejects(withinTimeLimit(work), { reason: "slow" });
      return Promise.resolve({ failing });
    });
    const patient = withinTimeLimit(work);
    assert.equal(issuer.asked.length, 0, "it joins before anything is answered");
    const [answer] = await Promise.all([patient, hasty.failing]);
    return answer;
  } finally {
    over.resolve();
  }
}

Deno.test("server starts a new request if the joined one runs out of time", async () => {
  await using issuer = openIssuer();
  const { server } = openServer(issuer);
  const document = await joined(issuer, server.server);
  assert.equal(document.jwks_uri, `${issuer.url}/keys`);
  assert.equal(issuer.asked.length, 2);

  await using other = openIssuer();
  const key = await newKey("k");
  other.keys = { keys: [key.jwk] };
  const of = { issuer: other.url, jwks_uri: `${other.url}/keys` };
  const answers = [await answerOf(other.url, key.sign), await answerOf(other.url, key.sign)];
  const { checkSignature } = openServer(other).server;
  await joined(other, (http) => checkSignature(of, answers.pop()!, http));
  assert.deepEqual(other.asked, ["/keys", "/keys"]);
});
