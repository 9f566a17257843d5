import assert from "node:assert/strict";
import { CHANGES_BYTES_MAX, CHANGES_MAX, CHANGES_MS } from "../../limits.ts";
import { PositionLost } from "../errors.ts";
import {
  changesBehind,
  type ChangesKept,
  isTrimmed,
  makeChanges,
  noteChanges,
  trimChanges,
} from "./change_table.ts";
import { Connection } from "./connection.ts";

const NOW = Date.parse("2026-01-31T12:00:00.000Z");
const MINUTE_MS = 60_000;
const POSTS = { name: "posts", fields: {}, indexes: [], trash: false };
const KEPT: ChangesKept = { max: 1_000, bytesMax: 20_000, youngBytesMax: 100_000 };

const at = (ms: number): string => new Date(ms).toISOString();

/** A database in memory with so many changes, each of a thousand bytes. */
function openChanges(count: number, notedAt = NOW) {
  const db = new Connection(":memory:", "normal");
  makeChanges(db);
  for (let n = 0; n < count; n++) note(db, n, notedAt);
  return { db, [Symbol.dispose]: () => db.close() };
}

function note(db: Connection, n: number, notedAt: number, length = 828): void {
  noteAll(db, [n], notedAt, length);
}

/** At once. */
function noteAll(db: Connection, numbers: readonly number[], notedAt: number, length = 828): void {
  const written = numbers.map((n) => {
    const value = { _id: n.toString(16).padStart(24, "0"), text: "x".repeat(length) };
    return { before: null, after: { value, json: JSON.stringify(value), revision: 1 } };
  });
  const by = { actor: { kind: "key", id: null }, at: at(notedAt) } as const;
  noteChanges(db, POSTS, { written, by });
}

function trimAll(db: Connection, now: number, kept = KEPT): number {
  for (let removed = 0;;) {
    const gone = trimChanges(db, at(now), kept);
    removed += gone;
    if (isTrimmed(gone)) return removed;
  }
}

const left = (db: Connection): number => {
  const [oldest] = db.get({ sql: "select min(seq) from changes", values: [] }) as [number];
  return changesBehind(db, oldest - 1).length;
};

Deno.test("changes are kept for a day, and the newest for ever, so that no place is given twice", () => {
  using changes = openChanges(10);
  const { db } = changes;
  assert.equal(trimAll(db, NOW + CHANGES_MS), 0);
  assert.equal(trimAll(db, NOW + CHANGES_MS + 1), 9);
  assert.equal(left(db), 1);
  note(db, 10, NOW + CHANGES_MS + 1);
  assert.deepEqual(changesBehind(db, 10).map(({ position }) => Number(position)), [11]);
});

Deno.test("of changes the oldest go beyond a number, however young, in bounded batches", () => {
  using changes = openChanges(2_000);
  const { db } = changes;
  const kept = { ...KEPT, max: 150, bytesMax: 1e9, youngBytesMax: 1e9 };
  assert.equal(trimChanges(db, at(NOW), kept), 256);
  assert.equal(trimAll(db, NOW, kept), 2_000 - 150 - 256);
  assert.deepEqual([left(db), changesBehind(db, 1_850)[0]!.position], [150, "0000000000001851"]);
  assert.throws(() => changesBehind(db, 1_849), PositionLost);
});

Deno.test("what is so young that not everybody may be told of it goes beyond a larger size alone", () => {
  using changes = openChanges(90);
  const { db } = changes;
  assert.equal(trimAll(db, NOW + 10 * MINUTE_MS), 0);
  assert.equal(trimAll(db, NOW + 10 * MINUTE_MS + 1), 70);
  for (let n = 0; n < 120; n++) note(db, n, NOW + 20 * MINUTE_MS);
  assert.equal(trimAll(db, NOW + 20 * MINUTE_MS), 40);
  assert.equal(left(db), 100);
});

Deno.test("whoever notes much has some of the oldest removed by the bounds of the interface", () => {
  assert.deepEqual([CHANGES_MAX, CHANGES_BYTES_MAX, CHANGES_MS], [
    100_000,
    64 * 2 ** 20,
    86_400_000,
  ]);
  using changes = openChanges(3, NOW - 2 * CHANGES_MS);
  note(changes.db, 4, NOW, 100_000);
  assert.equal(left(changes.db), 1);
});

Deno.test("what is noted at once stands in its order, and as much goes as if it came one by one", () => {
  using changes = openChanges(600, NOW - 2 * CHANGES_MS);
  const { db } = changes;
  const numbers = Array.from({ length: 200 }, (_, i) => 700 + i);
  noteAll(db, numbers, NOW);
  const behind = changesBehind(db, 600);
  assert.deepEqual(behind.map(({ recordId }) => parseInt(recordId, 16)), numbers);
  assert.deepEqual(behind.map(({ position }) => Number(position)), numbers.map((n) => n - 99));
  assert.equal(left(db), 200);
  const totals = db.all({ sql: "select total from changes order by seq", values: [] });
  assert.equal((totals.at(-1)![0] as number) - (totals[0]![0] as number), 199 * 1_000);
});
