/** What a verifier of access tokens must not take for one. */

import assert from "node:assert/strict";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { openTestServices } from "@/tests/support/test_services.ts";
import { createProject } from "../projects/create_project.ts";
import type { Services } from "../services.ts";
import { createUser } from "./create_user.ts";
import { type SessionRecord, SESSIONS } from "./sessions.ts";

const NOON = 1_769_860_800;

/** A project, a user with a session that stands, and the claims of a token that would pass. */
async function target(services: Services) {
  const { projectId } = await createProject(services, { name: "Test", siteUrl: null });
  const sub = await createUser(services, projectId, { email: "ada@example.com", verified: true });
  const sid = services.newId();
  await services.engine.records<SessionRecord>(projectId, SESSIONS).insert({
    _id: sid,
    userId: sub,
    createdAt: "2026-01-31T12:00:00.000Z",
    lastUsedAt: "2026-01-31T12:00:00.000Z",
    userAgent: null,
    address: null,
    expiresAt: "2026-02-28T12:00:00.000Z",
    revokedAt: null,
  });
  const key = (await services.signingKeys.find(projectId))!;
  const claims: JWTPayload = {
    iss: `http://localhost:8000/api/projects/${projectId}`,
    aud: projectId,
    sub,
    sid,
    iat: NOON,
    exp: NOON + 900,
  };
  return { projectId, key, claims, sub, sid };
}

const HEADER = { alg: "EdDSA", typ: "at+jwt" };

const sign = (claims: JWTPayload, key: CryptoKey | Uint8Array, header: object = {}) =>
  new SignJWT(claims).setProtectedHeader({ ...HEADER, ...header }).sign(key);

const segment = (value: unknown) =>
  new TextEncoder().encode(JSON.stringify(value)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });

const without = (claims: JWTPayload, name: string): JWTPayload =>
  Object.fromEntries(Object.entries(claims).filter(([one]) => one !== name));

Deno.test("a token made by hand of the right claims and the right key is taken", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, key, claims, sub } = await target(services);
  const token = await sign(claims, await key.privateKey());
  assert.equal((await services.tokens.verify(projectId, token))?.userId, sub);
});

Deno.test("a token that lacks any one of its claims is refused", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, key, claims } = await target(services);
  for (const name of ["iss", "aud", "sub", "sid", "iat", "exp"]) {
    const token = await sign(without(claims, name), await key.privateKey());
    assert.equal(await services.tokens.verify(projectId, token), null, `without ${name}`);
  }
});

Deno.test("a token with any one claim of another value or kind is refused", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, key, claims, sub, sid } = await target(services);
  const other = "66f1a0c2e4b0a1b2c3d4e5f6";
  const wrong: JWTPayload[] = [
    { iss: `http://localhost:8000/api/projects/${other}` },
    { iss: `http://localhost:8000/api/projects/${projectId}/` },
    { iss: "http://localhost:8000" },
    { aud: other },
    { aud: [projectId] },
    { aud: [projectId, other] },
    { aud: projectId.toUpperCase() + " " },
    { sub: other },
    { sub: `${sub} ` },
    { sid: other },
    { sid: [sid] },
    { sid: 1 },
    { exp: NOON - 5 },
    { exp: 0 },
    { nbf: NOON + 60 },
  ];
  for (const change of wrong) {
    const token = await sign({ ...claims, ...change }, await key.privateKey());
    assert.equal(await services.tokens.verify(projectId, token), null, JSON.stringify(change));
  }
});

Deno.test("a token of another type is refused: an ID token is no access token", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, key, claims } = await target(services);
  for (const typ of ["JWT", "id+jwt", "", undefined]) {
    const token = await sign(claims, await key.privateKey(), { typ });
    assert.equal(await services.tokens.verify(projectId, token), null, String(typ));
  }
});

Deno.test("an unsigned token is refused, in every spelling of none", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, claims } = await target(services);
  for (const alg of ["none", "None", "NONE", "nOnE"]) {
    const unsigned = `${segment({ ...HEADER, alg })}.${segment(claims)}`;
    for (const signature of ["", "AAAA", "A".repeat(86)]) {
      assert.equal(await services.tokens.verify(projectId, `${unsigned}.${signature}`), null, alg);
    }
  }
});

Deno.test("a token signed by HS256 with the public key as the secret is refused", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, key, claims } = await target(services);
  const { x } = await exportJWK(key.publicKey);
  const secrets = [
    Uint8Array.fromBase64(x!, { alphabet: "base64url" }),
    new TextEncoder().encode(x!),
    new TextEncoder().encode(JSON.stringify(key.publicJwk)),
  ];
  for (const secret of secrets) {
    const token = await sign(claims, secret, { alg: "HS256" });
    assert.equal(await services.tokens.verify(projectId, token), null);
  }
});

Deno.test("a token signed by a stranger's key is refused, also under the project's key id", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, key, claims } = await target(services);
  const stranger = await generateKeyPair("EdDSA", { extractable: true });
  const jwk = await exportJWK(stranger.publicKey);
  for (const header of [{ kid: key.kid }, { kid: key.kid, jwk }, {}]) {
    const token = await sign(claims, stranger.privateKey, header);
    assert.equal(await services.tokens.verify(projectId, token), null);
  }
});

Deno.test("a token signed by another project's key is refused though its claims name this one", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const [one, other] = [await target(services), await target(services)];
  const token = await sign(one.claims, await other.key.privateKey());
  assert.equal(await services.tokens.verify(one.projectId, token), null);
});

Deno.test("a token altered in any character is refused", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, key, claims } = await target(services);
  const token = await sign(claims, await key.privateKey());
  assert.notEqual(await services.tokens.verify(projectId, token), null);
  // The last character of a signature of 64 bytes has four spare bits, which say nothing.
  for (let at = 0; at < token.length - 1; at += 3) {
    const altered = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
    assert.equal(await services.tokens.verify(projectId, altered), null, `at ${at}`);
  }
});

Deno.test("what is no token at all is refused, not failed on", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, key, claims } = await target(services);
  const token = await sign(claims, await key.privateKey());
  const wrong = ["", ".", "..", "a.b.c", `${token}.`, `.${token}`, token.slice(0, 40), "x", "😀"];
  for (const text of wrong) assert.equal(await services.tokens.verify(projectId, text), null, text);
});
