import assert from "node:assert/strict";
import { CHANGES_BYTES_MAX, CHANGES_MAX, CHANGES_MS } from "../../limits.ts";
import { PositionLost } from "../errors.ts";
import {
  type ChangeLimits,
  changesAfter,
  createChangeTable,
  isTrimmed,
  recordChanges,
  trimChanges,
} from "./change_table.ts";
import { Connection } from "./connection.ts";

const NOW = Date.parse("2026-01-31T12:00:00.000Z");
const MINUTE_MS = 60_000;
const POSTS = { name: "posts", fields: {}, indexes: [], trash: false };
const LIMITS: ChangeLimits = { max: 1_000, bytesMax: 20_000, youngBytesMax: 100_000 };

const at = (ms: number): string => new Date(ms).toISOString();

/** Creates an in-memory database with `count` changes of a thousand bytes each. */
function openChanges(count: number, recordedAt = NOW) {
  const db = new Connection(":memory:", "normal");
  createChangeTable(db);
  for (let n = 0; n < count; n++) recordOne(db, n, recordedAt);
  return { db, [Symbol.dispose]: () => db.close() };
}

function recordOne(db: Connection, n: number, recordedAt: number, length = 828): void {
  recordAll(db, [n], recordedAt, length);
}

/** Records several changes in one write. */
function recordAll(
  db: Connection,
  numbers: readonly number[],
  recordedAt: number,
  length = 828,
): void {
  const written = numbers.map((n) => {
    const value = { _id: n.toString(16).padStart(24, "0"), text: "x".repeat(length) };
    return { before: null, after: { value, json: JSON.stringify(value), revision: 1 } };
  });
  const by = { actor: { kind: "key", id: null }, at: at(recordedAt) } as const;
  recordChanges(db, POSTS, { written, by });
}

function trimAll(db: Connection, now: number, limits = LIMITS): number {
  for (let removed = 0;;) {
    const gone = trimChanges(db, at(now), limits);
    removed += gone;
    if (isTrimmed(gone)) return removed;
  }
}

const left = (db: Connection): number => {
  const [oldest] = db.get({ sql: "select min(seq) from changes", values: [] }) as [number];
  return changesAfter(db, oldest - 1).length;
};

Deno.test("changes are deleted after a day, except the newest, so that no position is reused", () => {
  using changes = openChanges(10);
  const { db } = changes;
  assert.equal(trimAll(db, NOW + CHANGES_MS), 0);
  assert.equal(trimAll(db, NOW + CHANGES_MS + 1), 9);
  assert.equal(left(db), 1);
  recordOne(db, 10, NOW + CHANGES_MS + 1);
  assert.deepEqual(changesAfter(db, 10).map(({ position }) => Number(position)), [11]);
});

Deno.test("the oldest changes beyond the maximum number are deleted in bounded batches", () => {
  using changes = openChanges(2_000);
  const { db } = changes;
  const limits = { ...LIMITS, max: 150, bytesMax: 1e9, youngBytesMax: 1e9 };
  assert.equal(trimChanges(db, at(NOW), limits), 256);
  assert.equal(trimAll(db, NOW, limits), 2_000 - 150 - 256);
  assert.deepEqual([left(db), changesAfter(db, 1_850)[0]!.position], [150, "0000000000001851"]);
  assert.throws(() => changesAfter(db, 1_849), PositionLost);
});

Deno.test("changes that may be undelivered are deleted only beyond the larger size limit", () => {
  using changes = openChanges(90);
  const { db } = changes;
  assert.equal(trimAll(db, NOW + 10 * MINUTE_MS), 0);
  assert.equal(trimAll(db, NOW + 10 * MINUTE_MS + 1), 70);
  for (let n = 0; n < 120; n++) recordOne(db, n, NOW + 20 * MINUTE_MS);
  assert.equal(trimAll(db, NOW + 20 * MINUTE_MS), 40);
  assert.equal(left(db), 100);
});

Deno.test("a large write trims the oldest changes by the documented limits", () => {
  assert.deepEqual([CHANGES_MAX, CHANGES_BYTES_MAX, CHANGES_MS], [
    100_000,
    64 * 2 ** 20,
    86_400_000,
  ]);
  using changes = openChanges(3, NOW - 2 * CHANGES_MS);
  recordOne(changes.db, 4, NOW, 100_000);
  assert.equal(left(changes.db), 1);
});

Deno.test("recordChanges keeps the order of a batch and trims as much as single writes do", () => {
  using changes = openChanges(600, NOW - 2 * CHANGES_MS);
  const { db } = changes;
  const numbers = Array.from({ length: 200 }, (_, i) => 700 + i);
  recordAll(db, numbers, NOW);
  const behind = changesAfter(db, 600);
  assert.deepEqual(behind.map(({ recordId }) => parseInt(recordId, 16)), numbers);
  assert.deepEqual(behind.map(({ position }) => Number(position)), numbers.map((n) => n - 99));
  assert.equal(left(db), 200);
  const totals = db.all({ sql: "select total from changes order by seq", values: [] });
  assert.equal((totals.at(-1)![0] as number) - (totals[0]![0] as number), 199 * 1_000);
});
