import assert from "node:assert/strict";
import { KeyRing, keyRingProblem } from "./key_ring.ts";

const KEY_A = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const KEY_B = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";

const BINDING = { project: "66f1a0c2e4b0a1b2c3d4e5f6", purpose: "access-token-key" };

/** Returns another character of the base64url alphabet. */
const otherThan = (char: string) => char === "A" ? "B" : "A";

Deno.test("open reverses seal", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A}`);
  for (const plain of ["", "a", "gsk_0123456789", "Ä😀\n\0", "x".repeat(100_000)]) {
    assert.equal(await ring.open(await ring.seal(plain, BINDING), BINDING), plain);
  }
});

Deno.test("seal returns the version, the key's id and no plain text", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A}`);
  const sealed = await ring.seal("a secret value", BINDING);
  assert.match(sealed, /^v1\.k1\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{40}$/);
  assert.equal(sealed.includes("secret"), false);
  assert.equal(sealed.includes(btoa("a secret").slice(0, 8)), false);
});

Deno.test("seal never returns the same result twice", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A}`);
  const sealed = await Promise.all(Array.from({ length: 200 }, () => ring.seal("same", BINDING)));
  assert.equal(new Set(sealed).size, 200);
  assert.equal(new Set(sealed.map((text) => text.split(".")[2])).size, 200, "an IV was used twice");
});

Deno.test("open rejects a value that was altered at any position", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A}`);
  // 17 bytes and the tag of 16 bytes fill base64 groups completely, so every bit is significant.
  const sealed = await ring.seal("seventeen letters", BINDING);
  for (let at = 0; at < sealed.length; at++) {
    const altered = sealed.slice(0, at) + otherThan(sealed[at]!) + sealed.slice(at + 1);
    await assert.rejects(ring.open(altered, BINDING), `opened with another character at ${at}`);
  }
});

Deno.test("open rejects a value that was truncated or extended", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A}`);
  const sealed = await ring.seal("seventeen letters", BINDING);
  for (let length = 0; length < sealed.length; length++) {
    await assert.rejects(ring.open(sealed.slice(0, length), BINDING), `opened cut at ${length}`);
  }
  await assert.rejects(ring.open(`${sealed}AAAA`, BINDING));
  await assert.rejects(ring.open(`v1.${sealed}`, BINDING));
});

Deno.test("open rejects every other encoding of a value", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A}`);
  // 18 bytes and the tag leave unused bits in the last character.
  const sealed = await ring.seal("eighteen letters..", BINDING);
  const last = sealed.at(-1)!;
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const other = alphabet[alphabet.indexOf(last) + 1]!;
  await assert.rejects(ring.open(sealed.slice(0, -1) + other, BINDING), "unused bits were ignored");
  await assert.rejects(ring.open(`${sealed} `, BINDING), "white space was ignored");
  await assert.rejects(ring.open(`${sealed}.AAAA`, BINDING), "a fifth part was ignored");
});

Deno.test("open rejects another binding", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A}`);
  const sealed = await ring.seal("value", BINDING);
  const others = [
    { ...BINDING, project: "66f1a0c2e4b0a1b2c3d4e5f7" },
    { ...BINDING, project: "" },
    { ...BINDING, purpose: "ai-key" },
    { project: BINDING.purpose, purpose: BINDING.project },
    { project: `${BINDING.project}","${BINDING.purpose}`, purpose: "" },
  ];
  for (const binding of others) await assert.rejects(ring.open(sealed, binding));
  assert.equal(await ring.open(sealed, { ...BINDING }), "value");
});

Deno.test("open rejects a value of another key with the same id", async () => {
  const [one, other] = [await KeyRing.parse(`k1:${KEY_A}`), await KeyRing.parse(`k1:${KEY_B}`)];
  const sealed = await one.seal("value", BINDING);
  await assert.rejects(other.open(sealed, BINDING));
});

Deno.test("open rejects a replaced key id, even if both ids have the same key", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A},k2:${KEY_A}`);
  const sealed = await ring.seal("value", BINDING);
  await assert.rejects(ring.open(sealed.replace("v1.k1.", "v1.k2."), BINDING));
});

