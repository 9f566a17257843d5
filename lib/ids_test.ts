import assert from "node:assert/strict";
import { fakeClock } from "@/tests/support/test_services.ts";
import { objectIds, parseId, requiredId } from "./ids.ts";

/** Makes `crypto.getRandomValues` return one byte repeatedly until it is disposed of. */
function fixedRandomness(...bytes: readonly number[]): Disposable {
  const original = crypto.getRandomValues;
  crypto.getRandomValues = <T extends ArrayBufferView | null>(into: T): T => {
    if (into instanceof Uint8Array) into.set(bytes);
    return into;
  };
  return { [Symbol.dispose]: () => void (crypto.getRandomValues = original) };
}

Deno.test("ids are ObjectIds of seconds, five bytes of the process and a counter", () => {
  using _random = fixedRandomness(0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0x00, 0x01, 0x0f);
  const newId = objectIds(fakeClock(Date.parse("2026-01-31T12:00:00.999Z")));
  assert.equal(newId(), "697deec0" + "a1a2a3a4a5" + "000110");
  assert.equal(newId(), "697deec0" + "a1a2a3a4a5" + "000111");
});

Deno.test("100,000 ids of one second are different and valid", () => {
  const newId = objectIds(fakeClock());
  const ids = Array.from({ length: 100_000 }, newId);
  assert.equal(new Set(ids).size, 100_000);
  for (const id of ids) assert.match(id, /^[0-9a-f]{24}$/);
});

Deno.test("ids ascend within a second and between seconds", () => {
  using _random = fixedRandomness(1, 2, 3, 4, 5, 0, 0, 0);
  const clock = fakeClock();
  const newId = objectIds(clock);
  let last = newId();
  for (let n = 0; n < 5000; n++) {
    if (n % 100 === 0) clock.advance(1000);
    const next = newId();
    assert.ok(next > last, `${next} follows ${last}`);
    last = next;
  }
});

Deno.test("ids ascend when the counter overflows", () => {
  using _random = fixedRandomness(1, 2, 3, 4, 5, 0xff, 0xff, 0xfd);
  const newId = objectIds(fakeClock());
  const ids = Array.from({ length: 5 }, newId);
  assert.equal(new Set(ids).size, 5);
  assert.deepEqual(ids, [...ids].sort());
});

Deno.test("ids ascend when the clock is set back", () => {
  const clock = fakeClock();
  const newId = objectIds(clock);
  const ids = [0, -5000, 1000, -60_000, 2000, 70_000].map((ms) => {
    clock.advance(ms);
    return newId();
  });
  assert.deepEqual(ids, [...ids].sort());
  assert.equal(new Set(ids).size, 6);
});

Deno.test("two processes generate different ids in the same second", () => {
  const clock = fakeClock();
  const [one, other] = [objectIds(clock), objectIds(clock)];
  const ids = Array.from({ length: 1000 }, () => [one(), other()]).flat();
  assert.equal(new Set(ids).size, 2000);
});

Deno.test("parseId accepts any letter case and returns lower case", () => {
  assert.equal(parseId("66f1a0c2e4b0a1b2c3d4e5f6"), "66f1a0c2e4b0a1b2c3d4e5f6");
  assert.equal(parseId("66F1A0C2E4B0A1B2C3D4E5F6"), "66f1a0c2e4b0a1b2c3d4e5f6");
  assert.equal(parseId("66f1A0c2E4b0a1B2c3d4e5F6"), "66f1a0c2e4b0a1b2c3d4e5f6");
});

Deno.test("parseId refuses texts other than 24 hexadecimal digits", () => {
  const wrong = [
    "",
    "66f1a0c2e4b0a1b2c3d4e5f",
    "66f1a0c2e4b0a1b2c3d4e5f60",
    "66f1a0c2e4b0a1b2c3d4e5fg",
    " 66f1a0c2e4b0a1b2c3d4e5f6",
    "66f1a0c2e4b0a1b2c3d4e5f6\n",
    "0x66f1a0c2e4b0a1b2c3d4e5",
    "６６f1a0c2e4b0a1b2c3d4e5f6",
  ];
  for (const text of wrong) assert.equal(parseId(text), null, JSON.stringify(text));
});

Deno.test("requiredId accepts any letter case and refuses other texts", () => {
  assert.equal(requiredId("66F1a0c2e4b0a1b2c3d4e5f6"), "66f1a0c2e4b0a1b2c3d4e5f6");
  for (const text of ["", "me", "66f1a0c2e4b0a1b2c3d4e5f", "66f1a0c2e4b0a1b2c3d4e5fg"]) {
    assert.throws(() => requiredId(text), { code: "INVALID_ID", status: 400 });
  }
});
