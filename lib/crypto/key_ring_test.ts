import assert from "node:assert/strict";
import { KeyRing, keyRingProblem } from "./key_ring.ts";

const KEY_A = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const KEY_B = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";

const HERE = { project: "66f1a0c2e4b0a1b2c3d4e5f6", purpose: "access-token-key" };

/** Another character of the alphabet in which sealed texts are written. */
const otherThan = (char: string) => char === "A" ? "B" : "A";

Deno.test("what was sealed opens to the same text", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A}`);
  for (const plain of ["", "a", "gsk_0123456789", "Ä😀\n\0", "x".repeat(100_000)]) {
    assert.equal(await ring.open(await ring.seal(plain, HERE), HERE), plain);
  }
});

Deno.test("sealed text names its version and key, and never shows what is in it", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A}`);
  const sealed = await ring.seal("a secret value", HERE);
  assert.match(sealed, /^v1\.k1\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{40}$/);
  assert.equal(sealed.includes("secret"), false);
  assert.equal(sealed.includes(btoa("a secret").slice(0, 8)), false);
});

Deno.test("the same text is never sealed the same way twice", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A}`);
  const sealed = await Promise.all(Array.from({ length: 200 }, () => ring.seal("same", HERE)));
  assert.equal(new Set(sealed).size, 200);
  assert.equal(new Set(sealed.map((text) => text.split(".")[2])).size, 200, "an IV came twice");
});

Deno.test("a sealed text that was altered anywhere does not open", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A}`);
  // 17 bytes and the tag of 16 fill whole groups of base64: every bit of every character counts.
  const sealed = await ring.seal("seventeen letters", HERE);
  for (let at = 0; at < sealed.length; at++) {
    const altered = sealed.slice(0, at) + otherThan(sealed[at]!) + sealed.slice(at + 1);
    await assert.rejects(ring.open(altered, HERE), `opened with another character at ${at}`);
  }
});

Deno.test("a sealed text that was cut or lengthened does not open", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A}`);
  const sealed = await ring.seal("seventeen letters", HERE);
  for (let length = 0; length < sealed.length; length++) {
    await assert.rejects(ring.open(sealed.slice(0, length), HERE), `opened cut at ${length}`);
  }
  await assert.rejects(ring.open(`${sealed}AAAA`, HERE));
  await assert.rejects(ring.open(`v1.${sealed}`, HERE));
});

Deno.test("a sealed text has one spelling", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A}`);
  // 18 bytes and the tag leave spare bits in the last character.
  const sealed = await ring.seal("eighteen letters..", HERE);
  const last = sealed.at(-1)!;
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const spare = alphabet[alphabet.indexOf(last) + 1]!;
  await assert.rejects(ring.open(sealed.slice(0, -1) + spare, HERE), "spare bits were ignored");
  await assert.rejects(ring.open(`${sealed} `, HERE), "white space was ignored");
  await assert.rejects(ring.open(`${sealed}.AAAA`, HERE), "a fifth part was ignored");
});

Deno.test("a sealed value opens only where it belongs", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A}`);
  const sealed = await ring.seal("value", HERE);
  const elsewhere = [
    { ...HERE, project: "66f1a0c2e4b0a1b2c3d4e5f7" },
    { ...HERE, project: "" },
    { ...HERE, purpose: "ai-key" },
    { project: HERE.purpose, purpose: HERE.project },
    { project: `${HERE.project}","${HERE.purpose}`, purpose: "" },
  ];
  for (const binding of elsewhere) await assert.rejects(ring.open(sealed, binding));
  assert.equal(await ring.open(sealed, { ...HERE }), "value");
});

Deno.test("a value sealed under another key of the same name does not open", async () => {
  const [one, other] = [await KeyRing.parse(`k1:${KEY_A}`), await KeyRing.parse(`k1:${KEY_B}`)];
  const sealed = await one.seal("value", HERE);
  await assert.rejects(other.open(sealed, HERE));
});

Deno.test("a sealed text's key name cannot be exchanged, also for one of the same key", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A},k2:${KEY_A}`);
  const sealed = await ring.seal("value", HERE);
  await assert.rejects(ring.open(sealed.replace("v1.k1.", "v1.k2."), HERE));
});

