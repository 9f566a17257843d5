import assert from "node:assert/strict";
import { RequestState } from "./request.ts";

const PEER = "203.0.113.9";
const FROM_PEER = { remoteAddr: { hostname: PEER } };

const PUBLIC_URL = "https://corbel.example.com";

const behind = (trustProxy: number) => ({ trustProxy, publicUrl: PUBLIC_URL });

const request = (headers: Record<string, string> = {}, target = "/api/data/posts?a=1") =>
  new Request(`http://localhost:8000${target}`, { headers });

const clientOf = (forwarded: string | null, proxies: number) =>
  new RequestState(
    request(forwarded === null ? {} : { "x-forwarded-for": forwarded }),
    FROM_PEER,
    behind(proxies),
  ).client;

Deno.test("client ignores forwarded addresses without trusted proxies", () => {
  for (const forwarded of [null, "10.0.0.1", "10.0.0.1, 10.0.0.2", ""]) {
    assert.equal(clientOf(forwarded, 0), PEER);
  }
  const others = request({ forwarded: "for=10.0.0.1", "x-real-ip": "10.0.0.1" });
  assert.equal(new RequestState(others, FROM_PEER, behind(0)).client, PEER);
  assert.equal(new RequestState(others, FROM_PEER, behind(1)).client, PEER);
});

Deno.test("client is the n-th entry from the right behind n proxies", () => {
  const forwarded = "10.0.0.1, 10.0.0.2,10.0.0.3 ,  10.0.0.4";
  assert.equal(clientOf(forwarded, 1), "10.0.0.4");
  assert.equal(clientOf(forwarded, 2), "10.0.0.3");
  assert.equal(clientOf(forwarded, 4), "10.0.0.1");
});

Deno.test("client ignores entries left of the trusted ones", () => {
  const seen = "198.51.100.7";
  for (const forged of ["", "1.1.1.1, ", "1.1.1.1, 2.2.2.2, 3.3.3.3, ", ", , "]) {
    assert.equal(clientOf(forged + seen, 1), seen, forged);
  }
});

Deno.test("client is the peer if entries are missing or empty", () => {
  assert.equal(clientOf(null, 1), PEER);
  assert.equal(clientOf("", 1), PEER);
  assert.equal(clientOf("10.0.0.1", 2), PEER);
  assert.equal(clientOf("10.0.0.1, ", 1), PEER);
});

Deno.test("RequestState has the address and credentials of its request", () => {
  const raw = request({
    "x-api-key": "pk_live_x",
    authorization: "Bearer a.b.c",
    origin: "https://app.example.com",
  });
  const state = new RequestState(raw, FROM_PEER, behind(0));
  assert.ok(state.startedAt <= performance.now());
  const { authorization, client } = state;
  assert.deepEqual({ ...state, authorization, client }, {
    id: state.id,
    startedAt: state.startedAt,
    raw,
    path: "/api/data/posts",
    query: "a=1",
    malformed: false,
    apiKey: "pk_live_x",
    authorization: "Bearer a.b.c",
    origin: "https://app.example.com",
    allowedOrigin: "https://app.example.com",
    client: PEER,
    operationId: null,
    projectId: null,
    callerKind: null,
    accountId: null,
    recordsUntil: null,
    problem: null,
    rate: null,
    warning: null,
  });
});

Deno.test("allowedOrigin is null for foreign pages on dashboard paths, except for JWKS", () => {
  const readerOf = (path: string, origin: string) =>
    new RequestState(request({ origin }, path), FROM_PEER, behind(0)).allowedOrigin;
  const other = "https://app.example.com";
  const own = ["/api/auth/me", "/api/auth", "/api/user/me", "/api/projects", "/api/projects/x/y"];
  for (const path of [...own, "/api/%61uth/me", "/api/projects/x/jwks.json/y"]) {
    assert.equal(readerOf(path, other), null, path);
    assert.equal(readerOf(path, `${PUBLIC_URL}.evil.example`), null, path);
    assert.equal(readerOf(path, "null"), null, path);
    assert.equal(readerOf(path, PUBLIC_URL), PUBLIC_URL, path);
  }
  const shared = ["/api/data/auth", "/api/userAuth/me", "/api/projects/x/jwks.json", "/api/authx"];
  for (const path of shared) assert.equal(readerOf(path, other), other, path);
});

Deno.test("credentials that were not sent are null", () => {
  const { apiKey, authorization, origin } = new RequestState(request(), FROM_PEER, behind(0));
  assert.deepEqual([apiKey, authorization, origin], [null, null, null]);
});

Deno.test("every request has a unique id that clients cannot choose", () => {
  const ids = Array.from(
    { length: 1000 },
    () => new RequestState(request({ "x-request-id": "mine" }), FROM_PEER, behind(0)).id,
  );
  assert.equal(new Set(ids).size, 1000);
  for (const id of ids) assert.match(id, /^[0-9a-f]{12}-[0-9a-z]+$/);
});