Deno.test("the first key of a ring seals and every key opens", async () => {
  const old = await KeyRing.parse(`old:${KEY_A}`);
  const both = await KeyRing.parse(`new:${KEY_B},old:${KEY_A}`);
  const fresh = await KeyRing.parse(`new:${KEY_B}`);
  const sealedBefore = await old.seal("before", BINDING);
  const sealedAfter = await both.seal("after", BINDING);
  assert.match(sealedAfter, /^v1\.new\./);
  assert.equal(await both.open(sealedBefore, BINDING), "before");
  assert.equal(await both.open(sealedAfter, BINDING), "after");
  assert.equal(await fresh.open(sealedAfter, BINDING), "after");
  await assert.rejects(fresh.open(sealedBefore, BINDING), /SECRET_KEYS has no key "old"/);
});

Deno.test("open reports a malformed value", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A}`);
  for (const text of ["", "plain", "v1.k1", "v2.k1.AAAAAAAAAAAAAAAA.AAAA"]) {
    await assert.rejects(ring.open(text, BINDING), /Cannot open a sealed value: it is malformed/);
  }
  await assert.rejects(ring.open("v1.k1.%.%", BINDING));
});

Deno.test("derive returns keys of one length that differ by purpose and key", async () => {
  const [one, other] = [await KeyRing.parse(`k1:${KEY_A}`), await KeyRing.parse(`k1:${KEY_B}`)];
  const derived = [one.derive("cursors"), one.derive("cursor"), other.derive("cursors")].flat();
  assert.equal(new Set(derived).size, 3);
  for (const key of derived) assert.match(key, /^[A-Za-z0-9_-]{43}$/);
});

Deno.test("derive does not depend on the process or the key's id", async () => {
  const rings = [`k1:${KEY_A}`, `renamed:${KEY_A}`];
  for (const text of rings) {
    const ring = await KeyRing.parse(text);
    assert.deepEqual(ring.derive("cursors"), ["b9iKDGUIbT7XzdyrXbvKX_FKUMe2L1i8zZiPYx0bIjE"]);
  }
});

Deno.test("derive returns one key for each key of the ring, in order", async () => {
  const ring = await KeyRing.parse(`k2:${KEY_B},k1:${KEY_A}`);
  const [second] = (await KeyRing.parse(`k2:${KEY_B}`)).derive("cursors");
  const [first] = (await KeyRing.parse(`k1:${KEY_A}`)).derive("cursors");
  assert.deepEqual(ring.derive("cursors"), [second, first]);
});

Deno.test("keyRingProblem accepts white space and missing padding", () => {
  for (
    const text of [
      `k1:${KEY_A}`,
      `k1:${KEY_A.replace("=", "")}`,
      ` k1:${KEY_A} , k2:${KEY_B} `,
      `A-b_9${"x".repeat(27)}:${KEY_A}`,
    ]
  ) assert.equal(keyRingProblem(text), null, text);
});

Deno.test("keyRingProblem and parse report invalid keys without repeating them", async () => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ["", /key 1 must be id:base64/],
    [KEY_A, /key 1 must be id:base64/],
    [`:${KEY_A}`, /key 1 must be id:base64/],
    [`k 1:${KEY_A}`, /key 1 must be id:base64/],
    [`${"x".repeat(33)}:${KEY_A}`, /key 1 must be id:base64/],
    [`k1:${KEY_A},${KEY_B}`, /key 2 must be id:base64/],
    [`k1:${KEY_A.slice(0, 42)}=`, /key 1 is not base64/],
    [`k1:${KEY_A.slice(0, 40)}`, /key 1 has 30 bytes, not 32/],
    [`k1:${KEY_A.slice(0, 43)}AAAAA`, /key 1 has 36 bytes, not 32/],
    [`k1:${KEY_A},k1:${KEY_B}`, /two keys have the same id/],
  ];
  for (const [text, problem] of wrong) {
    const message = keyRingProblem(text);
    assert.match(message ?? "", problem, text);
    assert.equal(/[A-Za-z0-9+/]{12}/.test(message!), false, message!);
    await assert.rejects(KeyRing.parse(text), problem);
  }
});

Deno.test("keyRingProblem does not repeat a key without an id", () => {
  for (const key of ["0123456789abcdef0123456789abcdef", "correct-horse-battery-staple"]) {
    for (const text of [key, `k1:${KEY_A},${key}`]) {
      const problem = keyRingProblem(text);
      assert.notEqual(problem, null);
      assert.equal(problem!.includes(key), false, problem!);
    }
  }
});

Deno.test("keyRingProblem rejects text after a key", () => {
  assert.notEqual(keyRingProblem(`k1:${KEY_A}:${KEY_B}`), null);
});
