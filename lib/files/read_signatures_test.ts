import assert from "node:assert/strict";
import { createReadSignatures } from "./read_signatures.ts";

const [PATH, OTHER] = ["66f1a0c2e4b0a1b2c3d4e5f6/a", "66f1a0c2e4b0a1b2c3d4e5f6/b"];
const [OLD, NEW] = ["o".repeat(43), "n".repeat(43)];

function signatures(keys: readonly string[]) {
  let now = 1_000_000;
  const clock = { now: () => now, elapsed: () => now };
  return { ...createReadSignatures(keys, clock), pass: (ms: number) => void (now += ms) };
}

const signed = (keys: readonly string[], path: string, expiresAt: number) => {
  const { expires, signature } = Object.fromEntries(
    new URLSearchParams(signatures(keys).write({ path, expiresAt })),
  );
  return { expires: expires!, signature: signature! };
};

Deno.test("an address that was good is not once its time is over", () => {
  const reading = signatures([NEW]);
  const given = signed([NEW], PATH, 1_000_500);
  assert(reading.holds(PATH, given));
  reading.pass(499);
  assert(reading.holds(PATH, given));
  reading.pass(1);
  assert(!reading.holds(PATH, given));
});

Deno.test("an address that was good lets nobody read another path, nor for longer", () => {
  const reading = signatures([NEW]);
  const given = signed([NEW], PATH, 1_000_500);
  assert(reading.holds(PATH, given));
  assert(!reading.holds(OTHER, given));
  assert(!reading.holds(PATH, { ...given, expires: "2000000" }));
  assert(!reading.holds(PATH, { ...given, signature: `${given.signature}A` }));
  assert(reading.holds(PATH, given));
});

Deno.test("a signature that was refused is refused again, and takes no good one's place", () => {
  const reading = signatures([NEW]);
  const given = signed([NEW], PATH, 1_000_500);
  const forged = { ...given, signature: "A".repeat(given.signature.length) };
  for (let i = 0; i < 3; i++) assert(!reading.holds(PATH, forged));
  assert(reading.holds(PATH, given));
});

Deno.test("an address that an earlier key has signed is good as long as the key stays", () => {
  const given = signed([OLD], PATH, 1_000_500);
  const [both, other] = [signatures([NEW, OLD]), signatures([NEW])];
  for (let i = 0; i < 2; i++) assert(both.holds(PATH, given));
  assert(!other.holds(PATH, given));
});
