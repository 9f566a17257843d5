import assert from "node:assert/strict";
import { ALL, eq, not } from "../store/filter.ts";
import type { Id } from "../store/port.ts";
import { openTestServices, type TestServices } from "@/tests/support/test_services.ts";
import {
  checkCode,
  type CodePlace,
  CODES,
  dropCodes,
  issueCode,
  maySend,
  redeemCode,
  SENDINGS,
} from "./codes.ts";

const SPACE = "66f1a0c2e4b0a1b2c3d4e5f6" as Id;
const USER = "66f1a0c2e4b0a1b2c3d4e5f7" as Id;
const PLACE: CodePlace = { space: SPACE, purpose: "verify", holder: "ada@example.com" };
const TARGET = { email: "Ada@example.com", subjectId: USER };
const MINUTE_MS = 60_000;

const issue = ({ services }: TestServices, place = PLACE, target = TARGET): Promise<string> =>
  services.engine.transaction(place.space, (tx) => issueCode(tx, services, place, target));

const wrong = (code: string): string => code === "000000" ? "000001" : "000000";

/** Whether a code is right, which takes one of its tries. */
const isRight = async ({ services }: TestServices, code: string, place = PLACE) =>
  await checkCode(services, place, code) !== null;

const redeem = async (opened: TestServices, code: string, place = PLACE): Promise<boolean> => {
  const checked = await checkCode(opened.services, place, code);
  if (checked === null) return false;
  return await opened.services.engine.transaction(place.space, (tx) => redeemCode(tx, checked));
};

