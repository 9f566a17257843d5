// Forged access tokens, which verify() must refuse.

import assert from "node:assert/strict";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { openTestServices } from "@/tests/support/test_services.ts";
import { createProject } from "../projects/create_project.ts";
import type { Services } from "../services.ts";
import { createUser } from "./create_user.ts";
import { type SessionRecord, SESSIONS } from "./sessions.ts";

const NOON = 1_769_860_800;

/** Creates a project and a user with an active session, and returns valid claims. */
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

Deno.test("verify accepts a hand-made token with valid claims and the right key", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, key, claims, sub } = await target(services);
  const token = await sign(claims, await key.privateKey());
  assert.equal((await services.tokens.verify(projectId, token))?.userId, sub);
});

Deno.test("verify refuses a token that lacks any claim", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, key, claims } = await target(services);
  for (const name of ["iss", "aud", "sub", "sid", "iat", "exp"]) {
    const token = await sign(without(claims, name), await key.privateKey());
    assert.equal(await services.tokens.verify(projectId, token), null, `without ${name}`);
  }
});

Deno.test("verify refuses a token with a wrong value or type of any claim", async () => {
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

Deno.test("verify refuses a token of another type, such as an ID token", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, key, claims } = await target(services);
  for (const typ of ["JWT", "id+jwt", "", undefined]) {
    const token = await sign(claims, await key.privateKey(), { typ });
    assert.equal(await services.tokens.verify(projectId, token), null, String(typ));
  }
});

Deno.test("verify refuses unsigned tokens in every spelling of the algorithm none", async () => {
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

Deno.test("verify refuses a token signed with HS256 and the public key as its secret", async () => {
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

Deno.test("verify refuses a token signed with a foreign key, also with the project's key id", async () => {
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

Deno.test("verify refuses a token signed with another project's key", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const [one, other] = [await target(services), await target(services)];
  const token = await sign(one.claims, await other.key.privateKey());
  assert.equal(await services.tokens.verify(one.projectId, token), null);
});

Deno.test("verify refuses a token with any altered character", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, key, claims } = await target(services);
  const token = await sign(claims, await key.privateKey());
  assert.notEqual(await services.tokens.verify(projectId, token), null);
  // The last character of a signature of 64 bytes has four unused bits.
  for (let at = 0; at < token.length - 1; at += 3) {
    const altered = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
    assert.equal(await services.tokens.verify(projectId, altered), null, `at ${at}`);
  }
});

Deno.test("verify returns null for malformed tokens", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, key, claims } = await target(services);
  const token = await sign(claims, await key.privateKey());
  const wrong = ["", ".", "..", "a.b.c", `${token}.`, `.${token}`, token.slice(0, 40), "x", "😀"];
  for (const text of wrong) assert.equal(await services.tokens.verify(projectId, text), null, text);
});
