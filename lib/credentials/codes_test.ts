import assert from "node:assert/strict";
import { ALL, eq, not } from "../store/filter.ts";
import type { Id } from "../store/port.ts";
import { openTestServices, type TestServices } from "@/tests/support/test_services.ts";
import {
  checkCode,
  CODES,
  type CodeSlot,
  countSending,
  dropCodes,
  issueCode,
  redeemCode,
  SENDINGS,
} from "./codes.ts";

const SPACE = "66f1a0c2e4b0a1b2c3d4e5f6" as Id;
const USER = "66f1a0c2e4b0a1b2c3d4e5f7" as Id;
const SLOT: CodeSlot = { space: SPACE, purpose: "verify", holder: "ada@example.com" };
const TARGET = { email: "Ada@example.com", subjectId: USER };
const MINUTE_MS = 60_000;

const issue = ({ services }: TestServices, slot = SLOT, target = TARGET): Promise<string> =>
  services.engine.transaction(slot.space, (tx) => issueCode(tx, services, slot, target));

const wrong = (code: string): string => code === "000000" ? "000001" : "000000";

/** Checks a code, which costs one of its tries. */
const isRight = async ({ services }: TestServices, code: string, slot = SLOT) =>
  await checkCode(services, slot, code) !== null;

const redeem = async (opened: TestServices, code: string, slot = SLOT): Promise<boolean> => {
  const checked = await checkCode(opened.services, slot, code);
  if (checked === null) return false;
  return await opened.services.engine.transaction(slot.space, (tx) => redeemCode(tx, checked));
};

Deno.test("issueCode returns six digits that are evenly distributed", async () => {
  await using opened = await openTestServices();
  const counts = Array.from({ length: 6 }, () => new Array<number>(10).fill(0));
  const seen = new Set<string>();
  for (let i = 0; i < 500; i++) {
    const code = await issue(opened);
    assert.match(code, /^\d{6}$/);
    seen.add(code);
    for (const [at, digit] of [...code].entries()) counts[at]![Number(digit)]!++;
  }
  assert.ok(seen.size > 490);
  // Of 50 expected, fewer than 15 or more than 100 come once in a million runs.
  for (const count of counts.flat()) assert.ok(count >= 15 && count <= 100, `${counts}`);
});

Deno.test("checkCode returns the subject and address, and does not use the code up", async () => {
  await using opened = await openTestServices();
  const code = await issue(opened);
  const checked = await checkCode(opened.services, SLOT, code);
  assert.deepEqual([checked!.email, checked!.subjectId], ["Ada@example.com", USER]);
  assert.ok(await isRight(opened, code));
  assert.ok(await redeem(opened, code));
  assert.equal(await isRight(opened, code), false);
});

Deno.test("checkCode rejects a code after ten minutes", async () => {
  await using opened = await openTestServices();
  const code = await issue(opened);
  opened.clock.advance(10 * MINUTE_MS - 1);
  assert.ok(await isRight(opened, code));
  opened.clock.advance(1);
  assert.equal(await isRight(opened, code), false);
});

Deno.test("checkCode allows five tries of a code, also to concurrent requests", async () => {
  await using opened = await openTestServices();
  const code = await issue(opened);
  const results = await Promise.all(Array.from({ length: 50 }, () => isRight(opened, code)));
  assert.equal(results.filter((right) => right).length, 5);
  assert.equal(await isRight(opened, code), false);
  const fresh = await issue(opened);
  for (let i = 0; i < 5; i++) assert.equal(await isRight(opened, wrong(fresh)), false);
  assert.equal(await isRight(opened, fresh), false);
});

Deno.test("issueCode replaces the previous code, with new tries and a new expiry", async () => {
  await using opened = await openTestServices();
  const old = await issue(opened);
  for (let i = 0; i < 4; i++) await isRight(opened, wrong(old));
  const checked = await checkCode(opened.services, SLOT, old);
  opened.clock.advance(9 * MINUTE_MS);
  const fresh = await issue(opened);
  if (fresh !== old) {
    assert.equal(await isRight(opened, old), false);
    const { engine } = opened.services;
    const used = await engine.transaction(SPACE, (tx) => redeemCode(tx, checked!));
    assert.equal(used, false, "a checked code is not redeemed after its replacement");
  }
  opened.clock.advance(9 * MINUTE_MS);
  assert.ok(await redeem(opened, fresh));
  const isIssued = not(eq("codeHash", ""));
  assert.equal(await opened.services.engine.records(SPACE, CODES).count(isIssued), 0);
});

Deno.test("redeemCode succeeds for one of 50 concurrent requests", async () => {
  await using opened = await openTestServices();
  const code = await issue(opened);
  const checked = (await checkCode(opened.services, SLOT, code))!;
  const { engine } = opened.services;
  const used = await Promise.all(
    Array.from({ length: 50 }, () => engine.transaction(SPACE, (tx) => redeemCode(tx, checked))),
  );
  assert.equal(used.filter((won) => won).length, 1);
});

