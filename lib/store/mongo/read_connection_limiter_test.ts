import assert from "node:assert/strict";
import { NoReadConnection, ReadConnectionLimiter } from "./read_connection_limiter.ts";

/** Time limit in milliseconds that these tests never reach. */
const LONG_MS = 600_000;

/**
 * Acquires connections until none is free. Returns their number, and the promise of the next one.
 */
function takeAll(
  limiter: ReadConnectionLimiter,
  space: string,
): { taken: number; next: Promise<number> } {
  for (let taken = 0;; taken++) {
    const place = limiter.acquire(space, LONG_MS);
    if (typeof place !== "number") return { taken, next: place };
    assert.equal(place, LONG_MS);
  }
}

function giveBack(limiter: ReadConnectionLimiter, space: string, times: number): void {
  for (let time = 0; time < times; time++) limiter.release(space);
}

const assertRejected = async (place: unknown) => {
  await assert.rejects(async () => await place, NoReadConnection);
};

Deno.test("a space takes at most half of the free connections, and an eighth stays free", async () => {
  const limiter = new ReadConnectionLimiter(32);
  const spaces = ["a", "b", "c", "d", "e", "f"];
  const found = spaces.map((space) => takeAll(limiter, space));
  assert.deepEqual(found.map(({ taken }) => taken), [14, 7, 4, 2, 1, 0]);
  giveBack(limiter, "a", 14);
  for (const { next } of found) assert.ok(await next > 0);
});

Deno.test("the smallest pool has a read connection, and an unlimited pool has no limit", async () => {
  for (const [connections, alone] of [[1, 1], [2, 1], [4, 2], [8, 4], [100, 44]] as const) {
    const limiter = new ReadConnectionLimiter(connections);
    const { taken, next } = takeAll(limiter, "a");
    assert.equal(taken, alone, `of ${connections}`);
    giveBack(limiter, "a", taken);
    await next;
  }
  const endless = new ReadConnectionLimiter(0);
  for (let taken = 0; taken < 5_000; taken++) assert.equal(endless.acquire("a", LONG_MS), LONG_MS);
});

Deno.test("waiting spaces take turns: each first request precedes all second requests", async () => {
  const limiter = new ReadConnectionLimiter(1);
  const order: string[] = [];
  const wait = async (space: string, name: string) => {
    await limiter.acquire(space, LONG_MS);
    order.push(name);
    limiter.release(space);
  };
  assert.equal(limiter.acquire("a", LONG_MS), LONG_MS);
  const waiting = ["a1", "a2", "a3", "b1", "c1", "b2"].map((name) => wait(name[0]!, name));
  limiter.release("a");
  await Promise.all(waiting);
  assert.deepEqual(order, ["a1", "b1", "c1", "a2", "b2", "a3"]);
  assert.equal(limiter.acquire("b", LONG_MS), LONG_MS, "all were given back");
});

Deno.test("waiting counts towards the time limit and ends with it", async () => {
  const limiter = new ReadConnectionLimiter(1);
  limiter.acquire("a", LONG_MS);
  await assertRejected(limiter.acquire("a", 1));
  await assertRejected(limiter.acquire("b", 1));
  const began = performance.now();
  const place = limiter.acquire("b", LONG_MS);
  await new Promise((resolve) => setTimeout(resolve, 20));
  limiter.release("a");
  const left = await place;
  const waited = performance.now() - began;
  assert.ok(left <= LONG_MS - 19 && left >= Math.floor(LONG_MS - waited), `${left} left`);
  assert.ok(Number.isInteger(left));
});

Deno.test("at most a thousand requests of one space wait", async () => {
  const limiter = new ReadConnectionLimiter(1);
  limiter.acquire("a", LONG_MS);
  const waiting = Array.from({ length: 1_000 }, () => limiter.acquire("a", LONG_MS));
  await assertRejected(limiter.acquire("a", LONG_MS));
  const other = limiter.acquire("b", LONG_MS);
  giveBack(limiter, "a", 2);
  await other;
  limiter.release("b");
  giveBack(limiter, "a", 999);
  await Promise.all(waiting);
});