Deno.test("the first key of a ring seals and every key opens", async () => {
  const old = await KeyRing.parse(`old:${KEY_A}`);
  const both = await KeyRing.parse(`new:${KEY_B},old:${KEY_A}`);
  const fresh = await KeyRing.parse(`new:${KEY_B}`);
  const sealedBefore = await old.seal("before", HERE);
  const sealedAfter = await both.seal("after", HERE);
  assert.match(sealedAfter, /^v1\.new\./);
  assert.equal(await both.open(sealedBefore, HERE), "before");
  assert.equal(await both.open(sealedAfter, HERE), "after");
  assert.equal(await fresh.open(sealedAfter, HERE), "after");
  await assert.rejects(fresh.open(sealedBefore, HERE), /SECRET_KEYS has no key "old"/);
});

Deno.test("what is no sealed text is refused as such", async () => {
  const ring = await KeyRing.parse(`k1:${KEY_A}`);
  for (const text of ["", "plain", "v1.k1", "v2.k1.AAAAAAAAAAAAAAAA.AAAA"]) {
    await assert.rejects(ring.open(text, HERE), /Cannot open a sealed value: it is malformed/);
  }
  await assert.rejects(ring.open("v1.k1.%.%", HERE));
});

Deno.test("derived keys are texts of one length that differ by purpose and by key", async () => {
  const [one, other] = [await KeyRing.parse(`k1:${KEY_A}`), await KeyRing.parse(`k1:${KEY_B}`)];
  const derived = [one.derive("cursors"), one.derive("cursor"), other.derive("cursors")].flat();
  assert.equal(new Set(derived).size, 3);
  for (const key of derived) assert.match(key, /^[A-Za-z0-9_-]{43}$/);
});

Deno.test("derived keys are the same in every process and whatever the key is called", async () => {
  const rings = [`k1:${KEY_A}`, `renamed:${KEY_A}`];
  for (const text of rings) {
    const ring = await KeyRing.parse(text);
    assert.deepEqual(ring.derive("cursors"), ["b9iKDGUIbT7XzdyrXbvKX_FKUMe2L1i8zZiPYx0bIjE"]);
  }
});

Deno.test("a ring derives one key for each of its own, the one to sign with first", async () => {
  const ring = await KeyRing.parse(`k2:${KEY_B},k1:${KEY_A}`);
  const [second] = (await KeyRing.parse(`k2:${KEY_B}`)).derive("cursors");
  const [first] = (await KeyRing.parse(`k1:${KEY_A}`)).derive("cursors");
  assert.deepEqual(ring.derive("cursors"), [second, first]);
});

Deno.test("keys are read as people paste them", () => {
  for (
    const text of [
      `k1:${KEY_A}`,
      `k1:${KEY_A.replace("=", "")}`,
      ` k1:${KEY_A} , k2:${KEY_B} `,
      `A-b_9${"x".repeat(27)}:${KEY_A}`,
    ]
  ) assert.equal(keyRingProblem(text), null, text);
});

Deno.test("a ring that cannot be read is refused and its keys are not repeated", async () => {
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
    const told = keyRingProblem(text);
    assert.match(told ?? "", problem, text);
    assert.equal(/[A-Za-z0-9+/]{12}/.test(told!), false, told!);
    await assert.rejects(KeyRing.parse(text), problem);
  }
});

Deno.test("a key given without a name is not repeated as if it were one", () => {
  for (const key of ["0123456789abcdef0123456789abcdef", "correct-horse-battery-staple"]) {
    for (const text of [key, `k1:${KEY_A},${key}`]) {
      const problem = keyRingProblem(text);
      assert.notEqual(problem, null);
      assert.equal(problem!.includes(key), false, problem!);
    }
  }
});

Deno.test("a key with something behind it is refused, not cut down", () => {
  assert.notEqual(keyRingProblem(`k1:${KEY_A}:${KEY_B}`), null);
});