Deno.test("redeemCode in a failed transaction does not use the code up", async () => {
  await using opened = await openTestServices();
  const code = await issue(opened);
  const checked = (await checkCode(opened.services, SLOT, code))!;
  await assert.rejects(
    opened.services.engine.transaction(SPACE, async (tx) => {
      assert.ok(await redeemCode(tx, checked));
      throw new Error("refused");
    }),
    /refused/,
  );
  assert.ok(await redeem(opened, code));
});

Deno.test("checkCode rejects a code of another space, purpose or holder", async () => {
  await using opened = await openTestServices();
  const code = await issue(opened);
  const others: CodeSlot[] = [
    { ...SLOT, purpose: "resetPassword" },
    { ...SLOT, holder: "bob@example.com" },
    { ...SLOT, space: "control" },
    { ...SLOT, holder: "ada@example.com " },
  ];
  for (const slot of others) assert.equal(await isRight(opened, code, slot), false);
  // Also if the slot has another code, because the hash includes the slot.
  for (const slot of others) {
    const theirs = await issue(opened, slot);
    if (theirs !== code) assert.equal(await isRight(opened, code, slot), false);
  }
  assert.ok(await isRight(opened, code));
});

Deno.test("issueCode hashes with the first key, and checkCode accepts all keys", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const [key] = services.codeKeys;
  const code = await issue(opened);
  const page = await services.engine.records(SPACE, CODES)
    .list({ filter: ALL, sort: [], limit: 10 });
  assert.ok(!page.items.includes(code));
  const rotated = { ...services, codeKeys: ["another key of this test", key!] };
  assert.notEqual(await checkCode(rotated, SLOT, code), null);
  const without = { ...services, codeKeys: ["another key of this test"] };
  assert.equal(await checkCode(without, SLOT, code), null);
});

Deno.test("dropCodes deletes all codes of a user and their address, and no other code", async () => {
  await using opened = await openTestServices();
  const { engine } = opened.services;
  const _id = opened.services.newId();
  const codes: [CodeSlot, string][] = [];
  for (const purpose of ["verify", "resetPassword", "code", "emailChange"] as const) {
    const slot = { ...SLOT, purpose, ...(purpose === "emailChange" && { holder: _id }) };
    codes.push([slot, await issue(opened, slot)]);
  }
  const bob = { ...SLOT, holder: "bob@example.com" };
  const bobs = await issue(opened, bob);
  await engine.transaction(SPACE, (tx) => dropCodes(tx, SPACE, { _id, emailLower: SLOT.holder }));
  for (const [slot, code] of codes) assert.equal(await isRight(opened, code, slot), false);
  assert.ok(await isRight(opened, bobs, bob));
});

Deno.test("countSending admits one mail a minute and five an hour, also concurrently", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const count = () => countSending(services, SLOT);
  const some = await Promise.all(Array.from({ length: 50 }, count));
  assert.equal(some.filter((isAdmitted) => isAdmitted).length, 1);
  clock.advance(MINUTE_MS - 1);
  assert.equal(await count(), false);
  clock.advance(1);
  const again = await Promise.all(Array.from({ length: 50 }, count));
  assert.equal(again.filter((isAdmitted) => isAdmitted).length, 1);
  for (let sent = 2; sent < 5; sent++) {
    clock.advance(MINUTE_MS);
    assert.ok(await count());
  }
  clock.advance(MINUTE_MS);
  assert.equal(await count(), false, "the sixth");
  clock.advance(54 * MINUTE_MS);
  assert.equal(await count(), false, "a minute before the hour is over");
  clock.advance(MINUTE_MS);
  const later = await Promise.all(Array.from({ length: 50 }, count));
  assert.equal(later.filter((isAdmitted) => isAdmitted).length, 1);
  assert.equal(await services.engine.records(SPACE, SENDINGS).count(ALL), 1);
});

Deno.test("countSending counts a job once if it runs again before another mail is counted", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const countJob = (jobId: string) => countSending(services, { ...SLOT, jobId });
  const [one, other] = ["66f1a0c2e4b0a1b2c3d4e5f6", "66f1a0c2e4b0a1b2c3d4e5f7"];
  for (let run = 0; run < 7; run++) assert.ok(await countJob(one), `run ${run}`);
  assert.equal(await countJob(other), false, "within a minute");
  for (let sent = 1; sent < 5; sent++) {
    clock.advance(MINUTE_MS);
    assert.ok(await countJob(other), "the runs of the first job were counted once");
    assert.equal(await countJob(one), false);
  }
  clock.advance(MINUTE_MS);
  assert.equal(await countJob(one), false, "the sixth");
});

Deno.test("countSending counts purposes, addresses and spaces separately", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const slots = [
    SLOT,
    { ...SLOT, purpose: "code" as const },
    { ...SLOT, holder: "bob@example.com" },
    { ...SLOT, space: "control" as const },
  ];
  for (const slot of slots) assert.ok(await countSending(services, slot));
  for (const slot of slots) assert.equal(await countSending(services, slot), false);
});