Deno.test("a code has six digits, of which none is rarer at any place", async () => {
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

Deno.test("a right code tells for whom and for which address it is, and can be looked at again", async () => {
  await using opened = await openTestServices();
  const code = await issue(opened);
  const checked = await checkCode(opened.services, PLACE, code);
  assert.deepEqual([checked!.email, checked!.subjectId], ["Ada@example.com", USER]);
  assert.ok(await isRight(opened, code));
  assert.ok(await redeem(opened, code));
  assert.equal(await isRight(opened, code), false);
});

Deno.test("a code lives ten minutes by the clock", async () => {
  await using opened = await openTestServices();
  const code = await issue(opened);
  opened.clock.advance(10 * MINUTE_MS - 1);
  assert.ok(await isRight(opened, code));
  opened.clock.advance(1);
  assert.equal(await isRight(opened, code), false);
});

Deno.test("a code has five tries, whoever takes them and however many come at once", async () => {
  await using opened = await openTestServices();
  const code = await issue(opened);
  const looked = await Promise.all(Array.from({ length: 50 }, () => isRight(opened, code)));
  assert.equal(looked.filter((right) => right).length, 5);
  assert.equal(await isRight(opened, code), false);
  const fresh = await issue(opened);
  for (let i = 0; i < 5; i++) assert.equal(await isRight(opened, wrong(fresh)), false);
  assert.equal(await isRight(opened, fresh), false);
});

Deno.test("a new code takes the place of the old one, with tries and minutes of its own", async () => {
  await using opened = await openTestServices();
  const old = await issue(opened);
  for (let i = 0; i < 4; i++) await isRight(opened, wrong(old));
  const checked = await checkCode(opened.services, PLACE, old);
  opened.clock.advance(9 * MINUTE_MS);
  const fresh = await issue(opened);
  if (fresh !== old) {
    assert.equal(await isRight(opened, old), false);
    const { engine } = opened.services;
    const used = await engine.transaction(SPACE, (tx) => redeemCode(tx, checked!));
    assert.equal(used, false, "one that was right before is no good either");
  }
  opened.clock.advance(9 * MINUTE_MS);
  assert.ok(await redeem(opened, fresh));
  const somebodys = not(eq("codeHash", ""));
  assert.equal(await opened.services.engine.records(SPACE, CODES).count(somebodys), 0);
});

Deno.test("of 50 who redeem one code at once one does", async () => {
  await using opened = await openTestServices();
  const code = await issue(opened);
  const checked = (await checkCode(opened.services, PLACE, code))!;
  const { engine } = opened.services;
  const used = await Promise.all(
    Array.from({ length: 50 }, () => engine.transaction(SPACE, (tx) => redeemCode(tx, checked))),
  );
  assert.equal(used.filter((won) => won).length, 1);
});

Deno.test("a code that is redeemed in a transaction that fails is still good", async () => {
  await using opened = await openTestServices();
  const code = await issue(opened);
  const checked = (await checkCode(opened.services, PLACE, code))!;
  await assert.rejects(
    opened.services.engine.transaction(SPACE, async (tx) => {
      assert.ok(await redeemCode(tx, checked));
      throw new Error("refused");
    }),
    /refused/,
  );
  assert.ok(await redeem(opened, code));
});

Deno.test("a code is good in its place alone: its space, its purpose and its holder", async () => {
  await using opened = await openTestServices();
  const code = await issue(opened);
  const others: CodePlace[] = [
    { ...PLACE, purpose: "resetPassword" },
    { ...PLACE, holder: "bob@example.com" },
    { ...PLACE, space: "control" },
    { ...PLACE, holder: "ada@example.com " },
  ];
  for (const place of others) assert.equal(await isRight(opened, code, place), false);
  // Nor where another code is: what is hashed has the place in it.
  for (const place of others) {
    const theirs = await issue(opened, place);
    if (theirs !== code) assert.equal(await isRight(opened, code, place), false);
  }
  assert.ok(await isRight(opened, code));
});

Deno.test("a code is hashed with the first key, and good with each that there is", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const [key] = services.codeKeys;
  const code = await issue(opened);
  const page = await services.engine.records(SPACE, CODES)
    .list({ filter: ALL, sort: [], limit: 10 });
  assert.ok(!page.items.includes(code));
  const rotated = { ...services, codeKeys: ["another key of this test", key!] };
  assert.notEqual(await checkCode(rotated, PLACE, code), null);
  const without = { ...services, codeKeys: ["another key of this test"] };
  assert.equal(await checkCode(without, PLACE, code), null);
});

Deno.test("codes of somebody and their address are dropped whatever their purpose, and nobody else's", async () => {
  await using opened = await openTestServices();
  const { engine } = opened.services;
  const _id = opened.services.newId();
  const codes: [CodePlace, string][] = [];
  for (const purpose of ["verify", "resetPassword", "code", "emailChange"] as const) {
    const place = { ...PLACE, purpose, ...(purpose === "emailChange" && { holder: _id }) };
    codes.push([place, await issue(opened, place)]);
  }
  const bob = { ...PLACE, holder: "bob@example.com" };
  const bobs = await issue(opened, bob);
  await engine.transaction(SPACE, (tx) => dropCodes(tx, SPACE, { _id, emailLower: PLACE.holder }));
  for (const [place, code] of codes) assert.equal(await isRight(opened, code, place), false);
  assert.ok(await isRight(opened, bobs, bob));
});

Deno.test("one mail a minute and five an hour may go to an address, and of many at once one", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const ask = () => maySend(services, PLACE);
  const some = await Promise.all(Array.from({ length: 50 }, ask));
  assert.equal(some.filter((may) => may).length, 1);
  clock.advance(MINUTE_MS - 1);
  assert.equal(await ask(), false);
  clock.advance(1);
  const again = await Promise.all(Array.from({ length: 50 }, ask));
  assert.equal(again.filter((may) => may).length, 1);
  for (let sent = 2; sent < 5; sent++) {
    clock.advance(MINUTE_MS);
    assert.ok(await ask());
  }
  clock.advance(MINUTE_MS);
  assert.equal(await ask(), false, "the sixth");
  clock.advance(54 * MINUTE_MS);
  assert.equal(await ask(), false, "a minute before the hour is over");
  clock.advance(MINUTE_MS);
  const later = await Promise.all(Array.from({ length: 50 }, ask));
  assert.equal(later.filter((may) => may).length, 1);
  assert.equal(await services.engine.records(SPACE, SENDINGS).count(ALL), 1);
});

Deno.test("maySend counts a job once, also when it runs again, until another mail is counted", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const may = (jobId: string) => maySend(services, { ...PLACE, jobId });
  const [one, other] = ["66f1a0c2e4b0a1b2c3d4e5f6", "66f1a0c2e4b0a1b2c3d4e5f7"];
  for (let run = 0; run < 7; run++) assert.ok(await may(one), `run ${run}`);
  assert.equal(await may(other), false, "within a minute");
  for (let sent = 1; sent < 5; sent++) {
    clock.advance(MINUTE_MS);
    assert.ok(await may(other), "the runs of the first job were counted once");
    assert.equal(await may(one), false);
  }
  clock.advance(MINUTE_MS);
  assert.equal(await may(one), false, "the sixth");
});

Deno.test("purposes, addresses and spaces are counted apart", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const places = [
    PLACE,
    { ...PLACE, purpose: "code" as const },
    { ...PLACE, holder: "bob@example.com" },
    { ...PLACE, space: "control" as const },
  ];
  for (const place of places) assert.ok(await maySend(services, place));
  for (const place of places) assert.equal(await maySend(services, place), false);
});
