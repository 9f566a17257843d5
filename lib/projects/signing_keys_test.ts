import assert from "node:assert/strict";
import { openTestServices } from "@/tests/support/test_services.ts";
import { KeyRing } from "../crypto/key_ring.ts";
import { ALL } from "../store/filter.ts";
import type { Engine } from "../store/port.ts";
import { createSigningKeys, type SigningKey } from "./signing_keys.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const OTHER_PROJECT = "66f1a0c2e4b0a1b2c3d4e5f7";
const KEY_A = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const KEY_B = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";

const storedKeys = (engine: Engine, projectId: string) =>
  engine.records(projectId, { name: "_signingKeys", fields: {}, indexes: [], trash: false });

const MESSAGE = new TextEncoder().encode("message");

async function signature(key: SigningKey): Promise<ArrayBuffer> {
  return await crypto.subtle.sign("Ed25519", await key.privateKey(), MESSAGE);
}

Deno.test("find returns null until create makes the project's key", async () => {
  await using opened = await openTestServices();
  const { signingKeys } = opened.services;
  assert.equal(await signingKeys.find(PROJECT), null);
  await signingKeys.create(PROJECT);
  assert.notEqual(await signingKeys.find(PROJECT), null);
  assert.equal(await signingKeys.find(OTHER_PROJECT), null);
});

Deno.test("the public key verifies a signature of the private key", async () => {
  await using opened = await openTestServices();
  const { signingKeys } = opened.services;
  await signingKeys.create(PROJECT);
  const key = (await signingKeys.find(PROJECT))!;
  const signed = await signature(key);
  assert.equal(await crypto.subtle.verify("Ed25519", key.publicKey, signed, MESSAGE), true);
});

Deno.test("publicJwk contains nothing private, and the private key cannot be exported", async () => {
  await using opened = await openTestServices();
  const { signingKeys } = opened.services;
  await signingKeys.create(PROJECT);
  const key = (await signingKeys.find(PROJECT))!;
  assert.deepEqual(Object.keys(key.publicJwk).sort(), ["alg", "crv", "kid", "kty", "use", "x"]);
  const { kty, crv, use, alg, kid, x } = key.publicJwk;
  assert.deepEqual({ kty, crv, use, alg }, {
    kty: "OKP",
    crv: "Ed25519",
    use: "sig",
    alg: "EdDSA",
  });
  assert.equal(kid, key.kid);
  assert.match(x!, /^[A-Za-z0-9_-]{43}$/);
  assert.equal((await key.privateKey()).extractable, false);
  assert.equal(await key.privateKey(), await key.privateKey(), "unsealed once");
});

Deno.test("create makes a different key for each project", async () => {
  await using opened = await openTestServices();
  const { signingKeys } = opened.services;
  await signingKeys.create(PROJECT);
  await signingKeys.create(OTHER_PROJECT);
  const [one, other] = [
    (await signingKeys.find(PROJECT))!,
    (await signingKeys.find(OTHER_PROJECT))!,
  ];
  assert.notEqual(one.kid, other.kid);
  assert.notEqual(one.publicJwk.x, other.publicJwk.x);
  const signed = await signature(one);
  assert.equal(await crypto.subtle.verify("Ed25519", other.publicKey, signed, MESSAGE), false);
});

Deno.test("create seals the private key for its project and purpose", async () => {
  await using opened = await openTestServices();
  const { signingKeys, engine, keyRing } = opened.services;
  await signingKeys.create(PROJECT);
  const { value: record } = (await storedKeys(engine, PROJECT).findOne(ALL))!;
  const members = Object.keys(record).sort();
  assert.deepEqual(members, ["_id", "createdAt", "sealed", "x"]);
  const sealed = record.sealed as string;
  assert.match(sealed, /^v1\.key1\./);
  const purpose = "access-token-key";
  assert.match(await keyRing.open(sealed, { project: PROJECT, purpose }), /^[A-Za-z0-9_-]{43}$/);
  await assert.rejects(keyRing.open(sealed, { project: OTHER_PROJECT, purpose }));
  await assert.rejects(keyRing.open(sealed, { project: PROJECT, purpose: "ai-key" }));
});

Deno.test("a sealed key that is copied to another project cannot be opened there", async () => {
  await using opened = await openTestServices();
  const { signingKeys, engine } = opened.services;
  await signingKeys.create(PROJECT);
  const { value: record } = (await storedKeys(engine, PROJECT).findOne(ALL))!;
  await storedKeys(engine, OTHER_PROJECT).insert(record);
  const stolen = (await signingKeys.find(OTHER_PROJECT))!;
  await assert.rejects(stolen.privateKey());
});

Deno.test("stored keys can still sign after a key was added to the front of the key ring", async () => {
  await using opened = await openTestServices({ env: { SECRET_KEYS: `old:${KEY_A}` } });
  const { services, clock } = opened;
  await services.signingKeys.create(PROJECT);
  const keyRing = await KeyRing.parse(`new:${KEY_B},old:${KEY_A}`);
  const rotated = createSigningKeys({ ...services, keyRing, clock });
  assert.ok(await signature((await rotated.find(PROJECT))!));

  const without = createSigningKeys({
    ...services,
    keyRing: await KeyRing.parse(`new:${KEY_B}`),
    clock,
  });
  const key = (await without.find(PROJECT))!;
  await assert.rejects(key.privateKey(), /SECRET_KEYS has no key "old"/);
});

Deno.test("find returns the same key in every process", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await services.signingKeys.create(PROJECT);
  const elsewhere = createSigningKeys(services);
  const [here, there] = [
    (await services.signingKeys.find(PROJECT))!,
    (await elsewhere.find(PROJECT))!,
  ];
  assert.deepEqual(there.publicJwk, here.publicJwk);
});
